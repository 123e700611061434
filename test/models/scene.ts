/** A product photo the tests draw themselves: a mug with a handle on a table, and the matte it should get. */
import sharp from 'sharp';
import type { ModelInput } from '../../models/catalogue.ts';
import { normalise } from '../../models/tools/photo.ts';
import type { Planes } from './run-model.ts';

const BODY = '<path d="M300 300 h320 v330 a60 60 0 0 1 -60 60 h-200 a60 60 0 0 1 -60 -60 z"/>';
const HANDLE = '<path d="M620 370 h60 a90 90 0 0 1 0 220 h-60" fill="none" stroke-width="44"/>';

const PHOTO = `
  <defs>
    <linearGradient id="wall" x2="0" y2="1"><stop stop-color="#b9c4cc"/><stop offset="1" stop-color="#8d99a3"/></linearGradient>
    <linearGradient id="glaze"><stop stop-color="#7a1f1a"/><stop offset=".35" stop-color="#d8574a"/><stop offset="1" stop-color="#6b1813"/></linearGradient>
    <radialGradient id="shade"><stop stop-color="#000" stop-opacity=".45"/><stop offset="1" stop-color="#000" stop-opacity="0"/></radialGradient>
  </defs>
  <rect width="1000" height="1000" fill="url(#wall)"/><rect y="600" width="1000" height="400" fill="#c8a983"/>
  <ellipse cx="480" cy="690" rx="270" ry="40" fill="url(#shade)"/>
  <g fill="url(#glaze)" stroke="url(#glaze)">${HANDLE}${BODY.replace('/>', ' stroke="none"/>')}</g>
  <ellipse cx="460" cy="300" rx="160" ry="26" fill="#4a100c"/>`;
const MATTE = `<rect width="1000" height="1000"/><g fill="#fff" stroke="#fff">${HANDLE}${BODY.replace('/>', ' stroke="none"/>')}
  <ellipse cx="460" cy="300" rx="160" ry="26" stroke="none"/></g>`;

const draw = async (svg: string, width: number, height: number): Promise<Buffer> =>
  sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000">${svg}</svg>`))
    .removeAlpha()
    .toColourspace('srgb')
    .resize(width, height, { fit: 'fill' })
    .raw()
    .toBuffer();

export const photo = async (input: ModelInput, width: number, height: number): Promise<Planes> => {
  return { planes: normalise(await draw(PHOTO, width, height), input), width, height };
};

/** The true matte in 0..1. */
export const truth = async (width: number, height: number): Promise<Float32Array> => {
  const pixels = await draw(MATTE, width, height);
  return Float32Array.from({ length: width * height }, (_, i) => pixels[i * 3]! / 255);
};
