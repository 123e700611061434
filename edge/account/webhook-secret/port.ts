/** The secret that signs an account's webhooks. */

/**
 * `whsec_…`; `rotatedAtMs` is null for the first one. `previous`: the one before, for `limits.webhook.secretOverlapMs`
 * after a rotation; an object of the version before knows none.
 */
export type WebhookSecret = {
  readonly secret: string;
  readonly rotatedAtMs: number | null;
  readonly previous?: string | null;
};

export type WebhookSecretPort = {
  /** Made on first use. */
  webhookSecret(): Promise<WebhookSecret>;
  rotateWebhookSecret(): Promise<WebhookSecret>;
};
