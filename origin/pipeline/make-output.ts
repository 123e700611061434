/**
 * One file of an image: the product at the scale of its canvas, composed, encoded and measured. Files whose canvas, fill
 * and framing are the same share the product's refinement.
 */
import type { Failure } from '../../shared/errors.ts';
import { compose } from '../../shared/imaging/stages/compose.ts';
import { decontaminate } from '../../shared/imaging/stages/decontaminate.ts';
import { refine } from '../../shared/imaging/stages/refine.ts';
import type { Matte, PhotoSource, Refined } from '../../shared/imaging/stages/types.ts';
import type { ResolvedOutput } from '../../shared/options.ts';
import { ok, type Result } from '../../shared/result.ts';
import { encode, encodePreview } from './encode.ts';
import { inspect } from './inspect.ts';
import type { Composed, Encoded, MadeFile } from './main-image.ts';
import type { Timed } from './stopwatch.ts';
import { testResult } from './test-result.ts';

/** `preview`: of what the file shows, where it was asked for. */
export type MadeOutput = {
  readonly file: MadeFile;
  readonly amazonCompliant: boolean;
  readonly preview: Encoded | undefined;
};

type Deps = {
  readonly timed: Timed;
  readonly input: { readonly bytes: Uint8Array; readonly watermark: boolean };
  readonly wantsPreview: boolean;
};
type Refine = (output: ResolvedOutput) => Promise<Result<Refined, Failure>>;

/** The product refined for a canvas, each canvas once. */
export const refinements = (source: PhotoSource, matte: Matte, timed: Timed): Refine => {
  const known = new Map<string, Promise<Result<Refined, Failure>>>();
  const refined = async (output: ResolvedOutput): Promise<Result<Refined, Failure>> => {
    const result = await timed('refine', () => refine(source, matte, output));
    if (result.ok) await timed('decontaminate', () => decontaminate(result.value));
    return result;
  };
  return (output) => {
    const { layout, canvas, fill } = output;
    const key = JSON.stringify([layout, canvas, fill]);
    const made = known.get(key) ?? refined(output);
    known.set(key, made);
    return made;
  };
};

/** Fails with no_product_found or output_too_large. */
export const makeOutput = async (
  { cutout, upscaled }: Refined,
  output: ResolvedOutput,
  { timed, input, wantsPreview }: Deps,
): Promise<Result<MadeOutput, Failure>> => {
  const picture = await timed('compose', () => compose(cutout, output));
  const previewOf = (shown: Composed): Promise<Encoded> => timed('encode', () => encodePreview(shown));
  // This thread makes the file meanwhile: the image library has threads of its own.
  const beside = wantsPreview && !input.watermark ? previewOf(picture) : undefined;
  beside?.catch(() => undefined);
  const finished = await timed('encode', () => encode(picture, output));
  if (!finished.ok) return finished;
  const { productBox, compliance, amazonCompliant } = await timed('inspect', () =>
    inspect(finished.value, picture, cutout, output),
  );
  const delivered = input.watermark ? await timed('mark', () => testResult(picture, productBox, input.bytes)) : picture;
  const clean = input.watermark ? await timed('encode', () => encode(delivered, output)) : finished;
  if (!clean.ok) return clean;
  const preview = await (wantsPreview ? (beside ?? previewOf(delivered)) : undefined);
  const { bytes, type } = clean.value;
  const { width, height } = delivered;
  return ok({
    file: { bytes, type, width, height, productBox, upscaled, compliance },
    amazonCompliant,
    preview,
  });
};
