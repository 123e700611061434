/** Stage 5: background, shadow, product. */
import type { ResolvedOutput } from '../../options.ts';
import { type Cutout, compositeOnTransparent, compositeOver, parseHex, solidCanvas } from '../cutout.ts';
import { castShadow } from '../shadow.ts';
import type { Composed } from './types.ts';

export const compose = (cutout: Cutout, options: ResolvedOutput): Composed =>
  options.background === 'transparent' ? transparent(cutout) : opaque(cutout, options);

const transparent = (cutout: Cutout): Composed => ({
  data: compositeOnTransparent(cutout),
  ...cutout.canvas,
  channels: 4,
});

const opaque = (cutout: Cutout, { background, shadow }: ResolvedOutput): Composed => {
  const canvas = solidCanvas(cutout.canvas, parseHex(background));
  if (shadow === 'soft') castShadow(canvas, cutout);
  compositeOver(canvas, cutout);
  return { ...canvas, channels: 3 };
};
