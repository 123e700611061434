/** What is measured of a region before it is decided. The order of the numbers is that of the learned weights. */
import { ALL_PASSES, type Cells, COARSE, CROP, DIFFERS, FINE, type Regions } from './regions.ts';

/** Numbers a region. */
export const FEATURES = 32;

/** Sums over a region's cells. */
const SUMS = [
  'fine',
  'coarse',
  'crop',
  'x',
  'y',
  'distance',
  'light',
  'chroma',
  'apart',
  'texture',
  'inner',
  'perimeter',
  'step',
  'toProduct',
  'stepToProduct',
  'toOutside',
  'toOther',
  'stepToBackground',
  'toDifferent',
  'frame',
] as const;
type Sums = Record<(typeof SUMS)[number], Float64Array>;

/** Distance from the backdrop, in noise, at which a cell counts as 3/4 apart. */
const APART_NOISE = 3;

/** `FEATURES` numbers for each region. */
export const regionFeatures = (cells: Cells, regions: Regions): Float32Array => {
  const count = regions.area.length;
  const sums = Object.fromEntries(SUMS.map((name) => [name, new Float64Array(count)])) as Sums;
  sumCells(cells, regions, sums);
  sumBorders(cells, regions, outsideRegions(cells, regions), sums);
  const whole = wholeOf(cells, regions, sums);
  const features = new Float32Array(count * FEATURES);
  for (let k = 0; k < count; k++)
    features.set(featuresOf(k, regions, sums, whole, cells.backdrop?.noise), k * FEATURES);
  return features;
};

/** 1 for regions that are background to every pass and to the backdrop, and that reach the grid's border. */
const outsideRegions = ({ width, height }: Cells, { label, code }: Regions): Uint8Array => {
  const outside = new Uint8Array(code.length);
  const mark = (at: number): void => {
    if (code[label[at]!] === 0) outside[label[at]!] = 1;
  };
  for (let x = 0; x < width; x++) {
    mark(x);
    mark((height - 1) * width + x);
  }
  for (let y = 0; y < height; y++) {
    mark(y * width);
    mark(y * width + width - 1);
  }
  return outside;
};

const squash = (value: number, scale: number): number => Math.tanh(value / scale);

const sumCells = ({ fine, coarse, crop, backdrop, width }: Cells, { label }: Regions, sums: Sums): void => {
  for (let i = 0; i < label.length; i++) {
    const k = label[i]!;
    const x = i % width;
    sums.fine[k]! += fine[i]!;
    sums.coarse[k]! += coarse[i]!;
    sums.crop[k]! += crop[i]!;
    sums.x[k]! += x;
    sums.y[k]! += (i - x) / width;
    if (!backdrop) continue;
    sums.distance[k]! += backdrop.distance[i]!;
    sums.light[k]! += backdrop.light[i]!;
    sums.chroma[k]! += backdrop.chroma[i]!;
    sums.apart[k]! += squash(backdrop.distance[i]!, APART_NOISE * backdrop.noise);
  }
};

/** Steps of colour (levels, mean of three channels) within regions and across their borders, and what lies across. */
const sumBorders = (
  { colours: { r, g, b }, width, height }: Cells,
  regions: Regions,
  outside: Uint8Array,
  sums: Sums,
) => {
  const { label, code } = regions;
  const cross = (k: number, other: number, step: number): void => {
    sums.perimeter[k]!++;
    sums.step[k]! += step;
    const passes = code[other]! & ALL_PASSES;
    if (passes === ALL_PASSES) {
      sums.toProduct[k]!++;
      sums.stepToProduct[k]! += step;
    } else if (passes === 0) {
      if (outside[other]) sums.toOutside[k]!++;
      else sums.toOther[k]!++;
      sums.stepToBackground[k]! += step;
    }
    if (code[other]! & DIFFERS) sums.toDifferent[k]!++;
  };
  const meet = (at: number, next: number): void => {
    const step = (Math.abs(r[at]! - r[next]!) + Math.abs(g[at]! - g[next]!) + Math.abs(b[at]! - b[next]!)) / 3;
    const [k, other] = [label[at]!, label[next]!];
    if (k === other) {
      sums.texture[k]! += step;
      sums.inner[k]!++;
      return;
    }
    cross(k, other, step);
    cross(other, k, step);
  };
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      if (x + 1 < width) meet(at, at + 1);
      if (y + 1 < height) meet(at, at + width);
      if (x > 0 && y > 0 && x < width - 1 && y < height - 1) continue;
      sums.frame[label[at]!]!++;
      sums.perimeter[label[at]!]!++;
    }
  }
};

/** The product that all passes agree on, and how far they do. */
type Whole = {
  readonly share: number;
  readonly side: number;
  readonly x: number;
  readonly y: number;
  readonly fineCoarse: number;
  readonly fineCrop: number;
};
/** Less agreed product than this many cells is too little to measure by. */
const AGREED_MIN = 64;

const wholeOf = ({ width, height }: Cells, { area, code }: Regions, sums: Sums): Whole => {
  const areaWhere = (test: (code: number) => boolean): number =>
    area.reduce((sum, cells, k) => (test(code[k]!) ? sum + cells : sum), 0);
  const agreement = (a: number, b: number): number =>
    areaWhere((of) => (of & a) !== 0 && (of & b) !== 0) /
    Math.max(
      1,
      areaWhere((of) => (of & (a | b)) !== 0),
    );
  const isAgreed = (of: number): boolean => (of & ALL_PASSES) === ALL_PASSES;
  const agreed = areaWhere(isAgreed);
  const mean = (sum: Float64Array): number =>
    sum.reduce((total, value, k) => (isAgreed(code[k]!) ? total + value : total), 0) / Math.max(1, agreed);
  return {
    share: Math.max(AGREED_MIN, agreed) / (width * height),
    side: Math.sqrt(Math.max(AGREED_MIN, agreed)),
    x: mean(sums.x),
    y: mean(sums.y),
    fineCoarse: agreement(FINE, COARSE),
    fineCrop: agreement(FINE, CROP),
  };
};

const featuresOf = (
  k: number,
  { area, code }: Regions,
  sums: Sums,
  whole: Whole,
  noise: number | undefined,
): number[] => {
  const of = code[k]!;
  const cells = area[k]!;
  const around = Math.max(1, sums.perimeter[k]!);
  const mean = (sum: Float64Array): number => sum[k]! / cells;
  const share = (sum: Float64Array): number => sum[k]! / around;
  const toBackground = Math.max(1, sums.toOutside[k]! + sums.toOther[k]!);
  const bit = (mask: number): number => (of & mask ? 1 : 0);
  return [
    bit(FINE),
    bit(COARSE),
    bit(CROP),
    bit(DIFFERS),
    mean(sums.fine) / 255,
    mean(sums.coarse) / 255,
    mean(sums.crop) / 255,
    noise === undefined ? 0 : 1,
    squash(noise ?? 0, 3),
    mean(sums.apart),
    squash(mean(sums.distance), 20),
    squash(mean(sums.light), 20),
    squash(mean(sums.chroma), 8),
    Math.log10(cells / whole.side ** 2) / 2,
    Math.log10(cells / around),
    squash(cells / around / whole.side, 0.05),
    share(sums.toProduct),
    share(sums.toOutside),
    share(sums.toOther),
    share(sums.frame),
    share(sums.toDifferent),
    squash(sums.toProduct[k]! / whole.side, 2),
    squash(share(sums.step), 15),
    squash(sums.stepToProduct[k]! / Math.max(1, sums.toProduct[k]!), 15),
    squash(sums.stepToBackground[k]! / toBackground, 15),
    squash(sums.texture[k]! / Math.max(1, sums.inner[k]!), 5),
    whole.fineCoarse,
    whole.fineCrop,
    squash((mean(sums.y) - whole.y) / whole.side, 1),
    squash(Math.abs(mean(sums.x) - whole.x) / whole.side, 1),
    of === 0 && sums.frame[k]! > 0 ? 1 : 0,
    Math.log10(whole.share) / 2,
  ];
};
