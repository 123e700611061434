/**
 * Composition root of the edge: bindings and configuration become services, services become the Worker and its Durable
 * Objects.
 */
import { env } from 'cloudflare:workers';
import { unsetOperator } from '../shared/operator.ts';
import { Account } from './account/account.ts';
import { History as AccountHistory } from './account/history/history.ts';
import { createApp } from './app.ts';
import { auditRecorder } from './audit/record.ts';
import { BatchSaga as Saga } from './batch/batch-saga.ts';
import { consume } from './batch/consumer.ts';
import { readConfig } from './config.ts';
import type { EdgeEnv, ImageMessage } from './env.ts';
import { logEvent } from './log.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { SpendSession } from './mcp/spend-session.ts';
import { renewSecondFactors } from './portal/auth-secrets.ts';
import { endpointDisabledTeller } from './portal/endpoint-disabled.ts';
import { createPortal } from './portal/index.ts';
import { lowBalanceMailer } from './portal/low-balance.ts';
import { portalSettings, unsetSeller } from './portal/settings.ts';
import { sweepPayments, sweepPortal } from './portal/sweep.ts';
import { topUpServices } from './portal/top-up-services.ts';
import { bucketOf, connect } from './services.ts';
import { statusReader } from './status/answer.ts';
import { runProbes } from './status/run.ts';
import { removeExpired } from './stores/objects.ts';
import { sweep } from './stores/sweep.ts';

const bindings = env as unknown as EdgeEnv;
const config = readConfig(bindings);
const services = connect(bindings, config);
const { flows } = services;

// Checked at the start but made with the first request: its library reads the database, which a Worker may do only
// then.
const settings = portalSettings(bindings);
const { turnstile, securityContact, operator } = settings;
const unset = unsetSeller(settings);
if (unset.length > 0) logEvent('warn', 'seller_not_set', { variables: unset.join(' ') });
const unfilled = settings.local ? [] : unsetOperator(operator);
if (unfilled.length > 0) logEvent('warn', 'legal_not_set', { variables: unfilled.join(' ') });
const tellCrossing = lowBalanceMailer(bindings);
const topUps = topUpServices(bindings, flows);
const audit = auditRecorder(bindings.DB, flows.clock.nowMs);
const tellDisabled = endpointDisabledTeller(bindings, audit);
let madePortal: ReturnType<typeof createPortal> | undefined;
const portal = () => (madePortal ??= createPortal(bindings, flows));

const app = createApp({
  services: flows,
  checkWebhookUrl: flows.webhooks.check,
  fetchInput: services.batchImage.fetchInput,
  publicBaseUrl: config.publicBaseUrl,
  audit,
  hasTurnstile: turnstile !== null,
  securityContact,
  operator,
  readStatus: statusReader(bindings.DB, flows.clock),
  portal,
  downloadSecrets: config.downloadSecrets,
  mcp: (routes) => mcpRoutes(routes, { ...services, services: flows, publicBaseUrl: config.publicBaseUrl }),
  localAdmin: config.localAdminToken === null ? null : { ...flows, token: config.localAdminToken, audit },
});

/** The account's object under the class name of its storage; wrangler.toml says why that name stays. */
export class AccountLedger extends Account {
  constructor(ctx: DurableObjectState, own: EdgeEnv) {
    super(ctx, own, { ...services.account, tellCrossing, topUps });
  }
}

export class History extends AccountHistory {
  constructor(ctx: DurableObjectState, own: EdgeEnv) {
    super(ctx, own, { ...services.history, tellDisabled });
  }
}

export class BatchSaga extends Saga {
  constructor(ctx: DurableObjectState, own: EdgeEnv) {
    super(ctx, own, services.saga);
  }
}

export { SpendSession };

/** As wrangler.toml has it, beside the schedule of everything else. */
const PROBE_SCHEDULE = '* * * * *';

export default {
  fetch: (request, own, ctx) => app.fetch(request, own, ctx),
  queue: (messages) => consume(messages, services.batchImage),
  async scheduled({ cron }) {
    if (cron === PROBE_SCHEDULE) return runProbes(services.probes);
    await sweepPayments(bindings, flows);
    const removed = await sweep(
      (prefix, isExpired, max) => removeExpired(bucketOf(bindings), prefix, isExpired, max),
      flows.clock.nowMs(),
    );
    const forgotten = await sweepPortal(bindings.DB, flows.clock.nowMs());
    const renewed = await renewSecondFactors(bindings.DB, portalSettings(bindings));
    logEvent('info', 'swept', {
      inputs: removed['inputs/'],
      results: removed['results/'],
      checks: removed['checks/'],
      portal_rows: forgotten,
      second_factors_renewed: renewed,
    });
  },
} satisfies ExportedHandler<EdgeEnv, ImageMessage>;
