/** Attempts at the account's webhooks: listed, looked into, sent again; and tests of a receiver. */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { isId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import type {
  WebhookAttemptDetail,
  WebhookAttemptPage,
  WebhookAttemptRow,
  WebhookSent,
} from '../../../shared/portal-api.ts';
import { WEBHOOK_EVENTS } from '../../../shared/webhook-events.ts';
import type { AccountParts } from '../../account/port.ts';
import type { WebhookAttempt } from '../../account/webhook-attempts/port.ts';
import { sendEvent } from '../../account/webhook-attempts/send.ts';
import type { WebhookEndpoint } from '../../account/webhook-endpoints/port.ts';
import type { EndpointReply, ResendReply } from '../../batch/port.ts';
import { edgeLimits } from '../../limits.ts';
import { countWithin } from '../counters.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse, refuseForNow } from '../guard.ts';
import { bodyOf } from '../read-body.ts';
import { sendTestEvent } from '../test-event.ts';
import { timeOf } from '../time.ts';

const rowOf = (attempt: WebhookAttempt): WebhookAttemptRow => ({
  attempt_id: attempt.attemptId,
  at: timeOf(attempt.atMs),
  batch_id: attempt.batchId,
  endpoint_id: attempt.endpointId ?? null,
  event: attempt.type ?? 'batch.completed',
  event_id: attempt.eventId,
  url: attempt.url,
  sent_by: attempt.sentBy,
  outcome: attempt.outcome,
  status: attempt.status,
  failure: attempt.failure,
  duration_ms: attempt.ms,
  body_bytes: attempt.bodyBytes,
});

const resent = z.union([z.strictObject({ batch_id: z.string() }), z.strictObject({ attempt_id: z.string() })]);
const tested = z.union([
  z.strictObject({ url: z.string().min(1).max(limits.webhook.urlCharsMax) }),
  z.strictObject({ endpoint_id: z.string(), event: z.enum(WEBHOOK_EVENTS) }),
]);

const invalid = (detail: string): Response => refuse(400, 'invalid_request', detail);

export const webhookRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>()
    .get('/webhook-attempts', async (c) => {
      const { batch_id: batchId, endpoint_id: endpointId, outcome, cursor } = c.req.query();
      if (batchId && !isId('batch', batchId)) return invalid('This is not a batch id.');
      if (endpointId && !isId('webhookEndpoint', endpointId)) return invalid('This is not an endpoint id.');
      if (cursor && !isId('webhookAttempt', cursor)) return invalid('This is not a cursor.');
      if (outcome && outcome !== 'delivered' && outcome !== 'failed') return invalid('outcome is delivered or failed.');
      const { webhookAttempts } = await accountOf(deps, c.get('user'));
      const page = await webhookAttempts.attempts({
        cursor: cursor || null,
        ...(batchId ? { batchId } : {}),
        ...(endpointId ? { endpointId } : {}),
        ...(outcome ? { outcome: outcome as 'delivered' | 'failed' } : {}),
      });
      return c.json({ rows: page.rows.map(rowOf), next_cursor: page.next } satisfies WebhookAttemptPage);
    })
    .get('/webhook-attempts/:id', async (c) => {
      const { webhookAttempts } = await accountOf(deps, c.get('user'));
      const attempt = await webhookAttempts.attempt(c.req.param('id'));
      if (!attempt) return refuse(404, 'not_found', 'No such delivery.');
      const { body } = attempt;
      const isCut = body !== null && new TextEncoder().encode(body).length < attempt.bodyBytes;
      return c.json({ attempt: rowOf(attempt), body, is_cut: isCut } satisfies WebhookAttemptDetail);
    })
    .post('/webhook-attempts/resend', (c) => resend(c, deps))
    .post('/webhook-attempts/test', (c) => sendTest(c, deps));

const noBatch = (): Response => refuse(404, 'not_found', 'No such batch in this account.');
const noEndpoint = (): Response => refuse(404, 'not_found', 'No such endpoint.');

const resend = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, resent);
  if (!body || ('batch_id' in body && !isId('batch', body.batch_id)))
    return invalid('batch_id is the id of a batch; attempt_id that of a delivery to an endpoint.');
  const { accountId } = c.get('user');
  const { services, db } = deps;
  const wait = await countWithin(db, `resend:${accountId}`, edgeLimits.portal.resentWebhooks, services.clock.nowMs());
  if (wait.waitMs > 0) return refuseForNow('rate_limited', 'Too many webhooks sent again. Wait a minute.', wait);
  return 'batch_id' in body ? resendBatch(c, deps, body.batch_id) : resendToEndpoint(c, deps, body.attempt_id);
};

const resendBatch = async (c: Context<PortalContext>, deps: PortalDeps, batchId: string): Promise<Response> => {
  const saga = await ownSaga(c, deps, batchId);
  return saga ? answerOf(c, await saga.resendWebhook()) : noBatch();
};

const ownSaga = async (c: Context<PortalContext>, { services }: PortalDeps, batchId: string) => {
  const saga = services.sagaOf(batchId);
  return (await saga.owner())?.accountId === c.get('user').accountId ? saga : undefined;
};

const answerOf = (c: Context<PortalContext>, reply: ResendReply | EndpointReply): Response => {
  switch (reply.result) {
    case 'sent':
      return c.json({ attempt: rowOf(reply.attempt) } satisfies WebhookSent);
    case 'removed':
      return refuse(409, 'batch_deleted', 'The batch was deleted: nothing is sent of it any more.');
    case 'running':
      return refuse(409, 'batch_in_progress', 'The batch has not ended yet.');
    case 'no_webhook':
      return refuse(409, 'no_webhook', 'The batch was sent without a webhook_url.');
    case 'own':
    case 'unknown':
      return noBatch();
  }
};

/** The event of an attempt once more, to where its endpoint is now; also where it is disabled, to see whether it is well. */
const resendToEndpoint = async (c: Context<PortalContext>, deps: PortalDeps, attemptId: string): Promise<Response> => {
  const account = await accountOf(deps, c.get('user'));
  const attempt = await account.webhookAttempts.attempt(attemptId);
  if (!attempt?.endpointId || attempt.sentBy === 'test') return refuse(404, 'not_found', 'No such delivery.');
  const endpoint = await endpointOf(account, attempt.endpointId);
  if (!endpoint) return refuse(409, 'endpoint_removed', 'The endpoint was removed.');
  if (attempt.batchId !== null) {
    const saga = await ownSaga(c, deps, attempt.batchId);
    return saga ? answerOf(c, await saga.sendToEndpoint(endpoint, 'resend')) : noBatch();
  }
  const { eventId, type = null, body } = attempt;
  if (body === null) return refuse(404, 'not_found', 'No such delivery.');
  const { url, endpointId } = endpoint;
  const event = { url, endpointId, eventId, type, batchId: null, body, sentBy: 'resend' } as const;
  const sent = await sendEvent(deps.services, account, event);
  await account.webhookAttempts.noteAttempt(sent);
  return c.json({ attempt: rowOf(sent) } satisfies WebhookSent);
};

const endpointOf = async (
  { webhookEndpoints }: Pick<AccountParts, 'webhookEndpoints'>,
  endpointId: string,
): Promise<WebhookEndpoint | undefined> =>
  (await webhookEndpoints.webhookEndpoints()).find((one) => one.endpointId === endpointId);

const sendTest = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, tested);
  if (!body) return invalid('A url is needed, or an endpoint_id and an event.');
  const { services, db } = deps;
  const user = c.get('user');
  const account = await accountOf(deps, user);
  const endpoint = 'endpoint_id' in body ? await endpointOf(account, body.endpoint_id) : undefined;
  if ('endpoint_id' in body && !endpoint) return noEndpoint();
  const to = 'url' in body ? { url: body.url } : { url: endpoint?.url ?? '', endpointId: body.endpoint_id };
  const checked = services.webhooks.check(to.url);
  if (!checked.ok) return invalid(checked.failure.errors?.[0]?.detail ?? 'This address cannot be called.');
  const { testWebhooks } = edgeLimits.portal;
  const wait = await countWithin(db, `webhook-test:${user.accountId}`, testWebhooks, services.clock.nowMs());
  if (wait.waitMs > 0) return refuseForNow('rate_limited', 'Too many tests. Wait a minute.', wait);
  const event = 'event' in body ? body.event : 'batch.completed';
  const attempt = await sendTestEvent(services, account, { ...to, event, accountId: user.accountId });
  return c.json({ attempt: rowOf(attempt) } satisfies WebhookSent);
};
