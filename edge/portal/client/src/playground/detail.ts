/** Quick previews: the model looks at a smaller picture. Pure, so that the tests run origin's pipeline with the same reduction. */
import { type Gray, frameOf } from '../../../../../shared/imaging/raster.ts';
import { resampleGray } from '../../../../../shared/imaging/resample.ts';
import type { Infer } from '../../../../../shared/imaging/stages/types.ts';

export type Detail = 'full' | 'quick';

/** Sides that the network takes. */
const MULTIPLE = 64;
/** A quick look has a quarter of the pixels: a quarter of the time. */
const REDUCTION = 2;

const reducedSide = (side: number): number => Math.max(MULTIPLE, Math.round(side / REDUCTION / MULTIPLE) * MULTIPLE);

const channel = (rgb: Uint8Array, c: number, size: { width: number; height: number }): Gray => {
  const data = new Uint8Array(size.width * size.height);
  for (let i = 0; i < data.length; i++) data[i] = rgb[i * 3 + c]!;
  return { data, ...size };
};

export const withDetail = (infer: Infer, detail: Detail): Infer => (detail === 'full' ? infer : reduced(infer));

const reduced =
  (infer: Infer): Infer =>
  async ({ rgb, width, height }) => {
    const size = { width: reducedSide(width), height: reducedSide(height) };
    const small = new Uint8Array(size.width * size.height * 3);
    for (let c = 0; c < 3; c++) {
      const plane = resampleGray(channel(rgb, c, { width, height }), frameOf({ width, height }), size);
      for (let i = 0; i < plane.data.length; i++) small[i * 3 + c] = plane.data[i]!;
    }
    const matte = { data: await infer({ rgb: small, ...size }), ...size };
    return resampleGray(matte, frameOf(matte), { width, height }).data;
  };
