/** What goes into the pipeline, what comes out, and what its stages hand to each other. */
import type { Compliance, ProductBox } from '../../shared/api.ts';
import type { Cutout } from '../../shared/imaging/cutout.ts';
import type { LocalColours } from '../../shared/imaging/local-colours.ts';
import type { Box, Gray, Rgb } from '../../shared/imaging/raster.ts';
import type { ResolvedOptions } from '../../shared/options.ts';

/** One run of the model. rgb: 8-bit, interleaved, width × height × 3, sides multiples of 64. Returns the 8-bit matte, width × height. */
export type Infer = (image: { rgb: Uint8Array; width: number; height: number }) => Promise<Uint8Array>;

export type HeroInput = {
  readonly bytes: Uint8Array;
  readonly options: ResolvedOptions;
  /** Results of test keys carry a visible mark. */
  readonly watermark: boolean;
};

export type HeroOutput = {
  readonly clean: Uint8Array;
  readonly cleanType: string;
  readonly preview: Uint8Array;
  readonly previewType: string;
  readonly width: number;
  readonly height: number;
  /** Of the decoded output file. */
  readonly productBox: ProductBox;
  readonly matteConfidence: number;
  readonly upscaled: boolean;
  readonly compliance: Compliance;
  readonly amazonCompliant: boolean;
  /** Time of each stage; `infer` is the part of `matte` that was spent waiting for the model. */
  readonly stagesMs: Record<string, number>;
};

/** An upright 8-bit sRGB photo. `alpha`: the cut-out that the file already carried. */
export type Photo = { readonly rgb: Rgb; readonly alpha: Gray | undefined };

/** Where the product is. `plane` covers `region` of the photo (px); outside of it is background. */
export type Matte = {
  readonly plane: Gray;
  readonly region: Box;
  /** 0..1; see matte.ts. */
  readonly confidence: number;
};

/** The product at its final scale, its edge refined. */
export type Refined = {
  readonly cutout: Cutout;
  /** What edge pixels mix; undefined where the colours are the product's own already. */
  readonly colours: LocalColours | undefined;
  readonly upscaled: boolean;
};

/** The finished picture, not yet a file. */
export type Composed = { readonly data: Uint8Array; readonly width: number; readonly height: number; readonly channels: 3 | 4 };

/** A finished file. */
export type Encoded = { readonly bytes: Uint8Array; readonly type: string };
