/**
 * The mark on results of test keys: opaque plates that read TEST, drawn from strokes, so that no font is needed. What a
 * plate covers is gone from the file, so nothing can be subtracted to get it back. Where the plates lie and what they
 * look like follows from a seed. One plate always covers the middle of the product: the same photo with other seeds
 * does not add up to a whole.
 */
import { type Box, clamp, type Size } from './raster.ts';

type Stroke = readonly [x1: number, y1: number, x2: number, y2: number];
/** T, E, S on a grid of 4 × 6 units; one letter takes 5.5 units with its gap. */
const T: readonly Stroke[] = [
  [0, 0, 4, 0],
  [2, 0, 2, 6],
];
const E: readonly Stroke[] = [
  [0, 0, 0, 6],
  [0, 0, 4, 0],
  [0, 3, 3.4, 3],
  [0, 6, 4, 6],
];
const S: readonly Stroke[] = [
  [4, 0, 0, 0],
  [0, 0, 0, 3],
  [0, 3, 4, 3],
  [4, 3, 4, 6],
  [4, 6, 0, 6],
];
const WORD_WIDTH = 3 * 5.5 + 4;
const WORD_HEIGHT = 6;
/** The word's strokes around its own middle. */
const WORD = [T, E, S, T].flatMap((letter, i) =>
  letter.map(([x1, y1, x2, y2]): Stroke => {
    const left = i * 5.5 - WORD_WIDTH / 2;
    return [x1 + left, y1 - WORD_HEIGHT / 2, x2 + left, y2 - WORD_HEIGHT / 2];
  }),
);
/** Half width of a stroke, units. */
const STROKE = 0.6;
/** Half sides of a plate, units: the word with room around it. */
const PLATE_X = WORD_WIDTH / 2 + 2.2;
const PLATE_Y = WORD_HEIGHT / 2 + 2.2;

/** Plates along the picture's longer side. */
const PLATES_ACROSS = 3;
/** Width of the plate on the product: share of the product box's longer side, and at least of the picture's. */
const MIDDLE_SHARE = { min: 0.55, max: 0.65 } as const;
const MIDDLE_SHARE_OF_PICTURE = 0.12;
/** How far that plate's middle may lie from the product's: share of its width. Its half height is 0.21 of its width. */
const MIDDLE_SHIFT_MAX = 0.03;

type Plate = {
  readonly x: number;
  readonly y: number;
  /** px */
  readonly unit: number;
  /** Radians. */
  readonly angle: number;
  /** Units across for each unit down. */
  readonly shear: number;
  /** Radius of the corners, units. */
  readonly corner: number;
  readonly colour: readonly number[];
};
type Marked = Size & { readonly data: Uint8Array };

/**
 * Draws the mark on a picture of 3 or 4 interleaved channels, in place; on RGBA it is opaque too. `product` is the box
 * of the product, px. The same seed (32 bits) gives the same mark.
 */
export const markAsTest = (picture: Marked, channels: 3 | 4, product: Box, seed: number): void => {
  const random = randomFrom(seed);
  for (const plate of scattered(picture, random)) draw(picture, channels, plate);
  for (const plate of onQuarters(product, random)) draw(picture, channels, plate);
  draw(picture, channels, onMiddle(picture, product, random));
};

/** One plate in each cell of a grid over the whole picture. */
const scattered = ({ width, height }: Size, random: Random): Plate[] => {
  const side = Math.max(width, height) / PLATES_ACROSS;
  const columns = Math.max(1, Math.round(width / side));
  const rows = Math.max(1, Math.round(height / side));
  return Array.from({ length: columns * rows }, (_, i) => ({
    x: (((i % columns) + random(0.28, 0.72)) * width) / columns,
    y: ((Math.floor(i / columns) + random(0.28, 0.72)) * height) / rows,
    ...look(side * random(0.75, 1), random),
  }));
};

/** One plate on each quarter of the product. */
const onQuarters = (product: Box, random: Random): Plate[] =>
  [0.25, 0.75].flatMap((down) =>
    [0.25, 0.75].map((across) => ({
      x: product.x + (across + random(-0.12, 0.12)) * product.width,
      y: product.y + (down + random(-0.12, 0.12)) * product.height,
      ...look(random(0.26, 0.34) * Math.max(product.width, product.height), random),
    })),
  );

const onMiddle = (picture: Size, product: Box, random: Random): Plate => {
  const width = Math.max(
    random(MIDDLE_SHARE.min, MIDDLE_SHARE.max) * Math.max(product.width, product.height),
    MIDDLE_SHARE_OF_PICTURE * Math.max(picture.width, picture.height),
  );
  const shift = (): number => random(-MIDDLE_SHIFT_MAX, MIDDLE_SHIFT_MAX) * width;
  return {
    x: product.x + product.width / 2 + shift(),
    y: product.y + product.height / 2 + shift(),
    ...look(width, random),
  };
};

const look = (width: number, random: Random) => ({
  unit: width / (2 * PLATE_X),
  angle: random(-0.7, 0.7),
  shear: random(-0.3, 0.3),
  corner: random(0, PLATE_Y),
  // Dark, so that the white word reads on each.
  colour: [random(20, 120), random(20, 120), random(20, 120)],
});

const draw = ({ data, width, height }: Marked, channels: 3 | 4, plate: Plate): void => {
  const { x, y, unit, angle, shear, corner, colour } = plate;
  const [cos, sin] = [Math.cos(angle) / unit, Math.sin(angle) / unit];
  const reach = Math.ceil(unit * Math.hypot(PLATE_X + Math.abs(shear) * PLATE_Y, PLATE_Y)) + 1;
  for (let row = Math.max(0, Math.floor(y) - reach); row < Math.min(height, y + reach); row++) {
    for (let column = Math.max(0, Math.floor(x) - reach); column < Math.min(width, x + reach); column++) {
      const down = (row + 0.5 - y) * cos - (column + 0.5 - x) * sin;
      const across = (column + 0.5 - x) * cos + (row + 0.5 - y) * sin - shear * down;
      const cover = clamp(0.5 - outsidePlate(across, down, corner) * unit, 0, 1);
      if (cover === 0) continue;
      const ink = clamp(0.5 - (nearestStroke(across, down) - STROKE) * unit, 0, 1);
      const to = (row * width + column) * channels;
      for (let c = 0; c < 3; c++) data[to + c] = blend(data[to + c]!, colour[c]! + ink * (255 - colour[c]!), cover);
      if (channels === 4) data[to + 3] = blend(data[to + 3]!, 255, cover);
    }
  }
};

const blend = (below: number, above: number, cover: number): number => Math.round(below + cover * (above - below));

/** Distance to the plate's outline, units; negative inside. */
const outsidePlate = (across: number, down: number, corner: number): number => {
  const [x, y] = [Math.abs(across) - PLATE_X + corner, Math.abs(down) - PLATE_Y + corner];
  return Math.hypot(Math.max(x, 0), Math.max(y, 0)) + Math.min(Math.max(x, y), 0) - corner;
};

const nearestStroke = (x: number, y: number): number => {
  let nearest = Infinity;
  for (const [x1, y1, x2, y2] of WORD) {
    const along = clamp(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2), 0, 1);
    nearest = Math.min(nearest, (x - x1 - along * (x2 - x1)) ** 2 + (y - y1 - along * (y2 - y1)) ** 2);
  }
  return Math.sqrt(nearest);
};

/** Evenly distributed in [low, high). */
type Random = (low: number, high: number) => number;
/** A counter through the finaliser of MurmurHash3 (public domain). */
const randomFrom = (seed: number): Random => {
  let state = seed;
  return (low, high) => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return low + (((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32) * (high - low);
  };
};
