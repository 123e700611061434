/** A body as bytes, bounded. */

/** `declared`: its Content-Length. The whole body, or undefined once it is longer than `bytesMax`; the rest is not read. */
export const readBytes = async (
  body: ReadableStream<Uint8Array> | null,
  declared: string | null | undefined,
  bytesMax: number,
): Promise<Uint8Array | undefined> => {
  if (Number(declared ?? 0) > bytesMax) return void (await body?.cancel());
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (bytes > bytesMax) return undefined;
    pieces.push(piece);
  }
  // A buffer of its own, not a slice of a pool: a photo is transferred to another thread.
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
};
