import { describe, expect, it } from 'vitest';
import { markAsTest } from '../../../shared/imaging/watermark.ts';

const SIDE = 256;
const product = { x: 38, y: 60, width: 180, height: 130 };
/** A picture of noise, so that every covered pixel shows. */
const noise = (channels: 3 | 4): Uint8Array =>
  Uint8Array.from({ length: SIDE * SIDE * channels }, (_, i) => 130 + ((Math.imul(i, 2654435761) >>> 24) % 110));
const clear = (): Uint8Array => new Uint8Array(SIDE * SIDE * 4).fill(0);

const marked = (seed: number, channels: 3 | 4 = 3, data = noise(channels)): Uint8Array => {
  const picture = { data: data.slice(), width: SIDE, height: SIDE };
  markAsTest(picture, channels, product, seed);
  return picture.data;
};
const masks = new Map<number, Uint8Array>();
/** 1 where the mark of a seed lies. */
const covered = (seed: number): Uint8Array => {
  const known = masks.get(seed);
  if (known) return known;
  const alpha = marked(seed, 4, clear());
  const mask = Uint8Array.from({ length: SIDE * SIDE }, (_, i) => (alpha[i * 4 + 3]! > 0 ? 1 : 0));
  masks.set(seed, mask);
  return mask;
};
const share = (mask: Uint8Array): number => mask.reduce((sum, value) => sum + value, 0) / mask.length;
const inProduct = (mask: Uint8Array): Uint8Array =>
  mask.filter((_, i) => {
    const [x, y] = [(i % SIDE) - product.x, Math.floor(i / SIDE) - product.y];
    return x >= 0 && y >= 0 && x < product.width && y < product.height;
  });
const seeds = Array.from({ length: 40 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);

describe('the mark on results of test keys', () => {
  it('is the same for the same seed and another one for every other', () => {
    expect(marked(7)).toEqual(marked(7));
    for (const seed of seeds) {
      const [a, b] = [covered(seed), covered(seed ^ 1)];
      const [either, both] = [a.map((value, i) => value | b[i]!), a.map((value, i) => value & b[i]!)];
      expect(share(both) / share(either), `${seed}`).toBeLessThan(0.75);
    }
  });

  it('covers three tenths of the picture and two fifths of the product at least, and leaves some of both', () => {
    for (const seed of seeds) {
      const mask = covered(seed);
      expect(share(mask), `${seed}`).toBeGreaterThan(0.3);
      expect(share(mask), `${seed}`).toBeLessThan(0.6);
      expect(share(inProduct(mask)), `${seed}`).toBeGreaterThan(0.4);
      expect(share(inProduct(mask)), `${seed}`).toBeLessThan(0.85);
    }
  });

  it('keeps nothing of what it covers: two pictures are equal below it, but for the rim of a plate', () => {
    for (const seed of seeds.slice(0, 10)) {
      const [onNoise, onBlack] = [marked(seed), marked(seed, 3, new Uint8Array(SIDE * SIDE * 3))];
      const mask = covered(seed);
      const equal = mask.map((value, i) =>
        value === 1 && [0, 1, 2].every((c) => onNoise[i * 3 + c] === onBlack[i * 3 + c]) ? 1 : 0,
      );
      expect(share(equal) / share(mask), `${seed}`).toBeGreaterThan(0.85);
    }
  });

  it('hides the middle of the product under any seed, so that many marks of one photo do not add up to it', () => {
    const always = seeds.map(covered).reduce((all, mask) => all.map((value, i) => value & mask[i]!));
    const [middleX, middleY] = [product.x + product.width / 2, product.y + product.height / 2];
    const radius = 0.08 * product.width;
    for (let i = 0; i < always.length; i++)
      if (Math.hypot((i % SIDE) - middleX, Math.floor(i / SIDE) - middleY) < radius)
        expect(always[i], `pixel ${i}`).toBe(1);
    expect(share(inProduct(always))).toBeGreaterThan(0.04);
  });

  it('is opaque on a transparent picture', () => {
    const rgba = marked(3, 4, clear());
    const opaque = covered(3).filter((value, i) => value === 1 && rgba[i * 4 + 3] === 255);
    expect(opaque.length / covered(3).filter((value) => value === 1).length).toBeGreaterThan(0.85);
  });

  it('reads TEST: white letters on dark plates', () => {
    const rgb = marked(11, 3, new Uint8Array(SIDE * SIDE * 3).fill(128));
    const mask = covered(11);
    let [white, dark] = [0, 0];
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] === 0) continue;
      const mean = (rgb[i * 3]! + rgb[i * 3 + 1]! + rgb[i * 3 + 2]!) / 3;
      if (mean > 240) white++;
      else if (mean < 121) dark++;
    }
    const all = share(mask) * mask.length;
    // Strokes of 1.2 units, 57 units of them in all, on plates of some 25 × 10 units.
    expect(white / all).toBeGreaterThan(0.12);
    expect(white / all).toBeLessThan(0.35);
    expect(dark / all).toBeGreaterThan(0.4);
  });
});
