/** What the environment may set of a local run; read once. A wrong value stops the start and is named. */
import { resolve } from 'node:path';
import { z } from 'zod';

export type LocalSettings = {
  readonly edgePort: number;
  readonly originPort: number;
  /** Absolute. Everything a run leaves behind is in here. */
  readonly dataDir: string;
  /** Credits granted to the local account when it is created. */
  readonly credits: number;
  /** More environment for the tiers, such as LOCAL_INPUT_HOSTS, DATABASE_URL or EXECUTION_PROVIDERS. */
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

const wholeNumber = (fallback: number, max: number) =>
  z.coerce.number(`must be a whole number from 0 to ${max}`).int().min(0).max(max).default(fallback);

const variables = z.object({
  EDGE_PORT: wholeNumber(8787, 65_535),
  ORIGIN_PORT: wholeNumber(8788, 65_535),
  DATA_DIR: z.string().default('.data'),
  LOCAL_CREDITS: wholeNumber(1_000, 1_000_000),
});

/** Throws an Error that names every variable at fault. An empty variable counts as not set. */
export const readSettings = (env: NodeJS.ProcessEnv): LocalSettings => {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = variables.safeParse(set);
  if (!parsed.success)
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join()} ${message}`).join('; '));
  const { EDGE_PORT, ORIGIN_PORT, DATA_DIR, LOCAL_CREDITS } = parsed.data;
  return Object.freeze({
    edgePort: EDGE_PORT,
    originPort: ORIGIN_PORT,
    dataDir: resolve(DATA_DIR),
    credits: LOCAL_CREDITS,
    env: Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
  });
};
