/** The options that the playground offers, as the API takes them and as the shared code does. */
import { limits } from '../../../shared/limits.ts';
import {
  type Marketplace,
  type MarketplaceName,
  marketplaces,
  type OutputFormat,
} from '../../../shared/marketplaces.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';

export type Choice = {
  readonly marketplace: MarketplaceName;
  readonly background: 'white' | 'transparent';
  readonly shadow: 'none' | 'soft';
};
export const firstChoice: Choice = { marketplace: 'amazon', background: 'white', shadow: 'none' };

const formatOf = (choice: Choice): OutputFormat =>
  choice.background === 'transparent' ? 'png' : marketplaces[choice.marketplace].format;

/** Only what differs from the defaults, so that the lines shown stay short. */
export const fieldsOf = (choice: Choice): Record<string, string> => ({
  ...(choice.marketplace === 'amazon' ? {} : { marketplace: choice.marketplace }),
  ...(choice.background === 'transparent' ? { background: 'transparent', format: 'png' } : {}),
  ...(choice.shadow === 'soft' ? { shadow: 'soft' } : {}),
});

export const resolved = (choice: Choice): ResolvedOptions => {
  const marketplace: Marketplace = marketplaces[choice.marketplace];
  return {
    marketplace: choice.marketplace,
    layout: 'hero',
    canvas: marketplace.canvas,
    fill: marketplace.fill,
    format: formatOf(choice),
    quality: limits.quality.default,
    background: choice.background === 'white' ? '#ffffff' : 'transparent',
    shadow: choice.shadow,
    on_finding: 'warn',
  };
};
