/** Stage 6 for a result in the photo's own frame: one file, or colours and matte in an archive. */
import { zipSync } from 'fflate';
import sharp from 'sharp';
import type { CutoutOptions } from '../../../shared/cutout-options.ts';
import type { Failure } from '../../../shared/errors.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import { ok, type Result } from '../../../shared/result.ts';
import { encode } from '../encode.ts';
import type { Composed, Encoded } from '../main-image.ts';

/** Quality of the colours in an archive; their edge is cut by the matte, so blocks must not show in it. */
const ZIP_COLOUR_QUALITY = 95;

export const encodeCutout = async (
  picture: Composed,
  options: ResolvedOptions,
  { container, channels }: CutoutOptions,
): Promise<Result<Encoded, Failure>> => {
  if (container === 'zip') return ok({ bytes: await archiveOf(picture), type: 'application/zip' });
  return channels === 'alpha' && options.format === 'png'
    ? ok({ bytes: await grey(picture, 0), type: 'image/png' })
    : encode(picture, options);
};

/** color.jpg and alpha.png, the names that readers of such archives look for; both are compressed already. */
const archiveOf = async (picture: Composed): Promise<Uint8Array> => {
  const { data, width, height, channels } = picture;
  const color = await sharp(data, { raw: { width, height, channels } })
    .removeAlpha()
    .jpeg({ quality: ZIP_COLOUR_QUALITY, chromaSubsampling: '4:4:4' })
    .toBuffer();
  const alpha = await (channels === 4
    ? grey(picture, 3)
    : sharp({ create: { width, height, channels: 3, background: '#fff' } })
        .toColourspace('b-w')
        .png()
        .toBuffer());
  return zipSync({ 'color.jpg': color, 'alpha.png': alpha }, { level: 0, mtime: EPOCH });
};
/** The earliest time that the format knows: the same picture gives the same bytes. */
const EPOCH = new Date(1980, 0, 1);

/** One channel as a grey PNG of one channel. */
const grey = ({ data, width, height, channels }: Composed, channel: 0 | 3): Promise<Uint8Array> => {
  const plane = new Uint8Array(width * height);
  for (let i = 0; i < plane.length; i++) plane[i] = data[i * channels + channel]!;
  return sharp(plane, { raw: { width, height, channels: 1 } })
    .toColourspace('b-w')
    .png()
    .toBuffer();
};
