/**
 * What grows out of the product by a narrow neck and is seen by the coarse look alone: a joint of the bricks behind it, a sill, its shadow. Parts that the
 * finer looks missed hang together with the rest over a broad front, and thin parts are what fine looks see best.
 */
import type { Gray } from './raster.ts';

/** A look sees a sample from here on; the fused matte shows it from one half on. */
const SEEN = 100;
const SHOWN = 128;
/** The neck is shorter than this times the square root of the outgrowth's area. Of 139 photos, 91 with ground truth: false parts 0.6 to 1.3, true ones 2.4 and more. */
const NECK_MAX = 1.5;
/** Lighter than the first share of the product it is left alone, heavier than the second it may be the product. */
const SHARE_MIN = 0.01;
const SHARE_MAX = 0.5;
/** Mattes fade over the last samples before the frame's side; whoever comes so near touches it. */
const SIDE = 3;
/** How far its blurred edge reaches beyond what is shown of it, samples. */
const RIM = 12;

const CORE = 1;
const DOUBTED = 2;
const VISITED = 3;

type Sides = { left: boolean; right: boolean; top: boolean; bottom: boolean };

/** Samples (1) that only `coarse` claims and should not; undefined where there are none. All of one size. */
export const outgrowths = (matte: Gray, fine: readonly Gray[], coarse: Gray): Uint8Array | undefined => {
  const { width, height } = matte;
  const { state, coreArea, doubtedArea } = sortedOut(matte, fine, coarse);
  if (doubtedArea < SHARE_MIN * coreArea) return undefined;
  const coreSides = sidesOfCore(state, width, height);
  const found: number[] = [];
  for (let start = 0; start < state.length; start++) {
    if (state[start] !== DOUBTED) continue;
    const { members, neck, sides } = flooded(state, start, width, height);
    const area = members.length;
    const isOutgrowth = area >= SHARE_MIN * coreArea && area <= SHARE_MAX * coreArea && neck > 0 && neck < NECK_MAX * Math.sqrt(area);
    // A product that the frame cuts off there goes on to the frame.
    if (isOutgrowth && !shareSide(sides, coreSides)) for (const at of members) found.push(at);
  }
  return found.length === 0 ? undefined : grown(found, width, height);
};

/** CORE: shown, and seen by a finer look. DOUBTED: shown because `coarse` alone sees it. */
const sortedOut = (matte: Gray, fine: readonly Gray[], coarse: Gray): { state: Uint8Array; coreArea: number; doubtedArea: number } => {
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

const noSides = (): Sides => ({ left: false, right: false, top: false, bottom: false });

const touch = (sides: Sides, x: number, y: number, width: number, height: number): void => {
  if (x < SIDE) sides.left = true;
  if (x >= width - SIDE) sides.right = true;
  if (y < SIDE) sides.top = true;
  if (y >= height - SIDE) sides.bottom = true;
};

const shareSide = (a: Sides, b: Sides): boolean => (a.left && b.left) || (a.right && b.right) || (a.top && b.top) || (a.bottom && b.bottom);

const sidesOfCore = (state: Uint8Array, width: number, height: number): Sides => {
  const sides = noSides();
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) if (state[i] === CORE) touch(sides, x, y, width, height);
  }
  return sides;
};

/** The 4-connected doubted samples around `start`, marked as visited; `neck` counts their contacts with the core. */
const flooded = (state: Uint8Array, start: number, width: number, height: number): { members: number[]; neck: number; sides: Sides } => {
  const members = [start];
  const sides = noSides();
  let neck = 0;
  state[start] = VISITED;
  for (let next = 0; next < members.length; next++) {
    const at = members[next]!;
    const x = at % width;
    const y = (at - x) / width;
    touch(sides, x, y, width, height);
    for (const to of [x > 0 ? at - 1 : -1, x < width - 1 ? at + 1 : -1, at - width, y < height - 1 ? at + width : -1]) {
      if (to < 0) continue;
      if (state[to] === CORE) neck++;
      else if (state[to] === DOUBTED) {
        state[to] = VISITED;
        members.push(to);
      }
    }
  }
  return { members, neck, sides };
};

/** The samples with a margin of RIM. */
const grown = (members: readonly number[], width: number, height: number): Uint8Array => {
  const inside = new Uint8Array(width * height);
  for (const at of members) inside[at] = 1;
  const mask = inside.slice();
  for (const at of members) {
    // Only the outline grows; what lies within is covered already.
    if (inside[at - 1] && inside[at + 1] && inside[at - width] && inside[at + width]) continue;
    const x = at % width;
    const y = (at - x) / width;
    for (let row = Math.max(0, y - RIM); row <= Math.min(height - 1, y + RIM); row++) mask.fill(1, row * width + Math.max(0, x - RIM), row * width + Math.min(width, x + RIM + 1));
  }
  return mask;
};

/** Lets `coarse` claim no more than the finer looks do where `mask` is set, in place. */
export const withdraw = (mask: Uint8Array, fine: readonly Gray[], coarse: Gray): void => {
  for (let i = 0; i < mask.length; i++) {
    if (mask[i]) coarse.data[i] = Math.min(coarse.data[i]!, Math.max(...fine.map((look) => look.data[i]!)));
  }
};
