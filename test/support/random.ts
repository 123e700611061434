/** Seeded random numbers (mulberry32): the same seed makes the same choices in the same order. */
export type Random = { next(): number; integer(min: number, max: number): number; pick<T>(list: readonly T[]): T };

export const seeded = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return { next, integer, pick: (list) => list[integer(0, list.length - 1)] as (typeof list)[number] };
};
