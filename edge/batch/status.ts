/** How a batch stands, for the key that made it. */
import { type Failure, failure } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Caller } from '../account/authenticate.ts';
import { edgeLimits } from '../limits.ts';
import type { Services } from '../ports.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { batchStatusBody } from '../responses/batch-status.ts';
import type { SagaPort, Snapshot } from './port.ts';

/** `waitSeconds` (0 to 25): answer when the batch ends, or then. A batch of another key is answered as not found. */
export const batchStatus = async (
  services: Services,
  caller: Caller,
  requestId: string,
  batchId: string,
  waitSeconds: number,
): Promise<Answer> => {
  const found = await batchOfKey(services, caller, batchId);
  if (!found.ok) return failed(found.failure);
  const now = found.value;
  const saga = services.sagaOf(batchId);
  const mayWait = waitSeconds > 0 && now.completedAtMs === null;
  const batch = (mayWait ? await saga.snapshot({ waitMs: waitSeconds * 1_000, evenAsking: true }) : now) ?? now;
  const remaining = (await caller.account.ledger.summary())?.available ?? 0;
  return {
    kind: 'ok',
    body: await batchStatusBody(services, batch, requestId, remaining),
    account: { charged: 0, remaining },
    batchId,
    ...(batch.completedAtMs === null ? { retryAfterSeconds: pollSeconds(batch) } : {}),
  };
};

/** Fails with batch_deleted, or batch_not_found, which a batch of another key is too. */
export const batchOfKey = async (
  { sagaOf }: Pick<Services, 'sagaOf'>,
  caller: Caller,
  batchId: string,
): Promise<Result<Snapshot, Failure>> => {
  if (!isId('batch', batchId)) return fail(failure('batch_not_found'));
  const saga = sagaOf(batchId);
  const batch = await saga.snapshot({ evenAsking: true });
  if (!batch) return fail(failure((await isRemovedFrom(saga, caller)) ? 'batch_deleted' : 'batch_not_found'));
  return batch.keyId === caller.keyId ? ok(batch) : fail(failure('batch_not_found'));
};

/** Deleted, and this key's own. */
const isRemovedFrom = async (saga: SagaPort, { keyId }: Caller): Promise<boolean> => {
  const owner = await saga.owner();
  return owner?.keyId === keyId && owner.removed === 'batch';
};

/** About half a second an image, so that a large batch is not polled needlessly. */
const pollSeconds = ({ counts }: Snapshot): number =>
  Math.min(edgeLimits.batch.pollSecondsMax, Math.max(1, Math.ceil((counts.queued + counts.processing) / 2)));
