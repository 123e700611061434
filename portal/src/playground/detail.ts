/**
 * Quick previews: the model looks at a smaller picture. Pure, so that the tests run origin's pipeline with the same
 * reduction.
 */
import { frameOf, type Gray } from '../../../shared/imaging/raster.ts';
import { resampleGray } from '../../../shared/imaging/resample.ts';
import type { Infer } from '../../../shared/imaging/stages/types.ts';

/**
 * `draft` shows where the product is and little more: it is for WebGPU by software, where a full look takes many
 * minutes.
 */
export type Detail = 'full' | 'quick' | 'draft';

/** Sides that the network takes. */
const MULTIPLE = 64;
/** By how much each side shrinks; the time falls with its square. */
const reductions: Record<Detail, number> = { full: 1, quick: 2, draft: 8 };

const reducedSide = (side: number, reduction: number): number =>
  Math.max(MULTIPLE, Math.round(side / reduction / MULTIPLE) * MULTIPLE);

const channel = (rgb: Uint8Array, c: number, size: { width: number; height: number }): Gray => {
  const data = new Uint8Array(size.width * size.height);
  for (let i = 0; i < data.length; i++) data[i] = rgb[i * 3 + c]!;
  return { data, ...size };
};

export const withDetail = (infer: Infer, detail: Detail): Infer =>
  detail === 'full' ? infer : reduced(infer, reductions[detail]);

const reduced =
  (infer: Infer, reduction: number): Infer =>
  async ({ rgb, width, height }) => {
    const size = { width: reducedSide(width, reduction), height: reducedSide(height, reduction) };
    const small = new Uint8Array(size.width * size.height * 3);
    for (let c = 0; c < 3; c++) {
      const plane = resampleGray(channel(rgb, c, { width, height }), frameOf({ width, height }), size);
      for (let i = 0; i < plane.data.length; i++) small[i * 3 + c] = plane.data[i]!;
    }
    const matte = { data: await infer({ rgb: small, ...size }), ...size };
    return resampleGray(matte, frameOf(matte), { width, height }).data;
  };
