/** Lines of text in a picture, by the detector's map and by the strokes of their letters. */
import { expandBox, scaleBox } from '../box.ts';
import type { Box, Gray, Rgb } from '../raster.ts';
import { type Piece, piecesOf } from './pieces.ts';
import { alternations } from './strokes.ts';

/** Probability of text, 0..255, from which a sample belongs to a line; the detector's own threshold. */
const TEXT_MIN = 77;
/** Mean probability of a line. docs/findings.md. */
const LINE_MEAN_MIN = 166;
/** A line's shorter and longer side, as shares of the photo's longer side. */
const LINE_HEIGHT_MIN = 0.008;
const LINE_LENGTH_MIN = 0.03;
/** The detector marks the core of a line; its area over its outline, times this, brings back the rest. */
const UNSHRINK = 1.6;

/** Three letters alternate at least so often between ink and ground. docs/findings.md. */
const ALTERNATIONS_MIN = 6;

const wholeLine = (core: Box): Box =>
  expandBox(core, (UNSHRINK * core.width * core.height) / (2 * (core.width + core.height)));

/** Thickness of a line's core over the picture's longer side, and its length over its thickness. */
const THICKNESS_MAX = 0.08;
const ELONGATION_MIN = 2;

/** Right for slanted lines too, whose boxes are not thin. `side`: of the map. */
const isThin = ({ box, area }: Piece, side: number): boolean => {
  const length = Math.hypot(box.width, box.height);
  return area / length <= THICKNESS_MAX * side && length >= (ELONGATION_MIN * area) / length;
};

/** Boxes in the picture's pixels; they may be fractional and may leave it. `map`: of all of the picture, any size. */
export const textLines = (map: Gray, picture: Rgb): Box[] => {
  const side = Math.max(picture.width, picture.height);
  return piecesOf(map, TEXT_MIN)
    .filter((piece) => piece.mean >= LINE_MEAN_MIN && isThin(piece, Math.max(map.width, map.height)))
    .map(({ box }) => wholeLine(scaleBox(box, picture.width / map.width, picture.height / map.height)))
    .filter(
      (box) =>
        Math.min(box.width, box.height) >= LINE_HEIGHT_MIN * side &&
        Math.max(box.width, box.height) >= LINE_LENGTH_MIN * side &&
        alternations(picture, box) >= ALTERNATIONS_MIN,
    );
};
