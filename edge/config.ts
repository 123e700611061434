/** The Worker's variables, read once into a frozen object. A missing or wrong one stops the start and is named. */
import { z } from 'zod';
import {
  baseUrl,
  environmentName,
  listOf,
  readEnvironment,
  secret,
  url,
  withPrevious,
} from '../shared/configuration.ts';
import { parseLocalHosts } from '../shared/public-address.ts';
import { type ServiceSigningKey, signingKeyText } from '../shared/service-key.ts';
import type { EdgeEnv } from './env.ts';
import { DEFAULT_RESOLVER } from './input-url/resolve.ts';
import { edgeLimits } from './limits.ts';

export type Config = {
  readonly local: boolean;
  /** Without a trailing slash, as are all URLs here. */
  readonly publicBaseUrl: string;
  readonly originUrls: readonly string[];
  readonly serviceSigningKey: ServiceSigningKey;
  /** The service token of Cloudflare Access for the nodes' host names. */
  readonly access: { readonly clientId: string; readonly clientSecret: string } | undefined;
  /** The first signs, each verifies: the second is the one before, while the secret is being changed. */
  readonly downloadSecrets: readonly [string, ...string[]];
  readonly s3: {
    readonly endpoint: string;
    readonly bucket: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
  /** Null outside local mode: there are no admin routes then. */
  readonly localAdminToken: string | null;
  /** host:port of loopback servers that an input_url may lead to. Empty outside local mode. */
  readonly localInputHosts: readonly string[];
  readonly dnsOverHttpsUrl: string;
  /** Queues that images are spread over by their account. */
  readonly jobQueues: number;
  /** Domains whose hosts are all ours: none of them is fetched for a caller. */
  readonly ownZones: readonly string[];
  /** HEIC photos are taken: every node has a decoder for them. */
  readonly takesHeic: boolean;
};

const localHosts = z.string().transform((text, ctx) => {
  const hosts = parseLocalHosts(text);
  if (hosts.ok) return hosts.value;
  ctx.addIssue(`names ${hosts.failure}, which is no loopback host:port`);
  return z.NEVER;
});

const variables = z.object({
  ENVIRONMENT: environmentName,
  PUBLIC_BASE_URL: baseUrl,
  ORIGIN_URLS: listOf(baseUrl),
  SERVICE_SIGNING_KEY: signingKeyText,
  ACCESS_CLIENT_ID: z.string().optional(),
  ACCESS_CLIENT_SECRET: secret.optional(),
  DOWNLOAD_SIGNING_SECRET: secret,
  DOWNLOAD_SIGNING_SECRET_PREVIOUS: secret.optional(),
  R2_S3_ENDPOINT: baseUrl,
  R2_BUCKET_NAME: z.string(),
  R2_ACCESS_KEY_ID: z.string(),
  R2_SECRET_ACCESS_KEY: z.string(),
  LOCAL_ADMIN_TOKEN: z.string().optional(),
  LOCAL_INPUT_HOSTS: localHosts.optional(),
  DNS_OVER_HTTPS_URL: url.default(DEFAULT_RESOLVER),
  JOB_QUEUES: z.coerce.number().int().min(1).max(edgeLimits.queue.queuesMax).default(1),
  OWN_ZONES: listOf(z.string()).default([]),
  TAKE_HEIC: z.enum(['on', 'off']).optional(),
});

const SECRETS = [
  'SERVICE_SIGNING_KEY',
  'DOWNLOAD_SIGNING_SECRET',
  'DOWNLOAD_SIGNING_SECRET_PREVIOUS',
  'ACCESS_CLIENT_SECRET',
];

const accessOf = ({ ACCESS_CLIENT_ID: clientId, ACCESS_CLIENT_SECRET: clientSecret }: z.infer<typeof variables>) => {
  if (clientId && clientSecret) return Object.freeze({ clientId, clientSecret });
  if (clientId || clientSecret)
    throw new Error('configuration: ACCESS_CLIENT_ID and ACCESS_CLIENT_SECRET go together, one is missing');
  return undefined;
};

/** Throws an error that names every variable at fault. */
export const readConfig = (env: EdgeEnv): Config => {
  const given = readEnvironment('configuration', variables, env, {
    localOnly: ['LOCAL_ADMIN_TOKEN', 'LOCAL_INPUT_HOSTS'],
    secrets: SECRETS,
    distinct: [...SECRETS, 'AUTH_SECRET', 'AUTH_SECRET_PREVIOUS', 'R2_SECRET_ACCESS_KEY'],
    https: ['PUBLIC_BASE_URL', 'ORIGIN_URLS', 'R2_S3_ENDPOINT', 'DNS_OVER_HTTPS_URL'],
    required: ['OWN_ZONES'],
  });
  return Object.freeze({
    local: given.ENVIRONMENT === 'local',
    publicBaseUrl: given.PUBLIC_BASE_URL,
    originUrls: Object.freeze(given.ORIGIN_URLS),
    serviceSigningKey: Object.freeze(given.SERVICE_SIGNING_KEY),
    access: accessOf(given),
    downloadSecrets: withPrevious(given.DOWNLOAD_SIGNING_SECRET, given.DOWNLOAD_SIGNING_SECRET_PREVIOUS),
    s3: Object.freeze({
      endpoint: given.R2_S3_ENDPOINT,
      bucket: given.R2_BUCKET_NAME,
      accessKeyId: given.R2_ACCESS_KEY_ID,
      secretAccessKey: given.R2_SECRET_ACCESS_KEY,
    }),
    localAdminToken: given.LOCAL_ADMIN_TOKEN ?? null,
    localInputHosts: Object.freeze(given.LOCAL_INPUT_HOSTS ?? []),
    dnsOverHttpsUrl: given.DNS_OVER_HTTPS_URL,
    jobQueues: given.JOB_QUEUES,
    ownZones: Object.freeze(given.OWN_ZONES),
    takesHeic: given.TAKE_HEIC === 'on',
  });
};
