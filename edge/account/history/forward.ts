/**
 * Workers of the version before ask the account's object for what is now its history's: while a deployment spreads, both
 * run. Their calls are passed on. To be removed with `before.ts`, a month after that release.
 */
import { DurableObject } from 'cloudflare:workers';
import type { EdgeEnv } from '../../env.ts';
import type { FoldersPort } from '../folders/port.ts';
import type { WebhookAttemptsPort } from '../webhook-attempts/port.ts';
import type { WebhookDeliveriesPort } from '../webhook-deliveries/port.ts';
import type { ErasurePort, HistoryPort } from './port.ts';

type Forwarded = Omit<
  HistoryPort,
  | 'moveIn'
  | 'batchOfRequest'
  | 'requestsBySplit'
  | keyof ErasurePort
  | keyof FoldersPort
  | keyof WebhookAttemptsPort
  | keyof WebhookDeliveriesPort
>;
type Argument<Method extends keyof Forwarded> = Parameters<Forwarded[Method]>[0];

export abstract class ForwardsToHistory extends DurableObject<EdgeEnv> implements Forwarded {
  protected abstract history(): Forwarded;

  async beginRequest(request: Argument<'beginRequest'>) {
    return this.history().beginRequest(request);
  }
  async renewRequest(request: Argument<'renewRequest'>) {
    return this.history().renewRequest(request);
  }
  async finishRequest(request: Argument<'finishRequest'>) {
    return this.history().finishRequest(request);
  }
  async yieldRequest(request: Argument<'yieldRequest'>) {
    return this.history().yieldRequest(request);
  }
  async dropRequest(request: Argument<'dropRequest'>) {
    return this.history().dropRequest(request);
  }
  async logRequest(row: Argument<'logRequest'>) {
    return this.history().logRequest(row);
  }
  async requests(page: Argument<'requests'> = {}) {
    return this.history().requests(page);
  }
  async request(requestId: string) {
    return this.history().request(requestId);
  }
  async requestsByDay(sinceMs: number) {
    return this.history().requestsByDay(sinceMs);
  }
}
