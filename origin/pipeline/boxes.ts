/** Boxes of ISO 14496-12, as JPEG XL and HEIF files are made of. Pure; reads nothing outside the bytes it is given. */
export type Box = { readonly kind: string; readonly content: Uint8Array };

const ascii = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));
export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** One after the other, up to the first one whose length is wrong. The last one may be cut off. Each takes 8 bytes or more. */
export function* boxesOf(bytes: Uint8Array): Generator<Box> {
  const view = viewOf(bytes);
  for (let at = 0; at + 8 <= bytes.length; ) {
    const short = view.getUint32(at);
    const isLong = short === 1;
    if (isLong && at + 16 > bytes.length) return;
    const header = isLong ? 16 : 8;
    const boxBytes = isLong ? Number(view.getBigUint64(at + 8)) : short === 0 ? bytes.length - at : short;
    if (boxBytes < header) return;
    yield { kind: ascii(bytes, at + 4), content: bytes.subarray(at + header, at + boxBytes) };
    at += boxBytes;
  }
}
