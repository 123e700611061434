/**
 * An inspector of finished files against a marketplace's rules that shares no measuring code with the service: it
 * decodes the file with sharp and looks at pixels and bytes. The rules themselves it reads where they are written down.
 */
import sharp from 'sharp';
import type { Rule } from '../../shared/marketplaces/index.ts';
import { checkHero, type HeroCheck } from './hero-check.ts';

type Seen = HeroCheck & { readonly file: Uint8Array; readonly strayPixels: number };

/** Counts pixels that are neither product nor exactly white. */
type StrayPixels = (file: Uint8Array) => Promise<number>;

/** Required rules that the file does not keep. */
export const brokenRules = async (
  file: Uint8Array,
  rules: readonly Rule[],
  strayPixels: StrayPixels,
): Promise<string[]> => {
  const seen = { ...(await checkHero(file)), file, strayPixels: await strayPixels(file) };
  const broken: string[] = [];
  for (const { rule, requires, severity } of rules)
    if (severity === 'required' && !(await keeps(requires, seen))) broken.push(rule);
  return broken;
};

const keeps = async (asked: Rule['requires'], seen: Seen): Promise<boolean> => {
  const { width, height, box, file } = seen;
  switch (asked.kind) {
    case 'background_white':
      return seen.cornersWhite && seen.channels === 3 && seen.strayPixels === 0;
    case 'product_fill':
      return within(seen.fill, asked);
    case 'product_side':
      return within(Math.max(box.width, box.height), asked);
    case 'longest_side':
      return within(Math.max(width, height), asked);
    case 'shortest_side':
      return within(Math.min(width, height), asked);
    case 'size':
      return width >= asked.min_width && height >= asked.min_height;
    case 'pixels':
      return width * height <= asked.max;
    case 'aspect':
      // A canvas is whole pixels: the height that the shape gives may be off by a few.
      return Math.abs(height - (width * asked.height) / asked.width) <= 0.005 * height;
    case 'file_bytes':
      return within(file.byteLength, asked);
    case 'format':
      return (asked.any_of as readonly string[]).includes(seen.format === 'jpeg' ? 'jpg' : (seen.format ?? ''));
    case 'jpeg_quality':
      return seen.format !== 'jpeg' || (await isAsFineAs(file, asked.min));
    case 'colour_space':
      return seen.space === 'srgb';
    case 'bit_depth':
      return (await sharp(file).metadata()).depth === 'uchar';
    case 'centred':
      return seen.offCentre.x <= asked.within_px && seen.offCentre.y <= asked.within_px;
  }
};

const within = (value: number, { min = 0, max = Infinity }: { min?: number | undefined; max?: number | undefined }) =>
  value >= min && value <= max;

/** Where a disc was photographed: everything outside the circle in the box of what is not white, by 3 px. */
export const pixelsBesideDisc: StrayPixels = async (file) => {
  const { box } = await checkHero(file);
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const radius = Math.max(box.width, box.height) / 2 + 3;
  const [middleX, middleY] = [box.x + box.width / 2, box.y + box.height / 2];
  let stray = 0;
  for (let y = 0, at = 0; y < info.height; y++)
    for (let x = 0; x < info.width; x++, at += info.channels) {
      const isWhite = data[at] === 255 && data[at + 1] === 255 && data[at + 2] === 255;
      if (!isWhite && Math.hypot(x + 0.5 - middleX, y + 0.5 - middleY) > radius) stray++;
    }
  return stray;
};

/** Two pieces so near to each other are one: the soft edge of a product may begin with single pixels. */
const NEAR_PX = 16;

/** Of any product of one piece: what is not white and lies apart from it. */
export const pixelsBesideProduct: StrayPixels = async (file) => {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const columns = Math.ceil(width / NEAR_PX) + 2;
  // Cells of the picture, with an empty one all round: how many of their pixels are not white.
  const cells = new Uint32Array(columns * (Math.ceil(height / NEAR_PX) + 2));
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += channels)
      if (data[at] !== 255 || data[at + 1] !== 255 || data[at + 2] !== 255)
        cells[(Math.floor(y / NEAR_PX) + 1) * columns + Math.floor(x / NEAR_PX) + 1]!++;
  const pieces: number[] = [];
  for (let cell = 0; cell < cells.length; cell++) if (cells[cell]! > 0) pieces.push(emptied(cells, cell, columns));
  return pieces.reduce((sum, piece) => sum + piece, 0) - Math.max(0, ...pieces);
};

/** Empties the piece that holds the cell, eight ways, and counts its pixels. */
const emptied = (cells: Uint32Array, start: number, columns: number): number => {
  const stack = [start];
  let count = 0;
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    count += cells[at]!;
    cells[at] = 0;
    for (const step of [-columns - 1, -columns, -columns + 1, -1, 1, columns - 1, columns, columns + 1])
      if (cells[at + step]! > 0) stack.push(at + step);
  }
  return count;
};

/** Whether no step of the luma table is wider than libjpeg's own at that quality. */
const isAsFineAs = async (file: Uint8Array, quality: number): Promise<boolean> => {
  const blank = sharp({ create: { width: 8, height: 8, channels: 3, background: '#888' } });
  const reference = lumaTable(await blank.jpeg({ quality }).toBuffer());
  return lumaTable(file).every((step, i) => step <= (reference[i] ?? 0));
};
const lumaTable = (jpeg: Uint8Array): number[] => {
  const at = Buffer.from(jpeg).indexOf(Buffer.from([0xff, 0xdb]));
  return [...jpeg.subarray(at + 5, at + 69)];
};
