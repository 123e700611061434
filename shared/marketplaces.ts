/**
 * What each marketplace requires of a main image, as far as it can be measured on the file. Sources: the sellers' image
 * guides of each marketplace, November 2026; Amazon's figures are the specification's own.
 */
export type OutputFormat = 'jpg' | 'png' | 'webp';

export type Marketplace = {
  /** Default canvas, px (square). */
  readonly canvas: number;
  /** Default share of the canvas side that the product box's longer side takes. */
  readonly fill: number;
  readonly format: OutputFormat;
  readonly formatsAllowed: readonly OutputFormat[];
  /** Allowed length of the file's longest side, px. */
  readonly longestSide: { readonly min: number; readonly max: number };
  /** Allowed share of the canvas for the product box's longer side; undefined where the marketplace names none. */
  readonly fillRange?: { readonly min: number; readonly max: number };
  readonly whiteRequired: boolean;
};

/** The specification's 85 %, and the tolerance when it is measured on the file. */
export const MAIN_IMAGE_FILL = 0.85;
export const FILL_TOLERANCE = 0.005;
/** Centre of the product box against centre of the canvas, px, either axis. */
export const CENTRE_TOLERANCE_PX = 1;

const specifiedFill = { min: MAIN_IMAGE_FILL - FILL_TOLERANCE, max: MAIN_IMAGE_FILL + FILL_TOLERANCE } as const;

export const marketplaces = {
  amazon: {
    canvas: 2000,
    fill: MAIN_IMAGE_FILL,
    format: 'jpg',
    formatsAllowed: ['jpg', 'png'],
    longestSide: { min: 1000, max: 10_000 },
    fillRange: specifiedFill,
    whiteRequired: true,
  },
  walmart: {
    canvas: 2200,
    fill: MAIN_IMAGE_FILL,
    format: 'jpg',
    formatsAllowed: ['jpg', 'png'],
    longestSide: { min: 1500, max: 10_000 },
    whiteRequired: true,
  },
  ebay: {
    canvas: 1600,
    fill: MAIN_IMAGE_FILL,
    format: 'jpg',
    formatsAllowed: ['jpg', 'png', 'webp'],
    longestSide: { min: 500, max: 9_000 },
    whiteRequired: false,
  },
  etsy: {
    canvas: 2000,
    fill: MAIN_IMAGE_FILL,
    format: 'jpg',
    formatsAllowed: ['jpg', 'png'],
    longestSide: { min: 635, max: 10_000 },
    whiteRequired: false,
  },
  google: {
    canvas: 1500,
    fill: MAIN_IMAGE_FILL,
    format: 'jpg',
    formatsAllowed: ['jpg', 'png', 'webp'],
    longestSide: { min: 500, max: 8_000 },
    fillRange: { min: 0.75, max: 0.9 },
    whiteRequired: true,
  },
  shopify: {
    canvas: 2048,
    fill: MAIN_IMAGE_FILL,
    format: 'jpg',
    formatsAllowed: ['jpg', 'png', 'webp'],
    longestSide: { min: 800, max: 5_000 },
    whiteRequired: false,
  },
} as const satisfies Record<string, Marketplace>;

export type MarketplaceName = keyof typeof marketplaces;
export const marketplaceNames = Object.keys(marketplaces) as [MarketplaceName, ...MarketplaceName[]];
