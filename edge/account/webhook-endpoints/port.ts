/** Where an account wants to be told of its events. */
import type { KeyMode } from '../../../shared/api-key.ts';
import type { WebhookEventType } from '../../../shared/webhook-events.ts';

/** `gone`: it answered 410. `failing`: it accepted nothing for `limits.webhookEndpoints.failingMsMax`. */
export type DisabledWhy = 'owner' | 'gone' | 'failing';

export type WebhookEndpoint = {
  readonly endpointId: string;
  readonly url: string;
  /** Of the keys whose batches it is told of. */
  readonly mode: KeyMode;
  readonly events: readonly WebhookEventType[];
  readonly createdAtMs: number;
  /** When its owner last changed or enabled it. */
  readonly changedAtMs: number;
  /** Null while it is enabled. */
  readonly disabled: { readonly why: DisabledWhy; readonly atMs: number } | null;
};

export type EndpointChange = {
  readonly url?: string | undefined;
  readonly events?: readonly WebhookEventType[] | undefined;
  readonly isEnabled?: boolean | undefined;
};

export type EndpointReply =
  | { readonly result: 'saved'; readonly endpoint: WebhookEndpoint }
  /** `too_many`: `limits.webhookEndpoints.perAccountMax`. `exists`: another one of the same mode has this address. */
  | { readonly result: 'too_many' | 'exists' | 'unknown' };

export type Disabling = { readonly why: Exclude<DisabledWhy, 'owner'>; readonly atMs: number };

export type WebhookEndpointsPort = {
  /** Oldest first. */
  webhookEndpoints(): Promise<readonly WebhookEndpoint[]>;
  /** Repeated with the same id, it changes nothing. The address has passed `webhooks.check`. */
  addWebhookEndpoint(endpoint: Pick<WebhookEndpoint, 'endpointId' | 'url' | 'mode' | 'events'>): Promise<EndpointReply>;
  changeWebhookEndpoint(endpointId: string, change: EndpointChange): Promise<EndpointReply>;
  /** False where there is none. */
  removeWebhookEndpoint(endpointId: string): Promise<boolean>;
  /**
   * Its deliveries have found it dead. `superseded`: its owner has removed, changed, or disabled it since. Repeated with
   * the same time, it answers the same.
   */
  disableWebhookEndpoint(endpointId: string, disabling: Disabling): Promise<'disabled' | 'superseded'>;
};
