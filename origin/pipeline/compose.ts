/** Stage 5: background, shadow, product, and the mark of a test key. */
import { type Cutout, filledCanvas, layOver, onTransparent, parseHex } from '../../shared/imaging/cutout.ts';
import { castShadow } from '../../shared/imaging/shadow.ts';
import { markAsTest } from '../../shared/imaging/watermark.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import type { Composed } from './hero.ts';

export const compose = (cutout: Cutout, options: ResolvedOptions, watermark: boolean): Composed => {
  const picture = options.background === 'transparent' ? transparent(cutout) : opaque(cutout, options);
  if (watermark) markAsTest(picture, picture.channels);
  return picture;
};

const transparent = (cutout: Cutout): Composed => ({ data: onTransparent(cutout), ...cutout.canvas, channels: 4 });

const opaque = (cutout: Cutout, { background, shadow }: ResolvedOptions): Composed => {
  const canvas = filledCanvas(cutout.canvas, parseHex(background));
  if (shadow === 'soft') castShadow(canvas, cutout);
  layOver(canvas, cutout);
  return { ...canvas, channels: 3 };
};
