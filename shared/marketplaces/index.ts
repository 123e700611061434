/** What each marketplace asks of a main image, as far as it can be measured on the file. One file a marketplace. */
import { aliexpress } from './aliexpress.ts';
import { allegro } from './allegro.ts';
import { amazon } from './amazon.ts';
import { bol } from './bol.ts';
import { coupang } from './coupang.ts';
import { ebay } from './ebay.ts';
import { etsy } from './etsy.ts';
import { google } from './google.ts';
import { kaufland } from './kaufland.ts';
import { lazada } from './lazada.ts';
import { mercadoLibre } from './mercado-libre.ts';
import { meta } from './meta.ts';
import { noon } from './noon.ts';
import type { CanvasSize, Marketplace } from './rule.ts';
import { shopee } from './shopee.ts';
import { shopify } from './shopify.ts';
import { tiktokShop } from './tiktok-shop.ts';
import { walmart } from './walmart.ts';
import { zalando } from './zalando.ts';

export type { CanvasSize, Marketplace, OutputFormat, Rule } from './rule.ts';

export const marketplaces = {
  amazon,
  walmart,
  ebay,
  etsy,
  google,
  shopify,
  'tiktok-shop': tiktokShop,
  zalando,
  bol,
  'mercado-libre': mercadoLibre,
  kaufland,
  allegro,
  coupang,
  lazada,
  shopee,
  meta,
  noon,
  aliexpress,
} as const satisfies Record<string, Marketplace>;

export type MarketplaceName = keyof typeof marketplaces;
export const marketplaceNames = Object.keys(marketplaces) as [MarketplaceName, ...MarketplaceName[]];

/** A canvas as options carry it: the side of a square, or both sides. */
export const canvasSize = (canvas: number | CanvasSize): CanvasSize =>
  typeof canvas === 'number' ? { width: canvas, height: canvas } : canvas;

/** The other way: a square by its side, so that options say the same as ever. */
export const canvasOption = ({ width, height }: CanvasSize): number | CanvasSize =>
  width === height ? width : { width, height };
