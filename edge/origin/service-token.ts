/** The service token by which nodes know the edge: a short-lived HS256 JWT for one subject and one exact body. */
import { SignJWT } from 'jose';
import { sha256 } from '../../shared/digest.ts';
import { SERVICE_TOKEN } from '../../shared/job.ts';

/** `subject` is the job's id, or `LEDGER_EXPORT_SUBJECT`; `body` the bytes as they are sent. */
export type SignServiceToken = (subject: string, body: string) => Promise<string>;

export const serviceTokenSigner = (secret: string, nowMs: () => number): SignServiceToken => {
  const key = new TextEncoder().encode(secret);
  return async (subject, body) => {
    const issuedAt = Math.floor(nowMs() / 1_000);
    return new SignJWT({ body_sha256: await sha256(body) })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(SERVICE_TOKEN.issuer)
      .setAudience(SERVICE_TOKEN.audience)
      .setSubject(subject)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + SERVICE_TOKEN.secondsMax)
      .sign(key);
  };
};
