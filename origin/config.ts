/**
 * Everything the environment says, read once at start-up into a frozen object. A missing or wrong variable stops the
 * start and is named.
 */
import { randomBytes } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  baseUrl,
  type Environment,
  environmentName,
  listOf,
  readEnvironment,
  secret,
  wholeNumber,
} from '../shared/configuration.ts';
import { publicKeysText } from '../shared/service-key.ts';
import type { ServiceKeys } from './http/service-token.ts';
import { type ProviderName, providerNames } from './inference/providers.ts';
import { originLimits } from './limits.ts';

const providerList = listOf(z.string().toLowerCase().pipe(z.enum(providerNames)))
  .refine((names) => new Set(names).size === names.length, 'names a provider twice')
  .refine((names) => !names.includes('cpu') || names.at(-1) === 'cpu', 'cpu takes what is left over and so comes last');

const variables = z.object({
  /** Production unless it says otherwise, so that what is unsafe there is not run by oversight. */
  ENVIRONMENT: environmentName.default('production'),
  HOST: z.string().min(1).default('127.0.0.1'),
  ORIGIN_PORT: wholeNumber(0, 65_535).default(8788),
  /** Of health, readiness and metrics. */
  MANAGEMENT_HOST: z.string().min(1).default('127.0.0.1'),
  MANAGEMENT_PORT: wholeNumber(0, 65_535).optional(),
  SERVICE_PUBLIC_KEYS: publicKeysText.optional(),
  /** Of the release before: tokens signed with it are accepted until `ORIGIN_SERVICE_SECRET_UNTIL`. */
  ORIGIN_SERVICE_SECRET: secret.optional(),
  ORIGIN_SERVICE_SECRET_UNTIL: z.iso.date('must be a day like 2026-12-31').optional(),
  /** Of the object store, down to the bucket; jobs that name another address are refused. */
  STORAGE_URLS: listOf(baseUrl),
  DATA_DIR: z.string().min(1).default('.data'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .optional(),
  DATABASE_POOL: wholeNumber(1, 100).default(originLimits.database.poolMax),
  MODEL: z.string().min(1).optional(),
  EXECUTION_PROVIDERS: providerList.default(['cpu']),
  /** Indices of the GPUs this node drives, one child process each. */
  DEVICES: z
    .string()
    .regex(/^\d+(,\d+)*$/, 'must be indices like 0,1')
    .transform((text) => text.split(',').map(Number))
    .default([0]),
  MODEL_THREADS: wholeNumber(1, 256).optional(),
  PIPELINES: wholeNumber(1, 64).default(originLimits.jobs.pipelinesMax),
  QUEUE_JOBS: wholeNumber(1, 10_000).default(originLimits.jobs.queueJobsMax),
  LEASE_MS: wholeNumber(500, 600_000).default(originLimits.jobs.leaseMs),
  HEIC_DECODER: z.enum(['libheif-js']).optional(),
  NODE_NAME: z.string().min(1).max(64).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export type Config = Readonly<{
  host: string;
  port: number;
  managementHost: string;
  managementPort: number;
  serviceKeys: ServiceKeys;
  storageUrls: readonly string[];
  dataDir: string;
  databaseUrl: string | undefined;
  databasePool: number;
  /** Undefined: the default of the first execution provider. */
  model: string | undefined;
  providers: readonly ProviderName[];
  devices: readonly number[];
  modelThreads: number;
  pipelines: number;
  queueJobs: number;
  leaseMs: number;
  /** HEIC photos are decoded, by a package that is installed beside the node. */
  takesHeic: boolean;
  /** Unique per start: a restarted node must not take its former self's leases for its own. */
  nodeId: string;
  logLevel: string;
}>;

/** Throws an Error that names every variable at fault and never repeats a value. */
export const readConfig = (env: Environment, nowMs: number = Date.now()): Config => {
  const v = readEnvironment('configuration', variables, env, {
    secrets: ['ORIGIN_SERVICE_SECRET', 'SERVICE_PUBLIC_KEYS'],
    https: ['STORAGE_URLS'],
  });
  return Object.freeze({
    host: v.HOST,
    port: v.ORIGIN_PORT,
    managementHost: v.MANAGEMENT_HOST,
    managementPort: v.MANAGEMENT_PORT ?? (v.ORIGIN_PORT === 0 ? 0 : v.ORIGIN_PORT + 1),
    serviceKeys: serviceKeysOf(v, nowMs),
    storageUrls: Object.freeze(v.STORAGE_URLS),
    dataDir: resolve(v.DATA_DIR),
    databaseUrl: v.DATABASE_URL,
    databasePool: v.DATABASE_POOL,
    model: v.MODEL,
    providers: v.EXECUTION_PROVIDERS,
    devices: v.DEVICES,
    modelThreads: v.MODEL_THREADS ?? availableParallelism(),
    pipelines: v.PIPELINES,
    queueJobs: v.QUEUE_JOBS,
    leaseMs: v.LEASE_MS,
    takesHeic: v.HEIC_DECODER !== undefined,
    nodeId: `${v.NODE_NAME ?? hostname()}-${randomBytes(4).toString('hex')}`,
    logLevel: v.LOG_LEVEL,
  });
};

/**
 * What tokens are checked with. The shared secret, which lets a node sign as well as check, is for the time of the change
 * to a pair of keys alone: production takes it only with a day on which it ends, a few weeks away at most.
 */
const serviceKeysOf = (v: z.infer<typeof variables>, nowMs: number): ServiceKeys => {
  const { SERVICE_PUBLIC_KEYS, ORIGIN_SERVICE_SECRET, ORIGIN_SERVICE_SECRET_UNTIL } = v;
  if (!ORIGIN_SERVICE_SECRET) {
    if (!SERVICE_PUBLIC_KEYS) throw new Error('configuration: SERVICE_PUBLIC_KEYS is missing');
    return { publicKeys: SERVICE_PUBLIC_KEYS };
  }
  const untilMs = ORIGIN_SERVICE_SECRET_UNTIL ? Date.parse(ORIGIN_SERVICE_SECRET_UNTIL) : Number.POSITIVE_INFINITY;
  const { sharedSecretMsMax } = originLimits.http;
  if (v.ENVIRONMENT !== 'local' && !(untilMs > nowMs && untilMs <= nowMs + sharedSecretMsMax))
    throw new Error(
      'configuration: ORIGIN_SERVICE_SECRET needs ORIGIN_SERVICE_SECRET_UNTIL, a day within the next 30, and is refused after it',
    );
  return {
    publicKeys: SERVICE_PUBLIC_KEYS ?? [],
    sharedSecret: { bytes: new TextEncoder().encode(ORIGIN_SERVICE_SECRET), untilMs },
  };
};
