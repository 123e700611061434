/** What an account remembers of its webhooks: each attempt at one, by the batch's own schedule, by hand, or as a test. */

import type { WebhookEventType } from '../../../shared/webhook-events.ts';
import type { Attempt } from '../../webhooks/deliver.ts';
import type { Page, PageRequest } from '../page.ts';

export type SentBy = 'schedule' | 'resend' | 'test';

export type WebhookAttempt = Attempt & {
  readonly attemptId: string;
  /** Null for a test, and for what is about no batch. */
  readonly batchId: string | null;
  /** The endpoint of the account that it went to; none for a batch's own webhook. */
  readonly endpointId?: string | null;
  /** None: the end of a batch. */
  readonly type?: WebhookEventType | null;
  readonly eventId: string;
  /** As `shownUrl` shows it: without what may be a secret. */
  readonly url: string;
  readonly sentBy: SentBy;
  readonly bodyBytes: number;
};
/** `body`: what was signed, its first `edgeLimits.webhookAttempts.bodyCharsMax`; null once an image of it was deleted. */
export type KeptAttempt = WebhookAttempt & { readonly body: string | null };

/** `failed`: also those that the receiver answered with 410. */
export type AttemptFilter = {
  readonly batchId?: string;
  readonly endpointId?: string;
  readonly outcome?: 'delivered' | 'failed';
};

export type WebhookAttemptsPort = {
  /** Repeated, it changes nothing. */
  noteAttempt(attempt: KeptAttempt): Promise<void>;
  /** Newest first. */
  attempts(page?: PageRequest & AttemptFilter): Promise<Page<WebhookAttempt>>;
  attempt(attemptId: string): Promise<KeptAttempt | undefined>;
};
