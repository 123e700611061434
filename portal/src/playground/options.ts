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
import { parseRegion } from '../../../shared/region.ts';

export type Choice = {
  readonly marketplace: MarketplaceName;
  /** Made beside it, for the same credit. */
  readonly further: readonly MarketplaceName[];
  readonly background: 'white' | 'transparent';
  readonly shadow: 'none' | 'soft';
  /** `x,y,width,height` in percent of the photo; undefined: all of it. Another photo ends it. */
  readonly region?: string | undefined;
};
export const firstChoice: Choice = { marketplace: 'amazon', further: [], background: 'white', shadow: 'none' };

const formatOf = (choice: Choice): OutputFormat =>
  choice.background === 'transparent' ? 'png' : marketplaces[choice.marketplace].format;

const marketplaceFields = ({ marketplace, further }: Choice): Record<string, string> => {
  if (further.length > 0) return { marketplaces: [marketplace, ...further].join(',') };
  return marketplace === 'amazon' ? {} : { marketplace };
};

/** Only what differs from the defaults, so that the lines shown stay short. */
export const fieldsOf = (choice: Choice): Record<string, string> => ({
  ...marketplaceFields(choice),
  ...(choice.background === 'transparent' ? { background: 'transparent', format: 'png' } : {}),
  ...(choice.shadow === 'soft' ? { shadow: 'soft' } : {}),
  ...(choice.region ? { region: choice.region } : {}),
});

/** Of the first marketplace, which the preview shows. */
export const resolved = (choice: Choice): ResolvedOptions => {
  const marketplace: Marketplace = marketplaces[choice.marketplace];
  const region = choice.region === undefined ? undefined : parseRegion(choice.region);
  return {
    marketplace: choice.marketplace,
    layout: 'hero',
    canvas: canvasOption(marketplace.canvas),
    fill: marketplace.fill,
    format: formatOf(choice),
    quality: limits.quality.default,
    background: choice.background === 'white' ? '#ffffff' : 'transparent',
    shadow: choice.shadow,
    on_finding: 'warn',
    ...(region && { region }),
  };
};
