/**
 * The one source of chance in a run: the same seed gives the same numbers on every machine. sfc32 (Doty-Humphrey,
 * PractRand), 32-bit integer arithmetic only.
 */
export type Random = {
  /** 0 ≤ x < 1 */
  unit(): number;
  chance(probability: number): boolean;
  /** Whole number, both ends included. */
  between(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  bytes(n: number): Uint8Array;
};

export const seededRandom = (seed: number): Random => {
  let a = 0x9e3779b9 ^ seed;
  let b = 0x243f6a88;
  let c = 0xb7e15162 ^ Math.floor(seed / 2 ** 32);
  let counter = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return (t >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 15; i++) next();
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    unit: next,
    chance: (probability) => next() < probability,
    between,
    pick: (from) => from[between(0, from.length - 1)]!,
    bytes: (n) => Uint8Array.from({ length: n }, () => between(0, 255)),
  };
};
