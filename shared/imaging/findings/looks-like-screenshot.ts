/**
 * looks_like_screenshot: a screen with a photo in it, told by the furniture of phones and browsers and by nothing else:
 * a status bar, a navigation bar, rows of small text, an address bar. A text, a bar or a phone's proportions alone are
 * found in advertisements too.
 */
import type { Finding } from '../../findings.ts';
import type { Size } from '../raster.ts';
import type { Evidence } from './evidence.ts';
import { findingOf } from './finding.ts';
import {
  type Colour,
  endOfClean,
  endOfMarks,
  isAlike,
  lengthOf,
  middleOf,
  type Rows,
  rowsOf,
  type Span,
} from './screen-rows.ts';

/** A phone's screen is at least so much higher than wide; tablets are not looked for. */
const PHONE_ASPECT_MIN = 1.6;
/** A window's or a monitor's width over its height. */
const WINDOW_ASPECT = { min: 1.2, max: 2.5 } as const;
/** Rows of small text that a screen has where one of its two bars is not to be seen. */
const TEXT_ROWS_MIN = 3;
/** Screens of phones with a button below the screen, which have no navigation bar, px: told by their exact size. */
const BARLESS_SCREENS: ReadonlySet<string> = new Set(['640x1136', '750x1334', '1242x2208']);

/** Bounds below are in hundredths of the screen's width, as furniture has the same size on every phone. */
const within = (value: number, min: number, max: number): boolean => value >= min && value <= max;

/** Small marks at the left and at the right on one colour, nothing between them: time and battery. */
const hasStatusBar = (rows: Rows): boolean => {
  const u = rows.width / 100;
  const ground = rows.clean(0);
  if (!ground) return false;
  const from = endOfClean(rows, ground, 0, 1, 10 * u);
  const to = endOfMarks(rows, ground, from, 1, 6 * u);
  if (to === undefined || !within(from, 0.5 * u, 9.9 * u) || !within(to - from, 1.5 * u, 5.5 * u)) return false;
  const marks = rows.marks(ground, { from, to }, 2.5 * u);
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last || first === last) return false;
  return (
    within(first.from, 1.5 * u, 16 * u) &&
    within(lengthOf(first), 4 * u, 20 * u) &&
    within(last.to, 86 * u, 99 * u) &&
    marks.every((mark) => mark.to <= 40 * u || mark.from >= 60 * u)
  );
};

/** At the lower end: a pill in the middle, or three small marks. */
const hasNavigationBar = (rows: Rows): boolean => {
  const u = rows.width / 100;
  const ground = rows.clean(rows.height - 1);
  if (!ground) return false;
  const bottom = endOfClean(rows, ground, rows.height - 1, -1, 6 * u);
  const top = endOfMarks(rows, ground, bottom, -1, 6 * u);
  if (top === undefined || rows.height - 1 - bottom < u) return false;
  const marks = rows.marks(ground, { from: top + 1, to: bottom + 1 }, u);
  const deep = bottom - top;
  return isPill(marks, deep, u) || areButtons(marks, deep, u);
};

const isPill = ([pill, ...more]: readonly Span[], deep: number, u: number): boolean =>
  pill !== undefined &&
  more.length === 0 &&
  within(deep, 0.4 * u, 2.6 * u) &&
  within(lengthOf(pill), 15 * u, 45 * u) &&
  within(middleOf(pill), 48.5 * u, 51.5 * u);

const areButtons = (marks: readonly Span[], deep: number, u: number): boolean => {
  const [left, middle, right] = marks;
  if (!left || !middle || !right || marks.length !== 3) return false;
  return (
    within(deep, 2.5 * u, 6 * u) &&
    marks.every((mark) => within(lengthOf(mark), 1.5 * u, 8 * u)) &&
    within(middleOf(middle), 48 * u, 52 * u) &&
    within(middleOf(left) + middleOf(right), 97 * u, 103 * u) &&
    within(middleOf(left), 12 * u, 32 * u)
  );
};

/** Marks of a row of text: a word or two, a price. */
const TEXT_MARKS_MIN = 3;

/** Rows of small marks between clean rows of the same colour. */
const textRows = (rows: Rows): number => {
  const u = rows.width / 100;
  let count = 0;
  for (let y = 0; y < rows.height; y++) {
    const ground = rows.clean(y);
    if (!ground) continue;
    const from = endOfClean(rows, ground, y, 1, rows.height);
    const to = endOfMarks(rows, ground, from, 1, 7 * u);
    if (to === undefined) {
      y = from;
      continue;
    }
    if (within(to - from, 1.2 * u, 7 * u) && rows.marks(ground, { from, to }, 0).length >= TEXT_MARKS_MIN) count++;
    y = to - 1;
  }
  return count;
};

/** Levels between a row's ends: JPEG spreads a coloured button at the left. */
const ENDS_MAX = 16;

/** The colour at the right end of a row, where there are no buttons; undefined where the left end is of another. */
const endsOf = (rows: Rows, y: number): Colour | undefined => {
  const inset = Math.max(1, Math.round(rows.width * 0.006));
  const [left, right] = [rows.at(inset, y), rows.at(rows.width - 1 - inset, y)];
  return isAlike(left, right, ENDS_MAX) ? right : undefined;
};

/** The rows from `from` on that have the same colour at both ends. */
const bandFrom = (rows: Rows, from: number): Span | undefined => {
  const colour = endsOf(rows, from);
  if (!colour) return undefined;
  let to = from + 1;
  while (to < rows.height && isAlike(endsOf(rows, to) ?? [-99, -99, -99], colour, 4)) to++;
  return { from, to };
};

/** Share of a row that a strip's colour has, and the two colours of a bar with a field together. */
const STRIP_SHARE_MIN = 0.55;
const BAR_SHARE_MIN = 0.75;
/** Share of the bar's width and depth that its field takes. */
const FIELD_SHARE = { min: 0.45, max: 0.95 } as const;
const FIELD_DEPTH = { min: 0.4, max: 0.9 } as const;
/** Levels between the two colours: a bar may be white and its field nearly so. */
const FIELD_STEP_MIN = 5;
/** Where the field shows its colour: right of the address, left of the buttons. */
const FIELD_AT = 0.62;

/** A browser's upper end: a strip with tabs, then a bar with a field for the address across much of it. */
const hasBrowserBar = (rows: Rows): boolean => {
  const isBand = (band: Span | undefined): band is Span =>
    band !== undefined && within(lengthOf(band), 0.015 * rows.width, 0.05 * rows.width);
  const strip = bandFrom(rows, 0);
  if (!isBand(strip) || !isStrip(rows, strip)) return false;
  // Reducing the picture mixes the two colours in a row or two between them.
  const bar = [0, 1, 2].map((skip) => bandFrom(rows, strip.to + skip)).find(isBand);
  return bar !== undefined && hasField(rows, bar);
};

const isStrip = (rows: Rows, strip: Span): boolean => {
  const ground = rows.at(rows.width - 2, strip.from);
  for (let y = strip.from; y < strip.to; y++) if (rows.share(ground, y) < STRIP_SHARE_MIN) return false;
  return rows.hasMarks(ground, Math.round(middleOf(strip)));
};

/** Rows in which another colour, and nothing but both, takes much of the bar. */
const hasField = (rows: Rows, bar: Span): boolean => {
  const middle = Math.round(middleOf(bar));
  const ground = rows.at(rows.width - 2, middle);
  const field = rows.at(Math.round(FIELD_AT * rows.width), middle);
  if (isAlike(ground, field, FIELD_STEP_MIN)) return false;
  let deep = 0;
  for (let y = bar.from; y < bar.to; y++) {
    const [around, inside] = [rows.share(ground, y, FIELD_STEP_MIN), rows.share(field, y, FIELD_STEP_MIN)];
    if (within(inside, FIELD_SHARE.min, FIELD_SHARE.max) && around + inside >= BAR_SHARE_MIN) deep++;
  }
  return within(deep / lengthOf(bar), FIELD_DEPTH.min, FIELD_DEPTH.max);
};

const phoneScreen = (rows: Rows, { width, height }: Size): string | undefined => {
  const hasStatus = hasStatusBar(rows);
  const hasNavigation = hasNavigationBar(rows);
  if (hasStatus && hasNavigation) return "a phone's status bar and navigation bar";
  if (!hasNavigation && !(hasStatus && BARLESS_SCREENS.has(`${width}x${height}`))) return undefined;
  const texts = textRows(rows);
  if (texts < TEXT_ROWS_MIN) return undefined;
  return `a phone's ${hasStatus ? 'status' : 'navigation'} bar and ${texts} rows of small text`;
};

const screenOf = (rows: Rows, photo: Size): string | undefined => {
  const aspect = photo.width / photo.height;
  if (aspect <= 1 / PHONE_ASPECT_MIN) return phoneScreen(rows, photo);
  const isWindow = within(aspect, WINDOW_ASPECT.min, WINDOW_ASPECT.max) && hasBrowserBar(rows);
  return isWindow ? "a browser's tabs and address bar" : undefined;
};

export const looksLikeScreenshot = ({ picture, photo }: Evidence): Finding | undefined => {
  const seen = screenOf(rowsOf(picture), photo);
  if (seen === undefined) return undefined;
  return findingOf(
    'looks_like_screenshot',
    {
      detail: `The picture shows ${seen}`,
      remedy: 'Send the photo itself: the file of the camera, or the picture saved from the page.',
    },
    photo,
  );
};
