/** The ends of an account's batches, signed as their webhooks are, for `packshot webhooks listen`. */
import { failure } from '../../shared/errors.ts';
import { webhookEventId } from '../../shared/ids.ts';
import type { Caller } from '../account/authenticate.ts';
import { edgeLimits } from '../limits.ts';
import type { Services } from '../ports.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { batchStatusBody } from '../responses/batch-status.ts';
import { listeningSecret, signedHeaders } from '../webhooks/signature.ts';

type Event = { readonly headers: Record<string, string>; readonly body: string };

/**
 * `after`: the `next` of the answer before, undefined for from now on. Another key's batches are among them: they are the
 * account's. The secret is this key's own, made of the account's, which it does not tell.
 */
export const batchEvents = async (
  services: Services,
  caller: Caller,
  requestId: string,
  after: string | undefined,
  waitSeconds: number,
): Promise<Answer> => {
  if (after !== undefined && !/^\d{1,15}$/.test(after))
    return failed(failure('invalid_request', 'after is not the `next` of an earlier answer'));
  const { account, mode, keyId } = caller;
  const page = await account.events.batchEvents({
    after: after === undefined ? null : Number(after),
    mode,
    waitMs: waitSeconds * 1_000,
  });
  const [summary, { secret: own, previous }] = await Promise.all([
    account.ledger.summary(),
    account.webhookSecret.webhookSecret(),
  ]);
  // As a delivery: one who still has the secret from before a rotation knows it by that.
  const secrets = await Promise.all([own, previous ?? []].flat().map((one) => listeningSecret(one, keyId)));
  const [secret = ''] = secrets;
  const events: Event[] = [];
  let { next } = page;
  let chars = 0;
  for (const { sequence, batchId } of page.events) {
    const event = await eventOf(services, batchId, summary?.available ?? 0, secrets);
    if (event && events.length > 0 && chars + event.body.length > edgeLimits.webhookEvents.answerCharsMax) break;
    if (event) events.push(event);
    chars += event?.body.length ?? 0;
    next = sequence;
  }
  return {
    kind: 'ok',
    body: { success: true, request_id: requestId, secret, events, next: String(next), missing: page.isMissing },
  };
};

/** Undefined for a batch that was deleted meanwhile. */
const eventOf = async (
  services: Services,
  batchId: string,
  remaining: number,
  secrets: readonly string[],
): Promise<Event | undefined> => {
  const batch = await services.sagaOf(batchId).snapshot();
  if (!batch) return undefined;
  const body = JSON.stringify(await batchStatusBody(services, batch, batch.requestId, remaining));
  const timestampSeconds = Math.floor(services.clock.nowMs() / 1_000);
  return { headers: await signedHeaders({ id: webhookEventId(batchId), timestampSeconds, body }, ...secrets), body };
};
