/**
 * The pair of Ed25519 keys by which nodes know the edge. The edge alone has the private key; a node has public ones,
 * several while a key is being changed, and so can check what the edge signed but sign nothing. Both are texts in the
 * environment: a JWK (RFC 8037) and a JWKS.
 */
import { z } from 'zod';
import { sha256 } from './digest.ts';

const KEYS_MAX = 8;
/** 32 bytes. */
const bytes32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const publicPart = {
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: z.string().min(1).max(64),
  x: bytes32,
};
const publicKeySchema = z.object({ ...publicPart, d: z.never().optional() });
const signingKeySchema = z.object({ ...publicPart, d: bytes32 });
export type ServicePublicKey = Readonly<Omit<z.infer<typeof publicKeySchema>, 'd'>>;
export type ServiceSigningKey = Readonly<z.infer<typeof signingKeySchema>>;

/** A variable whose text is JSON as `schema` has it. `fault` is all that is said of another, since it may be secret. */
const jsonText = <T>(schema: z.ZodType<T>, fault: string) =>
  z.string().transform((text, ctx): T => {
    const parsed = schema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    ctx.addIssue(fault);
    return z.NEVER;
  });
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const signingKeyText = jsonText(
  signingKeySchema,
  'must be an Ed25519 private key as a JWK with kty, crv, kid, x and d',
);

/** At least one key, each with a `kid` of its own. A private key is refused: no node may have one. */
export const publicKeysText = jsonText(
  z
    .object({ keys: z.array(publicKeySchema).min(1).max(KEYS_MAX) })
    .transform(({ keys }): readonly ServicePublicKey[] => keys.map(({ d: _none, ...key }) => key))
    .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length),
  `must be a JWKS of 1 to ${KEYS_MAX} Ed25519 public keys, each with a kid of its own and none with d`,
);

/** A fresh pair; `kid` is the beginning of the public key's digest. */
export const newServiceKey = async (): Promise<ServiceSigningKey> => {
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  const { x = '', d = '' } = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as JsonWebKey;
  return { kty: 'OKP', crv: 'Ed25519', kid: (await sha256(x)).slice(0, 16), x, d };
};

export const publicKeyOf = ({ d: _private, ...key }: ServiceSigningKey): ServicePublicKey => key;

/** What a node's `SERVICE_PUBLIC_KEYS` says. */
export const publicKeySetOf = (keys: readonly ServicePublicKey[]): string => JSON.stringify({ keys });
