/**
 * The auth secret, and while it is being changed the one before it. What better-auth encrypts with it (second factors)
 * names the secret by a version; rows of the one before are encrypted anew by the scheduled run.
 */
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { fnv1a } from '../../shared/digest.ts';
import { edgeLimits } from '../limits.ts';
import type { PortalSettings } from './settings.ts';

type Secrets = Pick<PortalSettings, 'authSecret' | 'authSecretPrevious'>;

/** 31 bits of a hash: the same for one secret at every start, and too few to learn anything of it. */
const versionOf = (secret: string): number => fnv1a(secret) >>> 1;

/** better-auth's options: the first secret signs and encrypts, each decrypts. */
export const authSecrets = ({ authSecret, authSecretPrevious }: Secrets) => ({
  secret: authSecretPrevious ?? authSecret,
  secrets: [...new Set([authSecret, authSecretPrevious ?? authSecret])].map((value) => ({
    version: versionOf(value),
    value,
  })),
});

type Row = { readonly id: string; readonly secret: string; readonly backupCodes: string };

/** Encrypts second factors anew, a bounded number in each run; answers how many. Nothing where no secret is changed. */
export const renewSecondFactors = async (db: D1Database, secrets: Secrets): Promise<number> => {
  if (secrets.authSecretPrevious === undefined) return 0;
  const { secret: legacySecret, secrets: versions } = authSecrets(secrets);
  const currentVersion = versionOf(secrets.authSecret);
  const key = { keys: new Map(versions.map(({ version, value }) => [version, value])), currentVersion, legacySecret };
  const anew = async (data: string): Promise<string> =>
    symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) });
  const { results } = await db
    .prepare(
      `select "id", "secret", "backupCodes" from "twoFactor"
        where "secret" not like ?1 or "backupCodes" not like ?1 limit ${edgeLimits.portal.renewedRowsMax}`,
    )
    .bind(`$ba$${currentVersion}$%`)
    .all<Row>();
  const updates = await Promise.all(
    results.map(async ({ id, secret, backupCodes }) =>
      // A recovery code that is used meanwhile stays used: then this row comes again.
      db
        .prepare(
          `update "twoFactor" set "secret" = ?, "backupCodes" = ? where "id" = ? and "secret" = ? and "backupCodes" = ?`,
        )
        .bind(await anew(secret), await anew(backupCodes), id, secret, backupCodes),
    ),
  );
  if (updates.length === 0) return 0;
  return (await db.batch(updates)).reduce((sum, { meta }) => sum + meta.changes, 0);
};
