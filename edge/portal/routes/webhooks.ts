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
import type { WebhookAttempt } from '../../account/webhook-attempts/port.ts';
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
  event_id: attempt.eventId,
  url: attempt.url,
  sent_by: attempt.sentBy,
  outcome: attempt.outcome,
  status: attempt.status,
  failure: attempt.failure,
  duration_ms: attempt.ms,
  body_bytes: attempt.bodyBytes,
});

const resent = z.strictObject({ batch_id: z.string() });
const tested = z.strictObject({ url: z.string().min(1).max(limits.webhook.urlCharsMax) });

const invalid = (detail: string): Response => refuse(400, 'invalid_request', detail);

export const webhookRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>()
    .get('/webhook-attempts', async (c) => {
      const { batch_id: batchId, outcome, cursor } = c.req.query();
      if (batchId && !isId('batch', batchId)) return invalid('This is not a batch id.');
      if (cursor && !isId('webhookAttempt', cursor)) return invalid('This is not a cursor.');
      if (outcome && outcome !== 'delivered' && outcome !== 'failed') return invalid('outcome is delivered or failed.');
      const { webhookAttempts } = await accountOf(deps, c.get('user'));
      const page = await webhookAttempts.attempts({
        cursor: cursor || null,
        ...(batchId ? { batchId } : {}),
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

const resend = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, resent);
  if (!body || !isId('batch', body.batch_id)) return invalid('batch_id is the id of a batch.');
  const { accountId } = c.get('user');
  const { services, db } = deps;
  const wait = await countWithin(db, `resend:${accountId}`, edgeLimits.portal.resentWebhooks, services.clock.nowMs());
  if (wait.waitMs > 0) return refuseForNow('rate_limited', 'Too many webhooks sent again. Wait a minute.', wait);
  const saga = services.sagaOf(body.batch_id);
  if ((await saga.owner())?.accountId !== accountId) return noBatch();
  const reply = await saga.resendWebhook();
  switch (reply.result) {
    case 'sent':
      return c.json({ attempt: rowOf(reply.attempt) } satisfies WebhookSent);
    case 'removed':
      return refuse(409, 'batch_deleted', 'The batch was deleted: nothing is sent of it any more.');
    case 'running':
      return refuse(409, 'batch_in_progress', 'The batch has not ended yet.');
    case 'no_webhook':
      return refuse(409, 'no_webhook', 'The batch was sent without a webhook_url.');
    case 'unknown':
      return noBatch();
  }
};

const sendTest = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, tested);
  if (!body) return invalid('A url is needed.');
  const { services, db } = deps;
  const checked = services.webhooks.check(body.url);
  if (!checked.ok) return invalid(checked.failure.errors?.[0]?.detail ?? 'This address cannot be called.');
  const user = c.get('user');
  const { testWebhooks } = edgeLimits.portal;
  const wait = await countWithin(db, `webhook-test:${user.accountId}`, testWebhooks, services.clock.nowMs());
  if (wait.waitMs > 0) return refuseForNow('rate_limited', 'Too many tests. Wait a minute.', wait);
  const account = await accountOf(deps, user);
  const { available } = account.summary;
  const attempt = await sendTestEvent(services, account, { url: checked.value, available });
  return c.json({ attempt: rowOf(attempt) } satisfies WebhookSent);
};
