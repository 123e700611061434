/**
 * Bytes in the order of their arrival. They are copied into one buffer of the queue's own: a chunk of one byte is then
 * one byte of memory, whatever the runtime keeps for each chunk.
 */
const FIRST_BYTES = 64 * 1024;

export type ByteQueue = {
  readonly length: number;
  push(chunk: Uint8Array): void;
  /** The first `count` bytes, or all there are; valid until the next `push`. */
  head(count: number): Uint8Array;
  /** Removes and returns the first `count` bytes; they belong to the caller. */
  cut(count: number): Uint8Array;
};

export const byteQueue = (): ByteQueue => {
  let buffer = new Uint8Array(0);
  let length = 0;
  const grow = (bytes: number): void => {
    const larger = new Uint8Array(Math.max(bytes, FIRST_BYTES, 2 * buffer.length));
    larger.set(buffer.subarray(0, length));
    buffer = larger;
  };
  return {
    get length() {
      return length;
    },
    push(chunk) {
      if (length + chunk.length > buffer.length) grow(length + chunk.length);
      buffer.set(chunk, length);
      length += chunk.length;
    },
    head: (count) => buffer.subarray(0, Math.min(count, length)),
    cut(count) {
      const first = buffer.subarray(0, count);
      const rest = buffer.slice(count, length);
      buffer = rest;
      length = rest.length;
      return first;
    },
  };
};
