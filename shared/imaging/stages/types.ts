/**
 * What the stages of the pipeline pass on, and what they need of their host: the origin with its image library, or a
 * browser with its canvas.
 */
import type { Cutout } from '../cutout.ts';
import type { LocalColours } from '../local-colours.ts';
import type { Box, Gray, Rgb, Size } from '../raster.ts';

/**
 * One run of the model. rgb: 8-bit, interleaved, width × height × 3, sides multiples of 64. Returns the 8-bit matte,
 * width × height.
 */
export type Infer = (image: { rgb: Uint8Array; width: number; height: number }) => Promise<Uint8Array>;

/** An upright 8-bit sRGB photo, read in parts. */
export type PhotoSource = {
  readonly size: Size;
  /** The cut-out that the file already carried, of the photo's size. */
  readonly alpha: Gray | undefined;
  /** `region` of the photo, stretched to `size`. */
  part(region: Box, size: Size): Promise<Rgb>;
  /** `region` of a photo with alpha; colours under transparent pixels do not bleed into others. */
  cutoutPart(region: Box, size: Size): Promise<{ readonly rgb: Rgb; readonly alpha: Gray }>;
  /** Another picture, stretched to `size`. */
  resize(picture: Rgb, size: Size): Promise<Rgb>;
};

/** Where the product is. `plane` covers `region` of the photo (px); outside of it is background. */
export type Matte = {
  readonly plane: Gray;
  readonly region: Box;
  /** 0..1; see matte.ts. */
  readonly confidence: number;
  /** The region of the photo that cut the product off; undefined where none did. */
  readonly cutBy?: Box | undefined;
};

/** The product at its final scale, its edge refined. */
export type Refined = {
  readonly cutout: Cutout;
  /** What edge pixels mix; undefined where the colours are the product's own already. */
  readonly colours: LocalColours | undefined;
  readonly upscaled: boolean;
};

/** The finished picture, not yet a file. */
export type Composed = {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
};
