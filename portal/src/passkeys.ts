/** Passkeys: the browser's own API, between two calls of the server's. */
import { type Answer, get, post } from './api.ts';

/** No browser makes a passkey for a numeric address. */
export const passkeysWork = (): boolean =>
  'credentials' in navigator &&
  'parseCreationOptionsFromJSON' in (globalThis.PublicKeyCredential ?? {}) &&
  !/^[\d.]+$/.test(location.hostname);

const gaveUp: Answer<never> = {
  ok: false,
  status: 0,
  problem: { code: 'passkey_not_used', detail: 'No passkey was used. Try again, or sign in with your password.' },
};

/** The credential as the server takes it; undefined where the person or the browser gave up. */
const asked = async (asking: () => Promise<Credential | null>): Promise<unknown> => {
  try {
    return ((await asking()) as PublicKeyCredential | null)?.toJSON();
  } catch {
    return undefined;
  }
};

export const addPasskey = async (name: string): Promise<Answer<unknown>> => {
  const options = await get<PublicKeyCredentialCreationOptionsJSON>('/auth/passkey/generate-register-options');
  if (!options.ok) return options;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options.value);
  const response = await asked(() => navigator.credentials.create({ publicKey }));
  return response ? post('/auth/passkey/verify-registration', { response, name }) : gaveUp;
};

export const signInWithPasskey = async (): Promise<Answer<unknown>> => {
  const options = await get<PublicKeyCredentialRequestOptionsJSON>('/auth/passkey/generate-authenticate-options');
  if (!options.ok) return options;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    ...options.value,
    userVerification: 'required',
  });
  const response = await asked(() => navigator.credentials.get({ publicKey }));
  return response ? post('/auth/passkey/verify-authentication', { response }) : gaveUp;
};
