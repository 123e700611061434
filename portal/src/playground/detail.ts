/**
 * Drafts: the model runs on a downsampled picture. Pure, so that tests can run origin's pipeline with the same
 * downsampling.
 */
import { frameOf, type Gray } from '../../../shared/imaging/raster.ts';
import { resampleGray } from '../../../shared/imaging/resample.ts';
import type { Infer } from '../../../shared/imaging/stages/types.ts';

/** `draft` shows roughly where the product is. It is for WebGPU by software, where a full run takes many minutes. */
export type Detail = 'full' | 'draft';

/** Sides that the network takes. */
const MULTIPLE = 64;
/** Each side is divided by this; the time falls with its square. */
const factors: Record<Detail, number> = { full: 1, draft: 8 };

const downsampledSide = (side: number, factor: number): number =>
  Math.max(MULTIPLE, Math.round(side / factor / MULTIPLE) * MULTIPLE);

const channel = (rgb: Uint8Array, c: number, size: { width: number; height: number }): Gray => {
  const data = new Uint8Array(size.width * size.height);
  for (let i = 0; i < data.length; i++) data[i] = rgb[i * 3 + c]!;
  return { data, ...size };
};

export const withDetail = (infer: Infer, detail: Detail): Infer =>
  detail === 'full' ? infer : downsampled(infer, factors[detail]);

const downsampled =
  (infer: Infer, factor: number): Infer =>
  async ({ rgb, width, height }) => {
    const size = { width: downsampledSide(width, factor), height: downsampledSide(height, factor) };
    const small = new Uint8Array(size.width * size.height * 3);
    for (let c = 0; c < 3; c++) {
      const plane = resampleGray(channel(rgb, c, { width, height }), frameOf({ width, height }), size);
      for (let i = 0; i < plane.data.length; i++) small[i * 3 + c] = plane.data[i]!;
    }
    const matte = { data: await infer({ rgb: small, ...size }), ...size };
    return resampleGray(matte, frameOf(matte), { width, height }).data;
  };
