/** Stage 5: background, shadow, product, and the mark of a test key. */

import type { ResolvedOptions } from '../../options.ts';
import { type Cutout, filledCanvas, layOver, onTransparent, parseHex } from '../cutout.ts';
import { castShadow } from '../shadow.ts';
import { markAsTest } from '../watermark.ts';
import type { Composed } from './types.ts';

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
