/**
 * `npm run bench [-- upload [DIR] [--photos 20]]`: the whole HTTP call against the model file as it is downloaded. For
 * every photo the two are run one after the other, so that a noisy machine disturbs both alike; what counts is their
 * ratio.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { ensureModel } from '../../models/ensure.ts';
import type { UploadResponse } from '../../shared/api.ts';
import { type Photo, type TemporarySystem, temporarySystem, upload } from '../support/local-system.ts';
import { watchPeakRss } from './memory.ts';
import { benchPhotos } from './photos.ts';
import { mean, median, percentile, sum } from './statistics.ts';

const SIDE = 1024;
const WARM_UP = 2;
const TARGET_RSS_MIB = 1.2 * 1024;

type Sample = { readonly callMs: number; readonly modelMs: number; readonly pixels: number };

/** The downloaded file in a process of its own; gives the ms of one run. */
const startModel = async (): Promise<{ run: (photo: Photo) => Promise<number>; stop: () => void }> => {
  const { path } = await ensureModel('isnet-general');
  const child: ChildProcess = fork(join(import.meta.dirname, 'model-runner.ts'), { serialization: 'advanced' });
  const ask = async (message: object): Promise<{ ms: number }> => {
    child.send(message);
    return (await once(child, 'message'))[0] as { ms: number };
  };
  await ask({ path });
  const run = async (photo: Photo): Promise<number> => {
    const rgb = await sharp(photo.bytes)
      .removeAlpha()
      .toColourspace('srgb')
      .resize(SIDE, SIDE, { fit: 'fill' })
      .raw()
      .toBuffer();
    return (await ask({ rgb: new Uint8Array(rgb) })).ms;
  };
  return { run, stop: () => child.disconnect() };
};

/** From the first byte sent to the last byte of JSON. */
const timedCall = async (system: TemporarySystem, photo: Photo): Promise<number> => {
  const begun = performance.now();
  const answer = await upload(system.baseUrl, system.apiKey, [photo]);
  const body = (await answer.json()) as UploadResponse;
  const ms = performance.now() - begun;
  if (!answer.ok || !body.success) throw new Error(`${photo.name}: ${answer.status} ${JSON.stringify(body)}`);
  return ms;
};

/** Sum of every stage's time at origin so far, ms by stage, from its own metrics. */
const stageTotals = async (system: TemporarySystem): Promise<Map<string, number>> => {
  const text = await (await fetch(`${system.managementUrl}/metrics`)).text();
  const rows = text.matchAll(/^packshot_stage_seconds_sum\{[^}]*stage="([^"]+)"[^}]*\} (\S+)$/gm);
  return new Map(Array.from(rows, ([, stage = '', seconds]) => [stage, Number(seconds) * 1000]));
};

export const main = async (args: string[]): Promise<void> => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { photos: { type: 'string', default: '20' } },
  });
  const photos = await benchPhotos({ dir: positionals[0], count: Number(values.photos) });
  const system = await temporarySystem({ credits: photos.length + WARM_UP });
  const model = await startModel();
  try {
    for (const photo of photos.slice(0, WARM_UP)) {
      await timedCall(system, photo);
      await model.run(photo);
    }
    const before = await stageTotals(system);
    const memory = watchPeakRss(system.origin().pid);
    const samples: Sample[] = [];
    for (const photo of photos) {
      const { width = 0, height = 0 } = await sharp(photo.bytes).metadata();
      samples.push({ modelMs: await model.run(photo), callMs: await timedCall(system, photo), pixels: width * height });
    }
    report(samples, before, await stageTotals(system), memory.stop());
  } finally {
    model.stop();
    await system.remove();
  }
};

/** Stages whose time is another's too: `infer` is the part of `matte` that waits for the model. */
const labels: Readonly<Record<string, string>> = { infer: '  of which infer', findings: '(beside) findings' };

const report = (
  samples: readonly Sample[],
  before: Map<string, number>,
  after: Map<string, number>,
  rssMiB: number,
): void => {
  const [calls, models] = [samples.map((s) => s.callMs), samples.map((s) => s.modelMs)];
  const ms = (value: number): string => `${value.toFixed(0).padStart(6)} ms`;
  const line = (name: string, values: readonly number[]): void =>
    console.log(
      `${name.padEnd(44)} p50 ${ms(median(values))}   p95 ${ms(percentile(values, 0.95))}   mean ${ms(mean(values))}`,
    );
  console.log(
    `${samples.length} photos, ${(Math.min(...samples.map((s) => s.pixels)) / 1e6).toFixed(1)}–${(Math.max(...samples.map((s) => s.pixels)) / 1e6).toFixed(1)} MP, one after the other\n`,
  );
  line('model file as downloaded, one run', models);
  line('whole HTTP call (first byte to last of JSON)', calls);
  console.log(
    `${'call ÷ downloaded model, of the medians'.padEnd(44)} ${(median(calls) / median(models)).toFixed(2)} (target ≤ 1)`,
  );
  console.log(`${'calls over 2.5 s'.padEnd(44)} ${calls.filter((value) => value > 2_500).length} of ${calls.length}\n`);
  const stages = Array.from(
    after,
    ([stage, total]) => [stage, (total - (before.get(stage) ?? 0)) / samples.length] as const,
  ).filter(([, value]) => value > 0);
  for (const [stage, value] of stages.sort((a, b) => b[1] - a[1]))
    console.log(
      `  ${(labels[stage] ?? stage).padEnd(20)} ${ms(value)}  ${((100 * value) / mean(calls)).toFixed(0).padStart(3)} %`,
    );
  const rest = mean(calls) - sum(stages.filter(([stage]) => !labels[stage]).map(([, value]) => value));
  console.log(
    `  ${'everything else'.padEnd(20)} ${ms(rest)}  ${((100 * rest) / mean(calls)).toFixed(0).padStart(3)} %  (HTTP, edge, R2, ledger, job store)\n`,
  );
  console.log(
    `${'peak RSS of origin with its children'.padEnd(44)} ${rssMiB.toFixed(0)} MiB (target < ${TARGET_RSS_MIB.toFixed(0)})`,
  );
};
