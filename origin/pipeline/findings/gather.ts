/** Gathers what findings are made of from a decoded photo and its matte. */
import type { FileFacts } from '../../../shared/imaging/compliance.ts';
import { type Evidence, PICTURE_SIDE_MAX, sizeWithin } from '../../../shared/imaging/findings/evidence.ts';
import type { Face } from '../../../shared/imaging/findings/faces.ts';
import { type FileHeader, readFileHeader } from '../../../shared/imaging/findings/file-header.ts';
import { type Sight, seeProduct } from '../../../shared/imaging/findings/see-product.ts';
import { textLines } from '../../../shared/imaging/findings/text-lines.ts';
import { scanWhite, strayPixels, type WhiteScan } from '../../../shared/imaging/findings/white-background.ts';
import { jpegQuality } from '../../../shared/imaging/jpeg/read-quality.ts';
import { frameOf, type Gray, type Rgb, type Size } from '../../../shared/imaging/raster.ts';
import type { Infer, PhotoSource } from '../../../shared/imaging/stages/types.ts';
import type { Photo } from '../main-image.ts';
import { detectFaces } from './detect-faces.ts';
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
  readonly detectors: Detectors;
};

/** Of texts and of faces; undefined where those are not looked for. */
export type Detectors = { readonly readText?: Infer | undefined; readonly findFaces?: Infer | undefined };

export const gatherEvidence = async ({ file, detectors, ...from }: Gathering): Promise<Evidence> => {
  const { source, photo, options } = from;
  // The detectors work while the rest is gathered.
  const detected = detect(from, detectors);
  detected.catch(() => {});
  const seen = await seeProduct({ ...from, scale: photo.width / source.size.width });
  const { text, facesOn } = await detected;
  return {
    ...seen,
    lines: text ? textLines(text, seen.picture) : [],
    faces: facesOn(seen.picture),
    // Chosen from a photo, the product is not listed with that photo as it is.
    asMainImage: options.region ? undefined : asMainImage(file, seen.alpha, photo),
  };
};

type Detected = { readonly text: Gray | undefined; readonly facesOn: (picture: Size) => readonly Face[] };

/** One after the other: a thread asks its node for one thing at a time. */
const detect = async (
  { frame, photo }: Pick<Gathering, 'frame' | 'photo'>,
  { readText, findFaces }: Detectors,
): Promise<Detected> => {
  const text = readText && (await detectText(await frame(textInputSize(photo)), readText));
  return { text, facesOn: findFaces ? await detectFaces(frame, photo, findFaces) : () => [] };
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
