/** The Worker's variables, read once into a frozen object. A missing or wrong one stops the start and is named. */
import { parseLocalHosts } from '../shared/public-address.ts';
import type { EdgeEnv } from './env.ts';
import { DEFAULT_RESOLVER } from './input-url/resolve.ts';

export type Config = {
  readonly local: boolean;
  /** Without a trailing slash, as are all URLs here. */
  readonly publicBaseUrl: string;
  readonly originUrls: readonly string[];
  readonly originServiceSecret: string;
  readonly downloadSigningSecret: string;
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
};

const REQUIRED = [
  'ENVIRONMENT',
  'PUBLIC_BASE_URL',
  'ORIGIN_URLS',
  'ORIGIN_SERVICE_SECRET',
  'DOWNLOAD_SIGNING_SECRET',
  'R2_S3_ENDPOINT',
  'R2_BUCKET_NAME',
  'R2_ACCESS_KEY_ID',
  'R2_SECRET_ACCESS_KEY',
] as const satisfies readonly (keyof EdgeEnv)[];
const SECRETS = ['ORIGIN_SERVICE_SECRET', 'DOWNLOAD_SIGNING_SECRET'] as const;
const SECRET_CHARS_MIN = 32;
const LOCAL_ONLY = ['LOCAL_ADMIN_TOKEN', 'LOCAL_INPUT_HOSTS'] as const;
/** Secrets made up for tests begin with this word; production refuses them. */
const LOCAL_MARK = 'local';

/** Throws an error that names every variable at fault. */
export const readConfig = (env: EdgeEnv): Config => {
  const faults = faultsOf(env);
  if (faults.length > 0) throw new Error(`configuration: ${faults.join('; ')}`);
  const local = env.ENVIRONMENT === 'local';
  const localHosts = parseLocalHosts(env.LOCAL_INPUT_HOSTS ?? '');
  return Object.freeze({
    local,
    publicBaseUrl: bare(env.PUBLIC_BASE_URL),
    originUrls: Object.freeze(list(env.ORIGIN_URLS).map(bare)),
    originServiceSecret: env.ORIGIN_SERVICE_SECRET,
    downloadSigningSecret: env.DOWNLOAD_SIGNING_SECRET,
    s3: Object.freeze({
      endpoint: bare(env.R2_S3_ENDPOINT),
      bucket: env.R2_BUCKET_NAME,
      accessKeyId: env.R2_ACCESS_KEY_ID,
      secretAccessKey: env.R2_SECRET_ACCESS_KEY,
    }),
    localAdminToken: local && env.LOCAL_ADMIN_TOKEN ? env.LOCAL_ADMIN_TOKEN : null,
    localInputHosts: Object.freeze(localHosts.ok && local ? localHosts.value : []),
    dnsOverHttpsUrl: env.DNS_OVER_HTTPS_URL || DEFAULT_RESOLVER,
  });
};

const list = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
const bare = (url: string): string => url.replace(/\/+$/, '');

const faultsOf = (env: EdgeEnv): string[] => {
  const missing = REQUIRED.filter((name) => !env[name]).map((name) => `${name} is missing`);
  if (missing.length > 0) return missing;
  const faults: string[] = [];
  if (env.ENVIRONMENT !== 'local' && env.ENVIRONMENT !== 'production')
    faults.push('ENVIRONMENT must be local or production');
  for (const name of SECRETS)
    if (env[name].length < SECRET_CHARS_MIN) faults.push(`${name} must have at least ${SECRET_CHARS_MIN} characters`);
  for (const [name, url] of [
    ['PUBLIC_BASE_URL', env.PUBLIC_BASE_URL],
    ['R2_S3_ENDPOINT', env.R2_S3_ENDPOINT],
    ...list(env.ORIGIN_URLS).map((url) => ['ORIGIN_URLS', url]),
  ]) {
    if (!URL.canParse(url ?? '')) faults.push(`${name} must be a URL`);
  }
  const localHosts = parseLocalHosts(env.LOCAL_INPUT_HOSTS ?? '');
  if (!localHosts.ok) faults.push(`LOCAL_INPUT_HOSTS: ${localHosts.failure} is no loopback host:port`);
  return env.ENVIRONMENT === 'production' ? [...faults, ...productionFaults(env)] : faults;
};

const productionFaults = (env: EdgeEnv): string[] => [
  ...LOCAL_ONLY.filter((name) => env[name]).map((name) => `${name} is for local mode only`),
  ...SECRETS.filter((name) => env[name].startsWith(LOCAL_MARK)).map((name) => `${name} is the one of local mode`),
];
