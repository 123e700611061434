/**
 * Stage 6: the finished picture → the file and its preview. No camera metadata: only pixels are written, and on request
 * what was done to them.
 */
import sharp, { type Sharp } from 'sharp';
import { type Failure, failure } from '../../shared/errors.ts';
import { encodeWhiteExact } from '../../shared/imaging/jpeg/encoder.ts';
import { limits } from '../../shared/limits.ts';
import { fileBounds } from '../../shared/marketplaces/bounds.ts';
import { type Marketplace, marketplaces } from '../../shared/marketplaces/index.ts';
import type { ResolvedOutput } from '../../shared/options.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { fitBytes } from './fit-bytes.ts';
import type { Composed, Encoded } from './main-image.ts';
import { provenanceXmp, withXmpSegment } from './provenance.ts';

const contentTypes = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' } as const;

const open = ({ data, width, height, channels }: Composed): Sharp => sharp(data, { raw: { width, height, channels } });

/**
 * The file within the bytes that its marketplace takes: the quality is lowered for it, never below what the marketplace
 * allows. Fails with output_too_large.
 */
export const encode = async (picture: Composed, options: ResolvedOutput): Promise<Result<Encoded, Failure>> => {
  const { format, quality } = options;
  const profile: Marketplace = marketplaces[options.marketplace];
  const bounds = fileBounds(profile);
  const range =
    format === 'png'
      ? { qualityMin: quality, qualityMax: quality }
      : { qualityMin: Math.min(quality, bounds.qualityMin ?? limits.quality.min), qualityMax: limits.quality.max };
  const { fits, bytes } = await fitBytes((at) => write(picture, options, at), { ...bounds, quality, ...range });
  if (fits) return ok({ bytes, type: contentTypes[format] });
  return fail(
    failure(
      'output_too_large',
      `${profile.label} takes files of at most ${bounds.bytesMax / 1e6} MB; this ${format} has ${(bytes.byteLength / 1e6).toFixed(1)} MB. Ask for ${format === 'png' ? 'format jpg' : 'a smaller canvas'}`,
    ),
  );
};

/**
 * A JPEG on white is written by our own encoder: a common one rings around the product, and no quality setting keeps
 * its white pure.
 */
const write = async (
  picture: Composed,
  { format, background, provenance }: ResolvedOutput,
  quality: number,
): Promise<Uint8Array> => {
  if (format === 'jpg' && background === '#ffffff') {
    const bytes = encodeWhiteExact(picture, quality);
    return provenance === 'iptc' ? withXmpSegment(bytes, provenanceXmp) : bytes;
  }
  const image = provenance === 'iptc' ? open(picture).withXmp(provenanceXmp) : open(picture);
  const encoded =
    format === 'jpg'
      ? image.jpeg({ quality, chromaSubsampling: '4:4:4' })
      : format === 'png'
        ? image.png({ compressionLevel: 6 })
        : image.webp({ quality, smartSubsample: true });
  return encoded.toBuffer();
};

/** At most `limits.preview.sideMax` px a side; PNG only where the picture is transparent. */
export const encodePreview = async (picture: Composed): Promise<Encoded> => {
  const { sideMax, quality } = limits.preview;
  const image = open(picture).resize({ width: sideMax, height: sideMax, fit: 'inside', withoutEnlargement: true });
  const type = picture.channels === 4 ? 'image/png' : 'image/jpeg';
  return { bytes: await (picture.channels === 4 ? image.png() : image.jpeg({ quality })).toBuffer(), type };
};
