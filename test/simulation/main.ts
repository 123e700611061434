/**
 * `npm run simulate -- --seeds 10000` runs that many seeds; `--seed N` replays one and prints what happened. Ends with 1
 * where a law was broken.
 */
import { parseArgs } from 'node:util';
import { laws } from './auditor/laws.ts';
import { coverageTable } from './coverage.ts';
import { runSeeds } from './pool.ts';
import type { Summary } from './thread.ts';

const TRACE_LINES = 150;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    workers: { type: 'string', default: '2' },
    /** Prints the whole trace of `--seed`. */
    full: { type: 'boolean', default: false },
    /** Goes on after the first finding and counts them by law. */
    all: { type: 'boolean', default: false },
    /** Prints the share of lines that the seeds ran, of the rooms that hold the money. */
    coverage: { type: 'boolean', default: false },
  },
});

const whole = (name: string, text: string): number => {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name} takes a whole number, not "${text}"`);
  process.exit(2);
};

const print = ({ seed, findings, broken, trace, events, checks, digest }: Summary): void => {
  const names = [...new Set(findings.flatMap(({ what }) => what.match(/(bat|acc)_[0-9a-z]{26}|\bw\d\w*/g) ?? []))];
  const about = trace.filter((line) => names.some((name) => line.includes(name)) || /deployment|calms down/.test(line));
  const lines = values.full || names.length === 0 ? trace : about;
  console.log((values.full ? lines : lines.slice(-TRACE_LINES)).join('\n'));
  for (const { law, what } of findings) console.log(`seed ${seed} · ${laws[law]} · ${what}`);
  if (broken !== null) console.log(`seed ${seed} · ${broken}`);
  console.log(`seed ${seed}: ${findings.length} findings · ${events} events · ${checks} checks · digest ${digest}`);
};

const tell = ({ seed, findings, broken }: Summary): void => {
  for (const { law, what } of findings) console.log(`seed ${seed} · ${law} · ${what}`);
  if (broken !== null) console.log(`seed ${seed} · broken · ${broken}`);
};

const replay = async (seed: number): Promise<void> => {
  const { results } = await runSeeds({ from: seed, seeds: 1, workers: 1, tracing: true });
  for (const result of results) {
    print(result);
    if (result.findings.length > 0 || result.broken !== null) process.exitCode = 1;
  }
};

const runMany = async (): Promise<void> => {
  const startedMs = performance.now();
  const [from, seeds, workers] = [
    whole('from', values.from),
    whole('seeds', values.seeds),
    whole('workers', values.workers),
  ];
  const { coverage, all } = values;
  const { results, totals, unhandled, covered } = await runSeeds({
    from,
    seeds,
    workers,
    all,
    coverage,
    hear: tell,
  });
  for (const [what, count] of [...totals].sort(([a], [b]) => a.localeCompare(b)))
    console.log(`${String(count).padStart(12)}  ${what}`);
  if (coverage) console.log(coverageTable(covered));
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  const { user, system } = process.cpuUsage();
  const cpuSeconds = ((user + system) / 1e6).toFixed(0);
  for (const text of unhandled.slice(0, 5)) console.log(`unhandled: ${text}`);
  console.log(
    `${totals.get('seeds') ?? 0} seeds, ${results.length} with findings, in ${seconds} s (${cpuSeconds} s of processor time)`,
  );
  if (results.length === 0 && unhandled.length === 0) return;
  process.exitCode = 1;
  const first = results[0];
  if (first) console.log(`replay with: npm run simulate -- --seed ${first.seed}`);
};

if (values.seed !== undefined) await replay(whole('seed', values.seed));
else await runMany();
