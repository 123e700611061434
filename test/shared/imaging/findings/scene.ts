/** Evidence about composed photos, with the product's exact matte in place of the model's. */
import sharp from 'sharp';
import { boundingBox, expandBox, longerSide, snapOutward } from '../../../../shared/imaging/box.ts';
import { DETAIL_MARGIN, type Evidence } from '../../../../shared/imaging/findings/evidence.ts';
import type { Gray, Rgb, Size } from '../../../../shared/imaging/raster.ts';

const rendered = async (size: Size, body: string): Promise<Buffer> => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">${body}</svg>`;
  return sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer();
};

export type Drawing = {
  /** SVG in px: what is behind the product, the product, and what lies over both. */
  readonly background?: string;
  readonly product: string;
  readonly over?: string;
  readonly size?: Size;
  readonly blurPx?: number;
};

/** Evidence of a photo as large as its picture; Amazon's canvas of 2,000 px. */
export const evidenceOf = async (
  { background = '', product, over = '', size = { width: 600, height: 450 }, blurPx }: Drawing,
  more: Partial<Evidence> = {},
): Promise<Evidence> => {
  const ground = '<rect width="100%" height="100%" fill="#b8b4ad"/>';
  const drawn = await rendered(size, ground + background + product + over);
  const flat = sharp(drawn, { raw: { ...size, channels: 4 } }).removeAlpha();
  const picture: Rgb = { ...size, data: await (blurPx ? flat.blur(blurPx) : flat).raw().toBuffer() };
  const layer = await rendered(size, product);
  const alpha: Gray = {
    ...size,
    data: Uint8Array.from({ length: size.width * size.height }, (_, i) => layer[i * 4 + 3]!),
  };
  const box = boundingBox(alpha, 26);
  const around = box && snapOutward(expandBox(box, DETAIL_MARGIN * longerSide(box)), size);
  const detail = around && {
    width: around.width,
    height: around.height,
    data: await sharp(picture.data, { raw: { ...size, channels: 3 } })
      .extract({ left: around.x, top: around.y, width: around.width, height: around.height })
      .raw()
      .toBuffer(),
  };
  return {
    photo: size,
    picture,
    alpha,
    product: box,
    detail,
    cutBy: undefined,
    lines: [],
    faces: [],
    confidence: 0.95,
    asMainImage: undefined,
    options: { marketplace: 'amazon', layout: 'hero', canvas: 2000, fill: 0.85 },
    ...more,
  };
};
