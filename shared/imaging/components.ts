/** Connected components of a matte: what stands apart from the product and is too small to be a piece of it goes. */
import type { Gray } from './raster.ts';

/** Samples below this do not connect: 1/10, the haze that levels remove anyway. */
const CONNECTS = 26;
/** A piece lighter than this share of the heaviest one is a stray island, not a part of the product. */
const PIECE_SHARE_MIN = 0.02;
/** A piece that nowhere is more product than background is haze. */
const PEAK_MIN = 128;

export type Piece = { readonly mass: number; readonly peak: number };
type Labels = { readonly of: Int32Array; readonly pieces: readonly Piece[] };

/** Labels the 8-connected pieces of samples ≥ CONNECTS: 0 = none, n = pieces[n − 1]. Flood fill with an explicit stack. */
export const labelPieces = ({ data, width, height }: Gray): Labels => {
  const of = new Int32Array(data.length);
  const pieces: Piece[] = [];
  const stack = new Int32Array(data.length);
  for (let seed = 0; seed < data.length; seed++) {
    if (data[seed]! < CONNECTS || of[seed] !== 0) continue;
    const label = pieces.length + 1;
    let mass = 0;
    let peak = 0;
    let depth = 0;
    stack[depth++] = seed;
    of[seed] = label;
    while (depth > 0) {
      const at = stack[--depth]!;
      const value = data[at]!;
      mass += value;
      if (value > peak) peak = value;
      const x = at % width;
      const y = (at - x) / width;
      for (let ny = y > 0 ? y - 1 : 0; ny <= y + 1 && ny < height; ny++) {
        for (let nx = x > 0 ? x - 1 : 0; nx <= x + 1 && nx < width; nx++) {
          const next = ny * width + nx;
          if (of[next] === 0 && data[next]! >= CONNECTS) {
            of[next] = label;
            stack[depth++] = next;
          }
        }
      }
    }
    pieces.push({ mass, peak });
  }
  return { of, pieces };
};

/** Clears stray islands and haze that stands alone, in place. Mass of the pieces that stay, in fully opaque samples. */
export const dropIslands = (matte: Gray): number => {
  const { of, pieces } = labelPieces(matte);
  const heaviest = pieces.reduce((most, piece) => Math.max(most, piece.peak >= PEAK_MIN ? piece.mass : 0), 0);
  const stays = pieces.map((piece) => piece.peak >= PEAK_MIN && piece.mass >= PIECE_SHARE_MIN * heaviest);
  for (let i = 0; i < of.length; i++) {
    const label = of[i]!;
    if (label !== 0 && !stays[label - 1]) matte.data[i] = 0;
  }
  return pieces.reduce((sum, piece, i) => (stays[i] ? sum + piece.mass / 255 : sum), 0);
};
