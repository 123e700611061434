/** The 8 × 8 discrete cosine transform of ITU-T T.81, orthonormal (its A.3.3), on 64 floats in row order. */

const C1 = Math.cos(Math.PI / 16);
const C2 = Math.cos((2 * Math.PI) / 16);
const C3 = Math.cos((3 * Math.PI) / 16);
const C5 = Math.cos((5 * Math.PI) / 16);
const C6 = Math.cos((6 * Math.PI) / 16);
const C7 = Math.cos((7 * Math.PI) / 16);

/** Eight samples, `step` apart, even and odd part apart; half of the orthonormal scale is in the factor. */
const forwardLine = (b: Float64Array, i: number, s: number): void => {
  const i1 = i + s,
    i2 = i1 + s,
    i3 = i2 + s,
    i4 = i3 + s,
    i5 = i4 + s,
    i6 = i5 + s,
    i7 = i6 + s;
  const a0 = b[i]! + b[i7]!,
    d0 = b[i]! - b[i7]!;
  const a1 = b[i1]! + b[i6]!,
    d1 = b[i1]! - b[i6]!;
  const a2 = b[i2]! + b[i5]!,
    d2 = b[i2]! - b[i5]!;
  const a3 = b[i3]! + b[i4]!,
    d3 = b[i3]! - b[i4]!;
  const e0 = a0 + a3,
    e1 = a1 + a2,
    e2 = a0 - a3,
    e3 = a1 - a2;
  b[i] = (e0 + e1) * (0.5 * Math.SQRT1_2);
  b[i4] = (e0 - e1) * (0.5 * Math.SQRT1_2);
  b[i2] = 0.5 * (C2 * e2 + C6 * e3);
  b[i6] = 0.5 * (C6 * e2 - C2 * e3);
  b[i1] = 0.5 * (C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3);
  b[i3] = 0.5 * (C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3);
  b[i5] = 0.5 * (C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3);
  b[i7] = 0.5 * (C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3);
};

/** Samples → coefficients, in place. */
export const forward = (block: Float64Array): void => {
  for (let y = 0; y < 64; y += 8) forwardLine(block, y, 1);
  for (let x = 0; x < 8; x++) forwardLine(block, x, 8);
};

const inverseLine = (b: Float64Array, i: number, s: number): void => {
  const i1 = i + s,
    i2 = i1 + s,
    i3 = i2 + s,
    i4 = i3 + s,
    i5 = i4 + s,
    i6 = i5 + s,
    i7 = i6 + s;
  const e0 = (b[i]! + b[i4]!) * (0.5 * Math.SQRT1_2),
    e1 = (b[i]! - b[i4]!) * (0.5 * Math.SQRT1_2);
  const e2 = 0.5 * (C2 * b[i2]! + C6 * b[i6]!),
    e3 = 0.5 * (C6 * b[i2]! - C2 * b[i6]!);
  const a0 = e0 + e2,
    a3 = e0 - e2,
    a1 = e1 + e3,
    a2 = e1 - e3;
  const v1 = b[i1]!,
    v3 = b[i3]!,
    v5 = b[i5]!,
    v7 = b[i7]!;
  const d0 = 0.5 * (C1 * v1 + C3 * v3 + C5 * v5 + C7 * v7);
  const d1 = 0.5 * (C3 * v1 - C7 * v3 - C1 * v5 - C5 * v7);
  const d2 = 0.5 * (C5 * v1 - C1 * v3 + C7 * v5 + C3 * v7);
  const d3 = 0.5 * (C7 * v1 - C5 * v3 + C3 * v5 - C1 * v7);
  b[i] = a0 + d0;
  b[i7] = a0 - d0;
  b[i1] = a1 + d1;
  b[i6] = a1 - d1;
  b[i2] = a2 + d2;
  b[i5] = a2 - d2;
  b[i3] = a3 + d3;
  b[i4] = a3 - d3;
};

/** Coefficients → samples, in place. */
export const inverse = (block: Float64Array): void => {
  for (let x = 0; x < 8; x++) inverseLine(block, x, 8);
  for (let y = 0; y < 64; y += 8) inverseLine(block, y, 1);
};
