/**
 * Composition root of the edge: bindings and configuration become services, services become the Worker and its Durable
 * Objects.
 */
import { env } from 'cloudflare:workers';
import { AccountLedgerShell } from './account/account.ts';
import { createApp } from './app.ts';
import { BatchSagaShell } from './batch/batch-saga.ts';
import { consume } from './batch/consumer.ts';
import { readConfig } from './config.ts';
import type { EdgeEnv, ImageMessage } from './env.ts';
import { logEvent } from './log.ts';
import { createPortal } from './portal/index.ts';
import { portalSettings } from './portal/settings.ts';
import { sweepPayments, sweepPortal } from './portal/sweep.ts';
import { connect } from './services.ts';
import { removeExpired } from './stores/objects.ts';
import { sweep } from './stores/sweep.ts';
import { checkWebhookUrl } from './webhooks/deliver.ts';

const bindings = env as unknown as EdgeEnv;
const config = readConfig(bindings);
const services = connect(bindings, config);
const { flows } = services;

// Checked at the start, made with the first request: its library looks at the database, which a Worker may not do
// before.
portalSettings(bindings);
let madePortal: ReturnType<typeof createPortal> | undefined;
const portal = () => (madePortal ??= createPortal(bindings, flows));

const app = createApp({
  services: flows,
  checkWebhookUrl: (url) => checkWebhookUrl(url, services.rules),
  publicBaseUrl: config.publicBaseUrl,
  portal,
  downloadSigningSecret: config.downloadSigningSecret,
  localAdmin:
    config.localAdminToken === null
      ? null
      : {
          ledgerOf: flows.ledgerOf,
          nowMs: flows.clock.nowMs,
          randomBytes: flows.randomBytes,
          token: config.localAdminToken,
        },
});

export class AccountLedger extends AccountLedgerShell {
  constructor(ctx: DurableObjectState, own: EdgeEnv) {
    super(ctx, own, services.ledger);
  }
}

export class BatchSaga extends BatchSagaShell {
  constructor(ctx: DurableObjectState, own: EdgeEnv) {
    super(ctx, own, services.saga);
  }
}

export default {
  fetch: (request, own, ctx) => app.fetch(request, own, ctx),
  queue: (messages) => consume(messages, services.batchImage),
  async scheduled() {
    await sweepPayments(bindings, flows);
    const removed = await sweep(
      (prefix, isExpired, max) => removeExpired(bindings.BUCKET, prefix, isExpired, max),
      flows.clock.nowMs(),
    );
    const forgotten = await sweepPortal(bindings.DB, flows.clock.nowMs());
    logEvent('info', 'swept', { inputs: removed['inputs/'], results: removed['results/'], portal_rows: forgotten });
  },
} satisfies ExportedHandler<EdgeEnv, ImageMessage>;
