/** What flows and Durable Objects are given, made once from the bindings and the configuration. */
import { systemClock } from '../shared/clock.ts';
import { imageId, webhookEventId } from '../shared/ids.ts';
import { signCheckpoint } from '../shared/ledger-checkpoint.ts';
import { downloadPath, UNKNOWN_ORIGIN } from '../shared/paths.ts';
import type { AddressRules } from '../shared/public-address.ts';
import { signDownload } from '../shared/signed-token.ts';
import type { AccountServices } from './account/account.ts';
import type { HistoryServices } from './account/history/history.ts';
import type { HistoryPort, OlderRecords } from './account/history/port.ts';
import { createKeyGuard } from './account/key-guard.ts';
import { type AccountOf, type AccountPort, partsOf } from './account/port.ts';
import { sendEvent } from './account/webhook-attempts/send.ts';
import type { SagaServices } from './batch/batch-saga.ts';
import { createPace } from './batch/pace.ts';
import type { SagaPort } from './batch/port.ts';
import type { BatchImageDeps } from './batch/run-message.ts';
import type { Config } from './config.ts';
import { createLinkGuard } from './download/link-guard.ts';
import type { EdgeEnv, ImageMessage } from './env.ts';
import { traceparent } from './http/call.ts';
import { inputAuthorizations } from './input-url/authorization.ts';
import { fetchInput } from './input-url/fetch-input.ts';
import type { UntrustedFetchDeps } from './input-url/guard.ts';
import { dnsOverHttps } from './input-url/resolve.ts';
import { logEvent } from './log.ts';
import type { SpendSessionPort } from './mcp/spend-session.ts';
import { type Origin, originClient } from './origin/client.ts';
import type { Services } from './ports.ts';
import { batchStatusBody } from './responses/batch-status.ts';
import { createBodies } from './spool/bodies.ts';
import type { ProbeDeps } from './status/probes.ts';
import { boundedBucket } from './stores/bounded-bucket.ts';
import { backgroundKey, inputKey, isInput, matteKey, prefixesOf } from './stores/object-keys.ts';
import { r2Objects } from './stores/objects.ts';
import { queueBinding, queueSender } from './stores/queue.ts';
import { reliable } from './stores/reliable.ts';
import { checkWebhookUrl, deliver } from './webhooks/deliver.ts';

export type Connected = {
  readonly flows: Services;
  /** Whom the account tells of its balance, who charges its card, and whom its history tells of a dead endpoint, comes with the portal. */
  readonly account: Omit<AccountServices, 'tellCrossing' | 'topUps'>;
  readonly history: Omit<HistoryServices, 'tellDisabled'>;
  readonly saga: SagaServices;
  readonly batchImage: BatchImageDeps;
  readonly probes: ProbeDeps;
  readonly rules: AddressRules;
  readonly spendSessionOf: (name: string) => SpendSessionPort;
};

/** Inputs that are fetched share an isolate's room as one account does, so that uploads always find some. */
const FETCHES = 'fetched inputs';

const SAMPLE_PHOTO = '/samples/mug.jpg';

const randomBytes = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
/** Looked up at every call, so that tests can replace the network. */
const outbound = (url: string, init: RequestInit): Promise<Response> => fetch(url, init);

export const connect = (env: EdgeEnv, config: Config): Connected => {
  const origin = originClient(
    { urls: config.originUrls, signingKey: config.serviceSigningKey, access: config.access },
    { fetch: outbound, clock: systemClock, random: Math.random, log: logEvent },
  );
  const rules: AddressRules = { ownHosts: ownHosts(config), localHosts: config.localInputHosts };
  const resolve = dnsOverHttps(config.dnsOverHttpsUrl, outbound, logEvent);
  const guard = { rules, resolve, fetch: outbound, clock: systemClock, log: logEvent };
  const flows = servicesOf(env, config, origin, guard);
  const queues = queuesOf(env, config);
  return {
    flows,
    probes: {
      services: flows,
      publicBaseUrl: config.publicBaseUrl,
      fetch: outbound,
      bucket: env.BUCKET,
      db: env.DB,
      queues,
      photo: () => samplePhoto(env),
    },
    rules,
    spendSessionOf: (name) =>
      reliable(() => env.SPEND.get(env.SPEND.idFromName(name)) as unknown as SpendSessionPort, calls),
    account: {
      holdOwnerOf: flows.sagaOf,
      exportLedger: origin.exportLedger,
      signCheckpoint: (accountId, checkpoint) => signCheckpoint(accountId, checkpoint, config.serviceSigningKey),
      historyOf: (accountId) => historyPort(env, accountId),
      batchOf: flows.sagaOf,
    },
    history: {
      olderRecordsOf: (accountId) => accountPort(env, accountId),
      endpointsOf: (accountId) => accountPort(env, accountId),
      sendToEndpoint: endpointSender(flows),
    },
    saga: {
      ledgerOf: (accountId) => flows.accountOf(accountId).ledger,
      enqueue: queueSender(queues, systemClock),
      discardInputs: (batchId, images) =>
        flows.objects.remove([
          ...Array.from({ length: images }, (_, index) => inputKey(batchId, index)),
          ...(images === 1 ? [matteKey(batchId), backgroundKey(batchId)] : []),
        ]),
      erase: eraser(flows),
      deliverWebhook: webhookSender(flows),
      noteAttempt: (accountId, attempt) => flows.accountOf(accountId).webhookAttempts.noteAttempt(attempt),
    },
    batchImage: {
      services: flows,
      pace: createPace(systemClock.nowMs),
      fetchInput: (source, objectKey) =>
        fetchInput(source, flows.objects.sink(objectKey), { ...guard, openRoom: flows.bodies.of(FETCHES) }),
      traceOf: (requestId) => ({ requestId, traceparent: traceparent(undefined, randomBytes) }),
    },
  };
};

/** Throws where a queue that the configuration counts is not bound. */
const queuesOf = (env: EdgeEnv, { jobQueues }: Config): Queue<ImageMessage>[] =>
  Array.from({ length: jobQueues }, (_, shard) => {
    const name = queueBinding(shard);
    const queue = (env as unknown as Record<string, Queue<ImageMessage> | undefined>)[name];
    if (!queue) throw new Error(`configuration: JOB_QUEUES is ${jobQueues}, and no queue is bound as ${name}`);
    return queue;
  });

/** The first page's sample. */
const samplePhoto = async ({ ASSETS }: EdgeEnv): Promise<ArrayBuffer> => {
  const file = await ASSETS.fetch(new Request(new URL(SAMPLE_PHOTO, UNKNOWN_ORIGIN)));
  if (!file.ok) throw new Error(`the sample photo: ${file.status}`);
  return file.arrayBuffer();
};

/** R2, whose calls end in bounded time. */
export const bucketOf = (env: EdgeEnv): R2Bucket => boundedBucket(env.BUCKET, systemClock);

const calls = { clock: systemClock, random: Math.random };
const accountPort = (env: EdgeEnv, accountId: string): AccountPort & OlderRecords =>
  reliable(() => env.ACCOUNT.get(env.ACCOUNT.idFromName(accountId)) as unknown as AccountPort & OlderRecords, calls);
const historyPort = (env: EdgeEnv, accountId: string): HistoryPort =>
  reliable(() => env.HISTORY.get(env.HISTORY.idFromName(accountId)) as unknown as HistoryPort, calls);

const servicesOf = (env: EdgeEnv, config: Config, origin: Origin, guard: UntrustedFetchDeps): Services => {
  const { rules } = guard;
  const accountOf: AccountOf = (accountId) => partsOf(accountPort(env, accountId), historyPort(env, accountId));
  const sagaOf = (batchId: string): SagaPort =>
    reliable(() => env.SAGA.get(env.SAGA.idFromName(batchId)) as unknown as SagaPort, calls);
  const downloadUrl: Services['downloadUrl'] = async (objectKey, filename, expiresAtMs, madeFor) => {
    const token = await signDownload({ objectKey, filename, expiresAtMs, madeFor }, config.downloadSecrets[0]);
    return config.publicBaseUrl + downloadPath(token, filename);
  };
  const objects = r2Objects(bucketOf(env), config.s3, config.takesHeic);
  return {
    accountOf,
    keyGuard: createKeyGuard(systemClock, env.KEY_LOOK_UPS),
    sagaOf,
    objects,
    bodies: createBodies(systemClock),
    runJob: origin.run,
    runCheck: origin.check,
    runQuickLook: origin.quickLook,
    eraseJobs: origin.erase,
    ledgerArchive: ({ accountId, ...page }) => origin.readArchive({ account_id: accountId, ...page }),
    downloadUrl,
    inputAuthorizations: inputAuthorizations(config.downloadSecrets, rules),
    webhooks: { check: (url) => checkWebhookUrl(url, rules), deliver: (call) => deliver(call, guard) },
    linkState: createLinkGuard({ sagaOf, accountOf, clock: systemClock }),
    clock: systemClock,
    random: Math.random,
    randomBytes,
  };
};

/** Everything outside the batch itself: files, lines of the log and stored answers, what origin found out. */
const eraser =
  ({ objects, accountOf, eraseJobs }: Services): SagaServices['erase'] =>
  async ({ batchId, accountId, index, images, what }) => {
    const prefixes = prefixesOf(batchId, index, images).filter((prefix) => what !== 'inputs' || isInput(prefix));
    const left = await Promise.all(prefixes.map((prefix) => objects.removeUnder(prefix)));
    if (what !== 'everything') return left.includes(true) ? 'more' : 'done';
    await accountOf(accountId).erasures.eraseBatch(batchId, index);
    const indexes = index === null ? Array.from({ length: images }, (_, i) => i) : [index];
    await eraseJobs(indexes.map((i) => imageId(batchId, i)));
    return left.includes(true) ? 'more' : 'done';
  };

/** Sends a batch's status, as the poll would answer it, to the receiver of its webhook. */
const webhookSender =
  (flows: Services): SagaServices['deliverWebhook'] =>
  async (batch, to, sentBy) => {
    const { accountId, batchId } = batch;
    const account = flows.accountOf(accountId);
    const summary = await account.ledger.summary();
    const body = JSON.stringify(await batchStatusBody(flows, batch, batch.requestId, summary?.available ?? 0));
    return sendEvent(flows, account, { ...to, eventId: webhookEventId(batchId), batchId, body, sentBy });
  };

/** The end of a batch is told by its saga, which has what it says; anything else is sent as it was noted. */
const endpointSender =
  (flows: Services): HistoryServices['sendToEndpoint'] =>
  async (accountId, { endpointId, url }, { eventId, type, batchId, body }) => {
    if (batchId !== null) {
      const reply = await flows.sagaOf(batchId).sendToEndpoint({ endpointId, url }, 'schedule');
      if (reply.result === 'running') throw new Error('the batch has not ended');
      if (reply.result === 'sent') return reply;
      return { result: reply.result === 'own' ? 'own' : 'gone_batch' };
    }
    const account = flows.accountOf(accountId);
    const event = { url, endpointId, eventId, type, batchId, body: body ?? '', sentBy: 'schedule' } as const;
    const kept = await sendEvent(flows, account, event);
    await account.webhookAttempts.noteAttempt(kept);
    const { body: _body, ...attempt } = kept;
    return { result: 'sent', attempt };
  };

/** Of the object store also the subdomains of its host: a bucket can be addressed as one. */
const ownHosts = (config: Config): string[] => [
  ...[config.publicBaseUrl, ...config.originUrls].map(hostOf),
  ...[hostOf(config.s3.endpoint), ...config.ownZones].map((zone) => `.${zone}`),
];
const hostOf = (url: string): string => new URL(url).hostname;
