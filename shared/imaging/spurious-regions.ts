/**
 * Spurious regions: what only the coarse pass finds and only a narrow neck joins to the product, such as a joint of the
 * bricks behind it, a sill, its shadow. True parts that the finer passes missed border on the rest along a broad front,
 * and thin parts are what fine passes see best.
 */
import { boundingBox } from './box.ts';
import { floodFill } from './flood-fill.ts';
import type { Box, Gray, Size } from './raster.ts';

/** Alpha from which a pass counts as finding a sample; the fused matte counts as showing it from one half on. */
const FOUND_MIN = 100;
const SHOWN_MIN = 128;
/**
 * The neck is shorter than this times the square root of the region's area. Measured on 139 photos, 91 of them with
 * ground truth: spurious regions 0.6 to 1.3, true parts 2.4 and more.
 */
const NECK_MAX = 1.5;
/** Share of the confirmed area: smaller regions are left alone, larger ones may be the product. */
const AREA_SHARE_MIN = 0.01;
const AREA_SHARE_MAX = 0.5;
/** Mattes fade over the last samples before the frame's border; a region that comes this near touches it. */
const BORDER = 3;
/** How far a region's blurred edge reaches beyond what the matte shows of it, samples. */
const MARGIN = 12;

/** States of a sample; 0 where nothing is shown. */
const UNCONFIRMED = 1;
const VISITED = 2;
const CONFIRMED = 3;

/** Mask (1) of the samples that only `coarse` claims and should not; undefined where there are none. All of one size. */
export const findSpuriousRegions = (matte: Gray, fine: readonly Gray[], coarse: Gray): Uint8Array | undefined => {
  const { width, height } = matte;
  const { state, confirmedArea, unconfirmedArea } = classify(matte, fine, coarse);
  if (unconfirmedArea < AREA_SHARE_MIN * confirmedArea) return undefined;
  const confirmedBox = boundingBox({ data: state, width, height }, CONFIRMED);
  if (!confirmedBox) return undefined;
  let neck = 0;
  const enter = (at: number): boolean => {
    if (state[at] === CONFIRMED) neck++;
    if (state[at] !== UNCONFIRMED) return false;
    state[at] = VISITED;
    return true;
  };
  const reached = new Int32Array(state.length);
  const found: Uint8Array[] = [];
  for (let start = 0; start < state.length; start++) {
    if (state[start] !== UNCONFIRMED) continue;
    neck = 0;
    const area = floodFill(start, matte, enter, reached);
    const sizeFits = area >= AREA_SHARE_MIN * confirmedArea && area <= AREA_SHARE_MAX * confirmedArea;
    if (!sizeFits || neck === 0 || neck >= NECK_MAX * Math.sqrt(area)) continue;
    const region = { data: new Uint8Array(state.length), width, height };
    for (const at of reached.subarray(0, area)) region.data[at] = 1;
    // A product that the frame cuts off there does reach the border.
    if (!touchSameBorder(boundingBox(region, 1)!, confirmedBox, matte)) found.push(region.data);
  }
  return found.length === 0 ? undefined : dilatedUnion(found, width, height);
};

/** CONFIRMED: shown, and found by a finer pass. UNCONFIRMED: shown because `coarse` alone finds it. */
const classify = (
  matte: Gray,
  fine: readonly Gray[],
  coarse: Gray,
): { state: Uint8Array; confirmedArea: number; unconfirmedArea: number } => {
  const state = new Uint8Array(matte.data.length);
  let confirmedArea = 0;
  let unconfirmedArea = 0;
  for (let i = 0; i < state.length; i++) {
    if (matte.data[i]! < SHOWN_MIN) continue;
    let isUnconfirmed = coarse.data[i]! >= FOUND_MIN;
    for (let k = 0; isUnconfirmed && k < fine.length; k++) isUnconfirmed = fine[k]!.data[i]! < FOUND_MIN;
    state[i] = isUnconfirmed ? UNCONFIRMED : CONFIRMED;
    if (isUnconfirmed) unconfirmedArea++;
    else confirmedArea++;
  }
  return { state, confirmedArea, unconfirmedArea };
};

/** Whether both boxes reach the same border of the frame. */
const touchSameBorder = (a: Box, b: Box, { width, height }: Size): boolean => {
  const touched = (box: Box): boolean[] => [
    box.x < BORDER,
    box.y < BORDER,
    box.x + box.width > width - BORDER,
    box.y + box.height > height - BORDER,
  ];
  const touchedByB = touched(b);
  return touched(a).some((isTouched, border) => isTouched && touchedByB[border]);
};

/** The union of all `regions`, dilated by MARGIN. */
const dilatedUnion = (regions: readonly Uint8Array[], width: number, height: number): Uint8Array => {
  const mask = new Uint8Array(width * height);
  for (const region of regions) {
    for (let at = 0; at < region.length; at++) {
      if (!region[at]) continue;
      mask[at] = 1;
      // Only the outline has to be dilated; what lies within is set already.
      if (region[at - 1] && region[at + 1] && region[at - width] && region[at + width]) continue;
      const x = at % width;
      const y = (at - x) / width;
      for (let row = Math.max(0, y - MARGIN); row <= Math.min(height - 1, y + MARGIN); row++)
        mask.fill(1, row * width + Math.max(0, x - MARGIN), row * width + Math.min(width, x + MARGIN + 1));
    }
  }
  return mask;
};

/** Limits `coarse` to the maximum of the finer passes where `mask` is set, in place. */
export const suppressRegions = (mask: Uint8Array, fine: readonly Gray[], coarse: Gray): void => {
  for (let i = 0; i < mask.length; i++) {
    if (mask[i]) coarse.data[i] = Math.min(coarse.data[i]!, Math.max(...fine.map((pass) => pass.data[i]!)));
  }
};
