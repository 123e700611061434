/** Where the account wants to be told of its events: listed, added, changed, disabled, removed. */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import type { WebhookEndpoint, WebhookEndpointList } from '../../../shared/portal-api.ts';
import { TEST_WEBHOOK_EVENTS, WEBHOOK_EVENTS, type WebhookEventType } from '../../../shared/webhook-events.ts';
import type { EndpointState } from '../../account/webhook-deliveries/port.ts';
import type { EndpointReply, WebhookEndpoint as StoredEndpoint } from '../../account/webhook-endpoints/port.ts';
import { shownUrl } from '../../webhooks/shown-url.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse } from '../guard.ts';
import { ownerDid } from '../owner-did.ts';
import { bodyOf } from '../read-body.ts';
import { timeOf } from '../time.ts';

const { perAccountMax } = limits.webhookEndpoints;
const url = z.string().min(1).max(limits.webhook.urlCharsMax);
const events = z
  .array(z.enum(WEBHOOK_EVENTS))
  .min(1)
  .max(WEBHOOK_EVENTS.length)
  .transform((given) => WEBHOOK_EVENTS.filter((type) => given.includes(type)));
const added = z.strictObject({ url, events, mode: z.enum(['live', 'test']) });
const changed = z.strictObject({ url, events, enabled: z.boolean() }).partial();

const invalid = (detail: string): Response => refuse(400, 'invalid_request', detail);
const noEndpoint = (): Response => refuse(404, 'not_found', 'No such endpoint.');

const shownEndpoint = (endpoint: StoredEndpoint, states: readonly EndpointState[]): WebhookEndpoint => {
  const { endpointId, url: address, mode, disabled } = endpoint;
  const state = states.find((one) => one.endpointId === endpointId);
  // Failures from before its owner changed it count no more.
  const isFailing = disabled === null && (state?.failingSinceMs ?? 0) >= endpoint.changedAtMs;
  return {
    endpoint_id: endpointId,
    url: address,
    mode,
    events: endpoint.events,
    created_at: timeOf(endpoint.createdAtMs),
    enabled: disabled === null,
    disabled: disabled && { why: disabled.why, at: timeOf(disabled.atMs) },
    pending: state?.pending ?? 0,
    failing_since: isFailing ? timeOf(state?.failingSinceMs ?? null) : null,
  };
};

/** Undefined where all is well. */
const faultOf = (
  { services }: PortalDeps,
  asked: { url?: string | undefined; events?: readonly WebhookEventType[] | undefined },
  mode: StoredEndpoint['mode'],
): Response | undefined => {
  if (asked.url !== undefined) {
    const checked = services.webhooks.check(asked.url);
    if (!checked.ok) return invalid(checked.failure.errors?.[0]?.detail ?? 'This address cannot be called.');
  }
  if (mode === 'test' && asked.events?.some((type) => !TEST_WEBHOOK_EVENTS.includes(type)))
    return invalid('An endpoint for test keys gets batch.completed only: test keys move no credits.');
  return undefined;
};

const refused = ({ result }: Exclude<EndpointReply, { result: 'saved' }>): Response => {
  if (result === 'too_many')
    return refuse(409, 'too_many_endpoints', `An account has at most ${perAccountMax} endpoints. Remove one first.`);
  return result === 'exists'
    ? refuse(409, 'endpoint_exists', 'Another endpoint of the same mode has this URL.')
    : noEndpoint();
};

export const webhookEndpointRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>()
    .get('/webhook-endpoints', async (c) => {
      const { webhookEndpoints, webhookDeliveries } = await accountOf(deps, c.get('user'));
      const [endpoints, states] = await Promise.all([
        webhookEndpoints.webhookEndpoints(),
        webhookDeliveries.webhookEndpointStates(),
      ]);
      const shown = endpoints.map((endpoint) => shownEndpoint(endpoint, states));
      return c.json({ endpoints: shown } satisfies WebhookEndpointList);
    })
    .post('/webhook-endpoints', (c) => add(c, deps))
    .patch('/webhook-endpoints/:id', (c) => change(c, deps))
    .post('/webhook-endpoints/:id/remove', (c) => remove(c, deps));

const add = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, added);
  if (!body) return invalid('A url, a mode (live or test) and at least one event are needed.');
  const fault = faultOf(deps, body, body.mode);
  if (fault) return fault;
  const { clock, randomBytes } = deps.services;
  const { webhookEndpoints } = await accountOf(deps, c.get('user'));
  const endpointId = newId('webhookEndpoint', clock.nowMs(), randomBytes);
  const reply = await webhookEndpoints.addWebhookEndpoint({ ...body, endpointId });
  if (reply.result !== 'saved') return refused(reply);
  await ownerDid(
    deps,
    c,
    { action: 'webhooks.endpoint_added', subject: endpointId, detail: `${body.mode}: ${shownUrl(body.url)}` },
    {
      subject: 'A webhook endpoint was added',
      what: `Events of your packshot account are sent to ${shownUrl(body.url)} from now on.`,
    },
  );
  return c.json(shownEndpoint(reply.endpoint, []), 201);
};

const change = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, changed);
  if (!body) return invalid('A url, at least one event, or enabled is needed.');
  const endpointId = c.req.param('id') ?? '';
  const { webhookEndpoints, webhookDeliveries } = await accountOf(deps, c.get('user'));
  const before = (await webhookEndpoints.webhookEndpoints()).find((one) => one.endpointId === endpointId);
  if (!before) return noEndpoint();
  const fault = faultOf(deps, body, before.mode);
  if (fault) return fault;
  const reply = await webhookEndpoints.changeWebhookEndpoint(endpointId, {
    url: body.url,
    events: body.events,
    isEnabled: body.enabled,
  });
  if (reply.result !== 'saved') return refused(reply);
  const { endpoint } = reply;
  if (endpoint.disabled) await webhookDeliveries.forgetWebhookEndpoint(endpointId);
  const shown = shownUrl(endpoint.url);
  const isMoved = endpoint.url !== before.url;
  await ownerDid(
    deps,
    c,
    { action: deedOf(before, endpoint), subject: endpointId, detail: shown },
    isMoved
      ? {
          subject: 'A webhook endpoint was changed',
          what: `Events of your packshot account are sent to ${shown} instead of ${shownUrl(before.url)} from now on.`,
        }
      : undefined,
  );
  return c.json(shownEndpoint(endpoint, await webhookDeliveries.webhookEndpointStates()));
};

const deedOf = (before: StoredEndpoint, after: StoredEndpoint) => {
  if ((before.disabled === null) === (after.disabled === null)) return 'webhooks.endpoint_changed';
  return after.disabled ? 'webhooks.endpoint_disabled' : 'webhooks.endpoint_enabled';
};

/** Repeated, it answers the same. */
const remove = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const endpointId = c.req.param('id') ?? '';
  const { webhookEndpoints, webhookDeliveries } = await accountOf(deps, c.get('user'));
  const before = (await webhookEndpoints.webhookEndpoints()).find((one) => one.endpointId === endpointId);
  const isRemoved = await webhookEndpoints.removeWebhookEndpoint(endpointId);
  await webhookDeliveries.forgetWebhookEndpoint(endpointId);
  if (isRemoved && before)
    await ownerDid(deps, c, {
      action: 'webhooks.endpoint_removed',
      subject: endpointId,
      detail: shownUrl(before.url),
    });
  return c.json({ removed: true });
};
