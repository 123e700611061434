/**
 * Two-colour edges: where the matte is unsure, an edge pixel is a mixture of the product's and the background's local
 * colour, and its
 * place between the two is its alpha. Trusted as far as the two colours differ, the mixture explains the pixel, and the
 * matte does not
 * say something else entirely.
 */
import { ColourProbe, type LocalColours, SUPPORT_MIN } from './local-colours.ts';
import { applyTable, clamp, type Gray, levelsTable, type Rgb } from './raster.ts';

/** The unsure pixels, 0.05..0.95. */
const UNSURE_LOW = 13;
const UNSURE_HIGH = 242;
/**
 * Colours closer than the first cannot be told apart from noise and shading; from the second on they can. sRGB units.
 */
const CONTRAST_NONE = 30;
const CONTRAST_FULL = 60;
/** Distance of a pixel from the line between the two colours at which trust falls to 1/e, sRGB units. */
const RESIDUAL_SCALE = 30;
/** Change of alpha at which trust falls to 1/e. */
const CHANGE_SCALE = 1;
/**
 * Less cover than this, 1/16, differs from white by a few levels at most: the encoder may lose it, and the product's
 * box with it.
 */
const FAINT = 16;
/** What the camera's blur leaves beyond these is neither haze nor a hole: 0.08 → 0, 0.92 → 1. */
const edgeLevels = levelsTable(20, 235).map((cover) => (cover < FAINT ? 0 : cover));

/** Refines `alpha` in place. */
export const refineEdges = (rgb: Rgb, alpha: Gray, colours: LocalColours): void => {
  const probe = new ColourProbe(colours);
  for (let y = 0, at = 0; y < alpha.height; y++) {
    for (let x = 0; x < alpha.width; x++, at++) {
      const before = alpha.data[at]!;
      if (before < UNSURE_LOW || before > UNSURE_HIGH) continue;
      probe.at(x, y);
      alpha.data[at] = Math.round(255 * mixed(rgb.data, at * 3, before / 255, probe));
    }
  }
  applyTable(alpha.data, edgeLevels);
};

/** Alpha of one pixel, 0..1. */
const mixed = (rgb: Uint8Array, at: number, alpha: number, { product, background }: ColourProbe): number => {
  if (product[3]! < SUPPORT_MIN || background[3]! < SUPPORT_MIN) return alpha;
  const dr = product[0]! - background[0]!;
  const dg = product[1]! - background[1]!;
  const db = product[2]! - background[2]!;
  const contrastSquared = dr * dr + dg * dg + db * db;
  const trustContrast = clamp((Math.sqrt(contrastSquared) - CONTRAST_NONE) / (CONTRAST_FULL - CONTRAST_NONE), 0, 1);
  if (trustContrast === 0) return alpha;
  const pr = rgb[at]! - background[0]!;
  const pg = rgb[at + 1]! - background[1]!;
  const pb = rgb[at + 2]! - background[2]!;
  const found = clamp((pr * dr + pg * dg + pb * db) / contrastSquared, 0, 1);
  const er = pr - found * dr;
  const eg = pg - found * dg;
  const eb = pb - found * db;
  const residualSquared = er * er + eg * eg + eb * eb;
  const change = (found - alpha) / CHANGE_SCALE;
  const trust = trustContrast * Math.exp(-residualSquared / (RESIDUAL_SCALE * RESIDUAL_SCALE) - change * change);
  return alpha + trust * (found - alpha);
};
