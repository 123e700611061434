/** What pages call the attempts at a webhook. */
import type { WebhookAttemptRow } from '../../../shared/portal-api.ts';
import type { Tone } from '../components/notice.tsx';

export const outcomes: Readonly<Record<WebhookAttemptRow['outcome'], { readonly name: string; readonly tone: Tone }>> =
  {
    delivered: { name: 'Delivered', tone: 'good' },
    gone: { name: 'Gone', tone: 'warn' },
    failed: { name: 'Failed', tone: 'bad' },
  };

export const senders: Readonly<Record<WebhookAttemptRow['sent_by'], string>> = {
  schedule: 'Automatic',
  resend: 'Resent',
  test: 'Test',
};

const failures: Readonly<Record<string, string>> = {
  timeout: 'No response in time',
  connection_failed: 'Connection failed',
  url_unreachable: 'Host name not found',
  url_forbidden: 'Not a public host',
};

/** The status, or why there is none. */
export const answerText = ({ status, failure }: WebhookAttemptRow): string =>
  status !== null ? String(status) : (failures[failure ?? ''] ?? 'No response');
