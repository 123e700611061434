/**
 * Stage 1: bytes → an upright 8-bit sRGB photo, with the cut-out that the file may already carry. A node runs it in its
 * decoder's processes only (origin/decoder).
 */
import sharp, { type Metadata, type Sharp } from 'sharp';
import { type Failure, failure } from '../../shared/errors.ts';
import { decoderFormats, type ImageType, isHeic, sniffImage, type VipsImageType } from '../../shared/image-type.ts';
import { embeddedCutout } from '../../shared/imaging/embedded-alpha.ts';
import type { Size } from '../../shared/imaging/raster.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { openBmp, readBmp } from './bmp.ts';
import { openHeic } from './heic.ts';
import { openJxl } from './jxl.ts';
import type { Photo } from './main-image.ts';
import { openPsd, type Psd } from './psd.ts';
import { hasAlpha, psdToTiff } from './psd-to-tiff.ts';
import { emptyTiff } from './tiff.ts';
import type { Samples } from './wasm-decode.ts';

type FileType = ImageType | 'image/heic';
/** A file whose header was read: its size as it lies there, and its pixels on demand; they throw what libvips throws. */
type Opened = Size & { readonly pixels: () => Promise<Result<Photo, Failure>> };

/** `takesHeic`: the node has a decoder for it. */
type Accepted = { readonly takesHeic: boolean };
const BY_DEFAULT: Accepted = { takesHeic: false };

/** Fails with file_empty, unsupported_media_type, unsupported_heic, image_too_large, image_too_small, unreadable_image. */
export const decode = async (bytes: Uint8Array, accepted = BY_DEFAULT): Promise<Result<Photo, Failure>> => {
  const opened = await openImage(bytes, accepted);
  if (!opened.ok) return opened;
  try {
    const photo = await opened.value.pixels();
    // A HEIC may say in its header that it is to be cut.
    const wrong = photo.ok ? tooSmall(photo.value.rgb) : undefined;
    return wrong ? fail(wrong) : photo;
  } catch (error) {
    return fail(unreadable(error));
  }
};

/** Width and height as they stand in the header; undefined where `decode` refuses the file for its type or header. */
export const sizeOf = async (bytes: Uint8Array, accepted = BY_DEFAULT): Promise<Size | undefined> => {
  const opened = await openImage(bytes, accepted);
  return opened.ok ? { width: opened.value.width, height: opened.value.height } : undefined;
};

/** Reads the header only: a claim of 60,000 × 60,000 is refused before anything is allocated for it. */
const openImage = async (bytes: Uint8Array, { takesHeic }: Accepted): Promise<Result<Opened, Failure>> => {
  if (bytes.length === 0) return fail(failure('file_empty'));
  const type = sniffImage(bytes) ?? (isHeic(bytes) ? 'image/heic' : undefined);
  if (type === undefined) return fail(failure('unsupported_media_type'));
  if (type === 'image/heic' && !takesHeic) return fail(failure('unsupported_heic'));
  const opened = await openAs(bytes, type);
  const wrong = opened.ok ? sizeFailure(opened.value, type) : undefined;
  return wrong ? fail(wrong) : opened;
};

const openAs = (bytes: Uint8Array, type: FileType): Result<Opened, Failure> | Promise<Result<Opened, Failure>> => {
  if (type === 'image/bmp') return openOwn(bytes);
  if (type === 'image/vnd.adobe.photoshop') return openPhotoshop(bytes);
  if (type === 'image/heic') return openHeif(bytes);
  return type === 'image/jxl' ? openJpegXl(bytes) : openByVips(bytes, type);
};

const openOwn = (bytes: Uint8Array): Result<Opened, Failure> => {
  const bmp = openBmp(bytes);
  if (!bmp.ok) return bmp;
  const { width, height } = bmp.value;
  const pixels = async () => ok(await ofSamples({ ...readBmp(bytes, bmp.value), width, height }));
  return ok({ width, height, pixels });
};

const openJpegXl = (bytes: Uint8Array): Result<Opened, Failure> => {
  const jxl = openJxl(bytes);
  if (!jxl.ok) return jxl;
  const { width, height, pixels } = jxl.value;
  return ok({ width, height, pixels: async () => ok(await ofSamples(await pixels())) });
};

const openPhotoshop = (bytes: Uint8Array): Result<Opened, Failure> => {
  const psd = openPsd(bytes);
  if (!psd.ok) return psd;
  const { width, height } = psd.value;
  if (width === 0 || height === 0) return fail(unreadable(new Error('it has no pixels')));
  return ok({ width, height, pixels: () => readPhotoshop(psd.value) });
};

const readPhotoshop = async (psd: Psd): Promise<Result<Photo, Failure>> => {
  const tiff = psdToTiff(psd);
  if (!tiff.ok) return tiff;
  return ok(await readTiff(tiff.value, hasAlpha(psd)));
};

/** Frees the TIFF. */
const readTiff = async (tiff: Uint8Array, hasAlpha: boolean): Promise<Photo> => {
  const photo = await readPixels(tiff, { hasAlpha });
  (tiff.buffer as ArrayBuffer).transfer(0);
  return photo;
};

const openHeif = (bytes: Uint8Array): Result<Opened, Failure> => {
  const heic = openHeic(bytes);
  if (!heic.ok) return heic;
  const { width, height, profile, pixels } = heic.value;
  return ok({
    width,
    height,
    pixels: async () => ok(profile ? await inSrgb(await pixels(), profile) : await ofSamples(await pixels())),
  });
};

const inSrgb = async ({ data, width, height, channels }: Samples, profile: Uint8Array): Promise<Photo> => {
  const hasAlpha = channels === 4;
  const tiff = emptyTiff({ width, height, colours: 3, hasAlpha, profile });
  tiff.bytes.set(data, tiff.pixelsAt);
  return readTiff(tiff.bytes, hasAlpha);
};

const openByVips = async (bytes: Uint8Array, type: VipsImageType): Promise<Result<Opened, Failure>> => {
  let header: Metadata;
  try {
    header = await sharp(bytes, { limitInputPixels: false }).metadata();
  } catch (error) {
    return fail(unreadable(error));
  }
  const otherFormat = formatFailure(header, type);
  if (otherFormat) return fail(otherFormat);
  const { width, height } = header;
  return ok({ width, height, pixels: async () => ok(await readPixels(bytes, header)) });
};

const sizeFailure = ({ width, height }: Size, type: FileType): Failure | undefined => {
  const { sideMax } = limits.image;
  const pixelsMax = type === 'image/jxl' ? limits.image.jxlPixelsMax : limits.image.pixelsMax;
  if (width * height > pixelsMax || Math.max(width, height) > sideMax)
    return failure(
      'image_too_large',
      `The image is ${width} × ${height} pixels; at most ${pixelsMax / 1e6} megapixels${type === 'image/jxl' ? ' of JPEG XL' : ''} and ${sideMax} a side are taken`,
    );
  return tooSmall({ width, height });
};

const tooSmall = ({ width, height }: Size): Failure | undefined =>
  Math.min(width, height) < limits.image.sideMin
    ? failure(
        'image_too_small',
        `The image is ${width} × ${height} pixels; at least ${limits.image.sideMin} a side are needed`,
      )
    : undefined;

/** The decoder must read the file as what its first bytes say, and an AVIF must hold AV1, not HEVC. */
const formatFailure = ({ format, compression }: Metadata, type: VipsImageType): Failure | undefined => {
  if (format !== decoderFormats[type])
    return failure('unreadable_image', 'The image begins as one format and goes on as another');
  return format === 'heif' && compression !== 'av1' ? failure('unsupported_heic') : undefined;
};

/**
 * First frame, upright, profile applied, 8-bit sRGB. `failOn: 'error'` refuses damaged and cut-off files but not
 * harmless warnings.
 */
const open = (bytes: Uint8Array): Sharp =>
  sharp(bytes, { failOn: 'error', limitInputPixels: limits.image.pixelsMax, pages: 1 })
    .autoOrient()
    .toColourspace('srgb');

const readPixels = async (bytes: Uint8Array, header: Pick<Metadata, 'hasAlpha'>): Promise<Photo> => {
  if (!header.hasAlpha) return { rgb: await rgbOf(open(bytes)), alpha: undefined };
  const { data, info } = await open(bytes).ensureAlpha().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return ofRgba(data, info);
};

const ofSamples = async ({ data, width, height, channels }: Samples): Promise<Photo> =>
  channels === 4 ? ofRgba(data, { width, height }) : { rgb: { data, width, height }, alpha: undefined };

const ofRgba = async (data: Uint8Array, { width, height }: Size): Promise<Photo> => {
  const size = { width, height };
  // Not a cut-out: what shows through the few transparent pixels is white paper.
  const photo = embeddedCutout({ data, ...size }) ?? {
    rgb: await rgbOf(sharp(data, { raw: { ...size, channels: 4 } }).flatten({ background: '#ffffff' })),
    alpha: undefined,
  };
  // 256 MB of the largest photo, which the garbage collector would keep until the next one.
  (data.buffer as ArrayBuffer).transfer(0);
  return photo;
};

const rgbOf = async (image: Sharp): Promise<Photo['rgb']> => {
  const { data, info } = await image.removeAlpha().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`expected three channels, found ${info.channels}`);
  return { data, width: info.width, height: info.height };
};

const unreadable = (error: unknown): Failure => {
  const reason = error instanceof Error ? error.message.split('\n')[0]!.slice(0, 120) : 'unknown';
  return failure('unreadable_image', `The image is damaged or cut off (${reason})`);
};
