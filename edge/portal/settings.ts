/** What the portal reads from the environment, once. In production everything that local mode makes up must be given. */
import { z } from 'zod';
import { baseUrl, environmentName, readEnvironment, secret, url, withPrevious } from '../../shared/configuration.ts';
import type { EdgeEnv } from '../env.ts';
import type { StripeAccount } from '../payments/checkout.ts';

const variables = z.object({
  ENVIRONMENT: environmentName,
  PUBLIC_BASE_URL: baseUrl,
  AUTH_SECRET: secret,
  AUTH_SECRET_PREVIOUS: secret.optional(),
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_AUTOMATIC_TAX: z.enum(['on', 'off']).optional(),
  STRIPE_WEBHOOK_SECRET: secret,
  STRIPE_WEBHOOK_SECRET_PREVIOUS: secret.optional(),
  MAIL_API_URL: url.optional(),
  MAIL_API_KEY: z.string().optional(),
  MAIL_FROM: z.string().optional(),
  BREACHED_PASSWORDS_URL: url.optional(),
  SECURITY_CONTACT: z
    .string()
    .regex(/^(mailto:|https:\/\/)\S+$/, 'must begin with mailto: or https://')
    .optional(),
  SELLER_NAME: z.string().optional(),
  SELLER_ADDRESS: z.string().optional(),
  SELLER_TAX_ID: z.string().optional(),
  TURNSTILE_SITE_KEY: z.string().optional(),
  TURNSTILE_SECRET_KEY: z.string().optional(),
  TAKE_HEIC: z.enum(['on', 'off']).optional(),
});

export type PortalBindings = Pick<EdgeEnv, keyof z.infer<typeof variables> | 'DB'>;

export type PortalSettings = {
  readonly local: boolean;
  /** Without a trailing slash. */
  readonly publicBaseUrl: string;
  readonly authSecret: string;
  /** While the secret is being changed: the one before, whose sessions go on. */
  readonly authSecretPrevious: string | undefined;
  /** Any of them may have signed a delivery. */
  readonly stripeWebhookSecrets: readonly [string, ...string[]];
  /** `test` exists in local mode only. */
  readonly checkout: ({ readonly kind: 'stripe' } & StripeAccount) | { readonly kind: 'test' };
  readonly takesHeic: boolean;
  readonly mail:
    | { readonly kind: 'outbox' }
    | { readonly kind: 'api'; readonly url: string; readonly key: string; readonly from: string };
  /** Who sells, as receipts say it; null: the operator has not said so. Stripe's invoices name its own account's owner. */
  readonly seller: { readonly name: string | null; readonly address: string | null; readonly taxId: string | null };
  /** Where to report a vulnerability; null: as the policy page says. */
  readonly securityContact: string | null;
  /** A service that knows breached passwords; five digits of a SHA-1 are put at its end. Null: our own list alone. */
  readonly breachedPasswordsUrl: string | null;
  /** Null where it is not configured, as in local mode. */
  readonly turnstile: { readonly siteKey: string; readonly secretKey: string } | null;
};

/** One of the two alone would either let everybody through or nobody. */
const turnstileOf = (siteKey: string | undefined, secretKey: string | undefined): PortalSettings['turnstile'] => {
  if (siteKey && secretKey) return Object.freeze({ siteKey, secretKey });
  if (siteKey || secretKey)
    throw new Error(`portal configuration: ${siteKey ? 'TURNSTILE_SECRET_KEY' : 'TURNSTILE_SITE_KEY'} is missing`);
  return null;
};

const SECRETS = ['AUTH_SECRET', 'AUTH_SECRET_PREVIOUS', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_WEBHOOK_SECRET_PREVIOUS'];

/** Frozen. Throws an error that names every variable at fault. */
export const portalSettings = (env: PortalBindings): PortalSettings => {
  const given = readEnvironment('portal configuration', variables, env, {
    secrets: SECRETS,
    required: ['STRIPE_SECRET_KEY', 'MAIL_API_URL', 'MAIL_API_KEY', 'MAIL_FROM'],
    https: ['PUBLIC_BASE_URL', 'MAIL_API_URL', 'BREACHED_PASSWORDS_URL'],
    distinct: SECRETS,
    liveKeys: ['STRIPE_SECRET_KEY'],
  });
  const { STRIPE_SECRET_KEY: secretKey, MAIL_API_URL: mailUrl, MAIL_API_KEY: key, MAIL_FROM: from } = given;
  return Object.freeze({
    local: given.ENVIRONMENT === 'local',
    publicBaseUrl: given.PUBLIC_BASE_URL,
    authSecret: given.AUTH_SECRET,
    authSecretPrevious: given.AUTH_SECRET_PREVIOUS,
    stripeWebhookSecrets: withPrevious(given.STRIPE_WEBHOOK_SECRET, given.STRIPE_WEBHOOK_SECRET_PREVIOUS),
    checkout: Object.freeze(
      secretKey ? { kind: 'stripe', secretKey, automaticTax: given.STRIPE_AUTOMATIC_TAX === 'on' } : { kind: 'test' },
    ),
    mail: Object.freeze(mailUrl && key && from ? { kind: 'api', url: mailUrl, key, from } : { kind: 'outbox' }),
    seller: Object.freeze({
      name: given.SELLER_NAME ?? null,
      address: given.SELLER_ADDRESS ?? null,
      taxId: given.SELLER_TAX_ID ?? null,
    }),
    securityContact: given.SECURITY_CONTACT ?? null,
    breachedPasswordsUrl: given.BREACHED_PASSWORDS_URL ?? null,
    turnstile: turnstileOf(given.TURNSTILE_SITE_KEY, given.TURNSTILE_SECRET_KEY),
    takesHeic: given.TAKE_HEIC === 'on',
  });
};

/** Variables without which receipts have placeholders for the seller; the service works without them. */
export const unsetSeller = ({ local, seller }: Pick<PortalSettings, 'local' | 'seller'>): string[] =>
  local
    ? []
    : [
        ['SELLER_NAME', seller.name],
        ['SELLER_ADDRESS', seller.address],
        ['SELLER_TAX_ID', seller.taxId],
      ].flatMap(([name, value]) => (value === null && name ? [name] : []));
