/**
 * The parameters of `POST /v1.0/removebg`. The parser, the OpenAPI document and the migration page read this one table,
 * so none of them says what the others do not do.
 */
import { limits } from '../limits.ts';
import * as values from './values.ts';

/** How a parameter compares with remove.bg's. `refused`: only the value that asks for nothing is taken. */
export type Support = 'same' | 'approximated' | 'refused';

type Row<T> = {
  readonly support: Support;
  /** What it takes, for readers. */
  readonly takes: string;
  /** How it differs, or why it is refused; empty where there is nothing to say. */
  readonly how: string;
  /** Values that it takes, where they can be listed. */
  readonly values?: readonly string[];
  /** Where it is given as a file. */
  readonly isFile?: true;
  /** Undefined for what cannot be honoured. */
  readonly read: (text: string, names: values.ColourNames) => T | undefined;
};

const row = <T>(support: Support, takes: string, how: string, read: Row<T>['read']): Row<T> => ({
  support,
  takes,
  how,
  read,
});
const oneOf = <const V extends string>(support: Support, listed: readonly V[], how: string): Row<V> => ({
  support,
  takes: listed.join(', '),
  how,
  values: listed,
  read: (text) => listed.find((value) => value === text),
});
const flag = (support: Support, how: string): Row<boolean> => ({
  ...row(support, 'true, false', how, values.flag),
  values: ['true', 'false'],
});
const file = (support: Support, how: string): Row<string> => ({
  ...row(
    support,
    `a JPEG, PNG, WebP, AVIF, TIFF, BMP, PSD, JPEG XL or GIF file, ${MB(limits.upload.fileBytesMax)} at most`,
    how,
    same,
  ),
  isFile: true,
});
const same = (text: string): string => text;
const MB = (bytes: number): string => `${bytes / 1_000_000} MB`;

/** Pixels of the result at most. */
export const sizes = {
  preview: 250_000,
  small: 250_000,
  regular: 250_000,
  medium: 1_500_000,
  hd: 4_000_000,
  full: 25_000_000,
  '4k': 25_000_000,
  auto: 25_000_000,
  '50MP': 50_000_000,
} as const;
export type SizeName = keyof typeof sizes;

const { perDay } = limits.testImages;

export const removebgParameters = {
  image_file: file('same', 'In multipart/form-data. More formats and larger files than there.'),
  image_file_b64: row(
    'approximated',
    `a file in base64, ${MB(limits.removebg.base64BytesMax)} at most`,
    'Larger files go into image_file.',
    same,
  ),
  image_url: row('same', 'a public http(s) address', '', same),
  size: oneOf(
    'approximated',
    Object.keys(sizes) as SizeName[],
    `preview, the default, also called small and regular (0.25 megapixels), is free up to ${perDay} a day for the account, test images included; the others cost one credit. auto is full (25 megapixels) where the account has a credit, else preview. PNG has no lower bound of its own.`,
  ),
  type: oneOf('approximated', ['auto', 'product'], 'One model finds any product. Other types cannot be insisted on.'),
  type_level: oneOf(
    'approximated',
    ['none', '1', '2', 'latest'],
    'X-Type is always product; with none it is left out.',
  ),
  format: oneOf(
    'approximated',
    ['auto', 'png', 'jpg', 'webp', 'zip'],
    'auto is jpg with an opaque background, else png, also where the product happens to fill the frame.',
  ),
  channels: oneOf('same', ['rgba', 'alpha'], 'alpha with auto is a grey PNG, and takes no background, shadow or zip.'),
  bg_color: row('same', 'a hex code of 3, 4, 6 or 8 digits, or a CSS colour name', '', values.colour),
  bg_image_url: row('same', 'a public http(s) address', 'Centred, and as large as it takes to fill the frame.', same),
  bg_image_file: file('same', 'Centred, and as large as it takes to fill the frame.'),
  roi: row('same', 'x1 y1 x2 y2, each in px or %', 'At least 16 px wide and high.', values.roi),
  crop: flag('same', ''),
  crop_margin: row(
    'same',
    'one, two or four lengths in px or %, at most 500px or 50% each',
    'Pixels are those of the result. Without crop it has no effect, as there.',
    values.margins,
  ),
  scale: row('same', '10% to 100%, or original', '', values.scale),
  position: row('same', 'original, center, one or two of 0% to 100%', '', values.position),
  add_shadow: flag('approximated', 'A soft contact shadow below any product, transparent where the background is.'),
  shadow_type: oneOf(
    'approximated',
    ['none', 'auto'],
    'auto is the contact shadow of add_shadow. No other one is drawn.',
  ),
  shadow_opacity: oneOf('refused', ['100'], 'The shadow has one strength.'),
  shadow_method: oneOf('refused', ['latest'], 'There is one method.'),
  semitransparency: flag(
    'approximated',
    'With false, what is partly transparent away from the outline becomes solid. With true, the default, the product is as the model finds it.',
  ),
} as const;

export type ParameterName = keyof typeof removebgParameters;
/** Every parameter that was given, read. */
export type RemovebgParameters = {
  readonly [Name in ParameterName]?: NonNullable<ReturnType<(typeof removebgParameters)[Name]['read']>> | null;
};

export const isParameter = (name: string): name is ParameterName => Object.hasOwn(removebgParameters, name);
