/** The options that the playground offers, as the API takes them and as the shared code does. */
import { limits } from '../../../shared/limits.ts';
import {
  canvasOption,
  type Marketplace,
  type MarketplaceName,
  marketplaces,
  type OutputFormat,
} from '../../../shared/marketplaces/index.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import { parseRegion, type Region } from '../../../shared/region.ts';

export type Choice = {
  readonly marketplace: MarketplaceName;
  /** Made beside it, for the same credit. */
  readonly further: readonly MarketplaceName[];
  /** `white`, `transparent` or `#rrggbb`. */
  readonly background: string;
  readonly shadow: 'none' | 'soft';
  /** Of these, undefined: as the marketplace has it. The canvas is a square, px a side. */
  readonly fill?: number | undefined;
  readonly canvas?: number | undefined;
  readonly format?: OutputFormat | undefined;
  /** `x,y,width,height` in percent of the photo; undefined: all of it. Another photo ends it. */
  readonly region?: string | undefined;
};
export const firstChoice: Choice = { marketplace: 'amazon', further: [], background: 'white', shadow: 'none' };

/** All that a file is made for, the first choice first. */
export const chosenOf = ({ marketplace, further }: Choice): readonly [MarketplaceName, ...MarketplaceName[]] => [
  marketplace,
  ...further,
];

/** A jpg cannot be transparent. */
const formatOf = (choice: Choice, marketplace: MarketplaceName): OutputFormat => {
  const format = choice.format ?? marketplaces[marketplace].format;
  return choice.background === 'transparent' && format === 'jpg' ? 'png' : format;
};

const marketplaceFields = ({ marketplace, further }: Choice): Record<string, string> => {
  if (further.length > 0) return { marketplaces: [marketplace, ...further].join(',') };
  return marketplace === 'amazon' ? {} : { marketplace };
};

const formatFields = (choice: Choice): Record<string, string> => {
  const format = choice.background === 'transparent' ? formatOf(choice, choice.marketplace) : choice.format;
  return format === undefined ? {} : { format };
};

/** Only what differs from the defaults, so that the lines shown stay short. */
export const fieldsOf = (choice: Choice): Record<string, string> => ({
  ...marketplaceFields(choice),
  ...(choice.background === 'white' ? {} : { background: choice.background }),
  ...formatFields(choice),
  ...(choice.canvas === undefined ? {} : { canvas: String(choice.canvas) }),
  ...(choice.fill === undefined ? {} : { fill: String(choice.fill) }),
  ...(choice.shadow === 'soft' ? { shadow: 'soft' } : {}),
  ...(choice.region ? { region: choice.region } : {}),
});

/** The fields of the call that makes the file. A matte says what the product is: a region beside it would contradict. */
export const sentFields = (choice: Choice, matte: Blob | undefined): Record<string, string> =>
  fieldsOf(matte ? { ...choice, region: undefined } : choice);

export const regionOf = ({ region }: Choice): Region | undefined =>
  region === undefined ? undefined : parseRegion(region);

/** Of one of the marketplaces chosen. */
export const resolved = (choice: Choice, name: MarketplaceName): ResolvedOptions => {
  const marketplace: Marketplace = marketplaces[name];
  const region = regionOf(choice);
  return {
    marketplace: name,
    layout: 'hero',
    canvas: choice.canvas ?? canvasOption(marketplace.canvas),
    fill: choice.fill ?? marketplace.fill,
    format: formatOf(choice, name),
    quality: limits.quality.default,
    background: choice.background === 'white' ? '#ffffff' : choice.background,
    shadow: choice.shadow,
    on_finding: 'warn',
    ...(region && { region }),
  };
};
