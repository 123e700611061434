/** Screenshots of a shop's page or of a photo on a phone or in a browser, drawn: no device has made them. */
import sharp from 'sharp';
import type { Size } from '../../../shared/imaging/raster.ts';
import type { Random } from '../random.ts';
import { drawOver, type Picture, place, roomPicture } from './composing.ts';
import {
  androidScreens,
  type Body,
  centred,
  desktopScreens,
  inkOn,
  iosScreens,
  isDark,
  lines,
  navigation,
  offer,
  type Phone,
  prices,
  rect,
  statusBar,
  statusBarHeight,
  type Theme,
  tabs,
  text,
  themes,
  titles,
} from './screen-furniture.ts';

/** A photo of a product, as an app shows it. */
export type ShownPhoto = (size: Size) => Promise<Picture>;

/** A product's page: a header, the photo over the whole width or in a card, the offer, often tabs. */
const productPage = (phone: Phone): Body => {
  const { size, u, theme, random } = phone;
  const top = statusBarHeight(phone);
  const header = 11 * u;
  const margin = random.pick([0, 0, 4 * u]);
  const hasTabs = random.next() < 0.6;
  const photo = {
    x: margin,
    y: top + header + margin,
    width: size.width - 2 * margin,
    height: Math.round((size.width - 2 * margin) * (0.85 + 0.3 * random.next())),
  };
  const under = photo.y + photo.height;
  const dots = [0, 1, 2, 3]
    .map(
      (i) =>
        `<circle cx="${(44 + i * 4) * u}" cy="${under + 3 * u}" r="${0.9 * u}" fill="${i === 0 ? theme.ink : theme.faint}"/>`,
    )
    .join('');
  const svg =
    rect(0, 0, size.width, top + header, theme.bar) +
    statusBar(phone, inkOn(theme.bar)) +
    (random.next() < 0.5
      ? rect(12 * u, top + 2 * u, 74 * u, 7.5 * u, isDark(theme.bar) ? '#ffffff' : '#ececef', 3.7 * u) +
        text('FIND IN MY SHOP', 17 * u, top + 4.6 * u, 2.4 * u, '#77777c')
      : centred('MY SHOP', 50 * u, top + 4 * u, 3.4 * u, inkOn(theme.bar))) +
    `<path d="M${6 * u} ${top + 3 * u}L${3.5 * u} ${top + 5.5 * u}L${6 * u} ${top + 8 * u}" fill="none" stroke="${inkOn(theme.bar)}" stroke-width="${0.6 * u}"/>` +
    dots +
    offer(phone, under + 3 * u) +
    (hasTabs ? tabs(phone, 17 * u) : '') +
    navigation(phone, hasTabs ? inkOn(theme.bar) : theme.ink, hasTabs);
  return { svg, photos: [photo] };
};

/** The photo goes up behind the status bar. */
const fullBleed = (phone: Phone): Body => {
  const { size, u, theme, random } = phone;
  const photo = { x: 0, y: 0, width: size.width, height: Math.round(size.width * (1.1 + 0.25 * random.next())) };
  return {
    svg:
      statusBar(phone, '#1b1b1d') +
      `<circle cx="${8 * u}" cy="${statusBarHeight(phone) + 7 * u}" r="${4.5 * u}" fill="#ffffff" fill-opacity=".9"/>` +
      offer(phone, photo.height) +
      navigation(phone, theme.ink),
    photos: [photo],
  };
};

/** A browser on the phone; its bar is above, or below as on iOS. */
const phoneBrowser = (phone: Phone): Body => {
  const { size, u, theme, random, isIos } = phone;
  const top = statusBarHeight(phone);
  const below = isIos && random.next() < 0.6;
  const bar = 13 * u;
  const y = below ? size.height - 27 * u : top + 2 * u;
  const photo = { x: 5 * u, y: top + (below ? 16 : 29) * u, width: 90 * u, height: 80 * u };
  const page = below ? top : top + bar;
  return {
    svg:
      rect(0, 0, size.width, page, theme.bar) +
      (below
        ? rect(0, y - 2 * u, size.width, size.height - y + 2 * u, theme.bar) +
          rect(0, y - 2 * u, size.width, Math.max(1, 0.25 * u), theme.faint)
        : rect(0, page, size.width, Math.max(1, 0.25 * u), theme.faint)) +
      statusBar(phone, inkOn(theme.bar)) +
      text('MY SHOP', 5 * u, page + 5 * u, 4 * u, theme.ink, 0.2) +
      offer(phone, photo.y + photo.height) +
      (below ? rect(0, y - 2 * u, size.width, size.height, theme.bar) : '') +
      rect(4 * u, y, 92 * u, 9 * u, isDark(theme.bar) ? '#3a3a3c' : '#e9e9eb', 4 * u) +
      centred('MYSHOP.NET', 50 * u, y + 3.2 * u, 2.7 * u, isDark(theme.bar) ? '#eeeeee' : '#333333') +
      navigation(phone, below ? inkOn(theme.bar) : theme.ink),
    photos: [photo],
  };
};

/** Two columns of offers. */
const listing = (phone: Phone): Body => {
  const { size, u, theme, random } = phone;
  const top = statusBarHeight(phone) + 12 * u;
  const photos = Array.from({ length: 8 }, (_, i) => ({
    x: (i % 2 === 0 ? 3 : 51.5) * u,
    y: top + Math.floor(i / 2) * 68 * u + 3 * u,
    width: 45.5 * u,
    height: 45.5 * u,
  })).filter((photo) => photo.y + 66 * u < size.height);
  return {
    svg:
      rect(0, 0, size.width, top, theme.bar) +
      statusBar(phone, inkOn(theme.bar)) +
      centred('NEW THIS WEEK', 50 * u, top - 8 * u, 3.2 * u, inkOn(theme.bar)) +
      photos
        .map(
          ({ x, y }) =>
            text(random.pick(titles).slice(0, 13), x, y + 49 * u, 2.5 * u, theme.ink) +
            text(random.pick(prices), x, y + 55 * u, 3.2 * u, theme.ink, 0.2),
        )
        .join('') +
      tabs(phone, 16 * u) +
      navigation(phone, inkOn(theme.bar), true),
    photos,
  };
};

/** A photo opened in the gallery: little else is on the screen. */
const viewer = (phone: Phone): Body => {
  const { size, u, random } = phone;
  const ground = random.pick(['#000000', '#ffffff']);
  const ink = inkOn(ground);
  const height = Math.round(size.width * random.pick([0.75, 1, 1.25]));
  const top = statusBarHeight(phone);
  return {
    svg:
      rect(0, 0, size.width, size.height, ground) +
      statusBar(phone, ink) +
      `<path d="M${5 * u} ${top + 4 * u}l${4 * u} ${4 * u}m0 ${-4 * u}l${-4 * u} ${4 * u}" stroke="${ink}" stroke-width="${0.6 * u}"/>` +
      centred(random.pick(['1 / 6', '2 / 4', 'TODAY 12:30']), 50 * u, top + 4.5 * u, 2.8 * u, ink) +
      [20, 50, 80]
        .map(
          (x) =>
            `<circle cx="${x * u}" cy="${size.height - 12 * u}" r="${2.3 * u}" fill="none" stroke="${ink}" stroke-width="${0.5 * u}"/>`,
        )
        .join('') +
      navigation(phone, ink),
    photos: [{ x: 0, y: Math.round((size.height - height) / 2), width: size.width, height }],
  };
};

/** A browser's window over the whole screen: tabs, its bar, a page with the photo beside the offer. */
const desktop = (random: Random, size: Size, theme: Theme): Body => {
  // Its furniture has the same size in points on every screen.
  const u = size.width >= 2_000 ? 2 : size.width / 1_440;
  const strip = isDark(theme.ground) ? '#202124' : random.pick(['#dee1e6', '#e8eaed', '#d3e3fd']);
  const bar = isDark(theme.ground) ? '#35363a' : '#ffffff';
  const ink = inkOn(bar);
  const top = 82 * u;
  const photo = {
    x: Math.round(size.width * (0.06 + 0.06 * random.next())),
    y: Math.round(top + 130 * u),
    width: Math.round(size.width * 0.36),
    height: Math.round(Math.min(size.width * 0.36, size.height - top - 190 * u)),
  };
  const x = photo.x + photo.width + 50 * u;
  const rows = [0, 1, 2, 3, 4].map((i) => photo.y + (150 + i * 44) * u).filter((row) => row < size.height - 60 * u);
  return {
    svg:
      rect(0, 0, size.width, size.height, theme.ground) +
      rect(0, 0, size.width, 42 * u, strip) +
      rect(90 * u, 8 * u, 230 * u, 34 * u, bar, 8 * u) +
      text('LEATHER BAG - MY SHOP', 108 * u, 19 * u, 10 * u, ink) +
      ['#ff5f57', '#febc2e', '#28c840']
        .map((colour, i) => `<circle cx="${(20 + i * 20) * u}" cy="${20 * u}" r="${6 * u}" fill="${colour}"/>`)
        .join('') +
      rect(0, 42 * u, size.width, 40 * u, bar) +
      rect(120 * u, 47 * u, size.width - 300 * u, 29 * u, isDark(bar) ? '#202124' : '#eef1f5', 14 * u) +
      text('MYSHOP.NET/BAGS/LEATHER-BAG', 140 * u, 56 * u, 11 * u, ink) +
      rect(0, top - 1, size.width, Math.max(1, u), theme.faint) +
      text('MY SHOP', photo.x, top + 24 * u, 20 * u, theme.ink, 0.2) +
      ['NEW', 'BAGS', 'SHOES', 'HOME', 'SALE']
        .map((word, i) => text(word, photo.x + (260 + i * 110) * u, top + 29 * u, 11 * u, theme.ink))
        .join('') +
      rect(0, top + 72 * u, size.width, Math.max(1, u), theme.faint) +
      text(random.pick(titles), x, photo.y + 10 * u, 19 * u, theme.ink) +
      text(random.pick(prices), x, photo.y + 55 * u, 26 * u, theme.ink, 0.2) +
      rect(x, photo.y + 95 * u, 220 * u, 40 * u, '#f5a623', 8 * u) +
      text('ADD TO CART', x + 42 * u, photo.y + 109 * u, 12 * u, '#111111') +
      rows
        .map(
          (row) =>
            text(random.pick(lines), x, row, 11 * u, theme.ink) +
            rect(x, row + 26 * u, 340 * u, Math.max(1, u), theme.faint),
        )
        .join(''),
    photos: [photo],
  };
};

const layouts = [productPage, fullBleed, phoneBrowser, listing, viewer, productPage] as const;

/** One of each layout in turn; every fifth is a browser's window. */
export const screenPicture = async (random: Random, index: number, shown: ShownPhoto): Promise<Picture> => {
  const theme = random.pick(themes);
  const isDesktop = index % 5 === 4;
  const isIos = random.next() < 0.5;
  const [width, height] = random.pick(isDesktop ? desktopScreens : isIos ? iosScreens : androidScreens);
  const size = { width, height };
  const picture = await roomPicture(theme.ground as `#${string}`, size, random);
  const phone: Phone = { size, u: width / 100, isIos, theme, random };
  const { svg, photos } = isDesktop ? desktop(random, size, theme) : random.pick(layouts)(phone);
  const isUnder = photos.some(({ y }) => y === 0);
  if (!isUnder) await drawOver(picture, svg);
  for (const { x, y, ...of } of photos) {
    const part = { width: Math.round(of.width), height: Math.round(of.height) };
    const { data } = await shown(part);
    const rgba = await sharp(data, { raw: { ...part, channels: 3 } })
      .ensureAlpha()
      .raw()
      .toBuffer();
    place(picture, { ...part, rgba }, Math.round(x), Math.round(y));
  }
  if (isUnder) await drawOver(picture, svg);
  return picture;
};
