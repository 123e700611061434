/** Small files made to hurt a decoder. Each is refused; none may cost a node more than a moment. */
const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const joined = (...parts: readonly (Uint8Array | string)[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))));

/** Under 300 bytes; librsvg computes noise of 10 octaves over 64 megapixels for it. */
const turbulence =
  '<svg xmlns="http://www.w3.org/2000/svg" width="8000" height="8000"><filter id="f"><feTurbulence baseFrequency=".7" numOctaves="10"/></filter><rect width="100%" height="100%" filter="url(#f)"/></svg>';

/** Ten entities, each of ten of the one before: 10¹⁰ elements. */
const entities = (): string => {
  const rows = Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('');
  return `<!DOCTYPE svg [<!ENTITY e0 "<g/>">${rows}]><svg xmlns="http://www.w3.org/2000/svg" width="99" height="99">&e9;</svg>`;
};

/** Groups that use the group before ten times: 10⁵ blurs of the whole canvas in a kilobyte, and no entity. */
const uses = (): string => {
  const groups = Array.from(
    { length: 5 },
    (_, i) => `<g id="u${i + 1}" filter="url(#b)">${`<use href="#u${i}"/>`.repeat(10)}</g>`,
  ).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="8000" height="8000"><filter id="b"><feGaussianBlur stdDeviation="50"/></filter><g id="u0"><path d="M0 0h9v9z"/></g>${groups}</svg>`;
};

/** A complete file type box: 32 bytes, brands mif1, avif, miaf and avis. */
const avifBox = '\0\0\0\x20ftypavif\0\0\0\0mif1avifmiafavis';
/** What each accepted format begins with. */
export const heads = {
  JPEG: '\xff\xd8\xff\xe0\0\x10JFIF\0',
  PNG: '\x89PNG\r\n\x1a\n\0\0\0\rIHDR',
  WebP: 'RIFF\0\x01\0\0WEBPVP8 ',
  GIF: 'GIF89a',
  TIFF: 'II*\0\x08\0\0\0',
  AVIF: avifBox,
  BMP: `BM\0\x01\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x40\0\0\0\x40\0\0\0\x01\0\x18\0${'\0'.repeat(24)}`,
  Photoshop: '8BPS\0\x01\0\0\0\0\0\0\0\x03\0\0\0\x40\0\0\0\x40\0\x08\0\x03',
  JXL: '\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl \0\0\0\0jxl ',
} as const;

const svgs = { turbulence, entities: entities(), uses: uses() } as const;

/** Name → file; none of them is an image of an accepted format. */
export const notAccepted: Readonly<Record<string, Uint8Array>> = {
  'a turbulence SVG behind "ftypavif"': joined('<!--ftypavif-->', turbulence),
  'an entity-expansion SVG behind "ftypavif"': joined('<!--ftypavif-->', entities()),
  'an SVG of nested uses behind "ftypavif"': joined('<!--ftypavif-->', uses()),
  'a turbulence SVG behind a list of brands': joined('<!--ftypmif1    avifavis-->', turbulence),
  'a plain SVG': text(turbulence),
  'an SVG with an XML declaration': joined('<?xml version="1.0"?>', turbulence),
  'a PDF': joined('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\n', ' '.repeat(200)),
  'an MVG': text('push graphic-context\nviewbox 0 0 640 480\nfill url(https://example.com/x.png)\npop graphic-context'),
  'a PPM': joined('P6\n30000 30000\n255\n', '\0'.repeat(64)),
  'a Radiance HDR': text('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 30000 +X 30000\n'),
  'a libvips file': joined('\xb6\xa6\xf2\x08\0\0\x75\x30\0\0\x75\x30\0\0\0\x03', '\0'.repeat(64)),
  'a JPEG 2000': joined('\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 \0\0\0\0jp2 ', '\0'.repeat(64)),
  'a JPEG XL whose first box is of another length': joined('\0\0\0\x0dJXL \r\n\x87\n', '\0'.repeat(64)),
  'a BMP of two planes': joined(
    'BM\0\x01\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x40\0\0\0\x40\0\0\0\x02\0\x18\0',
    '\0'.repeat(64),
  ),
  'a PSD of version 3': joined('8BPS\0\x03\0\0\0\0\0\0\0\x03\0\0\0\x40\0\0\0\x40\0\x08\0\x03', '\0'.repeat(64)),
  'a text that begins with 8BPS': text('8BPS is how Photoshop files begin, and this is a note about them, no more.'),
  'a text that begins with BM': text('BM is where the match ended, and what follows is a report of some length.'),
  'a CSV': text('1,2,3\n4,5,6\n'),
  'a TIFF whose directory lies in its header': joined('II*\0\x04\0\0\0', '\0'.repeat(64)),
  'a BigTIFF': joined('II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0', '\0'.repeat(64)),
  'a PNG that begins with another chunk': joined('\x89PNG\r\n\x1a\n\0\0\0\x04tEXtabcd', '\0'.repeat(64)),
  'a RIFF of sound': joined('RIFF\0\x01\0\0WAVEfmt ', '\0'.repeat(64)),
  'a file type box of a gigabyte': joined('\x40\0\0\0ftypavif\0\0\0\0avif', '\0'.repeat(64)),
  'a file type box of 8 bytes': joined('\0\0\0\x08ftypavif\0\0\0\0avif', '\0'.repeat(64)),
};

/** Name → file; begins as an accepted format does and goes on as an SVG. */
export const disguised: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  Object.entries(heads).flatMap(([format, head]) =>
    Object.entries(svgs).map(([name, svg]) => [`the head of a ${format}, then an SVG of ${name}`, joined(head, svg)]),
  ),
);
