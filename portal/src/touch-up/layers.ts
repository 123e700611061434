/** The photo and its matte, drawn on the page. */
import type { Box, Gray } from '../../../shared/imaging/raster.ts';
import type { Point } from './plane.ts';
import type { View } from './view.ts';

/** `marked`: what goes is striped. `white`: as the file will look. `photo`: before anything. */
export type Shown = 'marked' | 'white' | 'photo';
export type Layers = {
  readonly photo: ImageBitmap;
  /** Black, its alpha is the matte. */
  readonly mask: HTMLCanvasElement;
  /** What is drawn of both; of which kind, and undefined once the matte has changed. */
  readonly mixed: HTMLCanvasElement;
  mixedAs: Shown | undefined;
};

/** What goes is dark and striped: without a hue, so that it is told from products of any colour, and seen on any photo. */
const VEIL = 'rgb(18 20 28 / 66%)';
const STRIPE = 'rgb(255 255 255 / 13%)';
/** px of the plane. */
const STRIPE_PERIOD = 28;

const canvasOf = ({ width, height }: { width: number; height: number }): HTMLCanvasElement =>
  Object.assign(document.createElement('canvas'), { width, height });
const context = (canvas: HTMLCanvasElement): CanvasRenderingContext2D => {
  const drawing = canvas.getContext('2d');
  if (!drawing) throw new Error('no 2d canvas');
  return drawing;
};

/** Throws where the browser cannot show the file. */
export const createLayers = async (file: Blob, plane: Gray): Promise<Layers> => {
  const { width, height } = plane;
  const how = {
    imageOrientation: 'from-image',
    resizeWidth: width,
    resizeHeight: height,
    resizeQuality: 'high',
  } as const;
  const photo = await createImageBitmap(file, how);
  const layers: Layers = { photo, mask: canvasOf(plane), mixed: canvasOf(plane), mixedAs: undefined };
  updateMask(layers, plane, { x: 0, y: 0, width, height });
  return layers;
};

/** After the plane has changed in `box`. */
export const updateMask = (layers: Layers, { data, width }: Gray, box: Box): void => {
  if (box.width * box.height === 0) return;
  const part = new ImageData(box.width, box.height);
  for (let y = 0, to = 3; y < box.height; y++)
    for (let x = 0, from = (y + box.y) * width + box.x; x < box.width; x++, from++, to += 4)
      part.data[to] = data[from]!;
  context(layers.mask).putImageData(part, box.x, box.y);
  layers.mixedAs = undefined;
};

/** A tile of diagonal stripes. */
const stripes = (): HTMLCanvasElement => {
  const side = STRIPE_PERIOD;
  const tile = canvasOf({ width: side, height: side });
  const drawing = context(tile);
  drawing.strokeStyle = STRIPE;
  drawing.lineWidth = side / 4;
  for (const shift of [-side, 0, side]) {
    drawing.moveTo(shift - side, 2 * side);
    drawing.lineTo(shift + 2 * side, -side);
  }
  drawing.stroke();
  return tile;
};

const mix = (layers: Layers, shown: 'marked' | 'white'): void => {
  if (layers.mixedAs === shown) return;
  const { mixed, mask, photo } = layers;
  const drawing = context(mixed);
  drawing.globalCompositeOperation = 'source-over';
  drawing.clearRect(0, 0, mixed.width, mixed.height);
  if (shown === 'marked') {
    drawing.fillStyle = VEIL;
    drawing.fillRect(0, 0, mixed.width, mixed.height);
    drawing.fillStyle = drawing.createPattern(stripes(), 'repeat') ?? VEIL;
    drawing.fillRect(0, 0, mixed.width, mixed.height);
    drawing.globalCompositeOperation = 'destination-out';
  } else {
    drawing.drawImage(photo, 0, 0);
    drawing.globalCompositeOperation = 'destination-in';
  }
  drawing.drawImage(mask, 0, 0);
  layers.mixedAs = shown;
};

/** `cursor`: the brush, px of the stage. `frame`: a box being drawn, samples of the plane. */
type Over = {
  readonly cursor: (Point & { readonly radius: number }) | undefined;
  readonly frame: Box | undefined;
};

/** `ratio`: device pixels for one of the page's. */
export const paint = (
  stage: HTMLCanvasElement,
  layers: Layers,
  view: View,
  shown: Shown,
  ratio: number,
  over: Over,
): void => {
  const drawing = context(stage);
  drawing.setTransform(1, 0, 0, 1, 0, 0);
  drawing.clearRect(0, 0, stage.width, stage.height);
  drawing.setTransform(ratio, 0, 0, ratio, 0, 0);
  const { scale, x, y } = view;
  const at = [x, y, layers.photo.width * scale, layers.photo.height * scale] as const;
  drawing.imageSmoothingQuality = 'high';
  if (shown === 'white') {
    drawing.fillStyle = '#fff';
    drawing.fillRect(...at);
  } else drawing.drawImage(layers.photo, ...at);
  if (shown !== 'photo') {
    mix(layers, shown);
    drawing.drawImage(layers.mixed, ...at);
  }
  if (over.frame) outline(drawing, view, over.frame);
  if (over.cursor) ring(drawing, over.cursor);
};

/** Two lines, a light one in a dark one: seen on any photo. */
const stroked = (drawing: CanvasRenderingContext2D): void => {
  for (const [width, colour] of [
    [3, 'rgb(0 0 0 / 65%)'],
    [1.25, '#fff'],
  ] as const) {
    drawing.lineWidth = width;
    drawing.strokeStyle = colour;
    drawing.stroke();
  }
};
const ring = (drawing: CanvasRenderingContext2D, { x, y, radius }: Point & { radius: number }): void => {
  drawing.beginPath();
  drawing.arc(x, y, radius, 0, 2 * Math.PI);
  stroked(drawing);
};
const outline = (drawing: CanvasRenderingContext2D, { scale, x, y }: View, frame: Box): void => {
  drawing.beginPath();
  drawing.rect(x + frame.x * scale, y + frame.y * scale, frame.width * scale, frame.height * scale);
  stroked(drawing);
};
