/** What an account answers of itself, free of charge. */
import { CREDITS_PER_IMAGE, usdNumber } from '../../shared/credits.ts';
import { failure } from '../../shared/errors.ts';
import type { Caller } from '../account/authenticate.ts';
import { type Answer, failed } from './answer.ts';

export const accountAnswer = async ({ accountId, account }: Caller, requestId: string): Promise<Answer> => {
  const [summary, retentionDays] = await Promise.all([account.ledger.summary(), account.data.retention()]);
  if (!summary) throw new Error('a key without its account');
  const { available, held, spent, granted } = summary;
  return {
    kind: 'ok',
    body: {
      success: true,
      request_id: requestId,
      account_id: accountId,
      available_credits: available,
      held_credits: held,
      spent_credits: spent,
      granted_credits: granted,
      remaining_api_credits_usd: usdNumber(available),
      held_api_credits_usd: usdNumber(held),
      price_per_image_usd: usdNumber(CREDITS_PER_IMAGE),
      retention_days: retentionDays,
    },
    account: { charged: 0, remaining: available },
  };
};

/** `days`: as `DataPort` has them. */
export const retentionAnswer = (days: number | null, requestId: string): Answer => ({
  kind: 'ok',
  body: { success: true, request_id: requestId, retention_days: days },
});

/** Everything that any key of the account sent and got. */
export const erasureAnswer = async ({ account }: Caller, requestId: string): Promise<Answer> => {
  const { result } = await account.data.eraseData();
  if (result === 'in_progress') return failed(failure('images_in_progress'));
  return {
    kind: 'accepted',
    body: { success: true, request_id: requestId, status: 'deleting' },
    retryAfterSeconds: 5,
  };
};
