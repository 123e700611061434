import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundingBox, snapOutward } from '../../../shared/imaging/box.ts';
import {
  canvasFraming,
  centredPosition,
  cropRegion,
  matteBoxToPhoto,
  photoBoxToMatte,
} from '../../../shared/imaging/geometry.ts';
import type { Gray } from '../../../shared/imaging/raster.ts';
import { resampleGray } from '../../../shared/imaging/resample.ts';

const sides = fc.integer({ min: 16, max: 4000 });
/** A photo and a product box inside it. */
const scene = fc
  .tuple(
    sides,
    sides,
    fc.double({ min: 0, max: 0.9, noNaN: true }),
    fc.double({ min: 0, max: 0.9, noNaN: true }),
    fc.double({ min: 0.1, max: 1, noNaN: true }),
    fc.double({ min: 0.1, max: 1, noNaN: true }),
  )
  .map(([width, height, x, y, w, h]) => ({
    photo: { width, height },
    product: {
      x: x * width,
      y: y * height,
      width: Math.max(2, w * (1 - x) * width),
      height: Math.max(2, h * (1 - y) * height),
    },
  }));

const side = fc.integer({ min: 100, max: 4000 });
const canvas = fc.oneof(
  side.map((square) => ({ width: square, height: square })),
  fc.record({ width: side, height: side }),
);

describe('framing', () => {
  it('the window lies in the photo, holds the product, and keeps its aspect within a pixel', () => {
    fc.assert(
      fc.property(scene, canvas, fc.integer({ min: 50, max: 4000 }), ({ photo, product }, on, target) => {
        const { window, size } = canvasFraming(product, photo, on, target);
        expect(window.x).toBeGreaterThanOrEqual(0);
        expect(window.y).toBeGreaterThanOrEqual(0);
        expect(window.x + window.width).toBeLessThanOrEqual(photo.width);
        expect(window.y + window.height).toBeLessThanOrEqual(photo.height);
        expect(window.x).toBeLessThanOrEqual(product.x);
        expect(window.x + window.width).toBeGreaterThanOrEqual(Math.min(photo.width, product.x + product.width) - 1e-6);
        const longer = Math.max(on.width, on.height);
        const filled = Math.max(product.width / on.width, product.height / on.height);
        const scale = target / (filled * longer);
        expect(Math.abs(size.width - window.width * scale)).toBeLessThanOrEqual(1);
        expect(Math.abs(size.height - window.height * scale)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('a box is centred within half a pixel on both axes', () => {
    const box = fc.record({
      x: fc.integer({ min: 0, max: 500 }),
      y: fc.integer({ min: 0, max: 500 }),
      width: fc.integer({ min: 1, max: 2000 }),
      height: fc.integer({ min: 1, max: 2000 }),
    });
    fc.assert(
      fc.property(box, canvas, (product, on) => {
        const at = centredPosition(product, on);
        expect(Math.abs(at.x + product.x + product.width / 2 - on.width / 2)).toBeLessThanOrEqual(0.5);
        expect(Math.abs(at.y + product.y + product.height / 2 - on.height / 2)).toBeLessThanOrEqual(0.5);
      }),
    );
  });

  it('the crop holds the product and has sides that the network takes', () => {
    fc.assert(
      fc.property(scene, ({ photo, product }) => {
        const { region, size } = cropRegion(product, photo, 768 * 768, 64);
        expect(region.x).toBeLessThanOrEqual(product.x);
        expect(region.y).toBeLessThanOrEqual(product.y);
        expect(size.width % 64).toBe(0);
        expect(size.height % 64).toBe(0);
        expect(size.width * size.height).toBeLessThan(1.3 * 768 * 768);
      }),
    );
  });

  it('from matte to photo and back is the same box', () => {
    fc.assert(
      fc.property(scene, ({ photo, product }) => {
        const region = snapOutward(product, photo);
        const matte = { width: 300, height: 200 };
        const box = { x: 10, y: 20, width: 100, height: 50 };
        const back = photoBoxToMatte(matteBoxToPhoto(box, region, matte), region, matte);
        for (const side of ['x', 'y', 'width', 'height'] as const) expect(back[side]).toBeCloseTo(box[side], 6);
      }),
    );
  });
});

describe('boundingBox', () => {
  it('is the smallest box around what reaches the threshold', () => {
    const points = fc.array(fc.tuple(fc.integer({ min: 0, max: 19 }), fc.integer({ min: 0, max: 12 })), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(points, (list) => {
        const picture: Gray = { data: new Uint8Array(20 * 13).fill(99), width: 20, height: 13 };
        for (const [x, y] of list) picture.data[y * 20 + x] = 100;
        const [xs, ys] = [list.map(([x]) => x), list.map(([, y]) => y)];
        const [x, y] = [Math.min(...xs), Math.min(...ys)];
        expect(boundingBox(picture, 100)).toEqual({
          x,
          y,
          width: Math.max(...xs) - x + 1,
          height: Math.max(...ys) - y + 1,
        });
        expect(boundingBox(picture, 101)).toBeUndefined();
      }),
    );
  });
});

describe('resampleGray', () => {
  it('keeps a flat matte flat at every scale and window', () => {
    const positions = fc.double({ min: -5, max: 20, noNaN: true });
    const lengths = fc.double({ min: 1, max: 40, noNaN: true });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 255 }),
        positions,
        positions,
        lengths,
        lengths,
        (value, x, y, width, height) => {
          const flat: Gray = { data: new Uint8Array(17 * 11).fill(value), width: 17, height: 11 };
          expect(new Set(resampleGray(flat, { x, y, width, height }, { width: 23, height: 9 }).data)).toEqual(
            new Set([value]),
          );
        },
      ),
    );
  });

  it('at the same size changes nothing', () => {
    const picture: Gray = { data: Uint8Array.from({ length: 12 * 7 }, (_, i) => (i * 37) % 256), width: 12, height: 7 };
    expect(resampleGray(picture, { x: 0, y: 0, width: 12, height: 7 }, picture).data).toEqual(picture.data);
  });

  it('an edge stays where it is, to a tenth of a sample', () => {
    const edge: Gray = {
      data: Uint8Array.from({ length: 64 * 4 }, (_, i) => (i % 64 >= 20 ? 255 : 0)),
      width: 64,
      height: 4,
    };
    const { data } = resampleGray(edge, { x: 10, y: 0, width: 20, height: 4 }, { width: 200, height: 4 });
    const sum = data.subarray(0, 200).reduce((total, value) => total + value, 0) / 255;
    expect(Math.abs(sum - 100)).toBeLessThan(1);
  });
});
