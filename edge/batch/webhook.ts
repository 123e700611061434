/** A batch's webhook: attempts by its schedule and by hand, each noted in the account's history; and those at endpoints. */
import type { KeptAttempt, SentBy } from '../account/webhook-attempts/port.ts';
import { isOpen, isOver } from './machine/batch.ts';
import type { BatchReply } from './machine/types.ts';
import type { EndpointReply, ResendReply, ToldEndpoint } from './port.ts';
import { contextOf } from './rows.ts';
import type { SagaCore } from './saga-core.ts';

export const createWebhook = ({ storage, services, batch, snapshot, execute, defer }: SagaCore) => {
  const addressOf = (): string | null => contextOf(storage.sql).webhookUrl;

  /** A batch that was deleted meanwhile keeps no trace; one deleted while this is noted is erased once more later. */
  const note = async (attempt: KeptAttempt): Promise<void> => {
    if (batch()?.removedAtMs !== null) return;
    await services.noteAttempt(contextOf(storage.sql).accountId, attempt);
  };

  const answered = ({ outcome }: KeptAttempt): BatchReply => {
    const { reply, effects } = execute({ type: 'webhook_answered', answer: outcome, jitter: Math.random() });
    defer(effects);
    return reply;
  };

  return {
    attempt: async (): Promise<BatchReply | undefined> => {
      const url = batch() === undefined ? null : addressOf();
      if (url === null) return undefined;
      const attempt = await services.deliverWebhook(snapshot(), { url }, 'schedule');
      // First the answer: a history that is away must not keep the next attempt from its time.
      const reply = answered(attempt);
      await note(attempt);
      return reply;
    },
    resend: async (): Promise<ResendReply> => {
      const stored = batch();
      if (!stored || !isOpen(stored)) return { result: 'unknown' };
      if (stored.removedAtMs !== null) return { result: 'removed' };
      const url = addressOf();
      if (url === null) return { result: 'no_webhook' };
      if (!isOver(stored)) return { result: 'running' };
      const attempt = await services.deliverWebhook(snapshot(), { url }, 'resend');
      if (attempt.outcome !== 'failed') answered(attempt);
      await note(attempt);
      const { body: _body, ...shown } = attempt;
      return { result: 'sent', attempt: shown };
    },
    sendToEndpoint: async (
      { endpointId, url }: ToldEndpoint,
      sentBy: Exclude<SentBy, 'test'>,
    ): Promise<EndpointReply> => {
      const stored = batch();
      if (!stored || !isOpen(stored)) return { result: 'unknown' };
      if (stored.removedAtMs !== null) return { result: 'removed' };
      if (!isOver(stored)) return { result: 'running' };
      const own = addressOf();
      if (sentBy === 'schedule' && own !== null && new URL(own).href === new URL(url).href) return { result: 'own' };
      const attempt = await services.deliverWebhook(snapshot(), { url, endpointId }, sentBy);
      await note(attempt);
      const { body: _body, ...shown } = attempt;
      return { result: 'sent', attempt: shown };
    },
  };
};
