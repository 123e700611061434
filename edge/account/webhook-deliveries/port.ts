/** Events on their way to an account's webhook endpoints, in its history. */
import type { WebhookEventType } from '../../../shared/webhook-events.ts';

export type WebhookEvent = {
  /** 1, 2, 3 … within the account. */
  readonly sequence: number;
  readonly eventId: string;
  readonly type: WebhookEventType;
  /** Of `batch.completed`, whose body is made when it is sent; otherwise `body` is there. */
  readonly batchId: string | null;
  readonly body: string | null;
  readonly endpoints: readonly string[];
  readonly atMs: number;
};

/** How an endpoint's deliveries stand. `failingSinceMs`: the first of the failures in a row, null where the last was accepted. */
export type EndpointState = {
  readonly endpointId: string;
  readonly pending: number;
  readonly failingSinceMs: number | null;
};

export type WebhookDeliveriesPort = {
  /** In the order of their numbers. An event that was taken before is not taken again. */
  takeWebhookEvents(accountId: string, events: readonly WebhookEvent[]): Promise<void>;
  /** Of the endpoints that have something to tell. */
  webhookEndpointStates(): Promise<readonly EndpointState[]>;
  /** Its owner has removed or disabled it: what was on its way to it is dropped. */
  forgetWebhookEndpoint(endpointId: string): Promise<void>;
};
