import { type MarketplaceName, marketplaceNames, marketplaces } from '../../shared/marketplaces/index.ts';

/** As each marketplace writes its own name. */
export const marketplaceLabels = Object.fromEntries(
  marketplaceNames.map((name) => [name, marketplaces[name].label]),
) as Readonly<Record<MarketplaceName, string>>;
