/**
 * Checks that a request comes from our edge, is meant for this very body, and is fresh. The contract is in
 * shared/job.ts.
 */
import { createHash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { type Failure, failure } from '../../shared/errors.ts';
import { SERVICE_TOKEN, serviceClaimsSchema } from '../../shared/job.ts';
import { fail, ok, type Result } from '../../shared/result.ts';

const BEARER = /^Bearer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/;
/** Edge and origin need not agree on the second. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** The token's subject. Fails with `unauthorized_service`, whose detail never repeats the token. */
export const verifyServiceToken = async (
  authorization: string | undefined,
  body: Uint8Array,
  secrets: readonly Uint8Array[],
): Promise<Result<string, Failure>> => {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (token === undefined) return refused('no service token was sent');
  const verified = await verifySignature(token, secrets);
  if (!verified.ok) return verified;
  const claims = serviceClaimsSchema.safeParse(verified.value);
  if (!claims.success) return refused('the service token lacks a claim');
  const { exp = Number.POSITIVE_INFINITY, iat = 0 } = verified.value;
  if (exp - iat > SERVICE_TOKEN.secondsMax) return refused('the service token lives too long');
  if (claims.data.body_sha256 !== createHash('sha256').update(body).digest('hex'))
    return refused('the service token is for another body');
  return ok(claims.data.sub);
};

/**
 * Tries each secret in turn, so that a secret can be changed without a gap. Anything but a bad signature ends the
 * search.
 */
const verifySignature = async (token: string, secrets: readonly Uint8Array[]): Promise<Result<JWTPayload, Failure>> => {
  for (const secret of secrets) {
    try {
      const { payload } = await jwtVerify(token, secret, {
        algorithms: ['HS256'],
        issuer: SERVICE_TOKEN.issuer,
        audience: SERVICE_TOKEN.audience,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['sub', 'iat', 'exp'],
        maxTokenAge: SERVICE_TOKEN.secondsMax,
      });
      return ok(payload);
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) continue;
      return refused(clockSkew(error) ?? `the service token was refused: ${reasonOf(error)}`, error);
    }
  }
  return refused('the service token was refused: the signature does not match');
};

const reasonOf = (error: unknown): string => (error instanceof errors.JOSEError ? error.code : 'unreadable');

/** Said of a token of ours that is from another time than this node's: no other key or body makes it good. */
const clockSkew = (error: unknown): string | undefined => {
  const isOfOtherTime =
    error instanceof errors.JWTExpired || (error instanceof errors.JWTClaimValidationFailed && error.claim === 'iat');
  if (!isOfOtherTime || typeof error.payload.iat !== 'number') return undefined;
  const seconds = Math.round(Date.now() / 1_000 - error.payload.iat);
  const distance = `${Math.abs(seconds)} s ${seconds < 0 ? 'ahead of' : 'behind'} this node's clock`;
  return `clock skew: the service token was issued ${distance}`;
};

const refused = (detail: string, cause?: unknown): Result<never, Failure> =>
  fail(failure('unauthorized_service', detail, { cause }));
