/** Options of a request: the public schema, and the resolved form that jobs carry, in which nothing is optional. */
import { z } from 'zod';
import { cutoutSchema } from './cutout-options.ts';
import { type Failure, type FieldError, failure } from './errors.ts';
import { limits } from './limits.ts';
import { type Marketplace, marketplaceNames, marketplaces, type OutputFormat } from './marketplaces.ts';
import { fail, ok, type Result } from './result.ts';

const formats = ['jpg', 'png', 'webp'] as const satisfies readonly OutputFormat[];

/** "#rrggbb", lower case; "white" is `#ffffff`. */
const background = z
  .string()
  .toLowerCase()
  .regex(/^(white|transparent|#?[0-9a-f]{6})$/, 'must be white, transparent or a colour like #f4f4f4');

export const optionsSchema = z
  .strictObject({
    marketplace: z
      .enum(marketplaceNames)
      .meta({ description: 'Sets the defaults of canvas, fill and format, and the rules of the compliance check.' }),
    canvas: z
      .number()
      .int()
      .min(limits.canvas.sideMin)
      .max(limits.canvas.sideMax)
      .meta({ description: 'Side of the square canvas, px. Only with layout hero.' }),
    fill: z
      .number()
      .min(limits.fill.min)
      .max(limits.fill.max)
      .meta({ description: 'Longer side of the product box ÷ canvas side. Only with layout hero.' }),
    format: z.enum(formats).meta({ description: 'File format of the result.' }),
    quality: z
      .number()
      .int()
      .min(limits.quality.min)
      .max(limits.quality.max)
      .meta({ description: 'Encoder quality. Not with png.' }),
    background: background.meta({ description: 'white, transparent (png or webp) or a colour like #f4f4f4.' }),
    layout: z
      .enum(['hero', 'original'])
      .meta({ description: 'hero: product centred on a square canvas. original: same framing as the input.' }),
    shadow: z
      .enum(['none', 'soft'])
      .meta({ description: 'soft: a contact shadow below the product. Not with a transparent background.' }),
    on_finding: z.enum(['warn', 'fail']).meta({
      description:
        'What a finding that the marketplace refuses a listing for does: warn lists it beside the result, fail ends the image with its code, at no charge.',
    }),
  })
  .partial()
  .meta({ id: 'Options' });

export type Options = z.infer<typeof optionsSchema>;

/**
 * Options as a job carries them. `background` is `transparent` or `#rrggbb`. `canvas` and `fill` apply only to layout
 * hero. With `cutout` the result is in the photo's own frame, and of the others only `format`, `quality` and `shadow`
 * apply; `background` is `transparent` where the result has an alpha channel.
 */
export const resolvedOptionsSchema = z.strictObject({
  marketplace: z.enum(marketplaceNames),
  layout: z.enum(['hero', 'original']),
  canvas: z.number().int(),
  fill: z.number(),
  format: z.enum(formats),
  quality: z.number().int(),
  background: z.string().regex(/^(transparent|#[0-9a-f]{6})$/),
  shadow: z.enum(['none', 'soft']),
  /** Jobs of an edge of an earlier release lack it. */
  on_finding: z.enum(['warn', 'fail']).default('warn'),
  cutout: cutoutSchema.optional(),
});
export type ResolvedOptions = z.infer<typeof resolvedOptionsSchema>;

/** Of the result file. */
export const extensionOf = ({ format, cutout }: Pick<ResolvedOptions, 'format' | 'cutout'>): OutputFormat | 'zip' =>
  cutout?.container === 'zip' ? 'zip' : format;

const numericFields = new Set(['canvas', 'fill', 'quality']);

/** Multipart fields are text; the numeric ones become numbers, so that one schema serves both styles. */
export const optionsFromFields = (fields: ReadonlyMap<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    Array.from(fields, ([name, text]) => [
      name,
      numericFields.has(name) && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text,
    ]),
  );

const contradictions = (options: Options, format: OutputFormat): FieldError[] => {
  const found: FieldError[] = [];
  const add = (field: string, detail: string): void => void found.push({ field, code: 'invalid_options', detail });
  if (options.background === 'transparent' && format === 'jpg')
    add('background', 'a jpg cannot be transparent; ask for format png or webp');
  if (options.background === 'transparent' && options.shadow === 'soft')
    add('shadow', 'a soft shadow needs a background');
  if (options.quality !== undefined && format === 'png') add('quality', 'png is lossless and takes no quality');
  if (options.layout === 'original' && options.canvas !== undefined)
    add('canvas', 'layout original keeps the framing of the input');
  if (options.layout === 'original' && options.fill !== undefined)
    add('fill', 'layout original keeps the framing of the input');
  return found;
};

/**
 * Checks raw options and fills in the defaults of the marketplace. Fails with `invalid_options`, one row for each
 * invalid field.
 */
export const resolveOptions = (raw: unknown): Result<ResolvedOptions, Failure> => {
  const parsed = optionsSchema.safeParse(raw ?? {});
  if (!parsed.success) return fail(invalid(parsed.error.issues.flatMap(fieldErrors)));
  const options = parsed.data;
  const marketplace: Marketplace = marketplaces[options.marketplace ?? 'amazon'];
  const format = options.format ?? marketplace.format;
  const found = contradictions(options, format);
  if (found.length > 0) return fail(invalid(found));
  return ok({
    marketplace: options.marketplace ?? 'amazon',
    layout: options.layout ?? 'hero',
    canvas: options.canvas ?? marketplace.canvas,
    fill: options.fill ?? marketplace.fill,
    format,
    quality: options.quality ?? limits.quality.default,
    background: resolvedBackground(options.background),
    shadow: options.shadow ?? 'none',
    on_finding: options.on_finding ?? 'warn',
  });
};

const resolvedBackground = (text = 'white'): string =>
  text === 'white' ? '#ffffff' : text === 'transparent' || text.startsWith('#') ? text : `#${text}`;

const fieldErrors = (issue: z.core.$ZodIssue): FieldError[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((field) => ({ field, code: 'invalid_options', detail: 'is not an option' }))
    : [{ field: issue.path.join('.') || 'options', code: 'invalid_options', detail: issue.message }];

const invalid = (found: FieldError[]): Failure =>
  failure('invalid_options', found.map((row) => `${row.field}: ${row.detail}`).join('; '), { errors: found });
