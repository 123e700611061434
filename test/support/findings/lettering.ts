/** Texts drawn as strokes, so that a rendered photo needs no font and is the same everywhere. */

/** Letters on a grid of 4 × 6 units: polylines of points, x then y, separated by spaces. */
const letters: Record<string, readonly string[]> = {
  A: ['06 20 46', '0.7,4 3.3,4'],
  B: ['06 00 30 41 42 33 03', '33 44 45 36 06'],
  C: ['41 30 10 01 05 16 36 45'],
  D: ['00 20 42 44 26 06 00'],
  E: ['40 00 06 46', '03 33'],
  F: ['40 00 06', '03 33'],
  G: ['41 30 10 01 05 16 36 45 43 23'],
  H: ['00 06', '40 46', '03 43'],
  I: ['20 26'],
  K: ['00 06', '40 03 46'],
  L: ['00 06 46'],
  M: ['06 00 23 40 46'],
  N: ['06 00 46 40'],
  O: ['10 30 41 45 36 16 05 01 10'],
  P: ['06 00 30 41 42 33 03'],
  R: ['06 00 30 41 42 33 03', '23 46'],
  S: ['41 30 10 01 02 13 33 44 45 36 16 05'],
  T: ['00 40', '20 26'],
  U: ['00 05 16 36 45 40'],
  W: ['00 16 22 36 40'],
  Y: ['00 23 40', '23 26'],
  0: ['10 30 41 45 36 16 05 01 10', '1,5 3,1'],
  1: ['02 20 26'],
  2: ['01 10 30 41 42 06 46'],
  3: ['00 40 23 33 44 45 36 16 05'],
  4: ['36 30 04 44'],
  5: ['40 00 03 33 44 45 36 06'],
  6: ['40 20 02 05 16 36 45 44 33 03'],
  7: ['00 40 16'],
  8: ['13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33'],
  9: ['43 13 02 01 10 30 41 44 26'],
  '%': ['40 06', '00 10 11 01 00', '35 45 46 36 35'],
  $: ['41 30 10 01 02 13 33 44 45 36 16 05', '2,-0.8 2,6.8'],
  '.': ['1.8,5.8 2.2,6.2'],
  '-': ['03 43'],
  ':': ['2,2 2,2.4', '2,4.6 2,5'],
  '/': ['06 40'],
};
const ADVANCE = 5.6;

const points = (polyline: string): string =>
  polyline
    .split(' ')
    .map((point) => (point.includes(',') ? point : `${point[0]},${point[1]}`))
    .join(' ');

export type Lettering = {
  /** Upper left corner and height of the capitals, in the drawing's units. */
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly colour: string;
  /** Width of a stroke over the height. */
  readonly weight?: number;
  readonly opacity?: number;
};

export const letteringWidth = (text: string, height: number): number => (text.length * ADVANCE * height) / 6;

/** SVG of a line of text; capitals, digits and a few signs. */
export const lettering = (text: string, { x, y, height, colour, weight = 0.16, opacity = 1 }: Lettering): string => {
  const unit = height / 6;
  const strokes = Array.from(text).flatMap((letter, i) =>
    (letters[letter] ?? []).map(
      (line) => `<polyline transform="translate(${i * ADVANCE} 0)" points="${points(line)}"/>`,
    ),
  );
  return `<g transform="translate(${x} ${y}) scale(${unit})" fill="none" stroke="${colour}" stroke-opacity="${opacity}" stroke-width="${6 * weight}" stroke-linecap="round" stroke-linejoin="round">${strokes.join('')}</g>`;
};
