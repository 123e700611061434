/**
 * Bytes in the order of their arrival, up to one block. They are copied into one buffer of its own, which serves block
 * after block: a chunk of one byte is then one byte of memory, whatever the runtime keeps for each chunk.
 */
const FIRST_BYTES = 64 * 1024;
const GROWTH = 16;

export type BlockBuffer = {
  readonly length: number;
  /** Takes as many as there is room for, and says how many that are. */
  push(chunk: Uint8Array): number;
  /** All of them; valid until the next `push`. */
  bytes(): Uint8Array;
  clear(): void;
};

export const blockBuffer = (bytesMax: number): BlockBuffer => {
  let buffer = new Uint8Array(0);
  let length = 0;
  /** While it copies, it holds a sixteenth more. */
  const grow = (bytes: number): void => {
    const larger = new Uint8Array(Math.min(bytesMax, Math.max(bytes, FIRST_BYTES, GROWTH * buffer.length)));
    larger.set(buffer.subarray(0, length));
    buffer = larger;
  };
  return {
    get length() {
      return length;
    },
    push(chunk) {
      const taken = Math.min(chunk.length, bytesMax - length);
      if (length + taken > buffer.length) grow(length + taken);
      buffer.set(chunk.subarray(0, taken), length);
      length += taken;
      return taken;
    },
    bytes: () => buffer.subarray(0, length),
    clear: () => {
      length = 0;
    },
  };
};
