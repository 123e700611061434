/** The watermark on results of test keys: TEST in diagonal rows, drawn from strokes, so that no font is needed. */
import { clamp } from './raster.ts';

type Stroke = readonly [x1: number, y1: number, x2: number, y2: number];
/** T, E, S on a grid of 4 × 6 units; one letter takes 5 units with its gap. */
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
const WORD = [T, E, S, T].flatMap((letter, i) =>
  letter.map(([x1, y1, x2, y2]): Stroke => [x1 + i * 5.5, y1, x2 + i * 5.5, y2]),
);
const WORD_WIDTH = 3 * 5.5 + 4;
const WORD_HEIGHT = 6;

/** A tile of the pattern, units: the word and the room around it. */
const TILE_WIDTH = WORD_WIDTH + 12;
const TILE_HEIGHT = WORD_HEIGHT * 3.2;
const TILE_SAMPLES = 12;
/** Half widths of the dark stroke and of its light rim, units. The rim keeps it visible on dark products. */
const STROKE = 0.5;
const RIM = 0.85;
const OPACITY = 0.3;
/** Words across the picture, and their slope (radians). */
const WORDS_ACROSS = 4;
const SLOPE = -Math.PI / 6;

/** Rows of signed strength: 1 = dark stroke, −1 = light rim, 0 = nothing. */
const drawTile = (): { data: Float32Array; width: number; height: number } => {
  const width = Math.round(TILE_WIDTH * TILE_SAMPLES);
  const height = Math.round(TILE_HEIGHT * TILE_SAMPLES);
  const data = new Float32Array(width * height);
  const soft = 1 / TILE_SAMPLES;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const distance = nearestStroke(
        x / TILE_SAMPLES - (TILE_WIDTH - WORD_WIDTH) / 2,
        y / TILE_SAMPLES - (TILE_HEIGHT - WORD_HEIGHT) / 2,
      );
      const dark = clamp((STROKE - distance) / soft + 0.5, 0, 1);
      const rim = clamp((RIM - distance) / soft + 0.5, 0, 1);
      data[y * width + x] = dark - (rim - dark);
    }
  }
  return { data, width, height };
};

const nearestStroke = (x: number, y: number): number => {
  let nearest = Infinity;
  for (const [x1, y1, x2, y2] of WORD) {
    const along = clamp(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2), 0, 1);
    nearest = Math.min(nearest, Math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1)));
  }
  return nearest;
};

let tile: ReturnType<typeof drawTile> | undefined;

/** Draws the watermark on a picture of 3 or 4 interleaved channels, in place; on RGBA the mark is opaque too. */
export const markAsTest = (picture: { data: Uint8Array; width: number; height: number }, channels: 3 | 4): void => {
  tile ??= drawTile();
  const { data } = picture;
  const unit = Math.max(picture.width, picture.height) / (WORDS_ACROSS * TILE_WIDTH);
  const stepX = (Math.cos(SLOPE) / unit) * TILE_SAMPLES;
  const stepY = (Math.sin(SLOPE) / unit) * TILE_SAMPLES;
  for (let y = 0, to = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++, to += channels) {
      const across = x * stepX + y * stepY;
      const down = y * stepX - x * stepY;
      // Every second row is shifted by half a tile.
      const row = Math.floor(down / tile.height);
      const tx = modulo(across + (row & 1) * (tile.width / 2), tile.width) | 0;
      const ty = modulo(down, tile.height) | 0;
      const strength = tile.data[ty * tile.width + tx]!;
      if (strength === 0) continue;
      const ink = strength > 0 ? 70 : 255;
      const cover = OPACITY * Math.abs(strength);
      for (let c = 0; c < 3; c++) data[to + c] = Math.round(data[to + c]! + cover * (ink - data[to + c]!));
      if (channels === 4) data[to + 3] = Math.round(data[to + 3]! + cover * (255 - data[to + 3]!));
    }
  }
};

const modulo = (value: number, length: number): number => value - Math.floor(value / length) * length;
