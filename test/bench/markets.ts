/**
 * `npm run bench -- markets [DIR] [--photos 8] [--rounds 3]`: what further marketplaces add to an image's time on one
 * node. Jobs for one and for five marketplaces take turns, one at a time, so that both see the same machine; the least
 * time of each photo counts. Five may take 1.6 times as long as one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CompletedOutcome, JobRequest } from '../../shared/job.ts';
import { outputsOf, type ResolvedOptions, resolveOptions } from '../../shared/options.ts';
import { newJob, outcomeOf, postJob } from '../origin/support/caller.ts';
import { type NodeProcess, startNodeProcess } from '../origin/support/process.ts';
import { type Storage, startStorage } from '../origin/support/storage.ts';
import { benchPhotos } from './photos.ts';
import { mean, sum } from './statistics.ts';

/** Canvases of five sizes and two shapes, so that nothing is shared. */
const FIVE = 'amazon,walmart,ebay,google,zalando';
const RATIO_MAX = 1.6;

const say = (text = ''): void => void process.stdout.write(`${text}\n`);

const optionsOf = (marketplaces: string): ResolvedOptions => {
  const options = resolveOptions({ marketplaces });
  if (!options.ok) throw new Error(options.failure.detail);
  return options.value;
};

type Bench = { readonly node: NodeProcess; readonly storage: Storage };

const run = async ({ node, storage }: Bench, id: string, input: string, options: ResolvedOptions) => {
  const plain = newJob(storage, id, input, { options });
  const others = outputsOf(options)
    .slice(1)
    .map(({ marketplace }) => plain.outputs.clean.replace('?', `.${marketplace}?`));
  const job: JobRequest = { ...plain, outputs: { ...plain.outputs, others } };
  const begun = performance.now();
  const outcome = await outcomeOf(await postJob(node.url, job));
  if (outcome.status !== 'completed') throw new Error(`${input} failed: ${outcome.code} ${outcome.detail}`);
  return { ms: performance.now() - begun, outcome };
};

const stagesOf = (outcomes: readonly CompletedOutcome[]): string =>
  [...new Set(outcomes.flatMap(({ stages_ms }) => Object.keys(stages_ms)))]
    .map((stage) => `${stage} ${mean(outcomes.map(({ stages_ms }) => stages_ms[stage] ?? 0)).toFixed(0)}`)
    .join(' · ');

export const main = async (args: string[]): Promise<void> => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { photos: { type: 'string', default: '8' }, rounds: { type: 'string', default: '3' } },
  });
  const photos = await benchPhotos({ dir: positionals[0], count: Number(values.photos) });
  const storage = await startStorage();
  const dataDir = await mkdtemp(join(tmpdir(), 'packshot-bench-'));
  const node = await startNodeProcess({ DATA_DIR: dataDir, STORAGE_URLS: storage.url, LOG_LEVEL: 'info' });
  try {
    for (const [i, { bytes }] of photos.entries()) storage.inputs.set(`/in/photo-${i}`, bytes);
    const kinds = { one: optionsOf('amazon'), five: optionsOf(FIVE) };
    const least = { one: photos.map(() => Infinity), five: photos.map(() => Infinity) };
    const outcomes: { one: CompletedOutcome[]; five: CompletedOutcome[] } = { one: [], five: [] };
    await run({ node, storage }, 'warm', 'photo-0', kinds.five);
    for (let round = 0; round < Number(values.rounds); round++)
      for (const i of photos.keys())
        for (const kind of ['one', 'five'] as const) {
          const { ms, outcome } = await run({ node, storage }, `${kind}-${round}-${i}`, `photo-${i}`, kinds[kind]);
          least[kind][i] = Math.min(least[kind][i] ?? Infinity, ms);
          outcomes[kind].push(outcome);
        }
    const ratio = sum(least.five) / sum(least.one);
    say(`one:  ${mean(least.one).toFixed(0)} ms an image   ${stagesOf(outcomes.one)}`);
    say(`five: ${mean(least.five).toFixed(0)} ms an image   ${stagesOf(outcomes.five)}`);
    say(`five marketplaces ÷ one: ${ratio.toFixed(2)} (at most ${RATIO_MAX})`);
    say(`${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}, ${photos.length} photos`);
    if (ratio > RATIO_MAX) process.exitCode = 1;
  } finally {
    node.kill('SIGTERM');
    await node.ended;
    await storage.close();
    await rm(dataDir, { recursive: true, force: true });
  }
};
