/**
 * Makes an account's deliveries to its webhook endpoints. Each is begun by the history's alarm and waited for by nobody:
 * an endpoint that is slow keeps its own places busy and holds up no other. What a crash cuts off is due again when it
 * must be over. The endpoint is asked for before every attempt, so that one that was removed gets nothing more.
 */
import { backoffMs } from '../../../shared/backoff.ts';
import { earliest } from '../../alarm.ts';
import { edgeLimits } from '../../limits.ts';
import { errorText, logEvent } from '../../log.ts';
import { shownUrl } from '../../webhooks/shown-url.ts';
import type { WebhookAttempt } from '../webhook-attempts/port.ts';
import type { Disabling, WebhookEndpoint, WebhookEndpointsPort } from '../webhook-endpoints/port.ts';
import * as rows from './rows.ts';

/** `own`: the batch's own webhook has this address and tells it. `gone_batch`: deleted, or forgotten. */
type SendReply =
  | { readonly result: 'sent'; readonly attempt: WebhookAttempt }
  | { readonly result: 'own' | 'gone_batch' };

export type DisabledEndpoint = Disabling & { readonly endpointId: string; readonly url: string };

/** What deliveries reach outside the history. */
export type DeliveryServices = {
  readonly endpointsOf: (
    accountId: string,
  ) => Pick<WebhookEndpointsPort, 'webhookEndpoints' | 'disableWebhookEndpoint'>;
  /** One attempt, noted in the log. Throws where it is not known to have been made. */
  readonly sendToEndpoint: (
    accountId: string,
    endpoint: Pick<WebhookEndpoint, 'endpointId' | 'url'>,
    event: Pick<rows.Delivery, 'eventId' | 'type' | 'batchId' | 'body'>,
  ) => Promise<SendReply>;
  /** Tells the owner, once for each endpoint and time. Throws while it is not known to be told. */
  readonly tellDisabled: (accountId: string, endpoint: DisabledEndpoint) => Promise<void>;
};

type Deps = {
  readonly storage: DurableObjectStorage;
  readonly now: () => number;
  readonly services: DeliveryServices;
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly arm: () => void;
};

const { disableRetry, disableTriesMsMax } = edgeLimits.webhookEndpoints;

export const createDeliveries = ({ storage, now, services, waitUntil, arm }: Deps) => {
  const { sql } = storage;
  let hasTables = false;
  const isReady = (): boolean => (hasTables ||= rows.hasDeliveryTables(sql));
  /** Deliveries under way in this instance, by endpoint. */
  const underWay = new Map<string, number>();
  const count = (endpointId: string, by: 1 | -1): void => {
    const left = (underWay.get(endpointId) ?? 0) + by;
    if (left > 0) underWay.set(endpointId, left);
    else underWay.delete(endpointId);
  };

  const endpointOf = async ({ endpointId }: rows.Delivery): Promise<WebhookEndpoint | undefined> => {
    const endpoints = await services.endpointsOf(rows.accountIdOf(sql)).webhookEndpoints();
    return endpoints.find((one) => one.endpointId === endpointId && one.disabled === null);
  };

  /** The endpoint is disabled as of `askedAtMs`, before it was asked for: a change by its owner since supersedes that. */
  const answered = (
    endpoint: WebhookEndpoint,
    delivery: rows.Delivery,
    { outcome }: WebhookAttempt,
    askedAtMs: number,
  ): void =>
    storage.transactionSync(() => {
      const { endpointId, url } = endpoint;
      if (!rows.isPending(sql, delivery)) return;
      if (outcome === 'delivered') return rows.noteAccepted(sql, endpointId, delivery.eventId);
      if (outcome === 'gone') return rows.noteDisabling(sql, endpointId, url, { why: 'gone', atMs: askedAtMs });
      rows.tryLater(sql, delivery, Math.random(), now());
      if (rows.noteFailed(sql, endpoint, now()))
        rows.noteDisabling(sql, endpointId, url, { why: 'failing', atMs: askedAtMs });
    });

  const attempt = async (delivery: rows.Delivery): Promise<void> => {
    const askedAtMs = now();
    const endpoint = await endpointOf(delivery);
    if (!endpoint) return rows.forgetEndpoint(sql, delivery.endpointId);
    const reply = await services.sendToEndpoint(rows.accountIdOf(sql), endpoint, delivery);
    if (reply.result === 'sent') answered(endpoint, delivery, reply.attempt, askedAtMs);
    else rows.dropDelivery(sql, delivery.endpointId, delivery.eventId);
  };

  const begin = (due: rows.Delivery): void => {
    const delivery = rows.beginAttempt(sql, due, Math.random(), now());
    if (!delivery) return;
    const { endpointId, eventId } = delivery;
    count(endpointId, 1);
    const made = attempt(delivery)
      .catch((error: unknown) => {
        logEvent('warn', 'webhook_delivery_later', { event_id: eventId, error: errorText(error) });
        rows.tryLater(sql, delivery, Math.random(), now());
      })
      // A full object notes nothing: the delivery is due again when this one must be over.
      .catch((error: unknown) =>
        logEvent('error', 'webhook_delivery_not_noted', { event_id: eventId, error: errorText(error) }),
      )
      .finally(() => {
        count(endpointId, -1);
        arm();
      });
    waitUntil(made);
  };

  const disable = async (due: rows.DueDisabling): Promise<void> => {
    const { endpointId, url, why, atMs, tries } = due;
    const accountId = rows.accountIdOf(sql);
    if (now() > atMs + disableTriesMsMax) {
      logEvent('error', 'webhook_endpoint_not_told', { account_id: accountId, endpoint_id: endpointId, tries });
      return rows.endDisabling(sql, endpointId, false);
    }
    try {
      const reply = await services.endpointsOf(accountId).disableWebhookEndpoint(endpointId, { why, atMs });
      if (reply === 'disabled') await services.tellDisabled(accountId, { endpointId, url: shownUrl(url), why, atMs });
      rows.endDisabling(sql, endpointId, reply === 'disabled');
    } catch (error) {
      logEvent('warn', 'webhook_endpoint_told_later', { endpoint_id: endpointId, error: errorText(error) });
      rows.retryDisabling(sql, endpointId, now() + backoffMs(tries, disableRetry));
    }
  };

  return {
    /** Begins what is due, a bounded number; the end of each sets the alarm for what is left. */
    run: (): void => {
      if (!isReady()) return;
      for (const delivery of rows.dueDeliveries(sql, now(), underWay)) begin(delivery);
    },
    runDisablings: async (): Promise<void> => {
      if (!isReady()) return;
      for (const due of rows.dueDisablings(sql, now())) await disable(due);
    },
    dueMs: (): number =>
      isReady() ? earliest(rows.nextDeliveryMs(sql, underWay), rows.nextDisablingMs(sql)) : Number.POSITIVE_INFINITY,
  };
};
