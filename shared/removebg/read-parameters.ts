/** RemovebgParameters as text → a job's options. What cannot be honoured is an error that says so. Pure. */
import type { CutoutOptions } from '../cutout-options.ts';
import { type Failure, type FieldError, failure } from '../errors.ts';
import { limits } from '../limits.ts';
import type { OutputFormat } from '../marketplaces/index.ts';
import type { ResolvedOptions } from '../options.ts';
import { fail, ok, type Result } from '../result.ts';
import { isParameter, type RemovebgParameters, removebgParameters, type SizeName, sizes } from './parameters.ts';
import type { ColourNames } from './values.ts';

const SOURCES = ['image_file', 'image_file_b64', 'image_url'] as const;
const BACKGROUNDS = ['bg_color', 'bg_image_url', 'bg_image_file'] as const;

/** Fails with invalid_options, one row for each parameter at fault. A file's text only says that it was sent. */
export const readParameters = (
  given: ReadonlyMap<string, string>,
  names: ColourNames,
): Result<RemovebgParameters, Failure> => {
  const errors: FieldError[] = [];
  const found: Record<string, unknown> = {};
  for (const [name, text] of given) {
    const value = isParameter(name) ? removebgParameters[name].read(text, names) : undefined;
    if (value !== undefined) found[name] = value;
    else errors.push(isParameter(name) ? notTaken(name, text) : unknownParameter(name));
  }
  errors.push(...contradictions(found as RemovebgParameters, given));
  return errors.length > 0 ? fail(invalidParameters(errors)) : ok(found as RemovebgParameters);
};

export const invalidParameters = (errors: readonly FieldError[]): Failure =>
  failure('invalid_options', errors.map(({ detail }) => detail).join('; '), { errors });

const VALUE_CHARS_SHOWN = 40;

const notTaken = (name: keyof typeof removebgParameters, text: string): FieldError => {
  const { takes, how, support } = removebgParameters[name];
  const shown = text.length > VALUE_CHARS_SHOWN ? `${text.slice(0, VALUE_CHARS_SHOWN)}…` : text;
  const why = support === 'same' || how === '' ? '' : ` ${how}`;
  return {
    field: name,
    code: `invalid_${name}`,
    detail: `${name}=${shown} cannot be honoured: it takes ${takes}.${why}`,
  };
};

const unknownParameter = (name: string): FieldError => ({
  field: name,
  code: 'unknown_parameter',
  detail: `${name.slice(0, VALUE_CHARS_SHOWN)} is not a parameter of this endpoint`,
});

const contradictions = (found: RemovebgParameters, given: ReadonlyMap<string, string>): FieldError[] => {
  const rows: FieldError[] = [];
  const add = (field: string, code: string, detail: string): void => void rows.push({ field, code, detail });
  const sources = SOURCES.filter((name) => given.has(name));
  const backgrounds = BACKGROUNDS.filter((name) => given.has(name));
  if (sources.length === 0) add('image_file', 'missing_source', `No image given: send one of ${SOURCES.join(', ')}`);
  if (sources.length > 1)
    add(sources[1] ?? '', 'multiple_sources', `Several images given: send one of ${sources.join(', ')}`);
  if (backgrounds.length > 1)
    add(
      backgrounds[1] ?? '',
      'multiple_bg_sources',
      `Several backgrounds given: send one of ${backgrounds.join(', ')}`,
    );
  if (found.channels === 'alpha') {
    if (backgrounds[0]) add(backgrounds[0], `invalid_${backgrounds[0]}`, 'channels=alpha has no background');
    if (found.format === 'zip')
      add('format', 'invalid_format', 'channels=alpha is a single picture; a zip carries two');
    if (isShadowed(found)) add('add_shadow', 'invalid_add_shadow', 'channels=alpha has no shadow');
  }
  if (found.format === 'jpg' && isTranslucent(found.bg_color ?? undefined))
    add('bg_color', 'invalid_bg_color', 'format=jpg has no transparency');
  return rows;
};

const isShadowed = ({ add_shadow, shadow_type }: RemovebgParameters): boolean =>
  add_shadow === true && shadow_type !== 'none';
const isTranslucent = (colour: string | undefined): boolean => colour !== undefined && !colour.endsWith('ff');

export type Wanted = {
  readonly options: ResolvedOptions;
  /** Costs no credit and counts against the day's free images. */
  readonly isFree: boolean;
};

/** `caller`: whether its key is live, and the credits that its account can spend. */
export const wantedOf = (
  found: RemovebgParameters,
  caller: { readonly isLive: boolean; readonly available: number },
): Wanted => {
  const size = sizeOf(found, caller);
  const isFree = sizes[size] === sizes.preview;
  const background = backgroundOf(found);
  const isOpaque = background === 'image' || background.endsWith('ff');
  const format = formatOf(found, isOpaque);
  const scale = found.scale ?? null;
  const cutout: CutoutOptions = {
    pixelsMax: sizes[size],
    roi: found.roi ?? null,
    crop: found.crop ? (found.crop_margin ?? NO_MARGINS) : null,
    scale,
    position: found.position ?? (scale === null ? 'original' : CENTRE),
    channels: found.channels ?? 'rgba',
    container: found.format === 'zip' ? 'zip' : 'file',
    background,
    semitransparency: found.semitransparency ?? true,
    isPreview: isFree && caller.isLive,
  };
  return {
    isFree,
    options: { ...unused, format, ...shown(cutout), shadow: isShadowed(found) ? 'soft' : 'none', cutout },
  };
};

const sizeOf = (
  { size }: RemovebgParameters,
  { isLive, available }: { isLive: boolean; available: number },
): SizeName => (size === 'auto' && isLive && available < 1 ? 'preview' : (size ?? 'preview'));

/** A JPEG shows white where nothing else was asked for. */
const backgroundOf = (found: RemovebgParameters): CutoutOptions['background'] => {
  if (found.bg_image_file || found.bg_image_url) return 'image';
  return found.bg_color ?? (found.format === 'jpg' && found.channels !== 'alpha' ? '#ffffffff' : 'transparent');
};

const formatOf = ({ format = 'auto', channels }: RemovebgParameters, isOpaque: boolean): OutputFormat => {
  if (format === 'zip') return 'jpg';
  if (format === null || format === 'auto') return isOpaque && channels !== 'alpha' ? 'jpg' : 'png';
  return format;
};

/** The job's own background says which kind of picture comes out: one with an alpha channel, or the colour it lies on. */
const shown = ({ background, channels }: CutoutOptions): Pick<ResolvedOptions, 'background'> => {
  if (channels === 'alpha' || background === 'image') return { background: '#000000' };
  return { background: background.endsWith('ff') ? background.slice(0, 7) : 'transparent' };
};

const ZERO = { value: 0, unit: 'px' } as const;
const NO_MARGINS: NonNullable<CutoutOptions['crop']> = [ZERO, ZERO, ZERO, ZERO];
const CENTRE = { x: 0.5, y: 0.5 } as const;
/** Options of a main image that a cut-out has no use for. */
const unused = {
  marketplace: 'amazon',
  layout: 'original',
  canvas: limits.canvas.sideMin,
  fill: 1,
  quality: limits.quality.default,
  on_finding: 'warn',
} as const;
