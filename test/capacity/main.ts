/**
 * `npm run capacity [-- --accounts 100 --rate 100]`: what so many accounts cost that each have so many images a second
 * processed: objects, queues, nodes, database size, R2 operations, monthly cost, and what breaks first. Counts come from
 * the edge's own code (count.ts), prices from Cloudflare (prices.ts); what is neither is an option of this command, with
 * its default printed.
 */
import { parseArgs } from 'node:util';
import { installGlobals } from '../simulation/platform/globals.ts';
import { installHooks } from '../simulation/platform/hooks.ts';
import type { PerImage } from './count.ts';
import type { Counted, Sizes } from './estimate.ts';

const assumptions = {
  'batch-share': ['0.9', 'share of images that come in batches, the rest in uploads'],
  'batch-images': ['100', 'images of one batch'],
  'upload-images': ['4', 'images of one upload'],
  checks: ['0', 'free checks of photos for each image; an account has 1,000 a day'],
  'node-rate': ['0.93', 'images a second of one node (README: two cores without a GPU)'],
  'image-seconds': ['2', 'from the start of an image at the edge to its outcome'],
  'photo-mb': ['2.5', 'a photo; kept for a day'],
  'result-mb': ['0.8', 'both files of a result; kept for seven days'],
  downloads: ['1', 'downloads of each result through the edge'],
  'cpu-ms': ['15', 'CPU of the Worker for one image, all its calls together'],
  'call-ms': ['10', 'time that an object is awake for one call'],
  queues: ['1', 'queues of images that are configured'],
} as const;
type Name = keyof typeof assumptions;

const number = (fallback: string) => ({ type: 'string', default: fallback }) as const;
const named = Object.fromEntries(Object.entries(assumptions).map(([name, [value]]) => [name, number(value)]));
const { values } = parseArgs({ options: { accounts: number('100'), rate: number('100'), ...named } });
const given = values as Record<Name | 'accounts' | 'rate', string>;
for (const [name, value] of Object.entries(given))
  if (!(Number(value) >= 0)) throw new Error(`--${name} takes a number, not "${value}"`);

installHooks([]);
installGlobals();
const { countPerCheck, countPerImage } = await import('./count.ts');
const { countsTable, estimate, estimateTable } = await import('./estimate.ts');
const { countPostgres } = await import('./postgres.ts');
const sizes = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value)])) as Sizes;
const withPostgres = async (perImage: PerImage): Promise<Counted> => ({
  ...perImage,
  postgres: await countPostgres(perImage),
});
const counted = [
  await withPostgres(await countPerImage('batch', sizes['batch-images'])),
  await withPostgres(await countPerImage('upload', sizes['upload-images'])),
  await withPostgres(await countPerCheck()),
];

console.log('Assumed (options of this command):');
for (const [name, [, meaning]] of Object.entries(assumptions))
  console.log(`  --${name} ${given[name as Name]}`.padEnd(26) + meaning);
console.log(
  `\nCounted for one image or one check, in a run of the edge's own code without faults:\n${countsTable(counted)}`,
);
console.log(`\n${sizes.accounts} accounts × ${sizes.rate} images/s:\n${estimateTable(estimate(counted, sizes))}`);
