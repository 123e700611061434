/** The marketplaces and their rules, as callers see them. */
import type { MarketplacesResponse } from '../../shared/api.ts';
import { describeRequirement } from '../../shared/marketplaces/describe.ts';
import { type Marketplace, marketplaceNames, marketplaces } from '../../shared/marketplaces/index.ts';

export const marketplacesBody = (requestId: string): MarketplacesResponse => ({
  success: true,
  request_id: requestId,
  marketplaces: marketplaceNames.map((name) => {
    const { rules, ...defaults }: Marketplace = marketplaces[name];
    return {
      name,
      ...defaults,
      rules: rules.map((rule) => ({ ...rule, required: describeRequirement(rule.requires) })),
    };
  }),
});
