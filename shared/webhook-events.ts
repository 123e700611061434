/** What an account's webhook endpoints may be told of. */
export const WEBHOOK_EVENTS = ['batch.completed', 'balance.low'] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** Test keys move no credits, so an endpoint for their batches is told of nothing else. */
export const TEST_WEBHOOK_EVENTS: readonly WebhookEventType[] = ['batch.completed'];
