/** What a node makes of tokens that its edge did not sign. */
import { createPublicKey } from 'node:crypto';
import { base64url, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { type ServiceKeys, serviceTokenVerifier } from '../../../origin/http/service-token.ts';
import { SERVICE_TOKEN } from '../../../shared/job.ts';
import { publicKeyOf, type ServiceSigningKey } from '../../../shared/service-key.ts';
import { nextSigningKey, publicKeySet, signingKey, strangersKey } from '../../support/service-keys.ts';
import { signToken } from '../support/caller.ts';

const known = publicKeyOf(signingKey);
const keys: ServiceKeys = { publicKeys: [known] };
const verified = (token: string, by: ServiceKeys = keys, nowMs = Date.now()) =>
  serviceTokenVerifier(by, () => nowMs)(`Bearer ${token}`);
const why = async (token: string, by?: ServiceKeys, nowMs?: number): Promise<string> => {
  const answer = await verified(token, by, nowMs);
  if (answer.ok) throw new Error('the token was accepted');
  expect(answer.failure.code).toBe('unauthorized_service');
  expect(answer.failure.detail).not.toContain(token);
  return answer.failure.detail ?? '';
};

const claims = { body_sha256: 'a'.repeat(64), sub: 'job_1', iss: SERVICE_TOKEN.issuer, aud: SERVICE_TOKEN.audience };
const minted = (header: { alg: string; kid?: string; [more: string]: unknown }, key: Uint8Array | ServiceSigningKey) =>
  (async () =>
    new SignJWT(claims)
      .setProtectedHeader(header)
      .setIssuedAt()
      .setExpirationTime('60s')
      .sign(key instanceof Uint8Array ? key : await importJWK({ ...key }, header.alg)))();

describe('a token of the edge', () => {
  it('names the subject and the digest of the body it is for', async () => {
    expect(await verified(await minted({ alg: 'EdDSA', kid: known.kid }, signingKey))).toEqual({
      ok: true,
      value: { subject: 'job_1', bodySha256: 'a'.repeat(64) },
    });
  });

  it('is accepted under the old and the new key while the key is being changed', async () => {
    const both = { publicKeys: [known, publicKeyOf(nextSigningKey)] };
    for (const key of [signingKey, nextSigningKey])
      expect((await verified(await signToken('job_1', '{}', { key }), both)).ok).toBe(true);
    expect(await why(await signToken('job_1', '{}'), { publicKeys: [publicKeyOf(nextSigningKey)] })).toContain('kid');
  });
});

describe('a token minted with what a node knows', () => {
  /** Whoever takes a node has its public keys in every form. */
  const publicBytes: readonly (readonly [string, Uint8Array])[] = [
    ['its raw bytes', base64url.decode(known.x)],
    ['its text', new TextEncoder().encode(known.x)],
    ['the JWK', new TextEncoder().encode(JSON.stringify(known))],
    ['the whole JWKS', new TextEncoder().encode(publicKeySet)],
    [
      'its PEM',
      new TextEncoder().encode(
        createPublicKey({ key: { ...known }, format: 'jwk' })
          .export({ type: 'spki', format: 'pem' })
          .toString(),
      ),
    ],
  ];

  it.each(publicBytes)('with the public key as a secret (%s) is refused', async (_form, bytes) => {
    expect(await why(await minted({ alg: 'HS256', kid: known.kid }, bytes))).toContain('algorithm is not EdDSA');
    expect(await why(await minted({ alg: 'HS256' }, bytes))).toContain('algorithm is not EdDSA');
    // Nor while a shared secret is accepted, which it is not.
    const sharedSecret = { bytes: new TextEncoder().encode('s'.repeat(32)), untilMs: Number.POSITIVE_INFINITY };
    expect(await why(await minted({ alg: 'HS256' }, bytes), { ...keys, sharedSecret })).toContain('signature');
  });

  it('is refused without a signature', async () => {
    const token = new UnsecuredJWT(claims).setIssuedAt().setExpirationTime('60s').encode();
    expect(await why(`${token}AA`)).toContain('algorithm is not EdDSA');
    expect(await why(token)).toBe('no service token was sent');
    const genuine = await minted({ alg: 'EdDSA', kid: known.kid }, signingKey);
    expect(await why(genuine.replace(/[^.]+$/, 'AA'))).toContain('refused');
  });

  it('is refused under the name of our key, under its own, under none, and with its key in the header', async () => {
    expect(await why(await minted({ alg: 'EdDSA', kid: known.kid }, strangersKey))).toContain('signature');
    expect(await why(await minted({ alg: 'EdDSA', kid: strangersKey.kid }, strangersKey))).toContain('kid');
    expect(await why(await minted({ alg: 'EdDSA' }, strangersKey))).toContain('kid');
    expect(await why(await minted({ alg: 'EdDSA' }, signingKey))).toContain('kid');
    const jwk = publicKeyOf(strangersKey);
    expect(await why(await minted({ alg: 'EdDSA', kid: known.kid, jwk }, strangersKey))).toContain('signature');
  });
});

describe('the secret that the release before shared with its nodes', () => {
  const bytes = new TextEncoder().encode('a-secret-of-the-release-before-0123456789');
  const untilMs = Date.now() + 30_000;
  const both: ServiceKeys = { ...keys, sharedSecret: { bytes, untilMs } };

  it('still signs tokens beside the keys, until its time is over', async () => {
    const token = await minted({ alg: 'HS256' }, bytes);
    expect((await verified(token, both)).ok).toBe(true);
    expect((await verified(await signToken('job_1', '{}'), both)).ok).toBe(true);
    expect(await why(token, both, untilMs)).toContain('time of ORIGIN_SERVICE_SECRET is over');
    expect((await verified(await signToken('job_1', '{}'), both, untilMs)).ok).toBe(true);
  });

  it('signs none where it is not configured', async () => {
    expect(await why(await minted({ alg: 'HS256' }, bytes))).toContain('algorithm is not EdDSA');
  });
});
