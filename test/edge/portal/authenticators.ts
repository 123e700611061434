/** What a customer signs in with besides a password: an authenticator app (RFC 6238) and a passkey in software. */
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const fromBase32 = (text: string): Uint8Array<ArrayBuffer> => {
  const bits = Array.from(text.replace(/=+$/, ''), (c) => base32.indexOf(c).toString(2).padStart(5, '0')).join('');
  return Uint8Array.from({ length: Math.floor(bits.length / 8) }, (_, i) =>
    Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2),
  );
};

/** The six digits of an `otpauth://` address at a time. */
export const codeAt = async (otpauth: string, nowMs = Date.now()): Promise<string> => {
  const secret = fromBase32(new URL(otpauth).searchParams.get('secret') ?? '');
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(Math.floor(nowMs / 30_000)));
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-1' }, false, ['sign']);
  const mac = new DataView(await crypto.subtle.sign('HMAC', key, counter.buffer));
  return String((mac.getUint32(mac.getUint8(19) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
};

const utf8 = new TextEncoder();
const joined = (...parts: (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => [...part]));
const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
const fromBase64url = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

/** CBOR of a byte string, of a text. */
const cborBytes = (bytes: Uint8Array): Uint8Array => joined([0x59, bytes.length >> 8, bytes.length & 255], bytes);
const cborText = (text: string): Uint8Array => joined([0x60 + text.length], utf8.encode(text));

/** ASN.1 of the two halves of an ECDSA signature. */
const der = (raw: Uint8Array): Uint8Array => {
  const integer = (half: Uint8Array): Uint8Array => {
    const trimmed = half.subarray(half.findIndex((byte) => byte !== 0));
    const value = (trimmed[0] ?? 0) > 127 ? joined([0], trimmed) : trimmed;
    return joined([2, value.length], value);
  };
  const body = joined(integer(raw.subarray(0, 32)), integer(raw.subarray(32)));
  return joined([0x30, body.length], body);
};

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** A passkey of one site. `userVerified`: whether the authenticator asked for a PIN or a finger. */
export const newPasskey = async (origin: string, userVerified = true) => {
  const { privateKey, publicKey } = (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
  const id = crypto.getRandomValues(new Uint8Array(16));
  const jwk = (await crypto.subtle.exportKey('jwk', publicKey)) as JsonWebKey;
  // COSE: EC2, ES256, P-256, x, y.
  const cose = joined(
    [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21],
    [0x58, 32],
    fromBase64url(jwk.x ?? ''),
    [0x22, 0x58, 32],
    fromBase64url(jwk.y ?? ''),
  );
  const rpIdHash = await sha256(utf8.encode(new URL(origin).hostname) as Uint8Array<ArrayBuffer>);
  const flags = PRESENT | (userVerified ? VERIFIED : 0);
  const clientData = (type: string, challenge: string) =>
    utf8.encode(JSON.stringify({ type, challenge, origin, crossOrigin: false })) as Uint8Array<ArrayBuffer>;
  const credential = { id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} };
  return {
    register: ({ challenge }: { challenge: string }) => {
      const authData = joined(
        rpIdHash,
        [flags | HAS_CREDENTIAL, 0, 0, 0, 0],
        new Uint8Array(16),
        [0, id.length],
        id,
        cose,
      );
      const attestation = joined(
        [0xa3],
        cborText('fmt'),
        cborText('none'),
        cborText('attStmt'),
        [0xa0],
        cborText('authData'),
        cborBytes(authData),
      );
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge)),
          attestationObject: base64url(attestation),
          transports: ['internal'],
        },
      };
    },
    authenticate: async ({ challenge }: { challenge: string }) => {
      const authData = joined(rpIdHash, [flags, 0, 0, 0, 1]);
      const client = clientData('webauthn.get', challenge);
      const signature = await crypto.subtle.sign(
        { name: 'ECDSA', hash: 'SHA-256' },
        privateKey,
        joined(authData, await sha256(client)),
      );
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(authData),
          signature: base64url(der(new Uint8Array(signature))),
        },
      };
    },
  };
};
