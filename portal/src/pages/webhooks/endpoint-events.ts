/** What pages say of the events of an endpoint. */
import type { WebhookEventType } from '../../../../shared/webhook-events.ts';

export const eventTexts: Readonly<Record<WebhookEventType, string>> = {
  'batch.completed': 'A batch has ended, whatever came of it. An upload that waits for its results sends none.',
  'balance.low': 'The balance fell to the level that you set under Billing. Once per crossing.',
};
