/**
 * The header of a Photoshop file (PSD, PSB), read by ourselves: all that is needed is the merged picture at its end.
 * `ag-psd` reads layers, text and effects first, allocates what their lengths claim, and knows no CMYK and no profile.
 * https://www.adobe.com/devnet-apps/photoshop/fileformatashtml/. Pure.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import type { Size } from '../../shared/imaging/raster.ts';
import { fail, ok, type Result } from '../../shared/result.ts';

/** Offsets of the file header. `sniffImage` calls no bytes a PSD that do not hold it. */
const AT = { version: 4, channels: 12, height: 14, width: 18, bits: 22, mode: 24, sections: 26 } as const;
const LARGE = 2;
const RAW = 0;
export const PACKED = 1;

type PsdMode = 'bitmap' | 'grey' | 'indexed' | 'rgb' | 'cmyk';
const modes: Readonly<Record<number, PsdMode>> = { 0: 'bitmap', 1: 'grey', 2: 'indexed', 3: 'rgb', 4: 'cmyk' };
const modeNames: Readonly<Record<number, string>> = { 7: 'Multichannel', 8: 'Duotone', 9: 'Lab' };
const coloursOf = { bitmap: 1, grey: 1, indexed: 1, rgb: 3, cmyk: 4 } as const;
const PALETTE_BYTES = 3 * 256;

/** Image resources that are read. */
const RESOURCE = { profile: 1039, transparentIndex: 1047, version: 1057 } as const;
/** Blocks that hold the layers of pictures with 16 and 32 bits. */
const DEEP_LAYERS = ['Lr16', 'Lr32'];
/** Blocks whose length has 8 bytes in a PSB. */
const LONG_BLOCKS = [
  ...DEEP_LAYERS,
  'LMsk',
  'Layr',
  'Mt16',
  'Mt32',
  'Mtrn',
  'Alph',
  'FMsk',
  'lnk2',
  'FEid',
  'FXid',
  'PxSD',
];

export type Psd = Size & {
  readonly mode: PsdMode;
  readonly bits: 1 | 8 | 16;
  /** Planes of the picture, colours first; only colours, and transparency where the picture has one, are read. */
  readonly channels: number;
  readonly colours: 1 | 3 | 4;
  readonly hasTransparency: boolean;
  /** Red, green and blue of 256 entries, one after the other. */
  readonly palette: Uint8Array | undefined;
  readonly transparentIndex: number | undefined;
  readonly profile: Uint8Array | undefined;
  readonly packing: typeof RAW | typeof PACKED;
  /** Of the picture's data, behind the two bytes that say how they are packed. */
  readonly picture: Uint8Array;
  readonly isLarge: boolean;
};

/** Fails with unreadable_image. Walks over the file's sections by their lengths and allocates nothing. */
export const openPsd = (bytes: Uint8Array): Result<Psd, Failure> => {
  const view = viewOf(bytes);
  const isLarge = view.getUint16(AT.version) === LARGE;
  const [bits, number] = [view.getUint16(AT.bits), view.getUint16(AT.mode)];
  const mode = modes[number];
  if (!mode) return refused(`is in ${modeNames[number] ?? 'an unknown'} mode`, 'convert it to RGB and save it again');
  if (bits === 32) return refused('has 32 bits a channel', 'convert it to 8 or 16 bits and save it again');
  if ((bits === 1) !== (mode === 'bitmap') || (mode === 'indexed' && bits !== 8)) return damaged('its depth is wrong');
  const sections = sectionsOf(view, isLarge);
  if (!sections) return damaged('a section is cut off');
  const { palette, resources, layers, picture } = sections;
  const found = resourcesOf(slice(bytes, resources));
  if (!found) return damaged('its resources are broken');
  if (found.get(RESOURCE.version)?.[4] === 0)
    return refused('has layers only, without their merged picture', 'save it with “Maximize Compatibility”, or as PNG');
  if (mode === 'indexed' && palette.to - palette.from !== PALETTE_BYTES) return damaged('it has no colour table');
  const packing = view.getUint16(picture.from);
  if (packing !== RAW && packing !== PACKED) return refused('is packed in an unusual way', 'save it as PNG');
  const [channels, colours] = [view.getUint16(AT.channels), coloursOf[mode]];
  if (channels < colours) return damaged('a channel is missing');
  const transparent = found.get(RESOURCE.transparentIndex);
  return ok({
    width: view.getUint32(AT.width),
    height: view.getUint32(AT.height),
    mode,
    bits: bits as Psd['bits'],
    channels,
    colours,
    hasTransparency: channels > colours && hasMergedTransparency(viewOf(slice(bytes, layers)), isLarge),
    palette: mode === 'indexed' ? slice(bytes, palette) : undefined,
    transparentIndex: transparent && transparent.length >= 2 ? viewOf(transparent).getUint16(0) : undefined,
    profile: found.get(RESOURCE.profile),
    packing,
    picture: bytes.subarray(picture.from + 2),
    isLarge,
  });
};

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const damaged = (why: string): Result<never, Failure> =>
  fail(failure('unreadable_image', `The Photoshop file is damaged or cut off (${why})`));
const refused = (what: string, remedy: string): Result<never, Failure> =>
  fail(failure('unreadable_image', `The Photoshop file ${what}, which is not read: ${remedy}`));

type Span = { readonly from: number; readonly to: number };
const slice = (bytes: Uint8Array, { from, to }: Span): Uint8Array => bytes.subarray(from, to);

/** Colour table, image resources, layers; then the merged picture. Undefined where one does not fit into the file. */
const sectionsOf = (view: DataView, isLarge: boolean) => {
  const end = view.byteLength;
  const section = (at: number, lengthBytes: 4 | 8): Span | undefined => {
    const from = at + lengthBytes;
    if (from > end) return undefined;
    const to = from + lengthAt(view, at, lengthBytes);
    return to <= end ? { from, to } : undefined;
  };
  const palette = section(AT.sections, 4);
  const resources = palette && section(palette.to, 4);
  const layers = resources && section(resources.to, isLarge ? 8 : 4);
  return layers && layers.to + 2 <= end ? { palette, resources, layers, picture: { from: layers.to } } : undefined;
};

const lengthAt = (view: DataView, at: number, lengthBytes: 4 | 8): number =>
  lengthBytes === 4 ? view.getUint32(at) : view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);

const SIGNATURES = ['8BIM', '8B64', 'MeSa', 'AgHg', 'PHUT', 'DCSR'];
const ascii = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));
const even = (length: number): number => length + (length & 1);

/** The resources of RESOURCE; undefined where the list is broken. Each takes at least 12 bytes. */
const resourcesOf = (bytes: Uint8Array): ReadonlyMap<number, Uint8Array> | undefined => {
  const view = viewOf(bytes);
  const wanted: readonly number[] = Object.values(RESOURCE);
  const found = new Map<number, Uint8Array>();
  for (let at = 0; at + 12 <= bytes.length; ) {
    if (!SIGNATURES.includes(ascii(view, at))) return undefined;
    const id = view.getUint16(at + 4);
    // A name with its length before it.
    const sizeAt = at + 6 + even(1 + view.getUint8(at + 6));
    if (sizeAt + 4 > bytes.length) return undefined;
    const from = sizeAt + 4;
    const to = from + view.getUint32(sizeAt);
    if (to > bytes.length) return undefined;
    if (wanted.includes(id)) found.set(id, bytes.subarray(from, to));
    at = from + even(to - from);
  }
  return found;
};

/**
 * A negative count of layers says that the picture's first further channel is its transparency; else it is a selection
 * that was saved. Of pictures with 16 bits the layers lie in a block of their own behind the empty usual place.
 */
const hasMergedTransparency = (layers: DataView, isLarge: boolean): boolean => {
  const lengthBytes = isLarge ? 8 : 4;
  const end = layers.byteLength;
  if (end < lengthBytes) return false;
  const bytes = lengthAt(layers, 0, lengthBytes);
  if (bytes >= 2) return lengthBytes + 2 <= end && layers.getInt16(lengthBytes) < 0;
  // The mask of all layers, then the blocks.
  const maskAt = lengthBytes + bytes;
  if (maskAt + 4 > end) return false;
  for (let at = maskAt + 4 + layers.getUint32(maskAt); at + 16 <= end; ) {
    if (!SIGNATURES.includes(ascii(layers, at))) return false;
    const key = ascii(layers, at + 4);
    const long = isLarge && LONG_BLOCKS.includes(key) ? 8 : 4;
    if (DEEP_LAYERS.includes(key)) return at + 10 + long <= end && layers.getInt16(at + 8 + long) < 0;
    at += 8 + long + Math.ceil(lengthAt(layers, at + 8, long) / 4) * 4;
  }
  return false;
};
