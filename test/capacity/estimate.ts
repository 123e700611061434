/** From counts of one image, prices and sizes to a month's bill and to the first limit that is met. Pure. */
import { edgeLimits } from '../../edge/limits.ts';
import type { PerImage } from './count.ts';
import type { PostgresBytes } from './postgres.ts';
import { platform, prices } from './prices.ts';

export type Sizes = Readonly<
  Record<
    | 'accounts'
    | 'rate'
    | 'batch-share'
    | 'checks'
    | 'batch-images'
    | 'node-rate'
    | 'upload-images'
    | 'image-seconds'
    | 'photo-mb'
    | 'result-mb'
    | 'downloads'
    | 'cpu-ms'
    | 'call-ms'
    | 'queues',
    number
  >
>;
export type Counted = PerImage & { readonly postgres: PostgresBytes };
type Line = readonly [what: string, amount: string, usd?: number];
type Limit = { readonly what: string; readonly imagesPerSecond: number; readonly remedy: string };
type Estimate = {
  readonly rate: number;
  readonly lines: readonly Line[];
  readonly totalUsd: number;
  readonly images: number;
  readonly limits: readonly Limit[];
};

const SECONDS_PER_MONTH = 30 * 86_400;
const OBJECT_GB = 0.128;
/** Life of a batch's own rows, days. */
const SAGA_DAYS = 30;

type Price = { readonly free: number; readonly each: number };
const usd = (units: number, { free, each }: Price): number => Math.max(0, units - free) * each;
const sum = (of: Readonly<Record<string, number>>): number => Object.values(of).reduce((a, b) => a + b, 0);

/** Both styles by their shares, and the checks for each image. */
const mixOf = (counted: readonly Counted[], sizes: Sizes) => {
  const shares = { batch: sizes['batch-share'], upload: 1 - sizes['batch-share'], check: sizes.checks };
  return (of: (one: Counted) => number): number =>
    counted.reduce((total, one) => total + shares[one.style] * of(one), 0);
};

export const estimate = (counted: readonly Counted[], sizes: Sizes): Estimate => {
  const mix = mixOf(counted, sizes);
  const rate = sizes.accounts * sizes.rate;
  const images = rate * SECONDS_PER_MONTH;
  const bills = billsOf(mix, sizes, images);
  const totalUsd = prices.plan + bills.reduce((total, [, , cost]) => total + (cost ?? 0), 0);
  const open = sizes.rate * sizes['image-seconds'];
  const lines: Line[] = [
    ['images a month', count(images)],
    [
      'objects',
      `${count(2 * sizes.accounts)} of accounts, ${count(mix((one) => one.objects) * images)} new of batches a month`,
    ],
    [
      'queues of 5,000 messages/s',
      count(Math.max(1, Math.ceil((rate * mix((one) => one.queueMessages)) / platform.queueMessagesPerSecond))),
    ],
    ['nodes', count(Math.ceil(rate / sizes['node-rate']))],
    ['images at work at once', `${count(open * sizes.accounts)}, ${count(open)} of one account`],
    [
      'database of one account',
      `${bytes(sizes.rate * 86_400 * 31 * mix((one) => one.bytes.ACCOUNT))} after 31 days, and no more`,
    ],
    [
      'Postgres',
      `jobs ${bytes((images / 30) * 7 * mix((one) => one.postgres.job))}, ledger ${bytes((images / 30) * 365 * mix((one) => one.postgres.ledger))} a year; ${count(rate)} jobs/s`,
    ],
    ['plan', '', prices.plan],
    ...bills,
  ];
  return { rate, lines, totalUsd, images, limits: limitsOf(mix, sizes) };
};

type Mix = ReturnType<typeof mixOf>;

const billsOf = (mix: Mix, sizes: Sizes, images: number): Line[] => {
  const requests = images * (mix((one) => one.requests + one.consumers) + sizes.downloads);
  const calls = images * mix((one) => sum(one.calls));
  const written = images * mix((one) => sum(one.rowsWritten));
  const operations = images * mix((one) => one.queueOperations);
  const classA = images * mix((one) => one.r2ClassA);
  const classB = images * (mix((one) => one.r2ClassB) + sizes.downloads);
  const stored = ((images / 30) * (sizes['photo-mb'] + 7 * sizes['result-mb'])) / 1_000;
  const sagas = ((images / 30) * SAGA_DAYS * mix((one) => one.bytes.SAGA)) / 1e9;
  const awake = calls * (sizes['call-ms'] / 1_000) * OBJECT_GB;
  return [
    ['Worker requests', count(requests), usd(requests, prices.workerRequests)],
    ['Worker CPU, ms', count(images * sizes['cpu-ms']), usd(images * sizes['cpu-ms'], prices.workerCpuMs)],
    ['object calls and alarms', count(calls), usd(calls, prices.objectRequests)],
    ['object GB-s', count(awake), usd(awake, prices.objectGbSeconds)],
    ['rows written', count(written), usd(written, prices.rowsWritten)],
    ['objects stored, GB', count(sagas), usd(sagas, prices.objectGbMonths)],
    ['queue operations', count(operations), usd(operations, prices.queueOperations)],
    ['R2 class A', count(classA), usd(classA, prices.r2ClassA)],
    ['R2 class B', count(classB), usd(classB, prices.r2ClassB)],
    ['R2 stored, GB', count(stored), usd(stored, prices.r2GbMonths)],
  ];
};

/** The rate of all accounts together at which each thing is used up, lowest first. */
const limitsOf = (mix: Mix, sizes: Sizes): readonly Limit[] => {
  const { accounts } = sizes;
  const inFlight = edgeLimits.ledger.dispatchWindowMax;
  const consumers = platform.queueConsumersMax * edgeLimits.batch.concurrencyMax * sizes.queues;
  const byCalls = (one: (of: Counted) => number): number => (accounts * platform.objectCallsPerSecond) / mix(one);
  const all: Limit[] = [
    {
      what: `an account's window of ${inFlight} images in the queue or at work`,
      imagesPerSecond: (accounts * inFlight) / sizes['image-seconds'] / sizes['batch-share'],
      remedy: 'edgeLimits.ledger.dispatchWindowMax, or shorter images',
    },
    {
      what: `consumers of the queue: 250 × ${edgeLimits.batch.concurrencyMax} images at once in ${sizes.queues}`,
      imagesPerSecond: consumers / sizes['image-seconds'] / sizes['batch-share'],
      remedy: 'more queues',
    },
    {
      what: `messages of the queue: 5,000/s in ${sizes.queues}`,
      imagesPerSecond: (platform.queueMessagesPerSecond * sizes.queues) / mix((one) => one.queueMessages),
      remedy: 'more queues',
    },
    {
      what: 'calls of one account’s object: 1,000/s',
      imagesPerSecond: byCalls((one) => one.calls.ACCOUNT),
      remedy: 'several accounts; the object is one thread by design',
    },
    {
      what: 'calls of one account’s history: 1,000/s',
      imagesPerSecond: byCalls((one) => one.calls.HISTORY),
      remedy: 'lines in bulk',
    },
    {
      what: 'an account’s database: 10 GB in 31 days',
      imagesPerSecond: (accounts * platform.objectBytesMax) / (mix((one) => one.bytes.ACCOUNT) * 31 * 86_400),
      remedy: 'fewer days of holds',
    },
  ];
  return all.toSorted((a, b) => a.imagesPerSecond - b.imagesPerSecond);
};

const count = (value: number): string =>
  value >= 1e9
    ? `${(value / 1e9).toFixed(1)} billion`
    : value >= 1e6
      ? `${(value / 1e6).toFixed(1)} million`
      : Math.round(value).toLocaleString('en-US');
const bytes = (value: number): string =>
  value >= 1e12
    ? `${(value / 1e12).toFixed(1)} TB`
    : value >= 1e9
      ? `${(value / 1e9).toFixed(1)} GB`
      : `${(value / 1e6).toFixed(0)} MB`;
const money = (value: number): string => `${Math.round(value).toLocaleString('en-US')} USD`;

export const estimateTable = ({ rate, lines, totalUsd, images, limits }: Estimate): string =>
  [
    ...lines.map(
      ([what, amount, cost]) =>
        `  ${what.padEnd(28)}${amount.padEnd(44)}${cost === undefined ? '' : money(cost).padStart(14)}`,
    ),
    `  ${'Cloudflare, a month'.padEnd(72)}${money(totalUsd).padStart(14)}`,
    `  ${''.padEnd(72)}${`${((100 * totalUsd) / images).toFixed(3)} cents an image`}`,
    `  what breaks first, in images/s of all accounts together (wanted: ${count(rate)}):`,
    ...limits.map(
      ({ what, imagesPerSecond, remedy }) =>
        `  ${imagesPerSecond < rate ? 'below' : '     '} ${count(imagesPerSecond).padStart(13)}  ${what}; remedy: ${remedy}`,
    ),
  ].join('\n');

export const countsTable = (counted: readonly Counted[]): string => {
  const fixed = (value: number): string => value.toFixed(2).padStart(10);
  const row = (what: string, of: (one: Counted) => number): string =>
    `  ${what.padEnd(34)}${counted.map((one) => fixed(of(one))).join('')}`;
  return [
    `  ${''.padEnd(34)}${counted.map(({ style }) => style.padStart(10)).join('')}`,
    row('images of a request', (one) => one.imagesPerRequest),
    row('requests of clients', (one) => one.requests),
    row('runs of the queue’s consumer', (one) => one.consumers),
    row('calls and alarms of Account', (one) => one.calls.ACCOUNT),
    row('calls and alarms of History', (one) => one.calls.HISTORY),
    row('calls and alarms of BatchSaga', (one) => one.calls.SAGA),
    row('rows written by Account', (one) => one.rowsWritten.ACCOUNT),
    row('rows written by History', (one) => one.rowsWritten.HISTORY),
    row('rows written by BatchSaga', (one) => one.rowsWritten.SAGA),
    row('queue operations', (one) => one.queueOperations),
    row('R2 class A', (one) => one.r2ClassA),
    row('R2 class B', (one) => one.r2ClassB),
    row('bytes in Account', (one) => one.bytes.ACCOUNT),
    row('bytes in History', (one) => one.bytes.HISTORY),
    row('bytes in BatchSaga', (one) => one.bytes.SAGA),
    row('bytes of its job in Postgres', (one) => one.postgres.job),
    row('bytes of ledger in Postgres', (one) => one.postgres.ledger),
  ].join('\n');
};
