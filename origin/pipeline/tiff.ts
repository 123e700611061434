/** An uncompressed TIFF in memory, by which libvips is told what it has no other way to be told: a profile, or inks. Pure. */
import type { Size } from '../../shared/imaging/raster.ts';

/** About so much of the picture in one strip, bytes: libtiff reads strips whole. */
const STRIP_BYTES = 1 << 20;
/** Photometric interpretation of grey, RGB and CMYK. */
const PHOTOMETRIC = { 1: 1, 3: 2, 4: 5 } as const;

type TiffShape = Size & {
  readonly colours: 1 | 3 | 4;
  readonly hasAlpha: boolean;
  readonly profile: Uint8Array | undefined;
};

type Tag = { readonly id: number; readonly type: 3 | 4 | 7; readonly values: ArrayLike<number> };
const typeBytes = { 3: 2, 4: 4, 7: 1 } as const;

/** Little-endian: header, directory, long values, then the pixels, 8 bits each, which are left empty. */
export const emptyTiff = (shape: TiffShape): { readonly bytes: Uint8Array; readonly pixelsAt: number } => {
  const { width, height, colours, hasAlpha, profile } = shape;
  const samples = colours + (hasAlpha ? 1 : 0);
  const rowBytes = width * samples;
  const stripRows = Math.max(1, Math.floor(STRIP_BYTES / rowBytes));
  const strips = Math.ceil(height / stripRows);
  const offsets = new Uint32Array(strips);
  const tags: Tag[] = [
    { id: 256, type: 4, values: [width] },
    { id: 257, type: 4, values: [height] },
    { id: 258, type: 3, values: Array.from({ length: samples }, () => 8) },
    { id: 259, type: 3, values: [1] },
    { id: 262, type: 3, values: [PHOTOMETRIC[colours]] },
    { id: 273, type: 4, values: offsets },
    { id: 277, type: 3, values: [samples] },
    { id: 278, type: 4, values: [stripRows] },
    {
      id: 279,
      type: 4,
      values: offsets.map((_, strip) => Math.min(stripRows, height - strip * stripRows) * rowBytes),
    },
    { id: 284, type: 3, values: [1] },
    ...(hasAlpha ? [{ id: 338, type: 3, values: [2] } as const] : []),
    ...(profile?.length ? [{ id: 34675, type: 7, values: profile } as const] : []),
  ];
  const directoryBytes = 2 + 12 * tags.length + 4;
  const pixelsAt = tags.reduce((at, tag) => at + longBytes(tag), 8 + directoryBytes);
  for (let strip = 0; strip < strips; strip++) offsets[strip] = pixelsAt + strip * stripRows * rowBytes;
  const bytes = new Uint8Array(pixelsAt + rowBytes * height);
  writeDirectory(new DataView(bytes.buffer), tags, 8 + directoryBytes);
  return { bytes, pixelsAt };
};

/** Of a tag's values behind the directory, even; 0 where they fit into its entry. */
const longBytes = ({ type, values }: Tag): number => {
  const bytes = typeBytes[type] * values.length;
  return bytes <= 4 ? 0 : bytes + (bytes & 1);
};

const writeDirectory = (view: DataView, tags: readonly Tag[], valuesAt: number): void => {
  view.setUint32(0, 0x49492a00);
  view.setUint32(4, 8, true);
  view.setUint16(8, tags.length, true);
  let free = valuesAt;
  for (const [i, tag] of tags.entries()) {
    const at = 10 + 12 * i;
    view.setUint16(at, tag.id, true);
    view.setUint16(at + 2, tag.type, true);
    view.setUint32(at + 4, tag.values.length, true);
    const long = longBytes(tag);
    if (long > 0) view.setUint32(at + 8, free, true);
    writeValues(view, long > 0 ? free : at + 8, tag);
    free += long;
  }
};

const writeValues = (view: DataView, at: number, { type, values }: Tag): void => {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (type === 7) view.setUint8(at + i, value);
    else if (type === 3) view.setUint16(at + 2 * i, value, true);
    else view.setUint32(at + 4 * i, value, true);
  }
};
