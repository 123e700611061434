/**
 * `node test/hostile/decoder.ts [--files 2000] [--seed 1] [--from 0]`: files of the corpus one after the other through a
 * node's decoder alone, which needs neither a model nor much time. No process may end, and none may have to be ended.
 */
import { parseArgs } from 'node:util';
import { createDecoder } from '../../origin/decoder/decoder.ts';
import { withoutNetwork } from '../../origin/decoder/isolation.ts';
import { hostileCorpus } from './corpus.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
  },
});
const [files, seed, from] = [Number(values.files), Number(values.seed), Number(values.from)];
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const corpus = await hostileCorpus(seed);
const codes = new Map<string, number>();
const faults: string[] = [];
let current = '';
let slowest = { ms: 0, name: '' };
const decoder = createDecoder(
  1,
  { isolation: withoutNetwork(), takesHeic: false },
  { onDeath: (detail) => void faults.push(`${current}: ${detail}`) },
);
for (let n = from; n < from + files; n++) {
  const { name, bytes } = await corpus(n);
  current = `file ${n} (${name})`;
  const startedMs = performance.now();
  await decoder.measure(bytes);
  const photo = await decoder.decode(bytes);
  const ms = performance.now() - startedMs;
  if (ms > slowest.ms) slowest = { ms, name: current };
  const code = photo.ok ? 'decoded' : photo.failure.code;
  codes.set(code, (codes.get(code) ?? 0) + 1);
}
await decoder.close();
for (const [code, count] of [...codes].sort((a, b) => b[1] - a[1])) say(`  ${String(count).padStart(5)}  ${code}`);
say(`slowest: ${Math.round(slowest.ms)} ms, ${slowest.name}`);
for (const fault of faults) say(`FAULT ${fault}`);
say(faults.length === 0 ? `No process ended, of ${files} files.` : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
