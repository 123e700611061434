/** Letters make a line alternate between ink and ground; shapes that a text detector takes for text do not. */
import type { Box, Rgb } from '../raster.ts';

/** Difference between ink and ground, levels of 255. */
const CONTRAST_MIN = 24;
/** Where along its shorter side a line of text is read. */
const LANES = [0.3, 0.4, 0.5, 0.6, 0.7] as const;

/** Changes between ink and ground along the box's longer side, the median of its lanes. */
export const alternations = (picture: Rgb, box: Box): number => {
  const across = box.width >= box.height;
  const length = across ? box.width : box.height;
  const counts = LANES.map((lane) =>
    changes(Math.floor(length) + 1, (i) =>
      across
        ? lightAt(picture, box.x + i, box.y + box.height * lane)
        : lightAt(picture, box.x + box.width * lane, box.y + i),
    ),
  );
  return counts.sort((a, b) => a - b)[LANES.length >> 1]!;
};

/** Turning points that are at least CONTRAST_MIN apart. */
const changes = (length: number, light: (i: number) => number): number => {
  let extreme = light(0);
  let rising: boolean | undefined;
  let count = 0;
  for (let i = 1; i < length; i++) {
    const value = light(i);
    if (rising !== false && value > extreme) [extreme, rising] = [value, true];
    else if (rising !== true && value < extreme) [extreme, rising] = [value, false];
    else if (Math.abs(value - extreme) >= CONTRAST_MIN) {
      count++;
      [extreme, rising] = [value, value > extreme];
    }
  }
  return count;
};

const lightAt = ({ data, width, height }: Rgb, x: number, y: number): number => {
  const column = Math.min(width - 1, Math.max(0, Math.round(x)));
  const row = Math.min(height - 1, Math.max(0, Math.round(y)));
  const at = (row * width + column) * 3;
  return (data[at]! * 77 + data[at + 1]! * 150 + data[at + 2]! * 29) / 256;
};
