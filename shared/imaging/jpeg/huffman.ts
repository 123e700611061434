/** Optimal Huffman tables, ITU-T T.81 annex K.2. */

export type HuffmanTable = {
  /** counts[n − 1] codes are n bits long. */
  readonly counts: Uint8Array;
  /** Symbols in order of their codes. */
  readonly symbols: Uint8Array;
  /** By symbol. */
  readonly code: Uint16Array;
  readonly length: Uint8Array;
};

const BITS_MAX = 16;

/** From how often each of 256 symbols occurs. No code is all ones, none longer than 16 bits. */
export const huffmanTable = (frequencies: Uint32Array): HuffmanTable => {
  const counts = codeLengthCounts(codeLengths(frequencies));
  const symbols = symbolsByLength(frequencies);
  const code = new Uint16Array(256);
  const length = new Uint8Array(256);
  let next = 0;
  let at = 0;
  for (let bits = 1; bits <= BITS_MAX; bits++) {
    for (let i = 0; i < counts[bits - 1]!; i++) {
      const symbol = symbols[at++]!;
      code[symbol] = next++;
      length[symbol] = bits;
    }
    next <<= 1;
  }
  return { counts, symbols, code, length };
};

/** Code length by symbol; index 256 is a reserved symbol of frequency 1, which later gives up the code of all ones. */
const codeLengths = (frequencies: Uint32Array): Uint8Array => {
  const weight = new Float64Array(257);
  weight.set(frequencies);
  weight[256] = 1;
  const lengths = new Uint8Array(257);
  const other = new Int16Array(257).fill(-1);
  for (;;) {
    const [rarest, second] = twoRarest(weight);
    if (second < 0) return lengths;
    weight[rarest]! += weight[second]!;
    weight[second] = 0;
    let at = rarest;
    for (lengths[at]!++; other[at]! >= 0; lengths[at]!++) at = other[at]!;
    other[at] = second;
    for (at = second, lengths[at]!++; other[at]! >= 0; lengths[at]!++) at = other[at]!;
  }
};

/** Of equals the later one is taken first, so that the reserved symbol gets the longest code. */
const twoRarest = (weight: Float64Array): [number, number] => {
  let first = -1;
  let second = -1;
  for (let i = 0; i < weight.length; i++) {
    const value = weight[i]!;
    if (value === 0) continue;
    if (first < 0 || value <= weight[first]!) {
      second = first;
      first = i;
    } else if (second < 0 || value <= weight[second]!) second = i;
  }
  return [first, second];
};

/** Codes over 16 bits are shortened in pairs (figure K.3); then the reserved code goes. */
const codeLengthCounts = (lengths: Uint8Array): Uint8Array => {
  const counts = new Int32Array(258);
  for (const length of lengths) if (length > 0) counts[length]!++;
  for (let bits = 257; bits > BITS_MAX; bits--) {
    while (counts[bits]! > 0) {
      let shorter = bits - 2;
      while (counts[shorter] === 0) shorter--;
      counts[bits]! -= 2;
      counts[bits - 1]!++;
      counts[shorter + 1]! += 2;
      counts[shorter]!--;
    }
  }
  let longest = BITS_MAX;
  while (counts[longest] === 0) longest--;
  counts[longest]!--;
  return Uint8Array.from(counts.subarray(1, BITS_MAX + 1));
};

const symbolsByLength = (frequencies: Uint32Array): Uint8Array => {
  const lengths = codeLengths(frequencies);
  const used = [...frequencies.keys()].filter((symbol) => frequencies[symbol]! > 0);
  return Uint8Array.from(used.sort((a, b) => lengths[a]! - lengths[b]! || a - b));
};
