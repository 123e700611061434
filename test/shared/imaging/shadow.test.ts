import { describe, expect, it } from 'vitest';
import { castShadow } from '../../../shared/imaging/shadow.ts';

/** A white canvas with the shadow of a solid square of `side` px in its middle. */
const shadowed = (width: number, height: number, side: number) => {
  const canvas = { width, height, data: new Uint8Array(width * height * 3).fill(255) };
  const square = { width: side, height: side };
  const cutout = {
    rgb: { ...square, data: new Uint8Array(side * side * 3) },
    alpha: { ...square, data: new Uint8Array(side * side).fill(255) },
    at: { x: Math.floor((width - side) / 2), y: Math.floor((height - side) / 2) },
    canvas: { width, height },
  };
  castShadow(canvas, cutout);
  const darknessAt = (x: number, y: number): number => 255 - canvas.data[(y * width + x) * 3]!;
  return { darknessAt };
};

describe('a contact shadow', () => {
  it.each([
    [1000, 1000, 950],
    [1200, 1200, 1140],
    [1801, 1801, 1711],
    [100, 100, 85],
    [1000, 1000, 1000],
  ])('on %i × %i px, of a product of %i px, is never cut by the frame', (width, height, side) => {
    const { darknessAt } = shadowed(width, height, side);
    let most = 0;
    for (let x = 0; x < width; x++) most = Math.max(most, darknessAt(x, 0), darknessAt(x, height - 1));
    for (let y = 0; y < height; y++) most = Math.max(most, darknessAt(0, y), darknessAt(width - 1, y));
    expect(most).toBe(0);
  });

  it('is dark below a product that leaves the usual margin', () => {
    const { darknessAt } = shadowed(1000, 1000, 850);
    expect(darknessAt(500, 926)).toBeGreaterThan(60);
  });
});
