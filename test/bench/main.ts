/** `npm run bench [-- NAME ARGS]`: runs test/bench/NAME.ts; without a name, `upload`. */
import { existsSync } from 'node:fs';

const [name = 'upload', ...args] = process.argv.slice(2);
const file = new URL(`./${name}.ts`, import.meta.url);
if (!/^[a-z-]+$/.test(name) || !existsSync(file)) throw new Error(`no benchmark is named ${name}`);
const { main } = (await import(file.href)) as { main: (args: string[]) => Promise<void> };
await main(args);
