/** What flows and Durable Objects are given, made once from the bindings and the configuration. */

import { systemClock } from '../shared/clock.ts';
import type { AddressRules } from '../shared/public-address.ts';
import { signDownload } from '../shared/signed-token.ts';
import type { LedgerServices } from './account/account.ts';
import type { LedgerPort } from './account/port.ts';
import type { SagaServices } from './batch/batch-saga.ts';
import type { SagaPort } from './batch/port.ts';
import type { BatchImageDeps } from './batch/run-message.ts';
import { statusBody } from './batch/status.ts';
import type { Config } from './config.ts';
import type { EdgeEnv } from './env.ts';
import { traceparent } from './http/call.ts';
import { fetchInput } from './input-url/fetch-input.ts';
import { dnsOverHttps } from './input-url/resolve.ts';
import { logEvent } from './log.ts';
import { originClient } from './origin/client.ts';
import type { Services } from './ports.ts';
import { r2InputSink } from './stores/input-sink.ts';
import { inputKey } from './stores/object-keys.ts';
import { r2Objects } from './stores/objects.ts';
import { queueSender } from './stores/queue.ts';
import { deliver } from './webhooks/deliver.ts';

export type Connected = {
  readonly flows: Services;
  readonly ledger: LedgerServices;
  readonly saga: SagaServices;
  readonly batchImage: BatchImageDeps;
  readonly rules: AddressRules;
};

const randomBytes = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const nowMs = (): number => Date.now();
const clock = { nowMs, sleep: (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms)) };
/** Looked up at every call, so that tests can stand in for the network. */
const outbound = (url: string, init: RequestInit): Promise<Response> => fetch(url, init);

export const connect = (env: EdgeEnv, config: Config): Connected => {
  const ledgerOf = (accountId: string): LedgerPort =>
    env.LEDGER.get(env.LEDGER.idFromName(accountId)) as unknown as LedgerPort;
  const sagaOf = (batchId: string): SagaPort => env.SAGA.get(env.SAGA.idFromName(batchId)) as unknown as SagaPort;
  const origin = originClient(
    { urls: config.originUrls, secret: config.originServiceSecret },
    { fetch: outbound, clock: systemClock, random: Math.random, log: logEvent },
  );
  const objects = r2Objects(env.BUCKET, config.s3);
  const downloadUrl = async (objectKey: string, filename: string, expiresAtMs: number): Promise<string> => {
    const token = await signDownload({ objectKey, filename, expiresAtMs }, config.downloadSigningSecret);
    return `${config.publicBaseUrl}/api/v1/downloads/${token}/${encodeURIComponent(filename)}`;
  };
  const flows: Services = {
    ledgerOf,
    sagaOf,
    objects,
    runJob: origin.run,
    downloadUrl,
    clock,
    chance: Math.random,
    randomBytes,
  };
  const rules: AddressRules = { ownHosts: ownHosts(config), localHosts: config.localInputHosts };
  const resolve = dnsOverHttps(config.dnsOverHttpsUrl, outbound, logEvent);
  const guard = { rules, resolve, fetch: outbound, clock: systemClock, log: logEvent };
  return {
    flows,
    rules,
    ledger: { sagaOf, exportLedger: origin.exportLedger },
    saga: {
      ledgerOf,
      enqueue: queueSender(env.JOBS),
      discardInputs: (batchId, images) =>
        objects.remove(Array.from({ length: images }, (_, index) => inputKey(batchId, index))),
      deliverWebhook: async (batch, url) => {
        const ledger = ledgerOf(batch.accountId);
        const [summary, { secret }] = await Promise.all([ledger.summary(), ledger.webhookSecret()]);
        const body = JSON.stringify(await statusBody(flows, batch, batch.requestId, summary?.available ?? 0));
        return deliver({ url, batchId: batch.batchId, body, secret }, guard);
      },
    },
    batchImage: {
      services: flows,
      fetchInput: (url, objectKey) => fetchInput(url, r2InputSink(env.BUCKET, objectKey), guard),
      traceOf: (requestId) => ({ requestId, traceparent: traceparent(undefined, randomBytes) }),
    },
  };
};

/** Of the object store also what lies below its host: a bucket can be addressed by a name of its own. */
const ownHosts = (config: Config): string[] => [
  ...[config.publicBaseUrl, ...config.originUrls].map(hostOf),
  `.${hostOf(config.s3.endpoint)}`,
];
const hostOf = (url: string): string => new URL(url).hostname;
