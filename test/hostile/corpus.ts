/**
 * Files that a decoder should not be trusted with, made from good ones: cut off, changed in some bits, lying about their
 * size, stuffed, nested, of two formats at once, extreme. The same seed and number give the same file.
 */
import { deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { inContainer, jxlOf } from '../support/jxl.ts';
import { type Random, seeded } from '../support/random.ts';
import { renderScene } from '../support/scenes.ts';
import { bmpOf, pngChunk, pngOf, psdOf, type TiffTag, tiffOf } from './formats.ts';

export type HostileFile = { readonly name: string; readonly bytes: Uint8Array };
type Base = { readonly name: string; readonly bytes: Buffer };
type Make = (random: Random, bases: readonly Base[]) => Promise<HostileFile> | HostileFile;

const KiB = 1024;
/** What an upload may hold; nothing here is refused for its size alone. */
const FILE_BYTES_MAX = 24_000_000;

const named = (name: string, bytes: Uint8Array): HostileFile => ({
  name,
  bytes: new Uint8Array(bytes.subarray(0, FILE_BYTES_MAX)),
});
const encoders: Readonly<Record<string, (image: Sharp) => Sharp>> = {
  jpeg: (image) => image.jpeg({ quality: 80 }),
  'progressive jpeg': (image) => image.jpeg({ quality: 80, progressive: true }),
  'cmyk jpeg': (image) => image.toColourspace('cmyk').jpeg(),
  'grey jpeg': (image) => image.greyscale().jpeg(),
  png: (image) => image.png(),
  'interlaced png': (image) => image.png({ progressive: true }),
  'palette png': (image) => image.png({ palette: true }),
  '16-bit png': (image) => image.toColourspace('rgb16').png(),
  'alpha png': (image) => image.ensureAlpha(0.5).png(),
  webp: (image) => image.webp({ quality: 70 }),
  'lossless webp': (image) => image.webp({ lossless: true }),
  gif: (image) => image.gif(),
  tiff: (image) => image.tiff({ compression: 'lzw' }),
  'tiled tiff': (image) => image.tiff({ compression: 'deflate', tile: true, tileWidth: 64, tileHeight: 64 }),
  avif: (image) => image.avif({ effort: 0 }),
};

/** One small product photo as each kind of file. */
const makeBases = async (): Promise<Base[]> => {
  const photo = await renderScene('mug', { width: 256 });
  const { data, info } = await sharp(photo).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const encoded = await Promise.all(
    Object.entries(encoders).map(async ([name, encode]) => ({ name, bytes: await encode(sharp(photo)).toBuffer() })),
  );
  return [
    ...encoded,
    { name: 'bmp', bytes: bmpOf(data, info.width, { bits: 24 }) },
    { name: 'palette bmp', bytes: bmpOf(data, info.width, { bits: 8, isTopDown: true }) },
    { name: 'alpha bmp', bytes: bmpOf(data, info.width, { bits: 32, hasAlpha: true }) },
    { name: 'psd', bytes: psdOf(data, info.width, 4, { layers: -1, isPacked: true }) },
    { name: 'cmyk psd', bytes: psdOf(data, info.width, 4, { mode: 4 }) },
    {
      name: '16-bit large psd',
      bytes: psdOf(data, info.width, 4, { bits: 16, isLarge: true, layers: -1, isDeep: true }),
    },
    { name: 'jxl', bytes: Buffer.from(await jxlOf(photo, { quality: 80 })) },
    { name: 'lossless jxl', bytes: Buffer.from(inContainer(await jxlOf(photo, { lossless: true }), 2)) },
  ];
};

const cutOff: Make = (random, bases) => {
  const { name, bytes } = random.pick(bases);
  return named(`${name} cut off`, bytes.subarray(0, random.integer(1, bytes.length - 1)));
};

const flipped: Make = (random, bases) => {
  const { name, bytes } = random.pick(bases);
  const changed = Buffer.from(bytes);
  // Near the head the structure lies, behind it the pixels.
  const within = random.pick([64, 512, changed.length]);
  const flips = random.pick([1, 4, 32, 256]);
  for (let i = 0; i < flips; i++) {
    const at = random.integer(0, Math.min(within, changed.length) - 1);
    changed[at] = changed[at]! ^ (1 << random.integer(0, 7));
  }
  return named(`${name} with ${flips} bits changed`, changed);
};

const spliced: Make = (random, bases) => {
  const [a, b] = [random.pick(bases), random.pick(bases)];
  const at = random.integer(0, a.bytes.length);
  const from = random.integer(0, b.bytes.length - 1);
  const piece = b.bytes.subarray(from, from + random.integer(1, 4 * KiB));
  return named(
    `${a.name} with a piece of a ${b.name}`,
    Buffer.concat([a.bytes.subarray(0, at), piece, a.bytes.subarray(at)]),
  );
};

const repeated: Make = (random, bases) => {
  const { name, bytes } = random.pick(bases);
  const from = random.integer(0, bytes.length - 1);
  const piece = bytes.subarray(from, from + random.integer(1, 256));
  const copies = Array.from({ length: random.integer(2, 20_000) }, () => piece);
  return named(
    `${name} with a piece ${copies.length} times`,
    Buffer.concat([bytes.subarray(0, from), ...copies, bytes.subarray(from)]),
  );
};

const blanked: Make = (random, bases) => {
  const { name, bytes } = random.pick(bases);
  const from = random.integer(0, bytes.length - 1);
  const changed = Buffer.from(bytes).fill(
    random.pick([0, 0xff]),
    from,
    Math.min(bytes.length, from + random.integer(1, 2 * KiB)),
  );
  return named(`${name} with a hole`, changed);
};

/** Writes a 16- or 32-bit number over a random place of the head, where sizes, counts and offsets are. */
const lying: Make = (random, bases) => {
  const { name, bytes } = random.pick(bases);
  const changed = Buffer.from(bytes);
  const at = random.integer(4, Math.min(changed.length, 400) - 5);
  const value = random.pick([
    0,
    1,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    65_500,
    30_000,
    random.integer(0, 0xffff_ffff),
  ]);
  if (value > 0xffff) changed[random.pick(['writeUInt32BE', 'writeUInt32LE'] as const)](value, at);
  else changed[random.pick(['writeUInt16BE', 'writeUInt16LE'] as const)](value, at);
  return named(`${name} with ${value} at ${at}`, changed);
};

/** A PNG whose header says other dimensions than its pixels fill; the checksum is right. */
const lyingPng: Make = (random) => {
  const side = (): number => random.pick([1, 15, 16, 255, 7_999, 8_000, 31_999, 65_535, 0x7fff_ffff]);
  const [width, height] = [side(), side()];
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([random.pick([1, 2, 4, 8, 16, 3]), random.pick([0, 2, 3, 4, 6, 5]), 0, 0, random.pick([0, 1])], 8);
  const pixels = deflateSync(Buffer.alloc(random.pick([0, 100, 100_000, 8_000_000])));
  return named(`png that says ${width} × ${height}`, pngOf([pngChunk('IHDR', head), pngChunk('IDAT', pixels)]));
};

const withPngChunks = (base: Buffer, chunks: readonly Buffer[]): Buffer =>
  // Behind signature and IHDR.
  Buffer.concat([base.subarray(0, 33), ...chunks, base.subarray(33)]);
const basePng = (bases: readonly Base[]): Buffer => bases.find(({ name }) => name === 'png')!.bytes;

const pngBomb: Make = (random, bases) => {
  const zeros = deflateSync(Buffer.alloc(random.pick([1_000_000, 60_000_000, 200_000_000])), { level: 9 });
  const kind = random.pick(['zTXt', 'iTXt', 'iCCP', 'eXIf', 'many tEXt', 'many IDAT', 'sPLT'] as const);
  const key = Buffer.from('k\0\0');
  const chunks: Record<typeof kind, () => Buffer[]> = {
    zTXt: () => [pngChunk('zTXt', Buffer.concat([key, zeros]))],
    iTXt: () => [pngChunk('iTXt', Buffer.concat([Buffer.from('k\0\x01\0\0\0'), zeros]))],
    iCCP: () => [pngChunk('iCCP', Buffer.concat([key, zeros]))],
    eXIf: () => [pngChunk('eXIf', Buffer.from(`MM\0*${'\xff'.repeat(random.integer(4, 60_000))}`, 'latin1'))],
    'many tEXt': () => Array.from({ length: 50_000 }, () => pngChunk('tEXt', Buffer.from('k\0v'))),
    'many IDAT': () => Array.from({ length: 50_000 }, () => pngChunk('IDAT', Buffer.alloc(0))),
    sPLT: () => [pngChunk('sPLT', Buffer.concat([Buffer.from('p\0\x10'), Buffer.alloc(5_000_000)]))],
  };
  return named(`png with ${kind}`, withPngChunks(basePng(bases), chunks[kind]()));
};

const segment = (marker: number, body: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
};
const jpegOf = (bases: readonly Base[], name = 'jpeg'): Buffer => bases.find((base) => base.name === name)!.bytes;

/** Parts of a JPEG, many of them or of odd content, behind its first two bytes. */
const jpegBomb: Make = (random, bases) => {
  const full = Buffer.alloc(65_533, 0x41);
  const many = (marker: number, body: Buffer, count: number): Buffer[] =>
    Array.from({ length: count }, () => segment(marker, body));
  const iccPart = (part: number, of: number): Buffer =>
    segment(
      0xe2,
      Buffer.concat([Buffer.from(`ICC_PROFILE\0${String.fromCharCode(part, of)}`, 'latin1'), full.subarray(20)]),
    );
  const kinds: readonly (readonly [string, () => Buffer[]])[] = [
    ['a profile of 16 MB', () => Array.from({ length: 255 }, (_, i) => iccPart(i + 1, 255))],
    ['parts of a profile in disorder', () => [iccPart(2, 3), iccPart(2, 2), iccPart(0, 0), iccPart(9, 3)]],
    ['300 comments of 64 KiB', () => many(0xfe, full, 300)],
    ['100,000 empty comments', () => many(0xfe, Buffer.alloc(0), 100_000)],
    ['5,000 Huffman tables', () => many(0xc4, Buffer.from([random.integer(0, 3), ...Buffer.alloc(16)]), 5_000)],
    ['an EXIF directory that points to itself', () => [exifLoop()]],
    ['EXIF of noise', () => [segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), noise(random, 60_000)]))]],
    ['XMP of entities', () => [xmp()]],
    [
      'an orientation of 60,000',
      () => [segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), tiffOf([[0x112, 3, 1, 60_000]])]))],
    ],
    ['a restart interval of 1', () => [segment(0xdd, Buffer.from([0, 1]))]],
  ];
  const [what, parts] = random.pick(kinds);
  const base = jpegOf(bases);
  return named(`jpeg with ${what}`, Buffer.concat([base.subarray(0, 2), ...parts(), base.subarray(2)]));
};

const exifLoop = (): Buffer => segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), tiffOf([[0x8769, 4, 1, 8]], 8)]));
const xmp = (): Buffer => {
  const rows = Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('');
  return segment(
    0xe1,
    Buffer.from(
      `http://ns.adobe.com/xap/1.0/\0<!DOCTYPE x [<!ENTITY e0 "a">${rows}]><x:xmpmeta xmlns:x="adobe:ns:meta/">&e9;</x:xmpmeta>`,
    ),
  );
};
const noise = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random.integer(0, 255)));

/** The scans of a progressive JPEG, again and again: each is a pass over the whole picture. */
const scanBomb: Make = (random, bases) => {
  const base = jpegOf(bases, 'progressive jpeg');
  const first = base.indexOf(Buffer.from([0xff, 0xda]));
  const scans = base.subarray(first, -2);
  const times = random.pick([10, 100, 1_000]);
  const wide = Buffer.from(base.subarray(0, first));
  const frame = wide.indexOf(Buffer.from([0xff, 0xc2]));
  const side = random.pick([256, 2_000, 7_900]);
  wide.writeUInt16BE(side, frame + 5);
  wide.writeUInt16BE(side, frame + 7);
  return named(
    `progressive jpeg of ${side}² with its scans ${times} times`,
    Buffer.concat([wide, ...Array.from({ length: times }, () => scans), Buffer.from([0xff, 0xd9])]),
  );
};

const tiffBomb: Make = (random) => {
  const [width, height] = [random.pick([16, 4_000, 31_999]), random.pick([16, 2_000, 31_999])];
  const rows = random.pick([1, height, 0]);
  const tags: TiffTag[] = [
    [0x100, 4, 1, width],
    [0x101, 4, 1, height],
    [0x102, 3, 1, random.pick([1, 8, 16, 32, 64])],
    [0x103, 3, 1, random.pick([1, 5, 7, 8, 32_773, 34_712, 50_000])],
    [0x106, 3, 1, random.pick([0, 1, 2, 3, 5, 6, 8])],
    [0x111, 4, random.pick([1, 70_000, 0x0fff_ffff]), 8],
    [0x115, 3, 1, random.pick([1, 3, 4, 65_535])],
    [0x116, 4, 1, rows],
    [0x117, 4, random.pick([1, 70_000]), random.pick([8, 0xffff_ffff])],
    ...(random.integer(0, 1)
      ? ([
          [0x142, 4, 1, random.pick([1, 16, 65_520])],
          [0x143, 4, 1, random.pick([1, 16, 65_520])],
        ] as TiffTag[])
      : []),
  ];
  // Its list of pictures leads back to the first one, or far away.
  const next = random.pick([0, 8, 0xffff_fff0]);
  return named(
    `tiff of ${width} × ${height}, odd tags`,
    Buffer.concat([tiffOf(tags, next), Buffer.alloc(random.pick([0, 4 * KiB, 400 * KiB]))]),
  );
};

const lyingBmp: Make = (random, bases) => {
  const { name, bytes } = random.pick(bases.filter(({ name: kind }) => kind.endsWith('bmp')));
  const changed = Buffer.from(bytes);
  const values = [0, 1, 8, 255, 65_535, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, random.integer(0, 0xffff_ffff)];
  // Offset of the pixels, length of the header, width, height, planes and depth, compression, colours, masks.
  const fields = [10, 14, 18, 22, 26, 30, 46, 54, 66];
  for (let i = random.integer(1, 3); i > 0; i--) changed.writeUInt32LE(random.pick(values), random.pick(fields));
  return named(`${name} with a header that lies`, changed);
};

const lyingPsd: Make = (random, bases) => {
  const { name, bytes } = random.pick(bases.filter(({ name: kind }) => kind.endsWith('psd')));
  const changed = Buffer.from(bytes);
  const values = [0, 1, 8, 255, 8_000, 65_535, 0x7fff_ffff, 0xffff_ffff, random.integer(0, 0xffff_ffff)];
  // Height, width, lengths of colour table, resources and layers; depth and mode; lengths of rows.
  for (let i = random.integer(1, 3); i > 0; i--) {
    const at = random.pick([14, 18, 26, 30, 34, 38, 42, 44, 48]);
    if (random.next() < 0.7) changed.writeUInt32BE(random.pick(values), at);
    else changed.writeUInt16BE(random.integer(0, 16), random.pick([12, 22, 24, 40]));
  }
  return named(`${name} with a header that lies`, changed);
};

/** A few MB that unpack to as much as may be taken, or to a little more. */
const psdBomb: Make = (random) => {
  const side = random.pick([6_000, 8_000, 8_200]);
  const row = Buffer.from(Array.from({ length: Math.ceil(side / 128) }, () => [129, random.integer(0, 255)]).flat());
  const head = psdOf(new Uint8Array(3), 1, 3, { isPacked: true });
  head.writeUInt32BE(side, 14);
  head.writeUInt32BE(side, 18);
  const lengths = Buffer.alloc(3 * side * 2);
  for (let i = 0; i < 3 * side; i++) lengths.writeUInt16BE(row.length, i * 2);
  const rows = Array.from({ length: 3 * side }, () => row);
  return named(`psd bomb of ${side}²`, Buffer.concat([head.subarray(0, 40), lengths, ...rows]));
};

const pages: Make = async (random) => {
  const [count, side] = [random.pick([2, 50, 400]), 32];
  const data = Buffer.from(Array.from({ length: side * side * count * 3 }, (_, i) => (i * 31 + (i >> 9)) & 0xff));
  const frames = sharp(data, { raw: { width: side, height: side * count, channels: 3, pageHeight: side } });
  const format = random.pick(['gif', 'webp'] as const);
  return named(`${format} of ${count} frames`, await frames.toFormat(format, { loop: 0 }).toBuffer());
};

const polyglot: Make = (random, bases) => {
  const [a, b] = [random.pick(bases), random.pick(bases)];
  const middle = random.pick([
    Buffer.alloc(0),
    Buffer.alloc(512),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg">'),
  ]);
  return named(`${a.name} with a ${b.name} behind it`, Buffer.concat([a.bytes, middle, b.bytes]));
};

const extreme: Make = async (random) => {
  const shapes: readonly (readonly [number, number])[] = [
    [1, 1],
    [1, 30_000],
    [30_000, 1],
    [16, 31_000],
    [31_000, 16],
    [17, 2_000],
    [7_990, 8_000],
    [8_100, 8_100],
    [40_000, 20],
  ];
  const [width, height] = random.pick(shapes);
  const background = random.pick(['#ffffff', '#000000', '#ff0000', '#ffffff00', '#80808080']);
  const channels = background.length > 7 ? 4 : 3;
  const format = random.pick(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const);
  const image = sharp({ create: { width, height, channels, background }, limitInputPixels: false });
  try {
    const encoded = format === 'avif' ? image.avif({ effort: 0 }) : image.toFormat(format);
    return named(`${format} of ${width} × ${height}, all ${background}`, await encoded.toBuffer());
  } catch {
    // The format cannot be so long; one that can is as extreme.
    return named(`png of ${width} × ${height}, all ${background}`, await image.png().toBuffer());
  }
};

const nothingThere: Make = async (random) => {
  const side = random.pick([16, 64, 300]);
  const kind = random.pick(['noise', 'stripes', 'checks', 'gradient'] as const);
  const value = (x: number, y: number): number =>
    kind === 'noise'
      ? random.integer(0, 255)
      : kind === 'stripes'
        ? (x % 4) * 80
        : kind === 'checks'
          ? ((x + y) % 2) * 255
          : (x + y) % 256;
  const data = Buffer.from(
    Array.from({ length: side * side * 3 }, (_, i) => value(Math.floor(i / 3) % side, Math.floor(i / 3 / side))),
  );
  const image = sharp(data, { raw: { width: side, height: side, channels: 3 } });
  return named(`${side}² of ${kind}`, await image.toFormat(random.pick(['jpeg', 'png', 'webp'] as const)).toBuffer());
};

const notAnImage: Make = (random) => {
  const heads = [
    '',
    '\xff\xd8\xff',
    '\x89PNG\r\n\x1a\n',
    'RIFF\0\0\0\0WEBP',
    'GIF89a',
    'II*\0',
    'MM\0*',
    '\0\0\0\x20ftypavif',
    '%PDF-1.7',
    'PK\x03\x04',
    '<svg ',
    'BM',
    '8BPS',
    '\xff\x0a',
  ];
  const length = random.pick([0, 1, 16, 4 * KiB, 1_000_000]);
  const body = random.integer(0, 1) ? noise(random, length) : Buffer.alloc(length);
  return named('the head of a file, then noise', Buffer.concat([Buffer.from(random.pick(heads), 'latin1'), body]));
};

/** Each as often as it stands here. */
const makers: readonly Make[] = [
  cutOff,
  cutOff,
  cutOff,
  cutOff,
  flipped,
  flipped,
  flipped,
  flipped,
  flipped,
  flipped,
  spliced,
  spliced,
  repeated,
  blanked,
  lying,
  lying,
  lying,
  lyingPng,
  pngBomb,
  jpegBomb,
  jpegBomb,
  scanBomb,
  tiffBomb,
  tiffBomb,
  lyingBmp,
  lyingPsd,
  psdBomb,
  pages,
  polyglot,
  polyglot,
  extreme,
  nothingThere,
  notAnImage,
];

/** `file(n)` is the n-th file of this seed, whatever was asked for before. */
export const hostileCorpus = async (seed: number): Promise<(n: number) => Promise<HostileFile>> => {
  const bases = await makeBases();
  return async (n) => {
    const random = seeded(seed * 1_000_003 + n);
    return random.pick(makers)(random, bases);
  };
};
