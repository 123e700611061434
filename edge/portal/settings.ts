/**
 * What the portal reads from the environment, checked once. In production everything that local mode makes up must be
 * given.
 */
import type { EdgeEnv } from '../env.ts';

export type PortalBindings = Pick<
  EdgeEnv,
  | 'ENVIRONMENT'
  | 'PUBLIC_BASE_URL'
  | 'AUTH_SECRET'
  | 'STRIPE_SECRET_KEY'
  | 'STRIPE_WEBHOOK_SECRET'
  | 'MAIL_API_URL'
  | 'MAIL_API_KEY'
  | 'MAIL_FROM'
  | 'DB'
>;

export type PortalSettings = {
  readonly local: boolean;
  /** Without a trailing slash. */
  readonly publicBaseUrl: string;
  readonly authSecret: string;
  readonly stripeWebhookSecret: string;
  /** `test` exists in local mode only. */
  readonly checkout: { readonly kind: 'stripe'; readonly secretKey: string } | { readonly kind: 'test' };
  readonly mail:
    | { readonly kind: 'outbox' }
    | { readonly kind: 'api'; readonly url: string; readonly key: string; readonly from: string };
};

const SECRET_CHARS_MIN = 32;
/** Secrets of local mode are public; production refuses them. */
const LOCAL_MARK = 'local';

/** Throws an error that names every variable at fault. */
export const portalSettings = (env: PortalBindings): PortalSettings => {
  const local = env.ENVIRONMENT === 'local';
  const faults = [...secretFaults(env, local), ...(local ? [] : productionFaults(env))];
  if (faults.length > 0) throw new Error(`portal configuration: ${faults.join('; ')}`);
  return {
    local,
    publicBaseUrl: env.PUBLIC_BASE_URL.replace(/\/+$/, ''),
    authSecret: env.AUTH_SECRET,
    stripeWebhookSecret: env.STRIPE_WEBHOOK_SECRET,
    checkout: env.STRIPE_SECRET_KEY ? { kind: 'stripe', secretKey: env.STRIPE_SECRET_KEY } : { kind: 'test' },
    mail:
      env.MAIL_API_URL && env.MAIL_API_KEY && env.MAIL_FROM
        ? { kind: 'api', url: env.MAIL_API_URL, key: env.MAIL_API_KEY, from: env.MAIL_FROM }
        : { kind: 'outbox' },
  };
};

const secretFaults = (env: PortalBindings, local: boolean): string[] =>
  (['AUTH_SECRET', 'STRIPE_WEBHOOK_SECRET'] as const).flatMap((name) => {
    const value = env[name] ?? '';
    if (value.length < (name === 'AUTH_SECRET' ? SECRET_CHARS_MIN : 1)) return [`${name} is missing or too short`];
    return !local && value.includes(LOCAL_MARK) ? [`${name} is the one of local mode`] : [];
  });

const productionFaults = (env: PortalBindings): string[] => [
  ...(env.PUBLIC_BASE_URL?.startsWith('https://') ? [] : ['PUBLIC_BASE_URL must be an https address']),
  ...(['STRIPE_SECRET_KEY', 'MAIL_API_URL', 'MAIL_API_KEY', 'MAIL_FROM'] as const)
    .filter((name) => !env[name])
    .map((name) => `${name} is missing`),
];
