/** The account's keys, managed by a key with the scope `admin`. */
import { type CallOptions, call, type Settings } from './call.ts';
import { NotFoundError } from './errors.ts';
import type { ApiKey, KeyAnswer, KeyChange, KeyCreation, KeyList, KeySecret } from './generated.ts';

const KEYS = '/api/v1/keys';

export type KeyScope = ApiKey['scopes'][number];
/** The key with its secret, which is answered this once. */
export type NewSecret = Pick<KeySecret, 'key' | 'secret'>;

/**
 * What is made twice is there twice, so `create` and `roll` are tried once unless `retriesMax` says otherwise. If the
 * answer to `roll` was lost, roll again with an overlap: the secret in use goes on.
 */
export class Keys {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Newest first, revoked ones too. */
  async list(options: CallOptions = {}): Promise<readonly ApiKey[]> {
    return (await this.#send<KeyList>('GET', '', undefined, options)).keys;
  }

  /** What `wanted` leaves out is as it is with the calling key, except the scope `admin`. */
  create(wanted: KeyCreation, options: CallOptions = {}): Promise<NewSecret> {
    return this.#send<KeySecret>('POST', '', wanted, { retriesMax: 0, ...options });
  }

  /** What `change` leaves out stays. */
  async change(keyId: string, change: KeyChange, options: CallOptions = {}): Promise<ApiKey> {
    return (await this.#send<KeyAnswer>('PATCH', pathOf(keyId), change, options)).key;
  }

  /** Another secret; those before go on for `overlapHours` (0 to 168), and with 0 end at once. */
  roll(keyId: string, overlapHours: number, options: CallOptions = {}): Promise<NewSecret> {
    const body = { overlap_hours: overlapHours };
    return this.#send<KeySecret>('POST', `${pathOf(keyId)}/roll`, body, { retriesMax: 0, ...options });
  }

  async revoke(keyId: string, options: CallOptions = {}): Promise<ApiKey> {
    return (await this.#send<KeyAnswer>('POST', `${pathOf(keyId)}/revoke`, undefined, options)).key;
  }

  #send<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body: unknown, options: CallOptions): Promise<T> {
    const sent =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const request = { method, url: KEYS + path, ...sent };
    return call(this.#settings, request, options, async (answer) => (await answer.json()) as T);
  }
}

const pathOf = (keyId: string): string => {
  if (!/^\w+$/.test(keyId)) throw new NotFoundError('That is not the id of a key', { code: 'key_not_found' });
  return `/${keyId}`;
};
