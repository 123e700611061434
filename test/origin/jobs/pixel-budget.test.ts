import { setImmediate } from 'node:timers/promises';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createPixelBudget } from '../../../origin/jobs/pixel-budget.ts';
import { originLimits } from '../../../origin/limits.ts';
import { sizeOf } from '../../../origin/pipeline/decode.ts';
import { pixelsBy } from '../../../origin/pipeline/pixels.ts';
import { limits } from '../../../shared/limits.ts';
import { type Options, resolveOptions } from '../../../shared/options.ts';
import { jxlOf } from '../../support/jxl.ts';

const pixelsOf = pixelsBy(sizeOf);

const { pixelsInFlightMax } = originLimits.jobs;

const optionsOf = (raw: Options) => {
  const options = resolveOptions(raw);
  if (!options.ok) throw new Error(options.failure.detail);
  return options.value;
};
/** A flat PNG with alpha, a few hundred bytes to a few kilobytes. */
const png = async (width: number, height: number): Promise<Uint8Array> =>
  new Uint8Array(
    await sharp({ create: { width, height, channels: 4, background: '#a3302080' } })
      .png()
      .toBuffer(),
  );
const small = { bytes: await png(64, 64), options: optionsOf({ canvas: 100 }) };

/** Whether a small image is let in beside `image`. */
const leavesRoom = async (image: typeof small): Promise<boolean> => {
  const weighed = Promise.withResolvers<void>();
  const budget = createPixelBudget(pixelsInFlightMax, async (next) => {
    const pixels = await pixelsOf(next);
    if (next === small) weighed.resolve();
    return pixels;
  });
  const end = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const large = budget.within(image, () => {
    entered.resolve();
    return end.promise;
  });
  await entered.promise;
  let isIn = false;
  const beside = budget.within(small, async () => {
    isIn = true;
  });
  await weighed.promise;
  await setImmediate();
  const answer = isIn;
  end.resolve();
  await Promise.all([large, beside]);
  expect(isIn).toBe(true);
  return answer;
};

describe('an image weighs as many pixels as its photo or its result, whichever has more', () => {
  it('the worst that options may ask of a small file takes the whole budget', async () => {
    const bytes = await png(64, 64);
    const { sideMax, pixelsMax } = limits.canvas;
    const worst = {
      bytes,
      options: optionsOf({ canvas: `${sideMax}x${pixelsMax / sideMax}`, fill: 1, format: 'png' }),
    };
    expect(await pixelsOf(worst)).toBe(64_000_000);
    expect(await pixelsOf(worst)).toBeLessThanOrEqual(pixelsInFlightMax);
    expect(await leavesRoom(worst)).toBe(false);
    expect(await leavesRoom({ bytes, options: optionsOf({}) })).toBe(true);
  });

  it('a large photo weighs what it is, however small its result', async () => {
    const bytes = await png(8_000, 8_000);
    expect(await pixelsOf({ bytes, options: optionsOf({ canvas: 100 }) })).toBe(64_000_000);
    expect(await leavesRoom({ bytes, options: optionsOf({ canvas: 100 }) })).toBe(false);
  });

  it('a JPEG XL weighs what its decoder takes', async () => {
    const bytes = await jxlOf(small.bytes, { lossless: true });
    expect(await pixelsOf({ bytes, options: optionsOf({ layout: 'original' }) })).toBe(2.5 * 64 * 64);
  });

  it('layout original has a result of the size of its photo', async () => {
    expect(await pixelsOf({ bytes: small.bytes, options: optionsOf({ layout: 'original' }) })).toBe(64 * 64);
  });
});

describe('a check', () => {
  it('enters after every paid image that waits, even one that came later', async () => {
    const budget = createPixelBudget(100, async () => 60);
    const end = Promise.withResolvers<void>();
    const order: string[] = [];
    const enter = (name: string) => async () => void order.push(name);
    const running = budget.within(small, () => end.promise);
    await setImmediate();
    const check = budget.within(small, enter('check'), 'yielding');
    const paid = budget.within(small, enter('paid'));
    await setImmediate();
    expect(order).toEqual([]);
    end.resolve();
    await Promise.all([running, check, paid]);
    expect(order).toEqual(['paid', 'check']);
  });
});
