/** The quality that a JPEG was written with, in libjpeg's scale, read off its quantisation table for luma. */
import { lumaSteps, zigzag } from './tables.ts';

const DQT = 0xdb;
const SOS = 0xda;

/** 1..100: the quality whose own table is nearest. Undefined where the bytes are no JPEG or hold no such table. */
export const jpegQuality = (bytes: Uint8Array): number | undefined => {
  const steps = lumaTable(bytes);
  if (!steps) return undefined;
  let best = 1;
  let least = Number.POSITIVE_INFINITY;
  for (let quality = 1; quality <= 100; quality++) {
    const known = lumaSteps(quality);
    let difference = 0;
    for (let i = 0; i < 64; i++) difference += Math.abs(known[i]! - steps[i]!);
    if (difference <= least) [best, least] = [quality, difference];
  }
  return best;
};

/** Table 0 in row order. Only 8-bit tables; a baseline file has no others. */
const lumaTable = (bytes: Uint8Array): Uint8Array | undefined => {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== SOS; ) {
    const end = at + 2 + ((bytes[at + 2]! << 8) | bytes[at + 3]!);
    if (bytes[at + 1] === DQT)
      for (let table = at + 4; table + 65 <= end; table += 65)
        if (bytes[table] === 0) {
          const steps = new Uint8Array(64);
          for (let i = 0; i < 64; i++) steps[zigzag[i]!] = bytes[table + 1 + i]!;
          return steps;
        }
    at = end;
  }
  return undefined;
};
