/** The furniture of screens, drawn: sizes, themes, status bars, navigation, tabs, and what a shop says of a product. */
import type { Size } from '../../../shared/imaging/raster.ts';
import type { Random } from '../random.ts';
import { lettering, letteringWidth } from './lettering.ts';

export type Theme = { readonly ground: string; readonly bar: string; readonly ink: string; readonly faint: string };
export const themes: readonly Theme[] = [
  { ground: '#ffffff', bar: '#ffffff', ink: '#1c1c1e', faint: '#d9d9dc' },
  { ground: '#ffffff', bar: '#f7f7f8', ink: '#222222', faint: '#e5e5e7' },
  { ground: '#f2f2f4', bar: '#232f3e', ink: '#16181d', faint: '#cfd1d6' },
  { ground: '#121212', bar: '#1e1e1e', ink: '#ececec', faint: '#343437' },
  { ground: '#000000', bar: '#000000', ink: '#f5f5f7', faint: '#2c2c2e' },
];
export const isDark = (colour: string): boolean => Number.parseInt(colour.slice(1, 3), 16) < 128;
export const inkOn = (colour: string): string => (isDark(colour) ? '#f4f4f5' : '#1b1b1d');

export const iosScreens: readonly (readonly [number, number])[] = [
  [750, 1334],
  [828, 1792],
  [1125, 2436],
  [1170, 2532],
  [1179, 2556],
  [1206, 2622],
  [1242, 2688],
  [1284, 2778],
  [1290, 2796],
];
export const androidScreens: readonly (readonly [number, number])[] = [
  [720, 1600],
  [1080, 1920],
  [1080, 2220],
  [1080, 2340],
  [1080, 2400],
  [1220, 2712],
  [1440, 3120],
];
export const desktopScreens: readonly (readonly [number, number])[] = [
  [1366, 768],
  [1440, 900],
  [1536, 864],
  [1920, 1080],
  [2560, 1440],
];

export const titles = [
  'RED COFFEE MUG 300 ML',
  'LEATHER BAG WITH STRAP',
  'DESK LAMP WARM WHITE',
  'WALL CLOCK 30 CM',
  'STEEL PAN 24 CM',
];
export const lines = [
  'FREE RETURN IN 30 DAYS',
  'IN STOCK - 2 LEFT',
  'SOLD BY MY SHOP',
  'COMES ON MONDAY',
  '4.6 OF 5 - 128 RATINGS',
  'COLOUR: BLUE',
  'ONE MODEL ONLY',
];
export const prices = ['$ 19.90', '24.50', '$ 139', '7.99'];
const hours = ['9:41', '12:30', '18:05', '7:22', '23:59'];

export const rect = (x: number, y: number, width: number, height: number, colour: string, radius = 0): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${colour}"/>`;
export const text = (words: string, x: number, y: number, height: number, colour: string, weight?: number): string =>
  lettering(words, { x, y, height, colour, ...(weight ? { weight } : {}) });
export const centred = (words: string, x: number, y: number, height: number, colour: string): string =>
  text(words, x - letteringWidth(words, height) / 2, y, height, colour);

/** `u`: a hundredth of the screen's width. */
export type Phone = {
  readonly size: Size;
  readonly u: number;
  readonly isIos: boolean;
  readonly theme: Theme;
  readonly random: Random;
};
export type Body = {
  readonly svg: string;
  readonly photos: readonly (Size & { readonly x: number; readonly y: number })[];
};

export const statusBarHeight = ({ isIos, size, u }: Phone): number =>
  isIos ? (size.height / size.width < 1.9 ? 5.3 * u : 12.5 * u) : 7 * u;

export const statusBar = (phone: Phone, ink: string): string => {
  const { u, isIos, random } = phone;
  const height = statusBarHeight(phone);
  const letters = isIos ? 3.1 * u : 2.6 * u;
  const y = height * (isIos && height > 8 * u ? 0.56 : 0.5) - letters / 2;
  const time = random.pick(hours);
  const battery = 91 * u - (isIos ? 2 * u : 0);
  const icons = [
    `<rect x="${battery}" y="${y}" width="${6 * u}" height="${letters}" rx="${0.8 * u}" fill="none" stroke="${ink}" stroke-width="${0.35 * u}"/>${rect(battery + 0.6 * u, y + 0.6 * u, 2 * u + 3 * u * random.next(), letters - 1.2 * u, ink)}`,
    `<path d="M${battery - 6 * u} ${y + letters * 0.3}Q${battery - 4 * u} ${y - letters * 0.2} ${battery - 2 * u} ${y + letters * 0.3}L${battery - 4 * u} ${y + letters}Z" fill="${ink}"/>`,
    [0, 1, 2, 3]
      .map((i) =>
        rect(battery - 11 * u + i * u, y + letters * (0.75 - 0.25 * i), 0.7 * u, letters * (0.25 + 0.25 * i), ink),
      )
      .join(''),
  ];
  const x = isIos ? (height > 8 * u ? 9 * u : 3 * u) : 4.5 * u;
  const notes = isIos
    ? ''
    : [0, 1, 2]
        .slice(random.integer(0, 2))
        .map((i) => `<circle cx="${20 * u + i * 4 * u}" cy="${y + letters / 2}" r="${letters * 0.38}" fill="${ink}"/>`)
        .join('');
  return text(time, x, y, letters, ink, 0.17) + notes + icons.slice(0, random.integer(1, 3)).join('');
};

/** The home indicator, three buttons, or a pill. */
export const navigation = (
  { size: { width, height }, u, isIos, random }: Phone,
  ink: string,
  overTabs = false,
): string => {
  if (isIos) return height / width < 1.9 ? '' : rect(32 * u, height - 3.2 * u, 36 * u, 1.3 * u, ink, 0.65 * u);
  if (overTabs || random.next() < 0.5) return rect(40 * u, height - 3.4 * u, 20 * u, 0.9 * u, ink, 0.45 * u);
  const y = height - 6 * u;
  return `<path d="M${22 * u} ${y}L${22 * u} ${y + 4 * u}L${18.5 * u} ${y + 2 * u}Z" fill="${ink}"/><circle cx="${50 * u}" cy="${y + 2 * u}" r="${1.8 * u}" fill="${ink}"/>${rect(78 * u, y + 0.4 * u, 3.4 * u, 3.4 * u, ink, 0.4 * u)}`;
};

export const tabs = ({ size: { width, height }, u, theme }: Phone, bottom: number): string => {
  const top = height - bottom;
  return (
    rect(0, top, width, bottom, theme.bar) +
    rect(0, top, width, Math.max(1, 0.25 * u), theme.faint) +
    [10, 30, 50, 70, 90]
      .map(
        (x, i) =>
          `<circle cx="${x * u}" cy="${top + 5.5 * u}" r="${2 * u}" fill="none" stroke="${i === 0 ? '#f5762a' : inkOn(theme.bar)}" stroke-width="${0.5 * u}"/>${centred(['HOME', 'FIND', 'SALE', 'CART', 'ME'][i]!, x * u, top + 9 * u, 1.6 * u, inkOn(theme.bar))}`,
      )
      .join('')
  );
};

/** Title, price, lines and a button from `y` down. */
export const offer = ({ size: { width, height }, u, theme, random }: Phone, y: number): string => {
  const button = random.pick(['#f5a623', '#111111', '#2563eb', '#16a34a']);
  const rows = Array.from({ length: 6 }, (_, i) => y + (19 + i * 8) * u).filter((row) => row < height - 30 * u);
  return (
    text(random.pick(titles), 4 * u, y + 4 * u, 3.4 * u, theme.ink) +
    text(random.pick(prices), 4 * u, y + 11 * u, 4.6 * u, theme.ink, 0.2) +
    rows
      .map(
        (row) =>
          text(random.pick(lines), 4 * u, row, 2.5 * u, theme.ink) +
          rect(4 * u, row + 5.2 * u, width - 8 * u, Math.max(1, 0.25 * u), theme.faint),
      )
      .join('') +
    rect(4 * u, height - 27 * u, width - 8 * u, 11 * u, button, 2 * u) +
    centred('ADD TO CART', 50 * u, height - 23 * u, 3 * u, inkOn(button))
  );
};
