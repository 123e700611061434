/**
 * A preview costs a live key no credit. It is held like an image of a test key, against the account's free images of the
 * day, and settled when its one image is decided; a hold left open by a crash moves no credit and is released later.
 */
import { errors, type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Caller } from '../account/authenticate.ts';
import type { Snapshot } from '../batch/port.ts';
import { errorText, logEvent } from '../log.ts';
import type { Services } from '../ports.ts';

export const isPreview = ({ cutout }: Pick<ResolvedOptions, 'cutout'>): boolean => cutout?.isPreview === true;

/** Fails with rate_limited once the day's free images are used up. */
export const holdPreview = async (
  { clock }: Pick<Services, 'clock'>,
  { account }: Caller,
  batchId: string,
): Promise<Result<void, Failure>> => {
  const reply = await account.ledger.hold({ batchId, images: 1, mode: 'test' });
  switch (reply.result) {
    case 'held':
    case 'already_held':
      return ok(undefined);
    case 'quota_exceeded':
      return fail(
        failure(
          'rate_limited',
          `The account has had its ${limits.testImages.perDay} free images of today (UTC), previews and test images together; other sizes cost one credit`,
          { retryAfterSeconds: Math.max(1, Math.ceil((reply.retryAtMs - clock.nowMs()) / 1_000)) },
        ),
      );
    default:
      return fail(failure('not_ready', errors.not_ready.title));
  }
};

export const settlePreview = async ({ account }: Caller, { batchId, options, counts }: Snapshot): Promise<void> => {
  if (!isPreview(options)) return;
  try {
    await account.ledger.resolve(batchId, [{ index: 0, as: counts.completed > 0 ? 'posted' : 'voided' }]);
  } catch (error) {
    logEvent('warn', 'preview_not_settled', { batch_id: batchId, error: errorText(error) });
  }
};
