/**
 * HEIC, where the node has a decoder for it (`HEIC_DECODER`): size and colour profile of the main picture, read by
 * ourselves, since the decoder gives no profile and phones save in Display P3; and its pixels. ISO 23008-12.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import type { Size } from '../../shared/imaging/raster.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { type Box, boxesOf, viewOf } from './boxes.ts';
import { decodeByWasm, type Samples } from './wasm-decode.ts';

type OpenedHeic = Size & {
  readonly profile: Uint8Array | undefined;
  /** Upright, in the colours of `profile`. Throws what the decoder throws. */
  readonly pixels: () => Promise<Samples>;
};

/** Fails with unreadable_image. Reads the header alone. */
export const openHeic = (bytes: Uint8Array): Result<OpenedHeic, Failure> => {
  const properties = mainProperties(bytes);
  const extents = properties?.find(({ kind }) => kind === 'ispe')?.content;
  if (!extents || extents.length < 12)
    return fail(failure('unreadable_image', 'The HEIC file is damaged or cut off (its header)'));
  const size = { width: viewOf(extents).getUint32(4), height: viewOf(extents).getUint32(8) };
  const colour = properties?.find(({ kind, content }) => kind === 'colr' && isProfile(content))?.content;
  return ok({ ...size, profile: colour?.subarray(4), pixels: () => decodeByWasm('heic', bytes, size) });
};

const isProfile = (colr: Uint8Array): boolean => ['prof', 'rICC'].includes(String.fromCharCode(...colr.subarray(0, 4)));

const inside = (bytes: Uint8Array | undefined, kind: string): Uint8Array | undefined => {
  if (bytes) for (const box of boxesOf(bytes)) if (box.kind === kind) return box.content;
  return undefined;
};
/** A full box begins with a version and flags. */
const VERSION_BYTES = 4;

/** The properties that belong to the main picture; undefined where the file does not say which these are. */
const mainProperties = (bytes: Uint8Array): readonly Box[] | undefined => {
  const meta = inside(bytes, 'meta')?.subarray(VERSION_BYTES);
  const primary = inside(meta, 'pitm');
  const iprp = inside(meta, 'iprp');
  const [all, associations] = [inside(iprp, 'ipco'), inside(iprp, 'ipma')];
  if (!primary || primary.length < 6 || !all || !associations) return undefined;
  const item = primary[0] === 0 ? viewOf(primary).getUint16(4) : readUint32(primary, 4);
  const numbers = item === undefined ? undefined : propertiesOf(associations, item);
  if (!numbers) return undefined;
  // Numbers begin at 1; 0 is none. A file may have millions of boxes, of which no number tells.
  const wanted = new Set(numbers);
  const last = Math.max(0, ...numbers);
  const found: Box[] = [];
  let number = 0;
  for (const box of boxesOf(all)) {
    if (++number > last) break;
    if (wanted.has(number)) found.push(box);
  }
  return found;
};

const readUint32 = (bytes: Uint8Array, at: number): number | undefined =>
  at + 4 <= bytes.length ? viewOf(bytes).getUint32(at) : undefined;

/** Numbers of the properties of an item; undefined where it is not listed or the list is cut off. */
const propertiesOf = (ipma: Uint8Array, item: number): readonly number[] | undefined => {
  if (ipma.length < 8) return undefined;
  const view = viewOf(ipma);
  const idBytes = ipma[0] === 0 ? 2 : 4;
  const numberBytes = ipma[3]! & 1 ? 2 : 1;
  // The highest bit says whether a reader must know the property.
  const numberAt = (at: number): number => (numberBytes === 2 ? view.getUint16(at) & 0x7fff : view.getUint8(at) & 0x7f);
  for (let at = 8, left = view.getUint32(4); left > 0 && at + idBytes + 1 <= ipma.length; left--) {
    const id = idBytes === 2 ? view.getUint16(at) : view.getUint32(at);
    const count = view.getUint8(at + idBytes);
    const from = at + idBytes + 1;
    at = from + count * numberBytes;
    if (at > ipma.length) return undefined;
    if (id === item) return Array.from({ length: count }, (_, i) => numberAt(from + i * numberBytes));
  }
  return undefined;
};
