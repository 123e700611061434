/** What goes into the pipeline, what comes out, and what its stages hand to each other. */
import type { Compliance, ProductBox } from '../../shared/api.ts';
import type { Failure } from '../../shared/errors.ts';
import type { Finding } from '../../shared/findings.ts';
import type { Gray, Rgb, Size } from '../../shared/imaging/raster.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import type { Result } from '../../shared/result.ts';

export type { Composed, Infer } from '../../shared/imaging/stages/types.ts';

export type MainImageInput = {
  readonly bytes: Uint8Array;
  readonly options: ResolvedOptions;
  /** The picture behind the product, where `options.cutout` asks for one. */
  readonly background?: Uint8Array | undefined;
  /** The file that says what is product, where the caller sent one; then the model is not asked. */
  readonly matte?: Uint8Array | undefined;
  /** The result of a test key is reduced to `limits.testResult.sideMax` and marked; preview too. */
  readonly watermark: boolean;
};

/** The file of one output. Box and report are measured on the decoded file, with `watermark` on a live key's. */
export type MadeFile = Encoded & {
  /** Of the file. */
  readonly width: number;
  readonly height: number;
  readonly productBox: ProductBox;
  readonly upscaled: boolean;
  readonly compliance: Compliance;
};

export type MainImage = {
  readonly clean: Uint8Array;
  readonly cleanType: string;
  readonly preview: Uint8Array;
  readonly previewType: string;
  /** Of `clean`. */
  readonly width: number;
  readonly height: number;
  /** Measured on the decoded output file, as are the rules; with `watermark` on the file that a live key would get. */
  readonly productBox: ProductBox;
  readonly matteConfidence: number;
  readonly upscaled: boolean;
  readonly compliance: Compliance;
  readonly amazonCompliant: boolean;
  /** The files of `options.others`, in their order. */
  readonly others: readonly MadeFile[];
  /** About the photo; none for a cut-out in the photo's own frame. */
  readonly findings: readonly Finding[];
  /** Time of each stage; `infer` is the part of `matte` that was spent waiting for the model. */
  readonly stagesMs: Record<string, number>;
};

/** An upright 8-bit sRGB photo. `alpha`: the cut-out that the file already carried. */
export type Photo = { readonly rgb: Rgb; readonly alpha: Gray | undefined };

/** A finished file. */
export type Encoded = { readonly bytes: Uint8Array; readonly type: string };

/** Fails with the codes that decode.ts names, and with undecodable_image. */
export type Decode = (bytes: Uint8Array) => Promise<Result<Photo, Failure>>;
/** `photo`: the size of the photo that it belongs to. Fails with invalid_matte and with undecodable_image. */
export type DecodeMatte = (bytes: Uint8Array, photo: Size) => Promise<Result<Gray, Failure>>;
