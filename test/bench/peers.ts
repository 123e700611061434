/**
 * `npm run bench -- peers DIR [--photos 30] [--out DIR] [--folder DIR]`: packshot's pipeline beside open-source tools, each
 * in a process of its own: a photo's file in, a transparent PNG of the photo's size out. Every photo goes through all of
 * them one after the other, so that a noisy machine disturbs all alike. Prints times, memory and, where NAME.mask.png
 * stands beside the photos, how near the mattes come to it; writes a contact sheet. The tools are installed into a
 * temporary folder, or into FOLDER, which is kept.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import sharp, { type OverlayOptions } from 'sharp';
import { type MatteScore, scoreMatte, summarise } from './matte-score.ts';
import { watchPeakRss } from './memory.ts';
import { alphaOf, type PairPhoto, photosOf, truthBeside } from './pairs.ts';
import { installPeers, ours, type Peer } from './peers/install.ts';
import { median, percentile } from './statistics.ts';

const START_MS_MAX = 5 * 60_000;
const PHOTO_MS_MAX = 2 * 60_000;
/** Of the contact sheet. */
const TILE = 240;
const ROWS_MAX = 30;
const BEHIND = '#ff00ff';

type Answer = { readonly ms: number; readonly error?: string };
type Running = {
  readonly peer: Peer;
  readonly ask: (photo: PairPhoto, out: string) => Promise<Answer>;
  readonly stop: () => number;
};
type Result = Answer & { readonly photo: PairPhoto; readonly out: string };

const start = async (peer: Peer): Promise<Running> => {
  const [command = '', ...args] = peer.command;
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(command, args, {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...peer.env },
    cwd: peer.cwd,
  });
  const lines = createInterface({ input: child.stdout });
  await answerOf(lines, 'ready', START_MS_MAX);
  const memory = watchPeakRss(child.pid ?? 0);
  return {
    peer,
    ask: (photo, out) => {
      child.stdin.write(`${JSON.stringify({ path: resolve(photo.path), out })}\n`);
      return answerOf(lines, 'ms', PHOTO_MS_MAX) as Promise<Answer>;
    },
    stop: () => {
      const peakMiB = memory.stop();
      child.stdin.end();
      return peakMiB;
    },
  };
};

/** Tools write lines of their own, too: the next that is ours and has `key`. */
const answerOf = async (lines: Interface, key: string, msMax: number): Promise<object> => {
  const signal = AbortSignal.timeout(msMax);
  for (;;) {
    const [line] = (await once(lines, 'line', { signal })) as [string];
    const said: unknown = line.startsWith('{') ? JSON.parse(line) : undefined;
    if (typeof said === 'object' && said !== null && key in said) return said;
  }
};

const evenly = <T>(all: readonly T[], countMax: number): T[] => {
  const count = Math.min(countMax, all.length);
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)] as T);
};

export const main = async (args: string[]): Promise<void> => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { photos: { type: 'string', default: '30' }, out: { type: 'string' }, folder: { type: 'string' } },
  });
  const dir = positionals[0];
  if (!dir) throw new Error('usage: npm run bench -- peers DIR [--photos N] [--out DIR] [--folder DIR]');
  const photos = evenly(await photosOf(dir), Number(values.photos));
  const out = values.out ?? join(process.env['DATA_DIR'] ?? '.data', 'bench', 'peers');
  const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'packshot-peers-')));
  try {
    const { peers, leftOut } = await installPeers(folder);
    for (const line of leftOut) console.log(`left out: ${line}`);
    const results = await runAll([ours, ...peers], photos, out);
    console.log(`contact sheet: ${await contactSheet(photos, [...results.values()], out)}`);
  } finally {
    if (!values.folder) await rm(folder, { recursive: true, force: true });
  }
};

const runAll = async (
  peers: readonly Peer[],
  photos: readonly PairPhoto[],
  out: string,
): Promise<Map<string, readonly Result[]>> => {
  const running: Running[] = [];
  for (const peer of peers) running.push(await start(peer));
  const results = new Map<string, Result[]>(peers.map(({ name }) => [name, []]));
  // The first photo once beforehand: what is loaded or compiled on first use is no photo's time.
  for (const [index, photo] of photos.slice(0, 1).concat(photos).entries())
    for (const [place, { peer, ask }] of running.entries()) {
      const into = join(out, String(place), photo.subset);
      await mkdir(into, { recursive: true });
      const file = resolve(into, `${photo.name}.png`);
      await rm(file, { force: true });
      const answer = await ask(photo, file);
      if (index > 0) results.get(peer.name)?.push({ ...answer, photo, out: file });
    }
  const ourMs = results.get(ours.name)?.map(({ ms }) => ms) ?? [];
  for (const { peer, stop } of running) await report(peer, results.get(peer.name) ?? [], ourMs, stop());
  return results;
};

const report = async (
  { name }: Peer,
  results: readonly Result[],
  ourMs: readonly number[],
  peakMiB: number,
): Promise<void> => {
  const ms = results.map((result) => result.ms);
  const ratios = ms.map((value, i) => value / (ourMs[i] ?? Number.NaN));
  console.log(
    `\n${name}: p50 ${median(ms).toFixed(0)} ms, p95 ${percentile(ms, 0.95).toFixed(0)} ms, ${median(ratios).toFixed(2)} times ours (median of each photo's ratio), peak RSS ${peakMiB.toFixed(0)} MiB`,
  );
  const scores: (MatteScore & { subset: string })[] = [];
  for (const { photo, out, error } of results) {
    if (error !== undefined) console.log(`  ${photo.subset}/${photo.name}: ${error}`);
    const truth = await truthBeside(photo);
    if (!truth) continue;
    const nothing = { ...truth, data: new Uint8Array(truth.data.length) };
    scores.push({
      ...scoreMatte(error === undefined ? await alphaOf(out) : nothing, truth),
      subset: photo.subset || '.',
    });
  }
  for (const line of summarise(scores)) console.log(`  ${line}`);
};

/** A row a photo: the photo, then each tool's cut-out before magenta, in the order that was printed. */
const contactSheet = async (
  photos: readonly PairPhoto[],
  results: readonly (readonly Result[])[],
  out: string,
): Promise<string> => {
  const rows = evenly([...photos.keys()], ROWS_MAX);
  const tile = (file: string | Uint8Array): Promise<Buffer> =>
    sharp(file)
      .autoOrient()
      .flatten({ background: BEHIND })
      .resize(TILE, TILE, { fit: 'contain', background: 'white' })
      .png()
      .toBuffer();
  const tiles: OverlayOptions[] = [];
  for (const [row, index] of rows.entries()) {
    const shown = [photos[index]?.path, ...results.map((of) => of[index]).map((one) => (one?.error ? null : one?.out))];
    for (const [column, path] of shown.entries())
      if (path) tiles.push({ input: await tile(await readFile(path)), left: column * TILE, top: row * TILE });
  }
  const file = join(out, 'sheet.png');
  const size = { width: (results.length + 1) * TILE, height: rows.length * TILE };
  await sharp({ create: { ...size, channels: 3, background: 'white' } })
    .composite(tiles)
    .png()
    .toFile(file);
  return file;
};
