/** Options of a request: the public schema, and the resolved form that jobs carry, in which nothing is optional. */
import { z } from 'zod';
import { cutoutSchema } from './cutout-options.ts';
import { type Failure, type FieldError, failure } from './errors.ts';
import { limits } from './limits.ts';
import {
  type CanvasSize,
  canvasOption,
  canvasSize,
  type Marketplace,
  type MarketplaceName,
  marketplaceNames,
  marketplaces,
  type OutputFormat,
} from './marketplaces/index.ts';
import { outputFormats } from './marketplaces/rule.ts';
import { parseRegion, type Region } from './region.ts';
import { fail, ok, type Result } from './result.ts';

/** "#rrggbb", lower case; "white" is `#ffffff`. */
const background = z
  .string()
  .toLowerCase()
  .regex(/^(white|transparent|#?[0-9a-f]{6})$/, 'must be white, transparent or a colour like #f4f4f4');

const { sideMin, sideMax, pixelsMax } = limits.canvas;
const CANVAS_TEXT = /^(\d{3,5})x(\d{3,5})$/;

/** Of a canvas as the option has it: 2000, or 1801x2600. Not a number where it is neither. */
const parseCanvas = (canvas: number | string): CanvasSize => {
  if (typeof canvas === 'number') return { width: canvas, height: canvas };
  const [, width, height] = CANVAS_TEXT.exec(canvas) ?? [];
  return { width: Number(width), height: Number(height) };
};
const isCanvas = (canvas: number | string): boolean => {
  const { width, height } = parseCanvas(canvas);
  return [width, height].every((side) => side >= sideMin && side <= sideMax) && width * height <= pixelsMax;
};
const canvas = z
  .union([z.number().int(), z.string()])
  .refine(
    isCanvas,
    `must be the side of a square or WIDTHxHEIGHT, with sides of ${sideMin} to ${sideMax} px and at most ${pixelsMax / 1e6} megapixels`,
  );

const { perImageMax } = limits.marketplaces;
const namesOf = (list: string | readonly string[]): readonly string[] =>
  typeof list === 'string' ? list.split(',').map((name) => name.trim()) : list;
const isMarketplace = (name: string): name is MarketplaceName => Object.hasOwn(marketplaces, name);

/** A list, or names set apart by commas, as a form field has them. */
const marketplaceList = z
  .union([z.array(z.enum(marketplaceNames)), z.string()])
  .refine((list) => {
    const names = namesOf(list);
    return names.every(isMarketplace) && names.length <= perImageMax && new Set(names).size === names.length;
  }, `must be 1 to ${perImageMax} different marketplaces, such as amazon,walmart`)
  .refine((list) => list.length > 0, 'must name a marketplace');

export const optionsSchema = z
  .strictObject({
    marketplace: z
      .enum(marketplaceNames)
      .meta({ description: 'Sets the defaults of canvas, fill and format, and the rules of the compliance check.' }),
    marketplaces: marketplaceList.meta({
      description: `Up to ${perImageMax} marketplaces, set apart by commas or as a list: one file and one compliance report each, in \`outputs\`, for one credit. All other options hold for each of them. Not with marketplace.`,
    }),
    canvas: canvas.meta({
      description: `Side of the square canvas, or WIDTHxHEIGHT such as 1801x2600, px: sides of ${sideMin} to ${sideMax}, at most ${pixelsMax / 1e6} megapixels. Only with layout hero.`,
    }),
    fill: z.number().min(limits.fill.min).max(limits.fill.max).meta({
      description:
        'Share of the canvas that the product box takes, by the side that fills more of it. Only with layout hero.',
    }),
    format: z.enum(outputFormats).meta({
      description:
        'File format of the result. On white, jpg and png are exactly (255, 255, 255) around the product; webp is lossy, and a few levels off near it.',
    }),
    quality: z.number().int().min(limits.quality.min).max(limits.quality.max).meta({
      description: 'Encoder quality. It is lowered where the marketplace limits the bytes of a file. Not with png.',
    }),
    background: background.meta({ description: 'white, transparent (png or webp) or a colour like #f4f4f4.' }),
    layout: z
      .enum(['hero', 'original'])
      .meta({ description: 'hero: product centred on the canvas. original: same framing as the input.' }),
    region: z
      .string()
      .refine(
        (text) => parseRegion(text) !== undefined,
        'must be x,y,width,height in pixels or percent of the photo, such as 120,80,600,700 or 10%,5%,45%,90%',
      )
      .meta({
        description:
          'Only the product in this part of the upright photo: x,y,width,height in pixels, or each in percent. Leave a little room around it.',
        examples: ['10%,5%,45%,90%'],
      }),
    shadow: z
      .enum(['none', 'soft'])
      .meta({ description: 'soft: a contact shadow below the product. Not with a transparent background.' }),
    provenance: z.enum(['none', 'iptc']).meta({
      description:
        'iptc: the file says in its XMP that a photo was altered by an algorithm (IPTC DigitalSourceType algorithmicallyEnhanced). By default it carries no metadata.',
    }),
    on_finding: z.enum(['warn', 'fail']).meta({
      description:
        'What a finding that the marketplace refuses a listing for does: warn lists it beside the result, fail ends the image with its code, at no charge.',
    }),
  })
  .partial()
  .meta({ id: 'Options' });

export type Options = z.infer<typeof optionsSchema>;

/** What one file of an image is made by. */
const output = {
  marketplace: z.enum(marketplaceNames),
  layout: z.enum(['hero', 'original']),
  /** Side of a square, or both sides of any other canvas. */
  canvas: z.union([z.number().int(), z.strictObject({ width: z.number().int(), height: z.number().int() })]),
  fill: z.number(),
  format: z.enum(outputFormats),
  quality: z.number().int(),
  background: z.string().regex(/^(transparent|#[0-9a-f]{6})$/),
  shadow: z.enum(['none', 'soft']),
  provenance: z.literal('iptc').optional(),
};
const resolvedRegionSchema = z.strictObject({
  unit: z.enum(['px', 'share']),
  x: z.number().nonnegative(),
  y: z.number().nonnegative(),
  width: z.number().positive(),
  height: z.number().positive(),
}) satisfies z.ZodType<Region>;
const resolvedOutputSchema = z.strictObject(output);
export type ResolvedOutput = z.infer<typeof resolvedOutputSchema>;

/**
 * Options as a job carries them. `background` is `transparent` or `#rrggbb`. `canvas` and `fill` apply only to layout
 * hero. With `cutout` the result is in the photo's own frame, and of the others only `format`, `quality` and `shadow`
 * apply; `background` is `transparent` where the result has an alpha channel. `others`: the files of further
 * marketplaces; there only where several were asked for by `marketplaces`, which may be one.
 */
export const resolvedOptionsSchema = z.strictObject({
  ...output,
  others: z
    .array(resolvedOutputSchema)
    .max(perImageMax - 1)
    .optional(),
  /** Jobs of an edge of an earlier release lack it. */
  on_finding: z.enum(['warn', 'fail']).default('warn'),
  /** There only where it was asked for. */
  region: resolvedRegionSchema.optional(),
  cutout: cutoutSchema.optional(),
  /** The caller sent a matte along, which is used in place of the model. */
  matte: z.literal(true).optional(),
});
export type ResolvedOptions = z.infer<typeof resolvedOptionsSchema>;

/** The files of an image, in the order asked for. */
export const outputsOf = ({ others = [], ...first }: ResolvedOptions): readonly ResolvedOutput[] => [first, ...others];

/** Those that an image is made for, set apart by commas; '' for a cut-out, which is made for none. */
export const marketplacesOf = (options: ResolvedOptions): string =>
  options.cutout
    ? ''
    : outputsOf(options)
        .map(({ marketplace }) => marketplace)
        .join(',');

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
  if (options.marketplace !== undefined && options.marketplaces !== undefined)
    add('marketplaces', 'takes the place of marketplace; send one of the two');
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
  const several = options.marketplaces === undefined ? undefined : namesOf(options.marketplaces).filter(isMarketplace);
  const [name = options.marketplace ?? 'amazon', ...further] = several ?? [];
  const found = contradictions(options, options.format ?? marketplaces[name].format);
  if (found.length > 0) return fail(invalid(found));
  const region = options.region === undefined ? undefined : parseRegion(options.region);
  const first = {
    ...resolvedFor(name, options),
    on_finding: options.on_finding ?? 'warn',
    ...(region && { region }),
  };
  const resolved = several ? { ...first, others: further.map((other) => resolvedFor(other, options)) } : first;
  return canvasPixels(resolved) > pixelsMax ? fail(invalid([beyondPixels])) : ok(resolved);
};

type Framed = Pick<ResolvedOutput, 'layout' | 'canvas'>;

/** Of all files together; those of layout original have the photo's size. */
export const canvasPixels = ({
  others = [],
  ...first
}: Framed & { readonly others?: readonly Framed[] | undefined }): number =>
  [first, ...others]
    .filter(({ layout }) => layout === 'hero')
    .map(({ canvas }) => canvasSize(canvas))
    .reduce((sum, { width, height }) => sum + width * height, 0);

const beyondPixels: FieldError = {
  field: 'canvas',
  code: 'invalid_options',
  detail: `the canvases of all marketplaces together must have at most ${pixelsMax / 1e6} megapixels`,
};

const resolvedFor = (name: MarketplaceName, options: Options): ResolvedOutput => {
  const marketplace: Marketplace = marketplaces[name];
  return {
    marketplace: name,
    layout: options.layout ?? 'hero',
    canvas: canvasOption(options.canvas === undefined ? marketplace.canvas : parseCanvas(options.canvas)),
    fill: options.fill ?? marketplace.fill,
    format: options.format ?? marketplace.format,
    quality: options.quality ?? limits.quality.default,
    background: resolvedBackground(options.background),
    shadow: options.shadow ?? 'none',
    ...(options.provenance === 'iptc' ? { provenance: 'iptc' } : {}),
  };
};

const resolvedBackground = (text = 'white'): string =>
  text === 'white' ? '#ffffff' : text === 'transparent' || text.startsWith('#') ? text : `#${text}`;

const fieldErrors = (issue: z.core.$ZodIssue): FieldError[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((field) => ({ field, code: 'invalid_options', detail: 'is not an option' }))
    : [{ field: issue.path.join('.') || 'options', code: 'invalid_options', detail: issue.message }];

const invalid = (found: FieldError[]): Failure =>
  failure('invalid_options', found.map((row) => `${row.field}: ${row.detail}`).join('; '), { errors: found });
