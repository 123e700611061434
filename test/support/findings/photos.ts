/**
 * Photos with known findings, made from a seed: the same seed gives the same bytes. Every second photo of a kind is for
 * choosing thresholds, the others are only measured.
 */
import sharp from 'sharp';
import { type FindingCode, findingCodes } from '../../../shared/findings.ts';
import type { Box, Size } from '../../../shared/imaging/raster.ts';
import { type Random, seeded } from '../random.ts';
import type { Room } from '../scene-rooms.ts';
import {
  addNoise,
  castShadow,
  drawOver,
  fileOf,
  type Picture,
  place,
  roomPicture,
  type Sprite,
  spriteOf,
} from './composing.ts';
import { lettering, letteringWidth } from './lettering.ts';
import { plainProducts, printedProducts, shoe } from './products.ts';
import { screenLikePicture } from './screen-like.ts';
import { type ShownPhoto, screenPicture } from './screens.ts';

export type KnownPhoto = {
  readonly name: string;
  readonly half: 'choosing' | 'measured';
  readonly bytes: Uint8Array;
  readonly expected: readonly FindingCode[];
  /** Neither right nor wrong. */
  readonly either: readonly FindingCode[];
};
type Made = Omit<KnownPhoto, 'name' | 'half'>;
type Make = (random: Random, index: number) => Promise<Made>;

const shapes: readonly (readonly [number, number])[] = [
  [4, 3],
  [3, 4],
  [1, 1],
  [3, 2],
];
const someRooms: readonly Room[] = ['table', 'studio', 'cloth', 'concrete', 'white', 'green'];
const words = ['SALE', '50% OFF', 'NEW', 'BEST PRICE', 'ONLY 9.99', 'FREE SHIPPING', '100% COTTON', 'HOT DEAL'];
const addresses = ['WWW.SHOP-ONE.COM', 'BIG STORE', 'MYSHOP.NET', 'PHOTO BY ANNA'];
const colours = ['#d0021b', '#1d4ed8', '#111111', '#ffffff', '#f5a623', '#0b7a3b'];

const frameSize = (random: Random, sideMin = 900, sideMax = 2400): Size => {
  const [across, down] = random.pick(shapes);
  const side = random.integer(sideMin, sideMax);
  const scale = side / Math.max(across, down);
  return { width: Math.round(across * scale), height: Math.round(down * scale) };
};
const spriteFor = (random: Random, product: string, sidePx: number): Promise<Sprite> =>
  spriteOf(product, Math.round(sidePx), random.integer(-12, 12), random.integer(0, 359));

/** Amazon's canvas is 2,000 px, the product takes 1,700: half of that is enough. */
const tooSmall = (sides: readonly number[]): Pick<Made, 'expected' | 'either'> => {
  const side = Math.max(...sides);
  if (Math.abs(side / 850 - 1) < 0.06) return { expected: [], either: ['source_too_small'] };
  return { expected: side < 850 ? ['source_too_small'] : [], either: [] };
};

type Scene = { readonly picture: Picture; readonly box: Box };

/** One product in a room; `share` of the frame's shorter side, the middle moved by up to `shift` of the free space. */
const oneProduct = async (
  random: Random,
  product: string,
  {
    share = 0.45 + 0.35 * random.next(),
    shift = 0.6,
    size = frameSize(random),
    room = random.pick(someRooms) as Room | `#${string}`,
  } = {},
): Promise<Scene> => {
  const picture = await roomPicture(room, size, random);
  const sprite = await spriteFor(random, product, share * Math.min(size.width, size.height));
  const at = (free: number): number => Math.round(free / 2 + (random.next() - 0.5) * free * shift);
  const box = {
    x: at(size.width - sprite.width),
    y: at(size.height - sprite.height),
    width: sprite.width,
    height: sprite.height,
  };
  castShadow(picture, box, 0.35);
  place(picture, sprite, box.x, box.y);
  return { picture, box };
};

const finished = async (
  random: Random,
  { picture, box }: Scene,
  expected: readonly FindingCode[] = [],
  { blurPx = 0, either = [] as readonly FindingCode[] } = {},
): Promise<Made> => {
  addNoise(picture, random);
  const small = tooSmall([Math.max(box.width, box.height)]);
  return {
    bytes: await fileOf(picture, { quality: random.integer(60, 95), ...(blurPx ? { blurPx } : {}) }),
    expected: [...expected, ...small.expected],
    either: [...either, ...small.either],
  };
};

const plain: Make = async (random) => finished(random, await oneProduct(random, random.pick(plainProducts)));

const printed: Make = async (random) =>
  finished(random, await oneProduct(random, random.pick(printedProducts), { share: 0.5 + 0.35 * random.next() }));

/** A gap of 1.5 to 4 % of the frame between the product and one side of it. */
const nearFrame: Make = async (random) => {
  const size = frameSize(random);
  const picture = await roomPicture(random.pick(someRooms), size, random);
  const sprite = await spriteFor(random, random.pick(plainProducts), 0.6 * Math.min(size.width, size.height));
  const box = atSide(random, size, sprite, (side) => Math.round(side * (0.015 + 0.025 * random.next())));
  castShadow(picture, box, 0.3);
  place(picture, sprite, box.x, box.y);
  return finished(random, { picture, box });
};

/** 6 to 40 % of the product's side lie outside the frame. */
const cropped: Make = async (random) => {
  const size = frameSize(random);
  const picture = await roomPicture(random.pick(someRooms), size, random);
  const sprite = await spriteFor(random, random.pick(plainProducts), 0.75 * Math.min(size.width, size.height));
  const cut = 0.06 + 0.34 * random.next();
  const box = atSide(random, size, sprite, (_, extent) => -Math.round(extent * cut));
  place(picture, sprite, box.x, box.y);
  const seen = {
    width: Math.min(size.width, box.x + box.width) - Math.max(0, box.x),
    height: Math.min(size.height, box.y + box.height) - Math.max(0, box.y),
  };
  return finished(random, { picture, box: { ...box, ...seen } }, ['product_cropped']);
};

/** The sprite against one side of the frame, `gap` px from it, in the middle of the other direction. */
const atSide = (random: Random, size: Size, sprite: Sprite, gap: (side: number, extent: number) => number): Box => {
  const middle = {
    x: Math.round((size.width - sprite.width) / 2),
    y: Math.round((size.height - sprite.height) / 2),
    width: sprite.width,
    height: sprite.height,
  };
  const across = gap(size.width, sprite.width);
  const down = gap(size.height, sprite.height);
  return random.pick([
    { ...middle, x: across },
    { ...middle, x: size.width - sprite.width - across },
    { ...middle, y: down },
    { ...middle, y: size.height - sprite.height - down },
  ]);
};

/** Out of focus by 0.6 to 1.5 % of the product's longer side. */
const blurred: Make = async (random) => {
  const scene = await oneProduct(random, random.pick(plainProducts));
  const side = Math.max(scene.box.width, scene.box.height);
  return finished(random, scene, ['source_blurred'], { blurPx: Math.max(3, side * (0.006 + 0.009 * random.next())) });
};

/** Barely soft: less than one in six hundred of the product's longer side. */
const soft: Make = async (random) => {
  const scene = await oneProduct(random, random.pick(plainProducts));
  return finished(random, scene, [], { blurPx: Math.max(0.5, Math.max(scene.box.width, scene.box.height) / 900) });
};

const several: Make = async (random, index) => {
  const size = frameSize(random);
  const picture = await roomPicture(random.pick(someRooms), size, random);
  const count = index % 4 === 3 ? 3 : 2;
  const isPair = index % 4 === 0;
  const room = size.width / count;
  const sides: number[] = [];
  for (let i = 0; i < count; i++) {
    const product = isPair ? shoe : random.pick(plainProducts);
    const side = Math.min(room * 0.82, size.height * 0.7) * (isPair ? 1 : 0.8 + 0.2 * random.next());
    const sprite = await spriteFor(random, product, side);
    const box = {
      x: Math.round(room * (i + 0.5) - sprite.width / 2),
      y: Math.round(size.height * 0.52 - sprite.height / 2),
      width: sprite.width,
      height: sprite.height,
    };
    castShadow(picture, box, 0.3);
    place(picture, sprite, box.x, box.y);
    sides.push(side);
  }
  addNoise(picture, random);
  const both = { bytes: await fileOf(picture, { quality: random.integer(60, 95) }), expected: ['several_products'] };
  // The product is all of them together, of a size that depends on how far they are apart.
  return { ...both, expected: ['several_products'], either: ['source_too_small'] };
};

const small: Make = async (random) =>
  finished(
    random,
    await oneProduct(random, random.pick(plainProducts), {
      share: 0.4 + 0.3 * random.next(),
      size: frameSize(random, 360, 800),
    }),
  );

const star = (cx: number, cy: number, r: number): string =>
  Array.from({ length: 24 }, (_, i) => {
    const radius = i % 2 === 0 ? r : r * 0.82;
    const angle = (i * Math.PI) / 12;
    return `${cx + radius * Math.cos(angle)},${cy + radius * Math.sin(angle)}`;
  }).join(' ');

/** `height` of the capitals, px, such that the text is at most `widthMax` wide. */
const fitted = (text: string, height: number, widthMax: number): number =>
  Math.min(height, (height * widthMax) / letteringWidth(text, height));

const burst = (random: Random, { width, height }: Size): string => {
  const r = Math.min(width, height) * (0.1 + 0.06 * random.next());
  const [cx, cy] = [random.pick([r * 1.15, width - r * 1.15]), random.pick([r * 1.15, height - r * 1.15])];
  const text = random.pick(words);
  const letters = fitted(text, r * 0.5, r * 1.5);
  return `<polygon points="${star(cx, cy, r)}" fill="${random.pick(['#d0021b', '#f5a623', '#1d4ed8'])}"/>${lettering(text, { x: cx - letteringWidth(text, letters) / 2, y: cy - letters / 2, height: letters, colour: '#ffffff', weight: 0.18 })}`;
};

/** Black on bright photos and white on dark ones, so that a text can be seen. */
const inkFor = ({ data }: Picture): string => {
  let sum = 0;
  for (let i = 1; i < data.length; i += 3) sum += data[i]!;
  return sum / (data.length / 3) > 140 ? '#000000' : '#ffffff';
};

const watermark = (random: Random, picture: Picture): string => {
  const { width, height } = picture;
  const text = random.pick(addresses);
  const letters = fitted(text, Math.min(width, height) * 0.05, width * 0.6);
  const colour = inkFor(picture);
  const line = (y: number): string =>
    lettering(text, { x: width / 2 - letteringWidth(text, letters) / 2, y, height: letters, colour, opacity: 0.5 });
  return `<g transform="rotate(${random.integer(-30, 30)} ${width / 2} ${height / 2})">${[0.12, 0.48, 0.84].map((share) => line(height * share)).join('')}</g>`;
};

const banner = (random: Random, { width, height }: Size): string => {
  const deep = height * (0.08 + 0.05 * random.next());
  const y = random.pick([0, height - deep]);
  const text = random.pick(words);
  const letters = fitted(text, deep * 0.5, width * 0.8);
  return `<rect y="${y}" width="${width}" height="${deep}" fill="${random.pick(['#111111', '#d0021b', '#0b7a3b'])}"/>${lettering(text, { x: (width - letteringWidth(text, letters)) / 2, y: y + deep * 0.25, height: letters, colour: '#ffffff' })}`;
};

const address = (random: Random, picture: Picture): string => {
  const { width, height } = picture;
  const text = random.pick([...addresses, ...words]);
  const letters = Math.min(width, height) * (0.022 + 0.02 * random.next());
  const x = random.pick([width * 0.03, width * 0.97 - letteringWidth(text, letters)]);
  const y = random.pick([height * 0.04, height * 0.94]);
  return lettering(text, { x, y, height: letters, colour: inkFor(picture), weight: 0.15 });
};

const overlays = [burst, watermark, banner, address] as const;
const overlaid: Make = async (random, index) => {
  const scene = await oneProduct(random, random.pick([...plainProducts, ...printedProducts]), {
    share: 0.5 + 0.1 * random.next(),
    shift: 0.1,
  });
  await drawOver(scene.picture, overlays[index % overlays.length]!(random, scene.picture));
  return finished(random, scene, ['text_or_logo_overlay']);
};

const bordered: Make = async (random, index) => {
  const scene = await oneProduct(random, random.pick(plainProducts), { share: 0.5, shift: 0.1 });
  const { width, height } = scene.picture;
  const colour = random.pick(colours);
  const deep = Math.min(width, height) * (0.012 + 0.05 * random.next());
  const bars = index % 3 === 2;
  await drawOver(
    scene.picture,
    bars
      ? `<rect width="${width}" height="${deep * 1.6}" fill="${colour}"/><rect y="${height - deep * 1.6}" width="${width}" height="${deep * 1.6}" fill="${colour}"/>`
      : `<rect x="${deep / 2}" y="${deep / 2}" width="${width - deep}" height="${height - deep}" fill="none" stroke="${colour}" stroke-width="${deep}"/>`,
  );
  return finished(random, scene, ['border_or_frame']);
};

const divided: Make = async (random, index) => {
  const [columns, rows] = random.pick([
    [2, 1],
    [1, 2],
    [2, 2],
    [3, 1],
  ]);
  const size = frameSize(random);
  const gap = index % 2 === 0 ? 0 : Math.round(size.width * (0.005 + 0.015 * random.next()));
  const picture = await roomPicture(random.pick(['#ffffff', '#111111'] as const), size, random);
  const part = {
    width: Math.floor((size.width - gap * (columns - 1)) / columns),
    height: Math.floor((size.height - gap * (rows - 1)) / rows),
  };
  const product = random.pick(plainProducts);
  // Pictures before the same wall and without a gap are one picture.
  const first = random.integer(0, someRooms.length - 1);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const scene = await oneProduct(random, product, {
        share: 0.6,
        shift: 0.2,
        size: part,
        room: someRooms[(first + row * columns + column) % someRooms.length]!,
      });
      const rgba = new Uint8Array(part.width * part.height * 4).fill(255);
      for (let i = 0; i < part.width * part.height; i++) rgba.set(scene.picture.data.subarray(i * 3, i * 3 + 3), i * 4);
      place(picture, { ...part, rgba }, column * (part.width + gap), row * (part.height + gap));
    }
  addNoise(picture, random);
  return {
    bytes: await fileOf(picture, { quality: random.integer(70, 95) }),
    expected: ['collage'],
    either: ['several_products', 'source_too_small', 'low_confidence', 'product_cropped', 'border_or_frame'],
  };
};

/** On exact white, 85 % of a square; every second one misses one rule by little. */
const onWhite: Make = async (random, index) => {
  const side = random.integer(1_000, 2_400);
  const misses = ['none', 'grey', 'none', 'fill', 'none', 'speck', 'none', 'off-centre'] as const;
  const miss = misses[Math.floor(index / 2) % misses.length]!;
  const size = { width: side, height: side };
  const picture = await roomPicture(miss === 'grey' ? '#fdfdfd' : '#ffffff', size, random);
  const sprite = await spriteOf(
    random.pick(plainProducts),
    Math.round(side * (miss === 'fill' ? 0.7 : 0.85)),
    0,
    random.integer(0, 359),
  );
  const moved = miss === 'off-centre' ? 12 : 0;
  const box = place(
    picture,
    sprite,
    Math.round((side - sprite.width) / 2) + moved,
    Math.round((side - sprite.height) / 2),
  );
  if (miss === 'speck') picture.data.fill(180, (30 * side + 30) * 3, (30 * side + 34) * 3);
  const small = tooSmall([Math.max(box.width, box.height)]);
  return {
    bytes: await fileOf(picture, { quality: 95, format: index % 2 === 0 ? 'png' : 'jpeg' }),
    expected: [...(miss === 'none' ? (['already_white'] as const) : []), ...small.expected],
    either: small.either,
  };
};

/** What an app or a page shows: a product in a room, or before white. */
const shownBy =
  (random: Random): ShownPhoto =>
  async (size) => {
    const room = random.pick([...someRooms, '#ffffff', '#f4f4f5'] as const);
    const share = 0.5 + 0.3 * random.next();
    return (await oneProduct(random, random.pick(plainProducts), { share, shift: 0.1, size, room })).picture;
  };

/** As it was stored, as JPEG, or as a messenger sends it: smaller, and twice a JPEG. */
const sentFile = async (random: Random, picture: Picture): Promise<Uint8Array> => {
  const how = random.next();
  if (how < 0.35) return fileOf(picture, { quality: 90, format: 'png' });
  if (how < 0.6) return fileOf(picture, { quality: random.integer(75, 95) });
  const first = await fileOf(picture, { quality: random.integer(70, 90) });
  const side = random.pick([1_280, 1_600, 2_048]);
  return new Uint8Array(
    await sharp(first)
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: random.integer(60, 85) })
      .toBuffer(),
  );
};

/** Of these only the one finding is known: texts, seams and pieces are there by the dozen, or not at all. */
const besides = (code: FindingCode): readonly FindingCode[] => findingCodes.filter((other) => other !== code);

const screenshot: Make = async (random, index) => ({
  bytes: await sentFile(random, await screenPicture(random, index, shownBy(random))),
  expected: ['looks_like_screenshot'],
  either: besides('looks_like_screenshot'),
});

const screenLike: Make = async (random, index) => ({
  bytes: await sentFile(random, await screenLikePicture(random, index, shownBy(random))),
  expected: [],
  either: besides('looks_like_screenshot'),
});

const kinds: readonly (readonly [name: string, make: Make, count: number])[] = [
  ['plain', plain, 24],
  ['printed', printed, 20],
  ['near-frame', nearFrame, 20],
  ['soft', soft, 8],
  ['cropped', cropped, 40],
  ['blurred', blurred, 24],
  ['several', several, 32],
  ['small', small, 8],
  ['overlaid', overlaid, 40],
  ['bordered', bordered, 16],
  ['collage', divided, 16],
  ['on-white', onWhite, 16],
  ['screenshot', screenshot, 120],
  ['screen-like', screenLike, 120],
];

export type Selection = { readonly half?: KnownPhoto['half']; readonly kinds?: readonly string[] };

/** All of them, or those selected, one by one. */
export async function* knownPhotos(seed: number, { half, kinds: only }: Selection = {}): AsyncGenerator<KnownPhoto> {
  for (const [kind, [name, make, count]] of kinds.entries()) {
    if (only && !only.includes(name)) continue;
    for (let i = 0; i < count; i++) {
      const belongsTo = i % 2 === 0 ? 'choosing' : 'measured';
      if (half && half !== belongsTo) continue;
      const made = await make(seeded(seed * 1_000_003 + kind * 1_009 + i), Math.floor(i / 2));
      yield { name: `${name}-${i}`, half: belongsTo, ...made };
    }
  }
}
