/** Composes photos of known content: sprites of products on rendered rooms, drawings over them, a lens and a file. */
import sharp from 'sharp';
import type { Box, Size } from '../../../shared/imaging/raster.ts';
import type { Random } from '../random.ts';
import { type Room, rooms } from '../scene-rooms.ts';

export type Picture = Size & { readonly data: Uint8Array };
export type Sprite = Size & { readonly rgba: Uint8Array };

const svgOf = ({ width, height }: Size, viewBox: string, body: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${viewBox}" preserveAspectRatio="none">${body}</svg>`,
  );

/** A product cut out tightly, turned by `degrees`, hue turned by `hue`, its longer side `sidePx` long. */
export const spriteOf = async (product: string, sidePx: number, degrees: number, hue: number): Promise<Sprite> => {
  const board = { width: 1400, height: 1400 };
  const body = `<g transform="rotate(${degrees} 600 450)">${product}</g>`;
  const drawn = await sharp(svgOf(board, '-100 -250 1400 1400', body))
    .ensureAlpha()
    .raw()
    .toBuffer();
  const box = alphaBox(drawn, board);
  const scale = sidePx / Math.max(box.width, box.height);
  const size = {
    width: Math.max(1, Math.round(box.width * scale)),
    height: Math.max(1, Math.round(box.height * scale)),
  };
  const rgba = await sharp(drawn, { raw: { ...board, channels: 4 } })
    .extract({ left: box.x, top: box.y, width: box.width, height: box.height })
    .modulate({ hue })
    .resize({ ...size, fit: 'fill' })
    .raw()
    .toBuffer();
  return { ...size, rgba };
};

const alphaBox = (rgba: Uint8Array, { width, height }: Size): Box => {
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (rgba[(y * width + x) * 4 + 3]! < 8) continue;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
};

/** Of a scene's room without the shadow that belongs to its product; `plain` colours have no texture. */
export const roomPicture = async (room: Room | `#${string}`, size: Size, random: Random): Promise<Picture> => {
  if (room.startsWith('#')) return drawn(size, '0 0 1 1', `<rect width="1" height="1" fill="${room}"/>`);
  const { svg, texture } = rooms[room as Room];
  const picture = await drawn(size, '0 0 1200 900', svg.replace(/<radialGradient.*$/s, ''));
  if (texture === 0) return picture;
  const small = { width: Math.ceil(size.width / 3), height: Math.ceil(size.height / 3) };
  const grain = Uint8Array.from({ length: small.width * small.height }, () => random.integer(0, 255));
  const grains = await sharp(grain, { raw: { ...small, channels: 1 } })
    .resize({ ...size, fit: 'fill' })
    .blur(1)
    .extractChannel(0)
    .raw()
    .toBuffer();
  for (let i = 0; i < picture.data.length; i++)
    picture.data[i] = clampByte(picture.data[i]! + ((grains[(i / 3) | 0]! - 128) / 128) * texture);
  return picture;
};

const drawn = async (size: Size, viewBox: string, body: string): Promise<Picture> => ({
  ...size,
  data: new Uint8Array(
    await sharp(svgOf(size, viewBox, body))
      .flatten({ background: '#ffffff' })
      .removeAlpha()
      .raw()
      .toBuffer(),
  ),
});

const clampByte = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));

/** In place; what lies outside the picture is cut off. */
export const place = (picture: Picture, sprite: Sprite, left: number, top: number): Box => {
  for (let y = Math.max(0, top); y < Math.min(picture.height, top + sprite.height); y++)
    for (let x = Math.max(0, left); x < Math.min(picture.width, left + sprite.width); x++) {
      const from = ((y - top) * sprite.width + (x - left)) * 4;
      const to = (y * picture.width + x) * 3;
      const a = sprite.rgba[from + 3]! / 255;
      for (let c = 0; c < 3; c++)
        picture.data[to + c] = Math.round(sprite.rgba[from + c]! * a + picture.data[to + c]! * (1 - a));
    }
  return { x: left, y: top, width: sprite.width, height: sprite.height };
};

/** In place: a contact shadow under a product's box. */
export const castShadow = (picture: Picture, box: Box, darkness: number): void => {
  const [cx, cy] = [box.x + box.width / 2, box.y + box.height * 0.985];
  const [rx, ry] = [box.width * 0.6, Math.max(4, box.height * 0.07)];
  for (let y = Math.max(0, Math.floor(cy - ry)); y < Math.min(picture.height, cy + ry); y++)
    for (let x = Math.max(0, Math.floor(cx - rx)); x < Math.min(picture.width, cx + rx); x++) {
      const far = Math.hypot((x - cx) / rx, (y - cy) / ry);
      if (far >= 1) continue;
      const at = (y * picture.width + x) * 3;
      for (let c = 0; c < 3; c++) picture.data[at + c] = Math.round(picture.data[at + c]! * (1 - darkness * (1 - far)));
    }
};

/** In place: a drawing in pixels over the picture. */
export const drawOver = async (picture: Picture, body: string): Promise<void> => {
  const { width, height } = picture;
  const rgba = await sharp(svgOf(picture, `0 0 ${width} ${height}`, body))
    .ensureAlpha()
    .raw()
    .toBuffer();
  place(picture, { width, height, rgba }, 0, 0);
};

/** In place: sensor noise of about 1 level. */
export const addNoise = ({ data }: Picture, random: Random): void => {
  for (let i = 0; i < data.length; i++) data[i] = clampByte(data[i]! + (random.next() + random.next() - 1) * 2.5);
};

export type FileOptions = { readonly blurPx?: number; readonly quality: number; readonly format?: 'jpeg' | 'png' };

export const fileOf = async (
  picture: Picture,
  { blurPx, quality, format = 'jpeg' }: FileOptions,
): Promise<Uint8Array> => {
  const { width, height } = picture;
  const image = sharp(picture.data, { raw: { width, height, channels: 3 } });
  const seen = blurPx ? image.blur(blurPx) : image;
  const chromaSubsampling = quality >= 90 ? '4:4:4' : '4:2:0';
  return new Uint8Array(await (format === 'png' ? seen.png() : seen.jpeg({ quality, chromaSubsampling })).toBuffer());
};
