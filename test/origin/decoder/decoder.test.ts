import { readFileSync, readlinkSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDecoder, type Decoder } from '../../../origin/decoder/decoder.ts';
import type { DecoderLimits } from '../../../origin/decoder/decoder-process.ts';
import { withoutNetwork } from '../../../origin/decoder/isolation.ts';
import { originLimits } from '../../../origin/limits.ts';
import { decode } from '../../../origin/pipeline/decode.ts';
import { disguised, notAccepted } from '../../support/hostile-images.ts';
import { cpuTicks, eventually, isAlive } from '../support/proc.ts';

const started: Decoder[] = [];
const deaths: string[] = [];
const start = (bounds: Partial<DecoderLimits> = {}, processes = 1, isolation: readonly string[] = []): Decoder => {
  const onDeath = (detail: string): void => void deaths.push(detail);
  const decoder = createDecoder(
    processes,
    { isolation, takesHeic: false },
    { onDeath },
    { ...originLimits.decoder, ...bounds },
  );
  started.push(decoder);
  return decoder;
};
afterEach(async () => {
  await Promise.all(started.splice(0).map((decoder) => decoder.close()));
  deaths.length = 0;
});

const flat = (width: number, height: number, background = '#a04030') =>
  sharp({ create: { width, height, channels: 3, background } });
const bytesOf = async (image: Sharp): Promise<Uint8Array> => new Uint8Array(await image.toBuffer());
const summary = (result: Awaited<ReturnType<Decoder['decode']>>) =>
  result.ok
    ? { width: result.value.rgb.width, height: result.value.rgb.height, first: [...result.value.rgb.data.slice(0, 3)] }
    : { code: result.failure.code };

let small: Uint8Array;
/** 62 megapixels in 200 kB: over 180 MiB of pixels. */
let large: Uint8Array;
beforeAll(async () => {
  small = await bytesOf(flat(64, 48).png());
  large = await bytesOf(flat(8_000, 7_800).png());
});
const itsPhoto = { width: 64, height: 48, first: [0xa0, 0x40, 0x30] };

describe('a decoder', () => {
  it('gives the very photo that decoding in the same process gives', async () => {
    const decoder = start();
    const noise = sharp(
      Uint8Array.from({ length: 300 * 200 * 4 }, (_, i) => (i * 7919) % 251),
      { raw: { width: 300, height: 200, channels: 4 } },
    );
    const cutout = sharp({ create: { width: 90, height: 60, channels: 4, background: '#00000000' } }).composite([
      { input: { create: { width: 40, height: 30, channels: 4, background: '#2040c0ff' } } },
    ]);
    const turned = flat(40, 20).jpeg().withMetadata({ orientation: 6 });
    for (const image of [noise.clone().jpeg(), noise.clone().webp(), noise.clone().avif(), cutout.png(), turned]) {
      const bytes = await bytesOf(image);
      const [here, there] = [await decode(bytes), await decoder.decode(bytes)];
      if (!here.ok || !there.ok) throw new Error('not decoded');
      for (const part of ['rgb', 'alpha'] as const) {
        expect(Boolean(there.value[part])).toBe(Boolean(here.value[part]));
        const { data = new Uint8Array(0), ...size } = here.value[part] ?? {};
        expect(there.value[part] ?? {}).toMatchObject(size);
        expect(Buffer.compare(there.value[part]?.data ?? new Uint8Array(0), data)).toBe(0);
      }
    }
    expect(deaths).toEqual([]);
  });

  it('measures a photo by its header', async () => {
    const decoder = start();
    expect(await decoder.measure(large)).toEqual({ width: 8_000, height: 7_800 });
    expect(await decoder.measure(large.subarray(0, 20))).toBeUndefined();
  });

  it.each(Object.entries({ ...notAccepted, ...disguised }))(
    'refuses %s, and its process lives on',
    async (_, bytes) => {
      const decoder = start();
      const [pid] = decoder.pids();
      expect((await decoder.decode(bytes)).ok).toBe(false);
      expect(summary(await decoder.decode(small))).toEqual(itsPhoto);
      expect(decoder.pids()).toEqual([pid]);
    },
  );

  it('refuses what is empty, and what is larger than any file may be, before a process sees it', async () => {
    const decoder = start();
    expect(summary(await decoder.decode(new Uint8Array(0)))).toEqual({ code: 'file_empty' });
    expect(summary(await decoder.decode(new Uint8Array(25_000_001)))).toEqual({ code: 'file_too_large' });
  });
});

describe('a photo that takes too much', () => {
  const cases: readonly (readonly [string, Partial<DecoderLimits>, RegExp])[] = [
    ['memory', { rssBytesMax: 160 * 2 ** 20 }, /memory/],
    ['processor time', { cpuMsMax: 60 }, /processor time/],
    ['time', { wallMsMax: 80 }, /more than 0.08 s/],
  ];
  it.each(cases)('%s is refused for good; the next one is decoded', async (_, bounds, why) => {
    const decoder = start({ watchEveryMs: 5, ...bounds });
    const before = decoder.pids();
    const result = await decoder.decode(large);
    expect(result).toMatchObject({ ok: false, failure: { code: 'undecodable_image' } });
    expect(!result.ok && result.failure.detail).toMatch(why);
    expect(deaths).toHaveLength(1);
    await eventually(async () => !(await isAlive(before[0] ?? 0)), 'the process is gone');
    // It is new, and has to load its libraries within the bound that only this test sets so low.
    if (!bounds.wallMsMax && !bounds.cpuMsMax) expect(summary(await decoder.decode(small))).toEqual(itsPhoto);
    expect(decoder.pids()).not.toEqual(before);
  });

  it('does not take its neighbours with it', async () => {
    const decoder = start({ watchEveryMs: 5, rssBytesMax: 160 * 2 ** 20 });
    const [hostile, ...others] = await Promise.all([large, small, small, small].map((bytes) => decoder.decode(bytes)));
    expect(hostile).toMatchObject({ ok: false, failure: { code: 'undecodable_image' } });
    expect(others.map(summary)).toEqual([itsPhoto, itsPhoto, itsPhoto]);
  });
});

describe('a process that breaks', () => {
  /** Kills each process of the decoder once it works, `times` times. */
  const breakIt = async (decoder: Decoder, times: number): Promise<void> => {
    const killed = new Set<number>();
    while (killed.size < times) {
      const pid = await eventually(async () => decoder.pids().find((one) => !killed.has(one)), 'a process');
      const ticks = await cpuTicks(pid);
      await eventually(async () => (await cpuTicks(pid)) > ticks + 1, 'it works');
      process.kill(pid, 'SIGSEGV');
      killed.add(pid);
    }
  };

  it('is replaced, and its photo is decoded by the next one', async () => {
    const decoder = start();
    const [result] = await Promise.all([decoder.decode(large), breakIt(decoder, 1)]);
    expect(summary(result)).toMatchObject({ width: 8_000, height: 7_800 });
    expect(deaths).toEqual(['The decoder breaks on it (SIGSEGV)']);
  });

  it('twice on one photo makes that photo undecodable', async () => {
    const decoder = start();
    const [result] = await Promise.all([decoder.decode(large), breakIt(decoder, 2)]);
    expect(summary(result)).toEqual({ code: 'undecodable_image' });
    expect(summary(await decoder.decode(small))).toEqual(itsPhoto);
  });

  it('while it is idle is replaced before anybody asks', async () => {
    const decoder = start();
    expect(summary(await decoder.decode(small))).toEqual(itsPhoto);
    const [pid = 0] = decoder.pids();
    process.kill(pid, 'SIGKILL');
    await eventually(async () => decoder.pids().length === 1 && decoder.pids()[0] !== pid, 'another process');
    expect(summary(await decoder.decode(small))).toEqual(itsPhoto);
    expect(deaths).toEqual(['SIGKILL']);
  });
});

describe.runIf(process.platform === 'linux')('a decoder on Linux', () => {
  it('knows nothing of its node’s environment', async () => {
    process.env['ORIGIN_SERVICE_SECRET'] = 'a secret that no decoder needs';
    const decoder = start();
    expect(summary(await decoder.decode(small))).toEqual(itsPhoto);
    const environment = readFileSync(`/proc/${decoder.pids()[0]}/environ`, 'utf8').split('\0').filter(Boolean);
    expect(environment.map((line) => line.split('=')[0]?.replace(/_$/, ''))).toEqual([
      'MALLOC_ARENA_MAX',
      'MALLOC_MMAP_THRESHOLD',
      'MALLOC_TRIM_THRESHOLD',
    ]);
    delete process.env['ORIGIN_SERVICE_SECRET'];
  });

  it('has no network, where the system lets us take it away', async () => {
    const isolation = withoutNetwork();
    const decoder = start({}, 1, isolation);
    expect(summary(await decoder.decode(small))).toEqual(itsPhoto);
    const networkOf = (pid: number | string): string => readlinkSync(`/proc/${pid}/ns/net`);
    const own = networkOf('self');
    expect(networkOf(decoder.pids()[0] ?? 0) === own).toBe(isolation.length === 0);
  });
});

it('ends all its processes when it is closed', async () => {
  const decoder = start({}, 2);
  const pids = decoder.pids();
  expect(pids).toHaveLength(2);
  const unfinished = decoder.decode(large);
  await decoder.close();
  expect(await Promise.all(pids.map(isAlive))).toEqual([false, false]);
  expect(summary(await unfinished)).toEqual({ code: 'origin_busy' });
});
