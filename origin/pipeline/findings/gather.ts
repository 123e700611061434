/** Gathers what findings are made of from a decoded photo and its matte. */
import type { FileFacts } from '../../../shared/imaging/compliance.ts';
import { type Evidence, PICTURE_SIDE_MAX, sizeWithin } from '../../../shared/imaging/findings/evidence.ts';
import { type FileHeader, readFileHeader } from '../../../shared/imaging/findings/file-header.ts';
import { type Sight, seeProduct } from '../../../shared/imaging/findings/see-product.ts';
import { textLines } from '../../../shared/imaging/findings/text-lines.ts';
import { scanWhite, strayPixels, type WhiteScan } from '../../../shared/imaging/findings/white-background.ts';
import { jpegQuality } from '../../../shared/imaging/jpeg/read-quality.ts';
import { frameOf, type Gray, type Rgb, type Size } from '../../../shared/imaging/raster.ts';
import type { Infer, PhotoSource } from '../../../shared/imaging/stages/types.ts';
import type { Photo } from '../main-image.ts';
import { detectText, textInputSize } from './detect-text.ts';

/** What the file and all its pixels say, read while they are there. */
export type FileEvidence = {
  readonly scan: WhiteScan | undefined;
  readonly facts: FileHeader & Pick<FileFacts, 'bytes' | 'jpegQuality'>;
};

export const readFileEvidence = (bytes: Uint8Array, { rgb, alpha }: Photo): FileEvidence => ({
  scan: alpha ? undefined : scanWhite(rgb, sizeWithin(rgb, PICTURE_SIDE_MAX)),
  facts: { ...readFileHeader(bytes), bytes: bytes.byteLength, jpegQuality: jpegQuality(bytes) },
});

/** Keeps the whole frame as the passes have seen it, so that it need not be made from all pixels again. */
export const rememberFrame = (source: PhotoSource): { source: PhotoSource; frame(size: Size): Promise<Rgb> } => {
  let seen: Rgb | undefined;
  const { size: photo } = source;
  const isFrame = (part: Size): boolean => part.width === photo.width && part.height === photo.height;
  return {
    source: {
      ...source,
      part: async (region, size) => {
        const picture = await source.part(region, size);
        if (isFrame(region)) seen ??= picture;
        return picture;
      },
    },
    frame: (size) => (seen ? source.resize(seen, size) : source.part(frameOf(photo), size)),
  };
};

export type Gathering = Omit<Sight, 'scale'> & {
  readonly file: FileEvidence;
  /** Undefined where texts are not looked for. */
  readonly readText: Infer | undefined;
};

export const gatherEvidence = async ({ file, readText, ...from }: Gathering): Promise<Evidence> => {
  const { source, frame, photo, options } = from;
  // The detector works while the rest is gathered.
  const text = readText && detectText(await frame(textInputSize(photo)), readText);
  text?.catch(() => {});
  const seen = await seeProduct({ ...from, scale: photo.width / source.size.width });
  return {
    ...seen,
    lines: text ? textLines(await text, seen.picture) : [],
    // Chosen from a photo, the product is not listed with that photo as it is.
    asMainImage: options.region ? undefined : asMainImage(file, seen.alpha, photo),
  };
};

const asMainImage = ({ scan, facts }: FileEvidence, alpha: Gray, photo: Size): FileFacts | undefined => {
  const { format, ...rest } = facts;
  if (!scan?.box || !format) return undefined;
  return {
    ...rest,
    format,
    size: photo,
    transparent: false,
    // What a shadow darkens is not told apart here: it counts as not white.
    notWhitePixels: strayPixels(scan, alpha, photo),
    shadowPixels: 0,
    productBox: scan.box,
  };
};
