/**
 * Colour-based refinement of a matte's edges: an uncertain pixel is taken as a mixture of the local product and
 * background colours, and its position on the line between the two is its alpha. The result counts as far as the two
 * colours differ, the mixture explains the pixel, and the matte does not say something else entirely.
 */
import { ColourSampler, type LocalColours, SUPPORT_MIN } from './local-colours.ts';
import { applyTable, clamp, type Gray, levelsTable, type Rgb } from './raster.ts';

/** The uncertain pixels, 0.05..0.95. */
const UNCERTAIN_MIN = 13;
const UNCERTAIN_MAX = 242;
/** Up to the first colour distance, noise and shading hide the mixture; from the second on it is clear. sRGB units. */
const CONTRAST_NONE = 30;
const CONTRAST_FULL = 60;
/** Distance of a pixel from the line between the two colours at which the weight falls to 1/e, sRGB units. */
const RESIDUAL_SCALE = 30;
/** Change of alpha at which the weight falls to 1/e. */
const CHANGE_SCALE = 1;
/** Less alpha than this, 1/16, differs from white by a few levels at most: the encoder may lose it, and the box with it. */
const FAINT = 16;
/** Alpha beyond these is the camera's blur, neither a soft region nor a hole: 0.08 → 0, 0.92 → 1. */
const edgeLevels = levelsTable(20, 235).map((alpha) => (alpha < FAINT ? 0 : alpha));

/** Refines `alpha` in place. */
export const refineEdges = (rgb: Rgb, alpha: Gray, colours: LocalColours): void => {
  const sampler = new ColourSampler(colours);
  for (let y = 0, at = 0; y < alpha.height; y++) {
    for (let x = 0; x < alpha.width; x++, at++) {
      const before = alpha.data[at]!;
      if (before < UNCERTAIN_MIN || before > UNCERTAIN_MAX) continue;
      sampler.at(x, y);
      alpha.data[at] = Math.round(255 * projectedAlpha(rgb.data, at * 3, before / 255, sampler));
    }
  }
  applyTable(alpha.data, edgeLevels);
};

/** Alpha of one pixel, 0..1: its projection on the line between the two colours, blended in by how reliable that is. */
const projectedAlpha = (rgb: Uint8Array, at: number, alpha: number, { product, background }: ColourSampler): number => {
  if (product[3]! < SUPPORT_MIN || background[3]! < SUPPORT_MIN) return alpha;
  const dr = product[0]! - background[0]!;
  const dg = product[1]! - background[1]!;
  const db = product[2]! - background[2]!;
  const contrastSquared = dr * dr + dg * dg + db * db;
  const contrastWeight = clamp((Math.sqrt(contrastSquared) - CONTRAST_NONE) / (CONTRAST_FULL - CONTRAST_NONE), 0, 1);
  if (contrastWeight === 0) return alpha;
  const pr = rgb[at]! - background[0]!;
  const pg = rgb[at + 1]! - background[1]!;
  const pb = rgb[at + 2]! - background[2]!;
  const found = clamp((pr * dr + pg * dg + pb * db) / contrastSquared, 0, 1);
  const er = pr - found * dr;
  const eg = pg - found * dg;
  const eb = pb - found * db;
  const residualSquared = er * er + eg * eg + eb * eb;
  const change = (found - alpha) / CHANGE_SCALE;
  const weight = contrastWeight * Math.exp(-residualSquared / (RESIDUAL_SCALE * RESIDUAL_SCALE) - change * change);
  return alpha + weight * (found - alpha);
};
