/**
 * Everything the environment says, read once at start-up into a frozen object. A missing or wrong variable stops the
 * start and is named.
 */
import { randomBytes } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type Environment, listOf, readEnvironment, secret, wholeNumber } from '../shared/configuration.ts';
import { type ProviderName, providerNames } from './inference/providers.ts';
import { originLimits } from './limits.ts';

const providerList = listOf(z.string().toLowerCase().pipe(z.enum(providerNames)))
  .refine((names) => new Set(names).size === names.length, 'names a provider twice')
  .refine((names) => !names.includes('cpu') || names.at(-1) === 'cpu', 'cpu takes what is left over and so comes last');

const variables = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  ORIGIN_PORT: wholeNumber(0, 65_535).default(8788),
  ORIGIN_SERVICE_SECRET: secret,
  /** Accepted beside the first while a secret is being changed. */
  ORIGIN_SERVICE_SECRET_PREVIOUS: secret.optional(),
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
  NODE_NAME: z.string().min(1).max(64).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export type Config = Readonly<{
  host: string;
  port: number;
  serviceSecrets: readonly Uint8Array[];
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
  /** Unique per start: a restarted node must not take its former self's leases for its own. */
  nodeId: string;
  logLevel: string;
}>;

/** Throws an Error that names every variable at fault and never repeats a value. */
export const readConfig = (env: Environment): Config => {
  const v = readEnvironment('configuration', variables, env);
  const utf8 = new TextEncoder();
  return Object.freeze({
    host: v.HOST,
    port: v.ORIGIN_PORT,
    serviceSecrets: [
      v.ORIGIN_SERVICE_SECRET,
      ...(v.ORIGIN_SERVICE_SECRET_PREVIOUS ? [v.ORIGIN_SERVICE_SECRET_PREVIOUS] : []),
    ].map((text) => utf8.encode(text)),
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
    nodeId: `${v.NODE_NAME ?? hostname()}-${randomBytes(4).toString('hex')}`,
    logLevel: v.LOG_LEVEL,
  });
};
