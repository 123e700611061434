/** `GET /v1.0/account`: the balance as remove.bg's clients read it. */
import { limits } from '../../shared/limits.ts';
import type { Caller } from '../account/authenticate.ts';
import type { Answer } from '../responses/answer.ts';

/** Credits here neither belong to a subscription nor expire. `free_calls`: previews that a day allows. */
export const removebgAccount = async ({ account }: Caller): Promise<Answer> => {
  const summary = await account.ledger.summary();
  if (!summary) throw new Error('a key without its account');
  const { available } = summary;
  return {
    kind: 'ok',
    body: {
      data: {
        attributes: {
          credits: { total: available, subscription: 0, payg: available, enterprise: 0 },
          api: { free_calls: limits.testImages.perDay, sizes: 'all' },
        },
      },
    },
    account: { charged: 0, remaining: available },
  };
};
