/** The values that parameters of `POST /v1.0/removebg` take, read from text. Undefined: not such a value. Pure. */
import type { CutoutOptions, Length } from '../cutout-options.ts';

/** CSS colour names, lower case, and their red, green and blue. */
export type ColourNames = Readonly<Record<string, readonly [number, number, number]>>;

type Edges = NonNullable<CutoutOptions['roi']>;

const LENGTH = /^(\d{1,6}(?:\.\d{1,6})?)(px|%)$/;

const length = (text: string): Length | undefined => {
  const [, digits, unit] = LENGTH.exec(text === '0' ? '0px' : text) ?? [];
  if (digits === undefined) return undefined;
  return unit === 'px' ? { value: Number(digits), unit: 'px' } : { value: Number(digits) / 100, unit: 'share' };
};

const lengths = (text: string): Length[] | undefined => {
  const found = text.trim().split(/\s+/).map(length);
  return found.every((one) => one !== undefined) ? (found as Length[]) : undefined;
};

const isWithin = ({ value, unit }: Length, pxMax: number, shareMax: number): boolean =>
  value <= (unit === 'px' ? pxMax : shareMax);

/** `x1 y1 x2 y2`. Edges of different units are compared where the photo is known. */
export const roi = (text: string): Edges | undefined => {
  const found = lengths(text);
  if (found?.length !== 4 || !found.every((edge) => isWithin(edge, Number.POSITIVE_INFINITY, 1))) return undefined;
  const [x1, y1, x2, y2] = found as unknown as Edges;
  const isOrdered = (from: Length, to: Length): boolean => from.unit !== to.unit || from.value < to.value;
  return isOrdered(x1, x2) && isOrdered(y1, y2) ? [x1, y1, x2, y2] : undefined;
};

const MARGIN_PX_MAX = 500;
const MARGIN_SHARE_MAX = 0.5;

/** One value for all sides, two for top and bottom, left and right, or four: top, right, bottom, left. */
export const margins = (text: string): Edges | undefined => {
  const found = lengths(text);
  if (!found?.every((margin) => isWithin(margin, MARGIN_PX_MAX, MARGIN_SHARE_MAX))) return undefined;
  const [a, b, c, d] = found;
  if (a && found.length === 1) return [a, a, a, a];
  if (a && b && found.length === 2) return [a, b, a, b];
  return a && b && c && d && found.length === 4 ? [a, b, c, d] : undefined;
};

const share = (text: string): number | undefined => {
  const found = length(text);
  return found?.unit === 'share' && found.value <= 1 ? found.value : undefined;
};

/** Null: `original`. */
export const scale = (text: string): number | null | undefined => {
  if (text === 'original') return null;
  const found = share(text);
  return found !== undefined && found >= 0.1 ? found : undefined;
};

export const position = (text: string): CutoutOptions['position'] | undefined => {
  if (text === 'original') return 'original';
  if (text === 'center') return { x: 0.5, y: 0.5 };
  const [x, y, ...more] = text.trim().split(/\s+/).map(share);
  return x === undefined || more.length > 0 ? undefined : { x, y: y ?? x };
};

const HEX = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/;

/** `#rrggbbaa` of a hex code of 3, 4, 6 or 8 digits, or of a CSS colour name; `transparent`. */
export const colour = (text: string, names: ColourNames): string | undefined => {
  const name = text.trim().toLowerCase();
  if (name === 'transparent') return 'transparent';
  const named = Object.hasOwn(names, name) ? names[name] : undefined;
  if (named) return `#${named.map((part) => part.toString(16).padStart(2, '0')).join('')}ff`;
  const digits = HEX.exec(name)?.[1];
  if (digits === undefined) return undefined;
  const full = digits.length < 6 ? Array.from(digits, (digit) => digit + digit).join('') : digits;
  return `#${full.padEnd(8, 'f')}`;
};

export const flag = (text: string): boolean | undefined =>
  ({ true: true, '1': true, false: false, '0': false })[text.toLowerCase()];
