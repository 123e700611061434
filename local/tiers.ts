/** How each tier is started on one machine: the commands, and the environment that makes the two find each other. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { publicKeyOf, publicKeySetOf } from '../shared/service-key.ts';
import { type Child, startChild } from './child.ts';
import { type LocalSecrets, writeAtomically } from './secrets.ts';
import type { LocalSettings } from './settings.ts';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules', '.bin');

/** The simulator's own R2 credentials, as wrangler.toml names them. */
const LOCAL_R2 = { bucket: 'packshot', accessKeyId: 'local-access-key', secretAccessKey: 'local-secret-key' } as const;
const EDGE_ONLY = /^(LOCAL_|STRIPE_|MAIL_|SELLER_)/;

export const baseUrl = (settings: LocalSettings): string => `http://127.0.0.1:${settings.edgePort}`;
export const originUrl = (settings: LocalSettings): string => `http://127.0.0.1:${settings.originPort}`;

/** Of origin's health, readiness and metrics. */
const managementPort = (settings: LocalSettings): number => settings.originPort + 1;
export const managementUrl = (settings: LocalSettings): string => `http://127.0.0.1:${managementPort(settings)}`;

const storeUrl = (settings: LocalSettings): string =>
  `${settings.between?.store ?? baseUrl(settings)}/cdn-cgi/local/r2/s3`;

/** The system's own variables without ours; Node 24 of the project first in the PATH. */
const processEnv = (): NodeJS.ProcessEnv => {
  const { PATH, HOME, TMPDIR, LANG, TZ, CI, NODE_EXTRA_CA_CERTS, npm_config_registry } = process.env;
  return { PATH: `${bin}:${PATH}`, HOME, TMPDIR, LANG, TZ, CI, NODE_EXTRA_CA_CERTS, npm_config_registry };
};

const temporaryDir = (settings: LocalSettings): string => join(settings.dataDir, 'tmp');

/** A folder of its own for the temporary files of one process, without those of an earlier one that was killed. */
const emptyTemporaryDir = async (settings: LocalSettings, name: string): Promise<string> => {
  const folder = join(temporaryDir(settings), name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
};

/** Once nothing runs any more. */
export const removeTemporaryDir = (settings: LocalSettings): Promise<void> =>
  rm(temporaryDir(settings), { recursive: true, force: true });

const logFile = async (settings: LocalSettings, name: string): Promise<string> => {
  await mkdir(join(settings.dataDir, 'logs'), { recursive: true });
  return join(settings.dataDir, 'logs', `${name}.log`);
};

export const startOrigin = async (settings: LocalSettings, secrets: LocalSecrets): Promise<Child> => {
  const passedOn = Object.fromEntries(Object.entries(settings.env).filter(([name]) => !EDGE_ONLY.test(name)));
  return startChild({
    name: 'origin',
    command: process.execPath,
    args: [join(root, 'origin', 'main.ts')],
    env: {
      ...processEnv(),
      HOST: '127.0.0.1',
      ORIGIN_PORT: String(settings.originPort),
      MANAGEMENT_PORT: String(managementPort(settings)),
      ENVIRONMENT: 'local',
      SERVICE_PUBLIC_KEYS: publicKeySetOf([publicKeyOf(secrets.serviceKey)]),
      STORAGE_URLS: `${storeUrl(settings)}/${LOCAL_R2.bucket}`,
      DATA_DIR: settings.dataDir,
      TMPDIR: await emptyTemporaryDir(settings, 'origin'),
      ...passedOn,
    },
    cwd: root,
    logFile: await logFile(settings, 'origin'),
  });
};

/** Worker variables come from a file of mode 0600, so that no secret shows in a process list. */
const writeEdgeEnv = async (settings: LocalSettings, secrets: LocalSecrets): Promise<string> => {
  const file = join(settings.dataDir, 'edge.env');
  const passedOn = Object.entries(settings.env).filter(([name]) => EDGE_ONLY.test(name));
  const variables = {
    ENVIRONMENT: 'local',
    PUBLIC_BASE_URL: baseUrl(settings),
    ORIGIN_URLS: settings.between?.origin ?? originUrl(settings),
    SERVICE_SIGNING_KEY: JSON.stringify(secrets.serviceKey),
    DOWNLOAD_SIGNING_SECRET: secrets.downloadSigning,
    LOCAL_ADMIN_TOKEN: secrets.localAdmin,
    AUTH_SECRET: secrets.auth,
    STRIPE_WEBHOOK_SECRET: `whsec_${secrets.stripeWebhook}`,
    R2_S3_ENDPOINT: storeUrl(settings),
    R2_BUCKET_NAME: LOCAL_R2.bucket,
    R2_ACCESS_KEY_ID: LOCAL_R2.accessKeyId,
    R2_SECRET_ACCESS_KEY: LOCAL_R2.secretAccessKey,
    TAKE_HEIC: settings.env['HEIC_DECODER'] ? 'on' : 'off',
    ...Object.fromEntries(passedOn),
  };
  await writeAtomically(
    file,
    Object.entries(variables)
      // As it is between single quotes: the key is JSON.
      .map(([name, value]) => `${name}=${value.includes("'") ? JSON.stringify(value) : `'${value}'`}\n`)
      .join(''),
  );
  return file;
};

const wranglerEnv = (): NodeJS.ProcessEnv => ({
  ...processEnv(),
  // A local run makes no request to the network: no request.cf lookup, telemetry, trace recording or update check.
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  NO_COLOR: '1',
});

const persistDir = (settings: LocalSettings): string => join(settings.dataDir, 'edge');

const wrangler = async (settings: LocalSettings, name: string, args: readonly string[]): Promise<Child> =>
  startChild({
    name,
    command: join(bin, 'wrangler'),
    args,
    env: { ...wranglerEnv(), TMPDIR: await emptyTemporaryDir(settings, name) },
    cwd: root,
    logFile: await logFile(settings, name),
  });

export const startEdge = async (settings: LocalSettings, secrets: LocalSecrets): Promise<Child> => {
  const envFile = await writeEdgeEnv(settings, secrets);
  return wrangler(settings, 'edge', [
    'dev',
    '--ip',
    '127.0.0.1',
    '--port',
    String(settings.edgePort),
    '--inspector-port',
    '0',
    '--persist-to',
    persistDir(settings),
    '--env-file',
    envFile,
    '--show-interactive-dev-session=false',
    '--log-level',
    'warn',
  ]);
};

/** Resolves once D1's tables exist; otherwise throws an Error that names the log file. */
export const migratePortalDatabase = async (settings: LocalSettings): Promise<void> => {
  const child = await wrangler(settings, 'migrate', [
    'd1',
    'migrations',
    'apply',
    'packshot',
    '--local',
    '--persist-to',
    persistDir(settings),
  ]);
  const code = await child.exited;
  if (code !== 0)
    throw new Error(`D1 migrations failed (${code}); see ${join(settings.dataDir, 'logs', 'migrate.log')}`);
};

/** Builds the portal's pages where they are missing or older than their sources. */
export const buildPortal = async (settings: LocalSettings): Promise<void> => {
  const child = startChild({
    name: 'portal',
    command: process.execPath,
    args: [join(root, 'portal', 'build', 'main.ts')],
    env: processEnv(),
    cwd: root,
    logFile: await logFile(settings, 'portal'),
  });
  const code = await child.exited;
  if (code !== 0)
    throw new Error(`the portal could not be built (${code}); see ${join(settings.dataDir, 'logs', 'portal.log')}`);
};
