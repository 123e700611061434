/** The service token by which nodes know the edge: a short-lived JWT (EdDSA) for one subject and one exact body. */
import { importJWK, SignJWT } from 'jose';
import { sha256 } from '../../shared/digest.ts';
import { SERVICE_TOKEN } from '../../shared/job.ts';
import type { ServiceSigningKey } from '../../shared/service-key.ts';

/** `subject` is the job's id, or `LEDGER_EXPORT_SUBJECT`; `body` the bytes as they are sent. */
export type SignServiceToken = (subject: string, body: string) => Promise<string>;

const alg = 'EdDSA';

export const serviceTokenSigner = (signingKey: ServiceSigningKey, nowMs: () => number): SignServiceToken => {
  // The key itself is kept, not a promise of it: one request of a Worker may not wait for another's.
  let key: Awaited<ReturnType<typeof importJWK>> | undefined;
  return async (subject, body) => {
    key ??= await importJWK({ ...signingKey }, alg);
    const issuedAt = Math.floor(nowMs() / 1_000);
    return new SignJWT({ body_sha256: await sha256(body) })
      .setProtectedHeader({ alg, kid: signingKey.kid })
      .setIssuer(SERVICE_TOKEN.issuer)
      .setAudience(SERVICE_TOKEN.audience)
      .setSubject(subject)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + SERVICE_TOKEN.secondsMax)
      .sign(key);
  };
};
