/** What a key may do, as the fields of a form have it and as a table says it. */
import type { KeyChange } from '../../../../shared/key-api.ts';
import type { KeyRow } from '../../../../shared/portal-api.ts';
import { type KeyScope, keyScopes, ordinaryScopes } from '../../../../shared/scopes.ts';
import { count, dateText, plural } from '../../format.ts';

export const scopeTexts: Readonly<Record<KeyScope, readonly [name: string, text: string]>> = {
  'images:write': ['Make images', 'Uploads, batches and free checks.'],
  'batches:read': ['Read batches', 'The status of the batches that it made.'],
  'account:read': ['Read the balance', ''],
  admin: ['Manage keys', 'Makes, changes, rolls and revokes keys, never beyond what it may do itself.'],
};

/** Text fields as typed; `expires` is a day, YYYY-MM-DD, to whose end (UTC) the key lives. */
export type LimitFields = {
  readonly scopes: readonly KeyScope[];
  readonly expires: string;
  readonly addresses: string;
  readonly cap: string;
};

export const fieldsOf = (row?: KeyRow): LimitFields => ({
  scopes: row?.scopes ?? ordinaryScopes,
  expires: row?.expires_at?.slice(0, 10) ?? '',
  addresses: row?.allowed_ips?.join('\n') ?? '',
  cap: row?.daily_credit_cap?.toString() ?? '',
});

/** As the API takes them. An expiry that was not touched stays to the second. */
export const grantsOf = (fields: LimitFields, row?: KeyRow): Omit<KeyChange, 'label'> => {
  const addresses = fields.addresses.split(/[\s,]+/).filter((text) => text !== '');
  const isSameDay = row && fields.expires === fieldsOf(row).expires;
  return {
    scopes: keyScopes.filter((scope) => fields.scopes.includes(scope)),
    expires_at: isSameDay ? row.expires_at : fields.expires === '' ? null : `${fields.expires}T23:59:59Z`,
    allowed_ips: addresses.length === 0 ? null : addresses,
    daily_credit_cap: fields.cap.trim() === '' ? null : Number(fields.cap),
  };
};

export const isOver = ({ revoked_at, expires_at }: KeyRow, nowMs = Date.now()): boolean =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= nowMs);

/** One line for each limit that the key has. */
export const limitTexts = (row: KeyRow): readonly string[] => {
  const { scopes, expires_at, allowed_ips, daily_credit_cap, credits_used_today, older_secrets_until, created_by } =
    row;
  const isOrdinary = scopes.length === ordinaryScopes.length && ordinaryScopes.every((scope) => scopes.includes(scope));
  return [
    ...(isOrdinary ? [] : [scopes.map((scope) => scopeTexts[scope][0]).join(', ')]),
    ...(daily_credit_cap === null
      ? []
      : [`${count(credits_used_today ?? 0)} of ${plural(daily_credit_cap, 'credit')} used today`]),
    ...(allowed_ips === null ? [] : [`From ${plural(allowed_ips.length, 'address range')}`]),
    ...(expires_at === null ? [] : [`Until ${dateText(expires_at)}`]),
    ...(created_by === null ? [] : ['Made by another key']),
    ...(older_secrets_until === null ? [] : [`Old secret until ${dateText(older_secrets_until)}`]),
  ];
};
