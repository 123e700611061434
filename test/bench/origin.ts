/**
 * `npm run bench -- origin [DIR] [--photos 40] [--json FILE]`: one node on this machine. Prints the bare model's rate,
 * the processor time that an image costs (which bounds the rate: cores ÷ that time), the node's rate, latency and
 * memory at 1, 2, 4 and 8 jobs at once, and how both compare with the bound. A run begins and ends with few jobs in the
 * node, so a short one shows less than the rate under lasting load.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEngine } from '../../origin/inference/engine.ts';
import { usageOf } from '../../origin/processes/usage.ts';
import type { CompletedOutcome } from '../../shared/job.ts';
import { newJob, outcomeOf, postJob } from '../origin/support/caller.ts';
import { childPids, cpuTicks } from '../origin/support/proc.ts';
import { type NodeProcess, startNodeProcess } from '../origin/support/process.ts';
import { type Storage, startStorage } from '../origin/support/storage.ts';
import { benchPhotos } from './photos.ts';
import { mean, percentile, sum } from './statistics.ts';

const CONCURRENCIES = [1, 2, 4, 8];
const MODEL_RUNS = 8;
const TICK_MS = 10;
const MiB = 1024 * 1024;
const RSS_TARGET_MIB = 1.2 * 1024;

const say = (text = ''): void => void process.stdout.write(`${text}\n`);

/** The model alone, back to back, as the node runs it. */
const measureModel = async (): Promise<{ ms: number; cpuMs: number; model: string }> => {
  const engine = await startEngine(
    { model: process.env['MODEL'], providers: ['cpu'], devices: [0], threads: availableParallelism() },
    { onNote: () => undefined, onDeviceDeath: () => undefined, onBatch: () => undefined },
  );
  const [pid = 0] = engine.pids();
  const image = { rgb: new Uint8Array(1024 * 1024 * 3).map((_, i) => (i * 31) & 255), width: 1024, height: 1024 };
  const signal = new AbortController().signal;
  const times: number[] = [];
  const ticks = await cpuTicks(pid);
  for (let i = 0; i < MODEL_RUNS; i++) {
    const startedAt = performance.now();
    await engine.submit(image, 'interactive', signal);
    times.push(performance.now() - startedAt);
  }
  const cpuMs = (((await cpuTicks(pid)) - ticks) * TICK_MS) / MODEL_RUNS;
  await engine.close();
  return { ms: mean(times), cpuMs, model: engine.model };
};

/** Processor time and memory of a node with its children. */
const watch = (node: NodeProcess) => {
  const family = async (): Promise<number[]> => [node.pid, ...(await childPids(node.pid))];
  const total = async (of: (pid: number) => Promise<number>): Promise<number> =>
    sum(await Promise.all((await family()).map(of)));
  let peakBytes = 0;
  const timer = setInterval(
    () =>
      void total((pid) => Promise.resolve(usageOf(pid)?.rssBytes ?? 0)).then(
        (bytes) => (peakBytes = Math.max(peakBytes, bytes)),
      ),
    50,
  );
  return {
    cpuMs: async () => (await total(cpuTicks)) * TICK_MS,
    peakMiB: () => peakBytes / MiB,
    restingMiB: async () => (await total((pid) => Promise.resolve(usageOf(pid)?.rssBytes ?? 0))) / MiB,
    stop: () => clearInterval(timer),
  };
};

type Level = {
  concurrency: number;
  perSecond: number;
  p50: number;
  p95: number;
  cpuMs: number;
  peakRssMiB: number;
  restingRssMiB: number;
  outcomes: CompletedOutcome[];
  latencies: number[];
};

type Run = Pick<Level, 'outcomes' | 'latencies'>;

/** Keeps `concurrency` jobs at the node until every input has been run. */
const runAll = async (
  node: NodeProcess,
  storage: Storage,
  inputs: readonly string[],
  concurrency: number,
): Promise<Run> => {
  const run: Run = { outcomes: [], latencies: [] };
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < inputs.length) {
      const index = next++;
      const begun = performance.now();
      const job = newJob(storage, `bench-${concurrency}-${index}`, inputs[index] ?? '', {
        deadline_at: Date.now() + 600_000,
      });
      const outcome = await outcomeOf(await postJob(node.url, { ...job, options: { ...job.options, canvas: 2000 } }));
      if (outcome.status !== 'completed') throw new Error(`${inputs[index]} failed: ${outcome.code} ${outcome.detail}`);
      run.latencies.push(performance.now() - begun);
      run.outcomes.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return run;
};

const measureLevel = async (
  node: NodeProcess,
  storage: Storage,
  inputs: readonly string[],
  concurrency: number,
): Promise<Level> => {
  const watcher = watch(node);
  const cpuBefore = await watcher.cpuMs();
  const startedAt = performance.now();
  const run = await runAll(node, storage, inputs, concurrency);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuMs = ((await watcher.cpuMs()) - cpuBefore) / inputs.length;
  watcher.stop();
  const restingRssMiB = await watcher.restingMiB();
  return {
    concurrency,
    perSecond: inputs.length / seconds,
    p50: percentile(run.latencies, 0.5),
    p95: percentile(run.latencies, 0.95),
    cpuMs,
    peakRssMiB: watcher.peakMiB(),
    restingRssMiB,
    ...run,
  };
};

/** Stages in the order in which they follow each other; `infer` is a part of `matte`. */
const CRITICAL_PATH = [
  'queue',
  'fetch',
  'decode',
  'matte',
  'refine',
  'decontaminate',
  'compose',
  'encode',
  'inspect',
  'store',
];

type Model = Awaited<ReturnType<typeof measureModel>>;
type StageMs = readonly (readonly [stage: string, ms: number])[];

const sayCosts = (model: Model, single: Level, stages: StageMs, boundPerSecond: number): void => {
  const cores = availableParallelism();
  say(
    `\n${cpus()[0]?.model ?? 'unknown processor'}, ${cores} cores, Node ${process.version}, ${single.outcomes.length} photos, canvas 2000`,
  );
  say(
    `model alone (${model.model}, 1024², ${cores} threads): ${model.ms.toFixed(0)} ms a run, ${(1000 / model.ms).toFixed(2)} runs/s, ${model.cpuMs.toFixed(0)} ms of processor time`,
  );
  say(
    `an image costs ${single.cpuMs.toFixed(0)} ms of processor time, so ${cores} cores can do ${boundPerSecond.toFixed(2)} images/s at most`,
  );
  say(
    `stages at 1 job: ${stages.map(([stage, ms]) => `${stage} ${ms.toFixed(0)}`).join(' · ')} = ${sum(stages.map(([, ms]) => ms)).toFixed(0)} ms`,
  );
};

const sayLevels = (levels: readonly Level[], boundPerSecond: number): void => {
  say('\njobs at once   images/s   of bound   p50 ms   p95 ms   peak RSS MiB   RSS MiB after');
  for (const level of levels) {
    const cells = [
      level.concurrency,
      level.perSecond.toFixed(2),
      (level.perSecond / boundPerSecond).toFixed(2),
      level.p50.toFixed(0),
      level.p95.toFixed(0),
      level.peakRssMiB.toFixed(0),
      level.restingRssMiB.toFixed(0),
    ];
    say(cells.map((cell, i) => String(cell).padStart([12, 11, 11, 9, 9, 15, 16][i] ?? 9)).join(''));
  }
};

const sayVerdict = (name: string, value: number, met: boolean, target: string): void =>
  say(`${met ? 'met   ' : 'missed'} ${name}: ${value.toFixed(2)} (target ${target})`);

const report = (model: Model, levels: readonly Level[]): Record<string, unknown> => {
  const [single] = levels as [Level];
  const boundPerSecond = (1000 * availableParallelism()) / single.cpuMs;
  const stages = CRITICAL_PATH.map(
    (stage) => [stage, mean(single.outcomes.map((outcome) => outcome.stages_ms[stage] ?? 0))] as const,
  );
  const path = sum(stages.map(([, ms]) => ms));
  const latency = mean(single.latencies);
  const best = Math.max(...levels.map((level) => level.perSecond));
  const peak = Math.max(...levels.map((level) => level.peakRssMiB));
  sayCosts(model, single, stages, boundPerSecond);
  sayLevels(levels, boundPerSecond);
  say();
  sayVerdict('best rate ÷ bound', best / boundPerSecond, best >= 0.9 * boundPerSecond, '≥ 0.90');
  sayVerdict('latency at 1 job ÷ its stages', latency / path, latency <= 1.15 * path, '≤ 1.15');
  sayVerdict('peak RSS, GiB', peak / 1024, peak < RSS_TARGET_MIB, '< 1.20');
  return {
    model,
    boundPerSecond,
    stages: Object.fromEntries(stages),
    levels: levels.map(({ outcomes: _, latencies: __, ...level }) => level),
  };
};

export const main = async (args: string[]): Promise<void> => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { photos: { type: 'string', default: '40' }, json: { type: 'string' } },
  });
  const photos = await benchPhotos({ dir: positionals[0], count: Number(values.photos) });
  const model = await measureModel();
  const dataDir = await mkdtemp(join(tmpdir(), 'packshot-bench-'));
  const storage = await startStorage();
  for (const [i, photo] of photos.entries()) storage.inputs.set(`/in/${i}`, photo.bytes);
  const node = await startNodeProcess({ DATA_DIR: dataDir, STORAGE_URLS: storage.url, LOG_LEVEL: 'info' });
  try {
    const inputs = photos.map((_, i) => String(i));
    // Once without counting: threads start and code is compiled.
    for (const id of inputs.slice(0, 3)) await outcomeOf(await postJob(node.url, newJob(storage, `warm-${id}`, id)));
    const levels: Level[] = [];
    for (const concurrency of CONCURRENCIES) levels.push(await measureLevel(node, storage, inputs, concurrency));
    const figures = report(model, levels);
    if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
  } finally {
    node.kill('SIGTERM');
    await node.ended;
    await storage.close();
    await rm(dataDir, { recursive: true, force: true });
  }
};
