/** What the environment may set of a local run; read once, a wrong value stops the start and is named. */
import { resolve } from 'node:path';

export type LocalSettings = {
  readonly edgePort: number;
  readonly originPort: number;
  /** Absolute. Everything a run leaves behind is in here. */
  readonly dataDir: string;
  /** Credits granted to the local account when it is created. */
  readonly credits: number;
  /** More environment for both tiers, such as LOCAL_INPUT_HOSTS, DATABASE_URL or EXECUTION_PROVIDERS. */
  readonly env: Readonly<Record<string, string>>;
};

const PASSED_ON = [
  'LOCAL_INPUT_HOSTS',
  'DATABASE_URL',
  'EXECUTION_PROVIDERS',
  'MODEL',
  'MODEL_DIR',
  'LOG_LEVEL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'MAIL_API_URL',
  'MAIL_API_KEY',
  'MAIL_FROM',
] as const;

const wholeNumber = (env: NodeJS.ProcessEnv, name: string, fallback: number, max: number): number => {
  const text = env[name] ?? '';
  if (text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > max)
    throw new Error(`${name} must be a whole number from 0 to ${max}, not "${text}"`);
  return value;
};

export const readSettings = (env: NodeJS.ProcessEnv): LocalSettings =>
  Object.freeze({
    edgePort: wholeNumber(env, 'EDGE_PORT', 8787, 65_535),
    originPort: wholeNumber(env, 'ORIGIN_PORT', 8788, 65_535),
    dataDir: resolve(env['DATA_DIR'] || '.data'),
    credits: wholeNumber(env, 'LOCAL_CREDITS', 1_000, 1_000_000),
    env: Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
  });
