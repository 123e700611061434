/**
 * What grows out of the product by a narrow neck and is seen by the coarse look alone: a joint of the bricks behind it,
 * a sill, its shadow. Parts that the
 * finer looks missed hang together with the rest over a broad front, and thin parts are what fine looks see best.
 */
import { boxOf } from './box.ts';
import { flood } from './flood.ts';
import type { Box, Gray, Size } from './raster.ts';

/** A look sees a sample from here on; the fused matte shows it from one half on. */
const SEEN = 100;
const SHOWN = 128;
/**
 * The neck is shorter than this times the square root of the outgrowth's area. Of 139 photos, 91 with ground truth:
 * false parts 0.6 to 1.3, true ones 2.4 and more.
 */
const NECK_MAX = 1.5;
/** Lighter than the first share of the product it is left alone, heavier than the second it may be the product. */
const SHARE_MIN = 0.01;
const SHARE_MAX = 0.5;
/** Mattes fade over the last samples before the frame's side; whoever comes so near touches it. */
const SIDE = 3;
/** How far its blurred edge reaches beyond what is shown of it, samples. */
const RIM = 12;

/** States of a sample; 0 where nothing is shown. */
const DOUBTED = 1;
const VISITED = 2;
const CORE = 3;

/** Samples (1) that only `coarse` claims and should not; undefined where there are none. All of one size. */
export const outgrowths = (matte: Gray, fine: readonly Gray[], coarse: Gray): Uint8Array | undefined => {
  const { width, height } = matte;
  const { state, coreArea, doubtedArea } = sortedOut(matte, fine, coarse);
  if (doubtedArea < SHARE_MIN * coreArea) return undefined;
  const core = boxOf({ data: state, width, height }, CORE);
  if (!core) return undefined;
  let neck = 0;
  const enter = (at: number): boolean => {
    if (state[at] === CORE) neck++;
    if (state[at] !== DOUBTED) return false;
    state[at] = VISITED;
    return true;
  };
  const reached = new Int32Array(state.length);
  const found: Uint8Array[] = [];
  for (let start = 0; start < state.length; start++) {
    if (state[start] !== DOUBTED) continue;
    neck = 0;
    const area = flood(start, matte, enter, reached);
    if (area < SHARE_MIN * coreArea || area > SHARE_MAX * coreArea || neck === 0 || neck >= NECK_MAX * Math.sqrt(area))
      continue;
    const part = { data: new Uint8Array(state.length), width, height };
    for (const at of reached.subarray(0, area)) part.data[at] = 1;
    // A product that the frame cuts off there goes on to the frame.
    if (!shareSide(boxOf(part, 1)!, core, matte)) found.push(part.data);
  }
  return found.length === 0 ? undefined : grown(found, width, height);
};

/** CORE: shown, and seen by a finer look. DOUBTED: shown because `coarse` alone sees it. */
const sortedOut = (
  matte: Gray,
  fine: readonly Gray[],
  coarse: Gray,
): { state: Uint8Array; coreArea: number; doubtedArea: number } => {
  const state = new Uint8Array(matte.data.length);
  let coreArea = 0;
  let doubtedArea = 0;
  for (let i = 0; i < state.length; i++) {
    if (matte.data[i]! < SHOWN) continue;
    let isDoubted = coarse.data[i]! >= SEEN;
    for (let k = 0; isDoubted && k < fine.length; k++) isDoubted = fine[k]!.data[i]! < SEEN;
    state[i] = isDoubted ? DOUBTED : CORE;
    if (isDoubted) doubtedArea++;
    else coreArea++;
  }
  return { state, coreArea, doubtedArea };
};

/** Whether both come near to the same side of the frame. */
const shareSide = (a: Box, b: Box, { width, height }: Size): boolean => {
  const near = (box: Box): boolean[] => [
    box.x < SIDE,
    box.y < SIDE,
    box.x + box.width > width - SIDE,
    box.y + box.height > height - SIDE,
  ];
  const sides = near(b);
  return near(a).some((isNear, side) => isNear && sides[side]);
};

/** The samples of all `parts`, with a margin of RIM. */
const grown = (parts: readonly Uint8Array[], width: number, height: number): Uint8Array => {
  const mask = new Uint8Array(width * height);
  for (const part of parts) {
    for (let at = 0; at < part.length; at++) {
      if (!part[at]) continue;
      mask[at] = 1;
      // Only the outline grows; what lies within is covered already.
      if (part[at - 1] && part[at + 1] && part[at - width] && part[at + width]) continue;
      const x = at % width;
      const y = (at - x) / width;
      for (let row = Math.max(0, y - RIM); row <= Math.min(height - 1, y + RIM); row++)
        mask.fill(1, row * width + Math.max(0, x - RIM), row * width + Math.min(width, x + RIM + 1));
    }
  }
  return mask;
};

/** Lets `coarse` claim no more than the finer looks do where `mask` is set, in place. */
export const withdraw = (mask: Uint8Array, fine: readonly Gray[], coarse: Gray): void => {
  for (let i = 0; i < mask.length; i++) {
    if (mask[i]) coarse.data[i] = Math.min(coarse.data[i]!, Math.max(...fine.map((look) => look.data[i]!)));
  }
};
