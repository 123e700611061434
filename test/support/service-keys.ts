/** Pairs of keys for tests: public, and so refused by production for the word in their `kid`. */
import { publicKeyOf, publicKeySetOf, type ServiceSigningKey } from '../../shared/service-key.ts';

/** The edge's. */
export const signingKey: ServiceSigningKey = {
  kty: 'OKP',
  crv: 'Ed25519',
  kid: 'local-test',
  x: 'IVNIK7P9ugYIO2bSlb5Bbf7Db7FeDnn7brOyo8dBYLk',
  d: 'g1_254FMT06VsVV2k3acNtXaFq3iYoIQ-6M22SnUlZo',
};
/** Its next one, while the key is being changed. */
export const nextSigningKey: ServiceSigningKey = {
  kty: 'OKP',
  crv: 'Ed25519',
  kid: 'local-test-next',
  x: '945mI1TiLUJt2d_WyVbmqXiEK7_pPQfjySshtOY2GkA',
  d: 'GpenC8XKTl5DwDdGgQyfRtKXLHLpxjfb36r7-6twWm4',
};
/** Somebody else's. */
export const strangersKey: ServiceSigningKey = {
  kty: 'OKP',
  crv: 'Ed25519',
  kid: 'local-test-stranger',
  x: 'ION06PuCD1tENMklbms3xvMJv_VeoMf91bkzbGlyeMM',
  d: 'iloXdWpst_P4MUucYPjKtck2NodCZqMbygzQsOtwoWk',
};

/** `SERVICE_PUBLIC_KEYS` of a node that knows the edge's key alone. */
export const publicKeySet = publicKeySetOf([publicKeyOf(signingKey)]);
