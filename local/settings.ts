/** What the environment may set of a local run; read once. A wrong value stops the start and is named. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { readEnvironment, wholeNumber } from '../shared/configuration.ts';

export type LocalSettings = {
  readonly edgePort: number;
  readonly originPort: number;
  /** Absolute. Everything a run leaves behind is in here. */
  readonly dataDir: string;
  /** Credits granted to the local account when it is created. */
  readonly credits: number;
  /** More environment for the tiers, such as LOCAL_INPUT_HOSTS, DATABASE_URL or EXECUTION_PROVIDERS. */
  readonly env: Readonly<Record<string, string>>;
  /** Base URLs under which the tiers find each other where something stands between them: origin, and the edge's store. */
  readonly between?: { readonly origin: string; readonly store: string };
};

const PASSED_ON = [
  'LOCAL_INPUT_HOSTS',
  'DATABASE_URL',
  'HEIC_DECODER',
  'EXECUTION_PROVIDERS',
  'MODEL',
  'MODEL_DIR',
  'LOG_LEVEL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_AUTOMATIC_TAX',
  'SELLER_NAME',
  'SELLER_ADDRESS',
  'SELLER_TAX_ID',
  'MAIL_API_URL',
  'MAIL_API_KEY',
  'MAIL_FROM',
] as const;

const variables = z.object({
  EDGE_PORT: wholeNumber(0, 65_535).default(8787),
  ORIGIN_PORT: wholeNumber(0, 65_535).default(8788),
  DATA_DIR: z.string().default('.data'),
  LOCAL_CREDITS: wholeNumber(0, 1_000_000).default(1_000),
});

/** Throws an Error that names every variable at fault. An empty variable counts as not set. */
export const readSettings = (env: NodeJS.ProcessEnv): LocalSettings => {
  const { EDGE_PORT, ORIGIN_PORT, DATA_DIR, LOCAL_CREDITS } = readEnvironment('local settings', variables, env);
  return Object.freeze({
    edgePort: EDGE_PORT,
    originPort: ORIGIN_PORT,
    dataDir: resolve(DATA_DIR),
    credits: LOCAL_CREDITS,
    env: Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
  });
};
