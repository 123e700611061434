/** Photo and result lie over each other by the product of the matte that was sent, wherever the model saw one. */
import { describe, expect, it } from 'vitest';
import { photoOnCanvas } from '../../portal/src/components/registration.ts';
import { drawStroke } from '../../portal/src/touch-up/plane.ts';
import { registeredOf } from '../../portal/src/touch-up/registered.ts';
import type { Gray } from '../../shared/imaging/raster.ts';

const PHOTO = { width: 1_000, height: 800 };
/** Half the photo's size, with a product at the left and one at the right. */
const twoProducts = (): Gray => {
  const plane = { data: new Uint8Array(500 * 400), width: 500, height: 400 };
  for (let y = 100; y < 300; y++) {
    plane.data.fill(255, y * 500 + 50, y * 500 + 150);
    plane.data.fill(255, y * 500 + 300, y * 500 + 450);
  }
  return plane;
};

describe('an edited matte', () => {
  it('has its product where it keeps one, in pixels of the photo', () => {
    const plane = twoProducts();
    expect(registeredOf(plane, PHOTO)?.productInPhoto).toEqual({ x: 100, y: 200, width: 800, height: 400 });
    drawStroke(plane, { x: 375, y: 90 }, { x: 375, y: 310 }, 90, 0);
    expect(registeredOf(plane, PHOTO)?.productInPhoto).toEqual({ x: 100, y: 200, width: 200, height: 400 });
  });

  it('puts the kept product of the photo exactly onto that of the result', () => {
    const plane = twoProducts();
    drawStroke(plane, { x: 375, y: 90 }, { x: 375, y: 310 }, 90, 0);
    const registered = registeredOf(plane, PHOTO);
    if (!registered) throw new Error('nothing is kept');
    const product = { x: 575, y: 150, width: 850, height: 1_700 };
    const at = photoOnCanvas({ canvas: { width: 2_000, height: 2_000 }, product, background: '#ffffff' }, registered);
    const onCanvas = (x: number, y: number) => [
      (at.x + (x / PHOTO.width) * at.width) * 2_000,
      (at.y + (y / PHOTO.height) * at.height) * 2_000,
    ];
    const corners = [...onCanvas(100, 200), ...onCanvas(300, 600)];
    for (const [i, place] of [575, 150, 1_425, 1_850].entries()) expect(corners[i]).toBeCloseTo(place, 6);
  });

  it('that keeps nothing has no place', () => {
    expect(registeredOf({ data: new Uint8Array(100), width: 10, height: 10 }, PHOTO)).toBeUndefined();
  });
});
