/**
 * The only file of the simulation that names the edge's parts: its composition root, as edge/index.ts makes it, without
 * the portal. Adapt this file where those change; the platform knows nothing of them.
 */
import { readFileSync } from 'node:fs';
import { Account } from '../../edge/account/account.ts';
import { History } from '../../edge/account/history/history.ts';
import { historySchema } from '../../edge/account/history/schema.ts';
import { type LedgerLines, ledgerLines } from '../../edge/account/ledger/archive.ts';
import type { ImageSplit, SpentMonth } from '../../edge/account/ledger/port.ts';
import type { Page } from '../../edge/account/page.ts';
import type { DayRange } from '../../edge/account/period.ts';
import type { RequestRow, RequestsBySplit } from '../../edge/account/requests/port.ts';
import { type UsageDay, usageByDay } from '../../edge/account/requests/usage.ts';
import { accountSchema } from '../../edge/account/schema.ts';
import type { TopUpServices } from '../../edge/account/top-up/port.ts';
import { createApp } from '../../edge/app.ts';
import { BatchSaga } from '../../edge/batch/batch-saga.ts';
import { consume } from '../../edge/batch/consumer.ts';
import { batchSchema } from '../../edge/batch/schema.ts';
import { readConfig } from '../../edge/config.ts';
import type { EdgeEnv, ImageMessage } from '../../edge/env.ts';
import { creditRecorder } from '../../edge/portal/credit-recorder.ts';
import type { Services } from '../../edge/ports.ts';
import { bucketOf, connect } from '../../edge/services.ts';
import { migrate } from '../../edge/sqlite/rows.ts';
import { removeExpired } from '../../edge/stores/objects.ts';
import { sweep } from '../../edge/stores/sweep.ts';
import { checkWebhookUrl } from '../../edge/webhooks/deliver.ts';
import { WEBHOOK_EVENTS } from '../../shared/webhook-events.ts';
import { signingKey } from '../support/service-keys.ts';
import type { Instance } from './platform/object.ts';
import type { QueueSettings } from './platform/queue.ts';
import type { Context } from './platform/worker.ts';

export const origins = ['https://origin-a.example', 'https://origin-b.example'] as const;
export const adminToken = 'local-admin-token-0123456789abcdef';
export const baseUrl = 'https://packshot.example';
export const storeUrl = 'https://store.example';
export const bucketName = 'packshot';

export const variables = {
  ENVIRONMENT: 'local',
  PUBLIC_BASE_URL: baseUrl,
  ORIGIN_URLS: origins.join(','),
  SERVICE_SIGNING_KEY: JSON.stringify(signingKey),
  DOWNLOAD_SIGNING_SECRET: 'local-download-secret-0123456789abcdef',
  R2_S3_ENDPOINT: storeUrl,
  R2_BUCKET_NAME: bucketName,
  R2_ACCESS_KEY_ID: 'local-access-key',
  R2_SECRET_ACCESS_KEY: 'local-secret-key',
  LOCAL_ADMIN_TOKEN: adminToken,
  LOCAL_INPUT_HOSTS: '',
  DNS_OVER_HTTPS_URL: 'https://resolver.example/dns-query',
  AUTH_SECRET: 'local-auth-secret-0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_local-stripe-secret-0123456789abcdef',
} as const;

/** Names of the bindings of Durable Objects, R2 and the queue. */
export const bindings = { objects: ['ACCOUNT', 'HISTORY', 'SAGA'], bucket: 'BUCKET', queue: 'JOBS' } as const;
export type ObjectBinding = (typeof bindings.objects)[number];
/** The migrations of each class, from its oldest. */
export const schemas: Readonly<Record<ObjectBinding, readonly string[]>> = {
  ACCOUNT: accountSchema,
  HISTORY: historySchema,
  SAGA: batchSchema,
};
/** Applies them as the objects do. */
export const applySchema = (storage: unknown, scripts: readonly string[]): void =>
  migrate(storage as DurableObjectStorage, scripts);

export type Movement = Parameters<ReturnType<typeof creditRecorder>>[1];
/** What the pages of the portal ask of an account, as its routes ask it; who is signed in is not simulated. */
export type Portal = {
  readonly usage: (accountId: string, sinceMs: number) => Promise<readonly UsageDay[]>;
  readonly log: (accountId: string, cursor: string | null, keyId?: string) => Promise<Page<RequestRow>>;
  readonly logLine: (accountId: string, requestId: string) => Promise<RequestRow | undefined>;
  readonly ledger: (accountId: string, cursor: string | null) => Promise<LedgerLines>;
  readonly spending: (accountId: string, month: string) => Promise<SpentMonth>;
  readonly images: (accountId: string, range: DayRange) => Promise<readonly ImageSplit[]>;
  readonly requestSplit: (accountId: string, range: DayRange) => Promise<RequestsBySplit>;
  readonly setRetention: (accountId: string, days: number | null) => Promise<number | null>;
  readonly setBalanceAlert: (accountId: string, level: number) => Promise<void>;
  /** One for each account. */
  readonly addEndpoint: (accountId: string, url: string) => Promise<void>;
};
/** Short pages, so that there are several. */
const PAGE_ROWS = 5;

const portalOf = ({ accountOf, clock, ledgerArchive }: Services): Portal => ({
  usage: (accountId, sinceMs) => usageByDay(accountOf(accountId), sinceMs, clock.nowMs()),
  log: (accountId, cursor, keyId) =>
    accountOf(accountId).requests.requests({ cursor, max: PAGE_ROWS, ...(keyId && { keyId }) }),
  logLine: (accountId, requestId) => accountOf(accountId).requests.request(requestId),
  ledger: (accountId, cursor) =>
    ledgerLines(
      { accountId, ledger: accountOf(accountId).ledger, archive: ledgerArchive },
      { cursor, max: PAGE_ROWS, archivedMax: PAGE_ROWS },
    ),
  spending: (accountId, month) => accountOf(accountId).ledger.spentInMonth(month),
  images: (accountId, range) => accountOf(accountId).ledger.imagesBySplit(range, 'day'),
  requestSplit: (accountId, range) => accountOf(accountId).requests.requestsBySplit(range, 'day'),
  setRetention: async (accountId, days) => {
    await accountOf(accountId).data.setRetention(days);
    return accountOf(accountId).data.retention();
  },
  setBalanceAlert: (accountId, level) => accountOf(accountId).alerts.setBalanceAlert(level),
  addEndpoint: async (accountId, url) => {
    const endpointId = accountId.replace('acc_', 'whe_');
    const endpoint = { endpointId, url, mode: 'live', events: WEBHOOK_EVENTS } as const;
    await accountOf(accountId).webhookEndpoints.addWebhookEndpoint(endpoint);
  },
});

/** No account of the simulation has a card. */
const never = async (): Promise<never> => {
  throw new Error('there is no card');
};
const noCards: TopUpServices = {
  cards: { open: never, ready: never, pay: never, close: never, detach: never },
  tell: async () => 'told',
  fetchCredits: never,
};

/** What one evaluation of the Worker's module gives. */
export type Handlers = {
  readonly fetch: (request: Request, context: Context) => Promise<Response>;
  readonly queue: (batch: unknown) => Promise<void>;
  /** As the payments' webhook does it. */
  readonly recordCredits: (accountId: string, movement: Movement) => Promise<void>;
  readonly portal: Portal;
  /** The part of the scheduled run that removes files. */
  readonly sweep: () => Promise<void>;
  readonly make: Readonly<Record<ObjectBinding, (ctx: unknown) => Instance>>;
};

export const evaluate = (own: unknown): Handlers => {
  const env = own as EdgeEnv;
  const config = readConfig(env);
  const services = connect(env, config);
  const { flows } = services;
  // D1, which knows the owner's address, is not simulated: every mail is taken.
  const account = { ...services.account, tellCrossing: async () => 'told' as const, topUps: noCards };
  const history = { ...services.history, tellDisabled: async () => {} };
  // The module in which the objects live is asked for no route.
  let app: ReturnType<typeof createApp> | undefined;
  const routes = () => (app ??= routesOf(config, services));
  return {
    fetch: async (request, context) => routes().fetch(request, env, context as unknown as ExecutionContext),
    queue: (batch) => consume(batch as MessageBatch<ImageMessage>, services.batchImage),
    recordCredits: creditRecorder(flows),
    portal: portalOf(flows),
    sweep: async () => {
      const remove = (prefix: string, isExpired: (key: string) => boolean, max: number): Promise<number> =>
        removeExpired(bucketOf(env), prefix, isExpired, max);
      await sweep(remove, flows.clock.nowMs());
    },
    make: {
      ACCOUNT: (ctx) => new Account(ctx as DurableObjectState, env, account) as unknown as Instance,
      HISTORY: (ctx) => new History(ctx as DurableObjectState, env, history) as unknown as Instance,
      SAGA: (ctx) => new BatchSaga(ctx as DurableObjectState, env, services.saga) as unknown as Instance,
    },
  };
};

const routesOf = (config: ReturnType<typeof readConfig>, services: ReturnType<typeof connect>) => {
  const { flows } = services;
  return createApp({
    services: flows,
    checkWebhookUrl: (url) => checkWebhookUrl(url, services.rules),
    fetchInput: services.batchImage.fetchInput,
    publicBaseUrl: config.publicBaseUrl,
    audit: async () => {},
    hasTurnstile: false,
    securityContact: null,
    operator: { name: null, address: null, contact: null, jurisdiction: null, effective: null, processors: null },
    readStatus: async () => {
      throw new Error('the status page is not simulated');
    },
    portal: () => {
      throw new Error('the portal is not simulated');
    },
    downloadSecrets: config.downloadSecrets,
    // The tools for agents call the same routes.
    mcp: () => {},
    localAdmin: { ...flows, audit: async () => {}, token: config.localAdminToken ?? '' },
  });
};

/** The consumers' settings as deployed. */
export const queueSettings = (): readonly QueueSettings[] => {
  const toml = readFileSync(new URL('../../wrangler.toml', import.meta.url), 'utf8');
  return toml
    .split('[[queues.consumers]]')
    .slice(1)
    .map((section) => {
      const value = (name: string): string | undefined =>
        new RegExp(`^${name} = "?([^"\\n]+)"?`, 'm').exec(section)?.[1];
      return {
        name: value('queue') ?? '',
        batchMax: Number(value('max_batch_size') ?? 10),
        retriesMax: Number(value('max_retries') ?? 3),
        deadLetter: value('dead_letter_queue'),
      };
    });
};
export const jobsQueue = 'packshot-images';
