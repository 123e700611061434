/**
 * collage: several pictures in one file, side by side or one above the other, with or without gaps. The horizon of a
 * table is a straight line too, so a line without a gap counts only where the file is divided into equal parts.
 */
import type { Finding } from '../../findings.ts';
import type { Rgb } from '../raster.ts';
import type { Evidence } from './evidence.ts';
import { findingOf } from './finding.ts';
import { isLasting, isSeam, type Lines, linesOf, standsOut } from './seams.ts';

/** Share of the line at which the picture changes. docs/findings.md. */
const SEAM_SHARE_MIN = 0.9;
const GAP_SEAM_SHARE_MIN = 0.75;
const GAP_FLAT_SHARE_MIN = 0.98;
/** Thinnest gap, px of the picture: reducing a photo smears a horizon over two lines. */
const GAP_MIN = 3;
/** Widest gap, share of the side across it. */
const GAP_SHARE_MAX = 0.06;
/** Where files are divided, and how near to it the seam must be. */
const DIVISIONS = [1 / 2, 1 / 3, 2 / 3, 1 / 4, 3 / 4] as const;
const DIVISION_TOLERANCE = 0.006;
/** Nothing within this share of the side is looked at: that is a border's place. */
const MARGIN = 0.15;

const isDivision = (lines: Lines, line: number): boolean =>
  isSeam(lines, line, 0, lines.length, SEAM_SHARE_MIN) && standsOut(lines, line) && isLasting(lines, line);

/** The line of a seam between two pictures; undefined where there is none. */
const seamOf = (lines: Lines): number | undefined => {
  const from = Math.floor(lines.count * MARGIN);
  for (let line = from; line < lines.count - from; line++) {
    if (DIVISIONS.some((share) => Math.abs(line / lines.count - share) <= DIVISION_TOLERANCE))
      if (isDivision(lines, line)) return line;
    const after = gapEnd(lines, line);
    if (after !== undefined) return line;
  }
  return undefined;
};

/** A gap that begins at `line`: lines of one colour between two changes. Its end, or undefined. */
const gapEnd = (lines: Lines, line: number): number | undefined => {
  if (!isSeam(lines, line - 1, 0, lines.length, GAP_SEAM_SHARE_MIN)) return undefined;
  const first = lines.flat(line, 0, lines.length);
  if (first.share < GAP_FLAT_SHARE_MIN) return undefined;
  const last = Math.min(lines.count - 2, line + Math.ceil(lines.count * GAP_SHARE_MAX));
  for (let end = line + 1; end <= last; end++) {
    const next = lines.flat(end, 0, lines.length);
    const isGap =
      next.share >= GAP_FLAT_SHARE_MIN && next.colour.every((level, c) => Math.abs(level - first.colour[c]!) <= 8);
    if (isGap) continue;
    return end - line >= GAP_MIN && isSeam(lines, end, 0, lines.length, GAP_SEAM_SHARE_MIN) ? end : undefined;
  }
  return undefined;
};

type Seams = { readonly vertical: number | undefined; readonly horizontal: number | undefined };

/** The first seam across and the first down, px of the picture. */
const collageSeams = (picture: Rgb): Seams => ({
  vertical: seamOf(linesOf(picture, true)),
  horizontal: seamOf(linesOf(picture, false)),
});

export const collage = ({ picture, photo }: Evidence): Finding | undefined => {
  const { vertical, horizontal } = collageSeams(picture);
  if (vertical === undefined && horizontal === undefined) return undefined;
  const scale = photo.width / picture.width;
  const told = [
    ...(vertical === undefined ? [] : [`a vertical seam at ${Math.round(vertical * scale)} px`]),
    ...(horizontal === undefined ? [] : [`a horizontal seam at ${Math.round(horizontal * scale)} px`]),
  ].join(' and ');
  return findingOf(
    'collage',
    { detail: `Several pictures in one file: ${told}`, remedy: 'Send each picture as a file of its own.' },
    photo,
  );
};
