import { describe, expect, it } from 'vitest';
import { decode, sizeOf } from '../../../origin/pipeline/decode.ts';
import { heicSlope } from '../../support/heic.ts';

const taken = { takesHeic: true };
const codeOf = async (bytes: Uint8Array): Promise<string> => {
  const result = await decode(bytes, taken);
  return result.ok ? 'ok' : result.failure.code;
};
/** Where a box of that kind begins, its length included. */
const boxAt = (kind: string): number => Buffer.from(heicSlope).indexOf(kind, 0, 'latin1') - 4;
const changed = (change: (view: DataView) => void): Uint8Array => {
  const bytes = heicSlope.slice();
  change(new DataView(bytes.buffer));
  return bytes;
};

describe('a HEIC', () => {
  it('comes out in sRGB where the node has a decoder for it', async () => {
    expect(await sizeOf(heicSlope, taken)).toEqual({ width: 64, height: 48 });
    const photo = await decode(heicSlope, taken);
    if (!photo.ok) throw new Error(photo.failure.detail);
    const { data, width, height } = photo.value.rgb;
    expect([width, height, photo.value.alpha]).toEqual([64, 48, undefined]);
    for (const [x, y] of [
      [4, 4],
      [58, 4],
      [4, 42],
      [58, 42],
    ] as const)
      for (const [i, level] of [40 + 3 * x, 230 - 4 * y, 60].entries())
        expect(Math.abs(data[(y * 64 + x) * 3 + i]! - level), `${x}, ${y}`).toBeLessThanOrEqual(6);
  });

  it('is refused by its own code elsewhere', async () => {
    const result = await decode(heicSlope);
    expect(result).toMatchObject({ ok: false, failure: { code: 'unsupported_heic' } });
    expect(await sizeOf(heicSlope)).toBeUndefined();
  });

  const ispe = Buffer.from(heicSlope).lastIndexOf('ispe', undefined, 'latin1');
  it.each([
    ['that is cut off in its header', heicSlope.subarray(0, boxAt('ipco') + 20), 'unreadable_image'],
    ['that is cut off in its picture', heicSlope.subarray(0, -60), 'unreadable_image'],
    ['without a main picture', changed((view) => view.setUint32(boxAt('pitm') + 4, 0)), 'unreadable_image'],
    ['whose main picture is another', changed((view) => view.setUint16(boxAt('pitm') + 12, 77)), 'unreadable_image'],
    [
      'whose header tells fewer pixels than it has',
      changed((view) => {
        for (const at of [boxAt('ispe') + 4, ispe]) view.setUint32(at + 8, 32);
      }),
      'unreadable_image',
    ],
    [
      'of more pixels than are taken',
      changed((view) => {
        for (const at of [boxAt('ispe') + 4, ispe]) {
          view.setUint32(at + 8, 9_000);
          view.setUint32(at + 12, 9_000);
        }
      }),
      'image_too_large',
    ],
  ])('%s is refused', async (_, bytes, code) => {
    expect(await codeOf(bytes)).toBe(code);
  });
});
