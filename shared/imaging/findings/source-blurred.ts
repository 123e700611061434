/**
 * source_blurred: even the product's sharpest edges take many pixels. The width of an edge is its height over its
 * steepest slope; of all clear edges the sharpest tenth counts, so that a blurred background, a soft shadow or a
 * shallow depth of field say nothing.
 */
import type { Finding } from '../../findings.ts';
import type { Gray, Rgb } from '../raster.ts';
import type { Evidence } from './evidence.ts';
import { findingOf } from './finding.ts';

/** Height of an edge that counts, levels of 255. */
const EDGE_LEVELS_MIN = 24;
/** Fewer clear edges than this per px of the picture's longer side say nothing. */
const EDGES_PER_PX_MIN = 1;
const SHARPEST_SHARE = 0.1;
/** Width of the sharpest edges above which the product is blurred, px. docs/findings.md. */
const EDGE_WIDTH_MAX = 5;

/** Width of the sharpest tenth of the clear edges along rows and columns, px; undefined where there are too few. */
const edgeWidth = (picture: Rgb): number | undefined => {
  const light = lightOf(picture);
  const { width, height } = light;
  const widths: number[] = [];
  const line = new Float32Array(Math.max(width, height));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) line[x] = light.data[y * width + x]!;
    collectWidths(smoothed(line, width), widths);
  }
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) line[y] = light.data[y * width + x]!;
    collectWidths(smoothed(line, height), widths);
  }
  if (widths.length < EDGES_PER_PX_MIN * Math.max(width, height)) return undefined;
  widths.sort((a, b) => a - b);
  return widths[Math.floor(widths.length * SHARPEST_SHARE)];
};

const lightOf = ({ data, width, height }: Rgb): Gray => {
  const light = new Uint8Array(width * height);
  for (let i = 0, j = 0; i < light.length; i++, j += 3)
    light[i] = (data[j]! * 77 + data[j + 1]! * 150 + data[j + 2]! * 29) >> 8;
  return { data: light, width, height };
};

/** By (1 2 1)/4, so that sensor noise does not cut a slope into pieces. */
const smoothed = (line: Float32Array, length: number): Float32Array => {
  const out = new Float32Array(length);
  for (let i = 0; i < length; i++)
    out[i] = (line[Math.max(0, i - 1)]! + 2 * line[i]! + line[Math.min(length - 1, i + 1)]!) / 4;
  return out;
};

/** One width for each stretch that only rises or only falls, by at least EDGE_LEVELS_MIN. */
const collectWidths = (line: Float32Array, into: number[]): void => {
  let from = 0;
  let steepest = 0;
  for (let i = 1; i <= line.length; i++) {
    const step = i < line.length ? line[i]! - line[i - 1]! : 0;
    const before = line[i - 1]! - line[from]!;
    if (i < line.length && before * step >= 0 && (step !== 0 || before === 0)) {
      steepest = Math.max(steepest, Math.abs(step));
      continue;
    }
    if (Math.abs(before) >= EDGE_LEVELS_MIN) into.push(Math.abs(before) / steepest);
    from = i - 1;
    steepest = Math.abs(step);
  }
};

export const sourceBlurred = ({ detail, photo, product }: Evidence): Finding | undefined => {
  const width = detail && edgeWidth(detail);
  if (width === undefined || width <= EDGE_WIDTH_MAX) return undefined;
  return findingOf(
    'source_blurred',
    {
      detail: `The sharpest edges of the product are ${width.toFixed(1)} px wide; sharp photos have less than ${EDGE_WIDTH_MAX}`,
      remedy:
        'Take the photo again in focus and without motion, or send the original file instead of an enlarged copy.',
      box: product,
    },
    photo,
  );
};
