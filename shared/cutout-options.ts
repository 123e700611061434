/**
 * What a job is asked for by `POST /v1.0/removebg`: the product in the photo's own frame, in place of a main image on a
 * canvas. Internal: the public options do not have it.
 */
import { z } from 'zod';

/** Pixels, or a share (0..1) of whatever the length is measured against. */
const lengthSchema = z.strictObject({ value: z.number().nonnegative(), unit: z.enum(['px', 'share']) });
export type Length = z.infer<typeof lengthSchema>;

/** Left, top, right, bottom edge of a rectangle in the photo. */
const edgesSchema = z.tuple([lengthSchema, lengthSchema, lengthSchema, lengthSchema]);

export const cutoutSchema = z.strictObject({
  /** Larger results are reduced to so many pixels. */
  pixelsMax: z.number().int().positive(),
  /** Nothing outside is product; null: the whole photo. */
  roi: edgesSchema.nullable(),
  /** Margins around the product, top, right, bottom, left, relative to its sides; null: the photo's own frame. */
  crop: edgesSchema.nullable(),
  /** The product's share (0..1) of the frame, by the side that fills more of it; null: as large as in the photo. */
  scale: z.number().min(0.1).max(1).nullable(),
  /** Of the product in its frame: where it was, or shares of the room that it leaves (0 left or top, 1 right or bottom). */
  position: z.union([
    z.literal('original'),
    z.strictObject({ x: z.number().min(0).max(1), y: z.number().min(0).max(1) }),
  ]),
  /** `alpha`: the matte itself, as a grey picture. */
  channels: z.enum(['rgba', 'alpha']),
  /** `zip`: color.jpg and alpha.png in an archive, in place of a single file. */
  container: z.enum(['file', 'zip']),
  /** `#rrggbbaa`. `image`: the job names one. */
  background: z.string().regex(/^(transparent|image|#[0-9a-f]{8})$/),
  /** False: only the product's edge may be partly transparent. */
  semitransparency: z.boolean(),
  /** A free result of a live key: small enough to be given away, so it carries no mark. */
  isPreview: z.boolean(),
});
export type CutoutOptions = z.infer<typeof cutoutSchema>;
