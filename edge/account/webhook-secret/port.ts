/** The secret that signs an account's webhooks. */

/** `whsec_…`; `rotatedAtMs` is null for the first one. */
export type WebhookSecret = { readonly secret: string; readonly rotatedAtMs: number | null };

export type WebhookSecretPort = {
  /** Made on first use. */
  webhookSecret(): Promise<WebhookSecret>;
  rotateWebhookSecret(): Promise<WebhookSecret>;
};
