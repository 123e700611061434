/**
 * `npm run simulate -- --seeds 10000` runs that many seeds on two workers; `--seed N` replays one and prints what
 * happened. Ends with 1 at the first failing seed.
 */
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { runSeed } from './run.ts';
import type { Share, WorkerMessage } from './worker.ts';

const WORKERS = 2;
const TRACE_LINES = 60;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    full: { type: 'boolean', default: false },
  },
});

const whole = (name: string, text: string): number => {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name} takes a whole number, not "${text}"`);
  process.exit(2);
};

/** The lines before the failure, those of the batch or account it names first where there are too many. */
const shortTrace = (trace: readonly string[], failure: string | null): readonly string[] => {
  if (values.full || trace.length <= TRACE_LINES) return trace;
  const names = failure?.match(/(bat|acc)_[0-9a-z]+/g) ?? [];
  const about = trace.filter((line) => names.some((name) => line.includes(name)) || /disaster|calms down/.test(line));
  return (about.length > 0 ? about : trace).slice(-TRACE_LINES);
};

const replay = async (seed: number): Promise<void> => {
  const report = await runSeed(seed);
  console.log(shortTrace(report.trace, report.failure).join('\n'));
  console.log(
    `seed ${seed}: ${report.failure ?? 'ok'} · ${report.events} events · ${report.checks} checks · digest ${report.digest}`,
  );
  process.exitCode = report.failure ? 1 : 0;
};

const runShare = (share: Share, total: Map<string, number>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: share });
    worker.on('error', reject);
    worker.on('message', (message: WorkerMessage) => {
      for (const [what, count] of message.tallies) total.set(what, (total.get(what) ?? 0) + count);
      resolve(message.failedSeed);
    });
  });

const runMany = async (from: number, seeds: number): Promise<void> => {
  const startedMs = performance.now();
  const total = new Map<string, number>();
  const shares = Array.from(
    { length: WORKERS },
    (_, worker): Share => ({ first: from + worker, step: WORKERS, end: from + seeds }),
  );
  const failed = (await Promise.all(shares.map((share) => runShare(share, total)))).filter(
    (seed) => seed !== undefined,
  );
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  if (failed.length > 0) {
    await replay(Math.min(...failed));
    return console.log(`replay with: npm run simulate -- --seed ${Math.min(...failed)}`);
  }
  for (const [what, count] of [...total].sort(([a], [b]) => a.localeCompare(b)))
    console.log(`${String(count).padStart(10)}  ${what}`);
  console.log(`${seeds} seeds without a finding in ${seconds} s`);
};

if (values.seed !== undefined) await replay(whole('seed', values.seed));
else await runMany(whole('from', values.from), whole('seeds', values.seeds));
