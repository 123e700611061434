import type { MarketplaceName } from '../../shared/marketplaces.ts';

/** As each marketplace writes its own name. */
export const marketplaceLabels: Readonly<Record<MarketplaceName, string>> = {
  amazon: 'Amazon',
  walmart: 'Walmart',
  ebay: 'eBay',
  etsy: 'Etsy',
  google: 'Google',
  shopify: 'Shopify',
};
