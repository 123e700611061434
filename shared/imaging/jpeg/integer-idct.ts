/**
 * The inverse transform as the decoders of browsers and image libraries compute it: Loeffler, Ligtenberg & Moschytz
 * (1989) in integers of 13 fractional bits, two of which are kept between the passes. Its results differ from the exact
 * ones by up to a tenth of a level before rounding.
 */
const BITS = 13;
const KEPT = 2;
const fixed = (value: number): number => Math.round(value * (1 << BITS));
const F0298 = fixed(0.298631336),
  F0390 = fixed(0.390180644),
  F0541 = fixed(0.5411961),
  F0765 = fixed(0.765366865),
  F0899 = fixed(0.899976223),
  F1175 = fixed(1.175875602);
const F1501 = fixed(1.50132111),
  F1847 = fixed(1.847759065),
  F1961 = fixed(1.96157056),
  F2053 = fixed(2.053119869),
  F2562 = fixed(2.562915447),
  F3072 = fixed(3.072711026);

/** Eight values, `step` apart, in place; results lose `shift` bits, rounded. */
const line = (b: Int32Array, i: number, step: number, shift: number): void => {
  const at = (n: number): number => b[i + n * step]!;
  const half = 1 << (shift - 1);
  const rotated = (at(2) + at(6)) * F0541;
  const even2 = rotated - at(6) * F1847;
  const even3 = rotated + at(2) * F0765;
  const even0 = (at(0) + at(4)) << BITS;
  const even1 = (at(0) - at(4)) << BITS;
  const shared = (at(7) + at(3) + at(5) + at(1)) * F1175;
  const z1 = -(at(7) + at(1)) * F0899;
  const z2 = -(at(5) + at(3)) * F2562;
  const z3 = shared - (at(7) + at(3)) * F1961;
  const z4 = shared - (at(5) + at(1)) * F0390;
  const odd = [
    at(1) * F1501 + z1 + z4,
    at(3) * F3072 + z2 + z3,
    at(5) * F2053 + z2 + z4,
    at(7) * F0298 + z1 + z3,
  ] as const;
  const even = [even0 + even3, even1 + even2, even1 - even2, even0 - even3] as const;
  for (const n of [0, 1, 2, 3] as const) {
    b[i + n * step] = (even[n] + odd[n] + half) >> shift;
    b[i + (7 - n) * step] = (even[n] - odd[n] + half) >> shift;
  }
};

/** Dequantised coefficients (row order) → whole samples, in place. */
export const integerInverse = (block: Int32Array): void => {
  for (let x = 0; x < 8; x++) line(block, x, 8, BITS - KEPT);
  for (let y = 0; y < 64; y += 8) line(block, y, 1, BITS + KEPT + 3);
};
