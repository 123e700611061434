/** `@imgly/background-removal-node` as it was installed into the folder that is given, with its own defaults. */
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from './serve.ts';

type Imgly = { readonly removeBackground: (photo: string) => Promise<Blob> };

const { resolve } = createRequire(join(process.argv[2] ?? '.', 'package.json'));
const { removeBackground } = (await import(pathToFileURL(resolve('@imgly/background-removal-node')).href)) as Imgly;
await serve(async ({ path, out }) => {
  const file = await removeBackground(pathToFileURL(path).href);
  await writeFile(out, new Uint8Array(await file.arrayBuffer()));
});
