/** Gathers what findings are made of from a decoded photo and its matte. */
import { expandBox, longerSide, snapOutward } from '../../../shared/imaging/box.ts';
import type { FileFacts } from '../../../shared/imaging/compliance.ts';
import {
  DETAIL_MARGIN,
  DETAIL_SIDE_MAX,
  type Evidence,
  matteOverPhoto,
  onPicture,
  PICTURE_SIDE_MAX,
  sizeWithin,
} from '../../../shared/imaging/findings/evidence.ts';
import { type FileHeader, readFileHeader } from '../../../shared/imaging/findings/file-header.ts';
import { textLines } from '../../../shared/imaging/findings/text-lines.ts';
import { scanWhite, strayPixels, type WhiteScan } from '../../../shared/imaging/findings/white-background.ts';
import { jpegQuality } from '../../../shared/imaging/jpeg/read-quality.ts';
import { frameOf, type Gray, type Rgb, type Size } from '../../../shared/imaging/raster.ts';
import { coarseProductBox } from '../../../shared/imaging/stages/refine.ts';
import type { Infer, Matte, PhotoSource } from '../../../shared/imaging/stages/types.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
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

export type Gathering = {
  /** The photo, or the part of it that was chosen. */
  readonly source: PhotoSource;
  readonly frame: (size: Size) => Promise<Rgb>;
  /** Its size in the input, px, where `source` is a reduced copy of it. */
  readonly photo: Size;
  readonly file: FileEvidence;
  /** Undefined where no product was found. */
  readonly matte: Matte | undefined;
  readonly options: ResolvedOptions;
  /** Undefined where texts are not looked for. */
  readonly readText: Infer | undefined;
};

export const gatherEvidence = async (from: Gathering): Promise<Evidence> => {
  const { source, frame, photo, matte, options, readText } = from;
  const size = sizeWithin(photo, PICTURE_SIDE_MAX);
  // The detector works while the rest is gathered.
  const text = readText && detectText(await frame(textInputSize(photo)), readText);
  text?.catch(() => {});
  const picture = await frame(size);
  const alpha = matte
    ? matteOverPhoto(matte, source.size, size)
    : { data: new Uint8Array(size.width * size.height), ...size };
  const found = matte && coarseProductBox(matte);
  // Its outline is an edge too, and lies half outside of it.
  const box = found && snapOutward(expandBox(found, DETAIL_MARGIN * longerSide(found)), source.size);
  const scale = photo.width / source.size.width;
  return {
    photo,
    picture,
    alpha,
    product: found && {
      x: found.x * scale,
      y: found.y * scale,
      width: found.width * scale,
      height: found.height * scale,
    },
    detail: box && (await source.part(box, sizeWithin(box, DETAIL_SIDE_MAX))),
    lines: text ? textLines(await text, picture) : [],
    confidence: matte?.confidence ?? 0,
    // Chosen from a photo, the product is not listed with that photo as it is.
    asMainImage: options.region ? undefined : asMainImage(from.file, alpha, photo),
    cutBy: matte?.cutBy && onPicture(matte.cutBy, source.size, size),
    options,
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
