/** Keys as the API takes and answers them. The portal's pages share the types. */
import { z } from 'zod';
import { limits } from './limits.ts';
import { keyScopes } from './scopes.ts';

const { labelCharsMax, allowedIpsMax, creditsPerDayMax, overlapMsMax } = limits.keys;
const HOUR_MS = 3_600_000;
/** The longest written form of an IPv6 range. */
const RANGE_CHARS_MAX = 49;

const label = z.string().trim().min(1).max(labelCharsMax);
const scopes = z.array(z.enum(keyScopes)).min(1).max(keyScopes.length).meta({
  description:
    '`images:write`: make and check images. `batches:read`: read the batches that the key made. `account:read`: balance. `admin`: manage keys.',
});
const expires = z.iso
  .datetime({ offset: true })
  .nullable()
  .meta({ description: 'When the key ends; null: never.', examples: ['2027-01-01T00:00:00Z'] });
const allowedIps = z
  .array(z.string().min(1).max(RANGE_CHARS_MAX))
  .min(1)
  .max(allowedIpsMax)
  .nullable()
  .meta({
    description: `Addresses and ranges (CIDR, IPv4 and IPv6) from which alone the key is taken, at most ${allowedIpsMax}; null: from everywhere.`,
  });
const dailyCap = z.int().min(0).max(creditsPerDayMax).nullable().meta({
  description:
    'Credits that the key, and the keys it makes, may hold or spend on one UTC day; null: all that the account has. A voided image gives its credit back to the day on which it was held. Test keys spend nothing and have none.',
});
const mode = z.enum(['live', 'test']);
const grants = {
  scopes: scopes.optional(),
  expires_at: expires.optional(),
  allowed_ips: allowedIps.optional(),
  daily_credit_cap: dailyCap.optional(),
};

/** What is left out is as it is with the calling key, except `admin`, which is given by name alone. */
export const keyCreationSchema = z
  .strictObject({ label, mode: mode.default('live'), ...grants })
  .meta({ id: 'KeyCreation' });
/** What is left out stays. */
export const keyChangeSchema = z.strictObject({ label: label.optional(), ...grants }).meta({ id: 'KeyChange' });
export const keyRollSchema = z
  .strictObject({
    overlap_hours: z
      .number()
      .min(0)
      .max(overlapMsMax / HOUR_MS)
      .default(0)
      .meta({ description: 'For how long the secrets before still work; 0: they end at once.' }),
  })
  .meta({ id: 'KeyRoll' });
/** Of a roll, in milliseconds. */
export const overlapMsOf = ({ overlap_hours }: z.infer<typeof keyRollSchema>): number =>
  Math.round(overlap_hours * HOUR_MS);
export type KeyCreation = z.input<typeof keyCreationSchema>;
export type KeyChange = z.input<typeof keyChangeSchema>;
export type KeyGrantsAsked = Pick<KeyChange, keyof typeof grants>;

export const apiKeySchema = z
  .object({
    key_id: z.string(),
    mode,
    label: z.string(),
    masked: z.string().meta({ description: 'Prefix and last four characters of its newest secret.' }),
    scopes: z.array(z.enum(keyScopes)),
    expires_at: z.iso.datetime().nullable(),
    allowed_ips: z.array(z.string()).nullable(),
    daily_credit_cap: z.int().nullable(),
    credits_used_today: z
      .int()
      .nullable()
      .meta({ description: 'Of the cap, on this UTC day; null where there is no cap.' }),
    created_at: z.iso.datetime(),
    created_by: z.string().nullable().meta({ description: 'The key that made it; null: the developer portal.' }),
    last_used_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    older_secrets_until: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Until when a secret that was rolled still works; null: none does.' }),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof apiKeySchema>;

const answer = { success: z.literal(true), request_id: z.string() };
export const keyListSchema = z
  .object({ ...answer, keys: z.array(apiKeySchema).meta({ description: 'Newest first, revoked ones too.' }) })
  .meta({ id: 'KeyList' });
export const keyAnswerSchema = z.object({ ...answer, key: apiKeySchema }).meta({ id: 'KeyAnswer' });
export const keySecretSchema = z
  .object({
    ...answer,
    key: apiKeySchema,
    secret: z.string().meta({ description: 'The whole key. It is shown here once and is nowhere else.' }),
  })
  .meta({ id: 'KeySecret' });
