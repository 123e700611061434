/**
 * Checks that a request comes from our edge and is fresh, before any of its body is read. The contract is in
 * shared/job.ts.
 */
import { decodeProtectedHeader, errors, importJWK, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { type Failure, failure } from '../../shared/errors.ts';
import { SERVICE_TOKEN, serviceClaimsSchema } from '../../shared/job.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { ServicePublicKey } from '../../shared/service-key.ts';

/** What a node knows the edge by. */
export type ServiceKeys = {
  readonly publicKeys: readonly ServicePublicKey[];
  /** HS256, as the release before signed. Whoever knows it can sign too, so it ends: tokens of it are refused then. */
  readonly sharedSecret?: { readonly bytes: Uint8Array; readonly untilMs: number } | undefined;
};
/** `bodySha256`: of the only body that the token is good for, lower-case hex. */
type ServiceToken = { readonly subject: string; readonly bodySha256: string };
/** Of an `Authorization` header. Fails with `unauthorized_service`, whose detail never repeats the token. */
export type VerifyServiceToken = (authorization: string | undefined) => Promise<Result<ServiceToken, Failure>>;

const BEARER = /^Bearer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/;
/** Edge and origin need not agree on the second. */
const CLOCK_TOLERANCE_SECONDS = 5;

export const serviceTokenVerifier =
  (keys: ServiceKeys, nowMs: () => number): VerifyServiceToken =>
  async (authorization) => {
    const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
    if (token === undefined) return refused('no service token was sent');
    const verified = await verifySignature(token, keys, nowMs());
    if (!verified.ok) return verified;
    const claims = serviceClaimsSchema.safeParse(verified.value);
    if (!claims.success) return refused('the service token lacks a claim');
    const { exp = Number.POSITIVE_INFINITY, iat = 0 } = verified.value;
    if (exp - iat > SERVICE_TOKEN.secondsMax) return refused('the service token lives too long');
    return ok({ subject: claims.data.sub, bodySha256: claims.data.body_sha256 });
  };

type Key = { readonly alg: string; readonly key: Uint8Array | Awaited<ReturnType<typeof importJWK>> };

/**
 * The key and its one algorithm, by what the token says of itself: `kid` chooses among our keys and `alg` must be the
 * chosen key's, so no public key is ever taken for a secret.
 */
const keyOf = async (token: string, keys: ServiceKeys, nowMs: number): Promise<Result<Key, Failure>> => {
  const { alg, kid } = decodeProtectedHeader(token);
  if (alg === 'EdDSA') {
    const known = keys.publicKeys.find((key) => key.kid === kid);
    return known
      ? ok({ alg, key: await importJWK({ ...known }, alg) })
      : refused('the service token was refused: its kid is none of SERVICE_PUBLIC_KEYS');
  }
  const secret = keys.sharedSecret;
  if (alg !== 'HS256' || kid !== undefined || !secret)
    return refused('the service token was refused: its algorithm is not EdDSA');
  return nowMs < secret.untilMs
    ? ok({ alg, key: secret.bytes })
    : refused('the service token was refused: the time of ORIGIN_SERVICE_SECRET is over');
};

const verifySignature = async (
  token: string,
  keys: ServiceKeys,
  nowMs: number,
): Promise<Result<JWTPayload, Failure>> => {
  try {
    const chosen = await keyOf(token, keys, nowMs);
    if (!chosen.ok) return chosen;
    const options: JWTVerifyOptions = {
      algorithms: [chosen.value.alg],
      issuer: SERVICE_TOKEN.issuer,
      audience: SERVICE_TOKEN.audience,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['sub', 'iat', 'exp'],
      maxTokenAge: SERVICE_TOKEN.secondsMax,
      currentDate: new Date(nowMs),
    };
    return ok((await jwtVerify(token, chosen.value.key, options)).payload);
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed)
      return refused('the service token was refused: the signature does not match');
    return refused(clockSkew(error, nowMs) ?? `the service token was refused: ${reasonOf(error)}`, error);
  }
};

const reasonOf = (error: unknown): string => (error instanceof errors.JOSEError ? error.code : 'unreadable');

/** Said of a token of ours that is from another time than this node's: no other key or body makes it good. */
const clockSkew = (error: unknown, nowMs: number): string | undefined => {
  const isOfOtherTime =
    error instanceof errors.JWTExpired || (error instanceof errors.JWTClaimValidationFailed && error.claim === 'iat');
  if (!isOfOtherTime || typeof error.payload.iat !== 'number') return undefined;
  const seconds = Math.round(nowMs / 1_000 - error.payload.iat);
  const distance = `${Math.abs(seconds)} s ${seconds < 0 ? 'ahead of' : 'behind'} this node's clock`;
  return `clock skew: the service token was issued ${distance}`;
};

const refused = (detail: string, cause?: unknown): Result<never, Failure> =>
  fail(failure('unauthorized_service', detail, { cause }));
