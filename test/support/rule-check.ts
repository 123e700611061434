/**
 * An inspector of finished files against a marketplace's rules that shares no measuring code with the service: it
 * decodes the file with sharp and looks at pixels and bytes. The rules themselves it reads where they are written down.
 * It knows what was photographed: a disc, so that everything outside the circle in its box has to be background.
 */
import sharp from 'sharp';
import type { Rule } from '../../shared/marketplaces/index.ts';
import { checkHero, type HeroCheck } from './hero-check.ts';

type Seen = HeroCheck & { readonly file: Uint8Array; readonly strayPixels: number };

/** Required rules that the file does not keep. */
export const brokenRules = async (file: Uint8Array, rules: readonly Rule[]): Promise<string[]> => {
  const seen = { ...(await checkHero(file)), file, strayPixels: await pixelsBesideDisc(file) };
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

/** Pixels outside the disc in the box of what is not white, by 3 px, that are not exactly (255, 255, 255). */
const pixelsBesideDisc = async (file: Uint8Array): Promise<number> => {
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
