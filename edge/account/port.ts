/** What an account does for others, by concept. Callers take the ports they need; expected refusals are values. */
import { errorText, logEvent } from '../log.ts';
import type { AccessPort } from './access/port.ts';
import type { AlertsPort } from './alerts-port.ts';
import type { ChecksPort } from './checks/port.ts';
import type { DataPort } from './data-port.ts';
import type { EventsPort } from './events-port.ts';
import type { FoldersPort } from './folders/port.ts';
import type { ErasurePort, HistoryPort } from './history/port.ts';
import type { IdempotencyPort } from './idempotency/port.ts';
import type { KeysPort } from './keys/port.ts';
import type { LedgerPort } from './ledger/port.ts';
import type { RequestLogPort } from './requests/port.ts';
import type { TopUpPort } from './top-up/port.ts';
import type { WebhookAttemptsPort } from './webhook-attempts/port.ts';
import type { WebhookDeliveriesPort } from './webhook-deliveries/port.ts';
import type { WebhookEndpointsPort } from './webhook-endpoints/port.ts';
import type { WebhookSecretPort } from './webhook-secret/port.ts';

/** All that the account's object answers. */
export type AccountPort = LedgerPort &
  KeysPort &
  AccessPort &
  ChecksPort &
  WebhookSecretPort &
  DataPort &
  EventsPort &
  AlertsPort &
  TopUpPort &
  WebhookEndpointsPort;

/** All that concerns an account, as parts: callers do not notice which object answers them. */
export type AccountParts = {
  readonly ledger: LedgerPort;
  readonly keys: KeysPort;
  readonly access: AccessPort;
  readonly checks: ChecksPort;
  readonly idempotency: IdempotencyPort;
  readonly requests: RequestLogPort;
  readonly erasures: ErasurePort;
  readonly folders: FoldersPort;
  readonly data: DataPort;
  readonly events: EventsPort;
  readonly alerts: AlertsPort;
  readonly topUps: TopUpPort;
  readonly webhookSecret: WebhookSecretPort;
  readonly webhookAttempts: WebhookAttemptsPort;
  readonly webhookEndpoints: WebhookEndpointsPort;
  readonly webhookDeliveries: WebhookDeliveriesPort;
};

export type AccountOf = (accountId: string) => AccountParts;

/** A line that could not be logged fails no request. */
const withoutFailing = (history: RequestLogPort): RequestLogPort => ({
  logRequest: async (row) => {
    try {
      await history.logRequest(row);
    } catch (error) {
      logEvent('error', 'request_not_logged', { request_id: row.requestId, error: errorText(error) });
    }
  },
  requests: (page) => history.requests(page),
  request: (requestId) => history.request(requestId),
  requestsByDay: (sinceMs) => history.requestsByDay(sinceMs),
  requestsBySplit: (range, period) => history.requestsBySplit(range, period),
});

/** An attempt that could not be noted is made all the same, and is not made again for it. */
const attemptsWithoutFailing = (history: WebhookAttemptsPort): WebhookAttemptsPort => ({
  noteAttempt: async (attempt) => {
    try {
      await history.noteAttempt(attempt);
    } catch (error) {
      logEvent('error', 'attempt_not_noted', { event_id: attempt.eventId, error: errorText(error) });
    }
  },
  attempts: (page) => history.attempts(page),
  attempt: (attemptId) => history.attempt(attemptId),
});

/** Money, keys and access are answered by the account's own object, the rest by its history. */
export const partsOf = (account: AccountPort, history: HistoryPort): AccountParts => ({
  ledger: account,
  keys: account,
  access: account,
  checks: account,
  idempotency: history,
  requests: withoutFailing(history),
  erasures: history,
  folders: history,
  data: account,
  events: account,
  alerts: account,
  topUps: account,
  webhookSecret: account,
  webhookAttempts: attemptsWithoutFailing(history),
  webhookEndpoints: account,
  webhookDeliveries: history,
});
