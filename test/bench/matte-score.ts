/** How near a matte comes to the truth. */
import type { Gray } from '../../shared/imaging/raster.ts';
import { mean } from './statistics.ts';

export type MatteScore = {
  /** Intersection ÷ union of what is more product than background. */
  readonly iou: number;
  /** Mean absolute difference, 0..1; over the whole frame, and within the band around the true outline. */
  readonly mae: number;
  readonly boundaryMae: number;
};

/** The band reaches 1/200 of the longer side to each side of the outline, at least 3 px. */
const BAND_SHARE = 1 / 200;
const BAND_PX_MIN = 3;
const IOU_POOR = 0.9;

/** Throws where they are of different sizes. */
export const scoreMatte = (matte: Gray, truth: Gray): MatteScore => {
  if (matte.width !== truth.width || matte.height !== truth.height)
    throw new Error(`a matte of ${matte.width} × ${matte.height} for a truth of ${truth.width} × ${truth.height}`);
  const band = boundaryBand(truth);
  let difference = 0;
  let bandDifference = 0;
  let bandPixels = 0;
  let both = 0;
  let either = 0;
  for (let i = 0; i < truth.data.length; i++) {
    const apart = Math.abs(matte.data[i]! - truth.data[i]!) / 255;
    difference += apart;
    bandDifference += apart * band[i]!;
    bandPixels += band[i]!;
    const found = matte.data[i]! > 127 ? 1 : 0;
    const wanted = truth.data[i]! > 127 ? 1 : 0;
    both += found & wanted;
    either += found | wanted;
  }
  return {
    iou: either === 0 ? 1 : both / either,
    mae: difference / truth.data.length,
    boundaryMae: bandPixels === 0 ? 0 : bandDifference / bandPixels,
  };
};

/**
 * 1 within the band around the outline of the truth, a square around every pixel whose right or lower neighbour is on
 * the other side.
 */
const boundaryBand = ({ data, width, height }: Gray): Uint8Array => {
  const reach = Math.max(BAND_PX_MIN, Math.round(Math.max(width, height) * BAND_SHARE));
  const band = new Uint8Array(width * height);
  const inside = (x: number, y: number): boolean => data[y * width + x]! > 127;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const here = inside(x, y);
      if (!((x + 1 < width && here !== inside(x + 1, y)) || (y + 1 < height && here !== inside(x, y + 1)))) continue;
      for (let by = Math.max(0, y - reach); by <= Math.min(height - 1, y + reach); by++) {
        band.fill(1, by * width + Math.max(0, x - reach), by * width + Math.min(width, x + reach + 1));
      }
    }
  }
  return band;
};

/** One line a subset and one for all. */
export const summarise = (scores: readonly (MatteScore & { subset: string })[]): string[] => {
  const subsets = [...new Set(scores.map((score) => score.subset))];
  const line = (label: string, of: readonly MatteScore[]): string => {
    const ious = of.map((score) => score.iou).sort((a, b) => a - b);
    return [
      label.padEnd(18),
      `n ${String(of.length).padStart(3)}`,
      `IoU mean ${mean(ious).toFixed(4)}`,
      `median ${ious[ious.length >> 1]!.toFixed(4)}`,
      `min ${ious[0]!.toFixed(3)}`,
      `MAE ${mean(of.map((score) => score.mae)).toFixed(5)}`,
      `boundary MAE ${mean(of.map((score) => score.boundaryMae)).toFixed(4)}`,
      `IoU < ${IOU_POOR}: ${ious.filter((iou) => iou < IOU_POOR).length}`,
    ].join('  ');
  };
  return scores.length === 0
    ? []
    : [
        ...subsets.map((subset) =>
          line(
            subset,
            scores.filter((score) => score.subset === subset),
          ),
        ),
        line('ALL', scores),
      ];
};
