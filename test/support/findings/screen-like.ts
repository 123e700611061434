/** Files that share something with a screenshot and are none: their proportions, flat colours, texts or lines. */
import sharp from 'sharp';
import type { Size } from '../../../shared/imaging/raster.ts';
import type { Random } from '../random.ts';
import { addNoise, drawOver, type Picture, place, roomPicture } from './composing.ts';
import { lettering, letteringWidth } from './lettering.ts';
import { type ShownPhoto, screenPicture } from './screens.ts';

const phoneSizes: readonly Size[] = [
  { width: 1080, height: 1920 },
  { width: 1170, height: 2532 },
  { width: 1080, height: 2400 },
  { width: 720, height: 1600 },
  { width: 1242, height: 2688 },
];
const posterSizes: readonly Size[] = [
  { width: 1500, height: 1500 },
  { width: 1080, height: 1350 },
  { width: 1000, height: 2000 },
  { width: 1200, height: 1600 },
  { width: 1920, height: 1080 },
  { width: 1600, height: 2000 },
];
const grounds = ['#ffffff', '#f6f1e7', '#0f172a', '#fde9d9', '#e8f1ee'] as const;
const bands = ['#111827', '#b91c1c', '#2563eb', '#f59e0b', '#d4c4a8'] as const;
const slogans = ['KEEPS TEA HOT', 'HANDMADE', '2 IN 1', 'MADE OF STEEL', '300 ML', 'LIFETIME'];

const inkOn = (colour: string): string => (Number.parseInt(colour.slice(1, 3), 16) < 128 ? '#f4f4f5' : '#1b1b1d');
const rect = (x: number, y: number, width: number, height: number, colour: string): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${colour}"/>`;
const centred = (words: string, x: number, y: number, height: number, colour: string): string =>
  lettering(words, { x: x - letteringWidth(words, height) / 2, y, height, colour });

const put = async (picture: Picture, shown: Picture, x: number, y: number): Promise<void> => {
  const { width, height } = shown;
  const rgba = await sharp(shown.data, { raw: { width, height, channels: 3 } })
    .ensureAlpha()
    .raw()
    .toBuffer();
  place(picture, { width, height, rgba }, Math.round(x), Math.round(y));
};

type Make = (random: Random, shown: ShownPhoto) => Promise<Picture>;

/** A photo of a phone's proportions with a text above and below. */
const story: Make = async (random, shown) => {
  const picture = await shown(random.pick(phoneSizes));
  const { width, height } = picture;
  addNoise(picture, random);
  await drawOver(
    picture,
    centred(
      random.pick(slogans),
      width / 2,
      height * (0.02 + 0.08 * random.next()),
      width * (0.03 + 0.04 * random.next()),
      '#ffffff',
    ) + centred('SWIPE UP', width / 2, height * 0.93, width * 0.03, '#ffffff'),
  );
  return picture;
};

/** A photo of a phone's exact pixels, as its camera makes them. */
const fromCamera: Make = async (random, shown) => {
  const picture = await shown(random.pick(phoneSizes));
  addNoise(picture, random);
  return picture;
};

/** Bars above and below, of one colour, some with a caption. */
const letterboxed: Make = async (random, shown) => {
  const size = random.pick(phoneSizes);
  const colour = random.pick(['#000000', '#ffffff', '#d4c4a8'] as const);
  const picture = await roomPicture(colour, size, random);
  const height = Math.round(size.width * random.pick([0.75, 1, 1.25]));
  await put(picture, await shown({ width: size.width, height }), 0, (size.height - height) / 2);
  if (random.next() < 0.6)
    await drawOver(
      picture,
      centred(random.pick(slogans), size.width / 2, size.height * 0.06, size.width * 0.05, inkOn(colour)),
    );
  return picture;
};

/** A header with a logo at the left and a badge at the right, the photo, slogans with icons, a footer. */
const infographic: Make = async (random, shown) => {
  const size = random.pick([...posterSizes, ...phoneSizes]);
  const { width, height } = size;
  const ground = random.pick(grounds);
  const band = random.pick(bands);
  const picture = await roomPicture(ground, size, random);
  const side = Math.round(Math.min(width, height) * 0.6);
  await put(picture, await shown({ width: side, height: side }), (width - side) / 2, height * 0.16);
  const deep = Math.round(height * (0.04 + 0.06 * random.next()));
  const letters = deep * (0.25 + 0.2 * random.next());
  const below = height * 0.16 + side;
  const u = Math.min(width, height) / 100;
  const rows = Array.from({ length: 4 }, (_, i) => below + (4 + i * 9) * u).filter((y) => y < height - deep - 8 * u);
  await drawOver(
    picture,
    (random.next() < 0.7
      ? rect(0, 0, width, deep, band) +
        lettering('BRAND', { x: 4 * u, y: (deep - letters) / 2, height: letters, colour: inkOn(band) }) +
        lettering('NEW', {
          x: width - 4 * u - letteringWidth('NEW', letters),
          y: (deep - letters) / 2,
          height: letters,
          colour: inkOn(band),
        })
      : centred(random.pick(slogans), width / 2, 5 * u, 5 * u, inkOn(ground))) +
      rows
        .map(
          (y) =>
            `<circle cx="${8 * u}" cy="${y + 2 * u}" r="${2.6 * u}" fill="${band}"/>${lettering(random.pick(slogans), { x: 14 * u, y, height: 3.4 * u, colour: inkOn(ground) })}`,
        )
        .join('') +
      (random.next() < 0.5
        ? rect(0, height - deep, width, deep, band) +
          centred('BRAND.COM', width / 2, height - deep * 0.65, deep * 0.3, inkOn(band))
        : ''),
  );
  return picture;
};

/** A table of sizes under the photo, with thin lines. */
const sizeChart: Make = async (random, shown) => {
  const size = random.pick([...posterSizes, ...phoneSizes]);
  const { width, height } = size;
  const ground = random.pick(['#ffffff', '#f6f1e7'] as const);
  const picture = await roomPicture(ground, size, random);
  const deep = Math.round(height * 0.45);
  await put(picture, await shown({ width: Math.round(width * 0.8), height: deep }), width * 0.1, height * 0.04);
  const u = Math.min(width, height) / 100;
  const rows = Array.from({ length: 8 }, (_, i) => height * 0.53 + i * 6 * u).filter((y) => y < height - 6 * u);
  await drawOver(
    picture,
    rows
      .map(
        (y, i) =>
          rect(6 * u, y + 4.4 * u, width - 12 * u, Math.max(1, 0.25 * u), '#c8c8c8') +
          ['S', 'M', 'L']
            .map((word, column) =>
              lettering(i === 0 ? word : String(40 + 2 * i + column), {
                x: (12 + 30 * column) * (width / 100),
                y,
                height: 2.6 * u,
                colour: '#222222',
              }),
            )
            .join(''),
      )
      .join(''),
  );
  return picture;
};

/** The product alone before exact white, of a phone's proportions. */
const packshot: Make = async (random, shown) => {
  const size = random.pick(phoneSizes);
  const picture = await roomPicture('#ffffff', size, random);
  await put(picture, await shown({ width: size.width, height: size.width }), 0, (size.height - size.width) / 2);
  return picture;
};

/** A photo of a phone or a screen that shows a shop's page: the device is the product. */
const deviceInPhoto: Make = async (random, shown) => {
  const picture = await roomPicture(
    random.pick(['table', 'cloth', 'studio', 'concrete'] as const),
    random.pick(posterSizes),
    random,
  );
  const screen = await screenPicture(random, random.integer(0, 4), shown);
  const scale = (0.65 * picture.height) / Math.max(screen.height, screen.width * 0.8);
  const part = { width: Math.round(screen.width * scale), height: Math.round(screen.height * scale) };
  const data = await sharp(screen.data, { raw: { width: screen.width, height: screen.height, channels: 3 } })
    .resize({ ...part, fit: 'fill' })
    .raw()
    .toBuffer();
  const [x, y] = [(picture.width - part.width) / 2, (picture.height - part.height) / 2];
  const edge = Math.round(picture.height * 0.015);
  await drawOver(picture, rect(x - edge, y - edge, part.width + 2 * edge, part.height + 2 * edge, '#18181b'));
  await put(picture, { ...part, data }, x, y);
  addNoise(picture, random);
  return picture;
};

const makes: readonly Make[] = [
  infographic,
  story,
  letterboxed,
  sizeChart,
  infographic,
  packshot,
  deviceInPhoto,
  fromCamera,
];

/** One of each in turn. */
export const screenLikePicture = (random: Random, index: number, shown: ShownPhoto): Promise<Picture> =>
  makes[index % makes.length]!(random, shown);
