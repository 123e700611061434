/**
 * Foreground colour estimation: the product's own colour in pixels that mix it with the background, so that nothing of
 * the old background shows on the new one. Forte & Pitié, "Approximate fast foreground colour estimation", ICIP 2021,
 * eq. 4, with local means of certain pixels in place of blurred estimates.
 */
import { ColourSampler, type LocalColours } from './local-colours.ts';
import type { Gray, Rgb } from './raster.ts';

/** Replaces the colours of all pixels with 0 < alpha < 1, in place: F = F̂ + α(I − αF̂ − (1 − α)B̂). */
export const estimateForeground = (rgb: Rgb, alpha: Gray, colours: LocalColours): void => {
  const sampler = new ColourSampler(colours);
  const { product, background } = sampler;
  for (let y = 0, at = 0; y < alpha.height; y++) {
    for (let x = 0; x < alpha.width; x++, at++) {
      const value = alpha.data[at]!;
      if (value === 0 || value === 255) continue;
      sampler.at(x, y);
      const a = value / 255;
      for (let c = 0; c < 3; c++) {
        const mean = product[c]!;
        rgb.data[at * 3 + c] = byte(mean + a * (rgb.data[at * 3 + c]! - a * mean - (1 - a) * background[c]!));
      }
    }
  }
};

const byte = (value: number): number => (value <= 0 ? 0 : value >= 255 ? 255 : (value + 0.5) | 0);
