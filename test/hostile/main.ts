/**
 * `npm run test:hostile [-- --files 2000] [--seed 1] [--from 0]`: files of the corpus through the whole system as `npm start`
 * starts it, with the real model. Each is sent together with a good photo behind it. Nothing may crash, hang, answer 5xx
 * or be charged without its download, and every good photo must come out. What fails beside another request is judged by
 * how it does alone.
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import pMap from 'p-map';
import { uploadResponseSchema } from '../../shared/api.ts';
import { watchPeakRss } from '../bench/memory.ts';
import { readLedger } from '../support/ledger.ts';
import { type TemporarySystem, temporarySystem, upload } from '../support/local-system.ts';
import { renderScene } from '../support/scenes.ts';
import { type HostileFile, hostileCorpus } from './corpus.ts';

const AT_ONCE = 2;
/** An account may ask for so much in a minute; the rest waits. */
const PACE_MS = 250;
/** A request of two photos, from its first byte to the answer. */
const HANG_MS = 20_000;
const REQUEST_MS_MAX = 120_000;

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
  },
});
const [files, seed, from] = [Number(values.files), Number(values.seed), Number(values.from)];
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const faults: string[] = [];
const codes = new Map<string, number>();
let downloads = 0;
let slowest = { ms: 0, name: '' };

/** The bytes behind the link are those that the answer describes. */
const isThere = async ({ clean_url, sha256 }: { clean_url: string; sha256: string }): Promise<boolean> => {
  const answer = await fetch(clean_url);
  return (
    answer.ok &&
    createHash('sha256')
      .update(await answer.bytes())
      .digest('hex') === sha256
  );
};

/** What is wrong with how one file was answered: nothing, or a text for each fault. */
const send = async (system: TemporarySystem, n: number, { name, bytes }: HostileFile, good: Uint8Array) => {
  const found: string[] = [];
  const fault = (what: string): void => void found.push(`file ${n} (${name}): ${what}`);
  const startedMs = performance.now();
  const photos = [
    { name: 'hostile.jpg', bytes },
    { name: 'good.jpg', bytes: good },
  ];
  const answer = await Promise.race([
    upload(system.baseUrl, system.apiKey, photos, { canvas: '200' }),
    new Promise<never>((_, reject) => setTimeout(reject, REQUEST_MS_MAX, new Error('no answer')).unref()),
  ]);
  const text = await answer.text();
  const ms = performance.now() - startedMs;
  if (ms > HANG_MS) fault(`took ${Math.round(ms)} ms`);
  if (answer.status !== 200) {
    fault(`answered ${answer.status}: ${text.slice(0, 300)}`);
    return { ms, found, code: undefined };
  }
  const { results } = uploadResponseSchema.parse(JSON.parse(text));
  for (const result of results) {
    if (!('clean_url' in result)) continue;
    downloads++;
    if (!(await isThere(result))) fault('charged without its download');
  }
  const [hostile, after] = results;
  if (!hostile || !after || !('clean_url' in after)) fault('the good photo behind it did not come out');
  const code = !hostile ? 'none' : 'clean_url' in hostile ? 'completed' : hostile.error.code;
  if (/^(processing_failed|internal_error|origin_unavailable|deadline_exceeded)$/.test(code)) fault(`ended as ${code}`);
  return { ms, found, code };
};

const system = await temporarySystem({ credits: 4 * files + 10 });
try {
  const corpus = await hostileCorpus(seed);
  const good = new Uint8Array(await renderScene('mug', { width: 200 }));
  const [edge, origin] = [system.edge().pid, system.origin().pid];
  const memory = watchPeakRss(origin, 100);
  const startedMs = performance.now();
  const suspects: number[] = [];
  const numbers = Array.from({ length: files }, (_, i) => from + i);
  const attempt = async (n: number): Promise<readonly string[]> => {
    const file = await corpus(n);
    const { ms, found, code } = await send(system, n, file, good).catch((error: unknown) => ({
      ms: 0,
      found: [`file ${n} (${file.name}): ${error}`],
      code: undefined,
    }));
    if (found.length > 0) return found;
    if (ms > slowest.ms) slowest = { ms, name: `file ${n} (${file.name})` };
    codes.set(code ?? '', (codes.get(code ?? '') ?? 0) + 1);
    return [];
  };
  await pMap(
    numbers,
    async (n) => {
      const found = await attempt(n);
      for (const fault of found) say(`again later, alone: ${fault}`);
      if (found.length > 0) suspects.push(n);
      if ((n + 1) % 50 === 0) say(`${n + 1 - from} files in ${Math.round((performance.now() - startedMs) / 1_000)} s`);
      await new Promise((resolve) => setTimeout(resolve, PACE_MS));
    },
    { concurrency: AT_ONCE },
  );
  // On a busy machine two requests at once may be slow for no fault of their files.
  for (const n of suspects) faults.push(...(await attempt(n)));
  const { totals } = await readLedger(system, system.accountId);
  if (totals.spent !== downloads || totals.held !== 0)
    faults.push(`${downloads} downloads, but ${totals.spent} credits spent and ${totals.held} held`);
  if (system.edge().pid !== edge || system.origin().pid !== origin) faults.push('a tier was started again');
  say(
    `seed ${seed}, files ${from} to ${from + files - 1} in ${Math.round((performance.now() - startedMs) / 1_000)} s:`,
  );
  for (const [code, count] of [...codes].sort((a, b) => b[1] - a[1])) say(`  ${String(count).padStart(5)}  ${code}`);
  say(
    `${downloads} downloads, ${totals.spent} credits spent; ${suspects.length} files were too slow, or failed, beside another request and were sent again alone`,
  );
  say(
    `slowest: ${Math.round(slowest.ms)} ms, ${slowest.name}; origin with its children: ${Math.round(memory.stop())} MiB at most`,
  );
} finally {
  await system.remove();
}
for (const fault of faults) say(`FAULT ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
say(faults.length === 0 ? 'Nothing hostile got far.' : `${faults.length} faults`);
