/**
 * Time, chance, network and log of the code under test: inside a run they are the world's, outside the machine's own.
 * Which is which follows from who runs (`running`), through every await.
 */
import { hash as hashOnce, timingSafeEqual } from 'node:crypto';
import { running, type Timer } from './scheduler.ts';

export type Outbound = (url: string, init: RequestInit) => Promise<Response>;
let outbound: Outbound = () => Promise.reject(new TypeError('no network'));
/** The network of the world that runs now. */
export const setOutbound = (fetch: Outbound): void => {
  outbound = fetch;
};

export const installGlobals = (): void => {
  installTime();
  installChance();
  installLog();
  Object.assign(globalThis, { FixedLengthStream });
  const realFetch = globalThis.fetch;
  globalThis.fetch = ((input: RequestInfo | URL, init: RequestInit = {}) =>
    running.getStore() ? outbound(String(input), init) : realFetch(input, init)) as typeof fetch;
};

const installTime = (): void => {
  const RealDate = Date;
  const realNow = RealDate.now.bind(RealDate);
  const nowMs = (): number => {
    const own = running.getStore();
    return own ? own.world.now() + own.actor.skewMs : realNow();
  };
  class WorldDate extends RealDate {
    constructor(...parts: unknown[]) {
      if (parts.length === 0) super(nowMs());
      else super(...(parts as [number]));
    }
    static override now = nowMs;
  }
  globalThis.Date = WorldDate as DateConstructor;

  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  globalThis.setTimeout = ((callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const own = running.getStore();
    if (!own) return real.setTimeout(callback, ms, ...args);
    return own.world.after(Number(ms) || 0, () => callback(...args), own.actor);
  }) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((timer: unknown) => {
    if (typeof timer === 'object' && timer !== null && 'cancelled' in timer) (timer as Timer).cancelled = true;
    else real.clearTimeout(timer as NodeJS.Timeout);
  }) as typeof clearTimeout;
  const realTimeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => {
    const own = running.getStore();
    if (!own) return realTimeout(ms);
    const controller = new AbortController();
    own.world.after(ms, () => controller.abort(new DOMException('timed out', 'TimeoutError')), own.actor);
    return controller.signal;
  };
};

const installChance = (): void => {
  const realRandom = Math.random;
  Math.random = () => running.getStore()?.world.random.unit() ?? realRandom();
  const real = globalThis.crypto;
  const getRandomValues = <T extends ArrayBufferView>(view: T): T => {
    const own = running.getStore();
    if (!own) return real.getRandomValues(view as never) as T;
    new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(own.world.random.bytes(view.byteLength));
    return view;
  };
  Object.defineProperty(globalThis, 'crypto', {
    configurable: true,
    value: { getRandomValues, randomUUID: () => real.randomUUID(), subtle: synchronousSubtle, DigestStream },
  });
};

declare global {
  interface Crypto {
    readonly DigestStream: typeof DigestStream;
  }
}
/** workerd's own stream of a digest, as much of it as the edge uses. */
class DigestStream extends WritableStream<Uint8Array> {
  readonly digest: Promise<ArrayBuffer>;
  constructor(algorithm: string) {
    const chunks: Uint8Array[] = [];
    const { promise, resolve } = Promise.withResolvers<ArrayBuffer>();
    super({
      write: (chunk) => void chunks.push(chunk.slice()),
      close: () => resolve(bufferOf(digestOf(algorithm, Buffer.concat(chunks)))),
    });
    this.digest = promise;
  }
}

/** workerd's own stream of a length said beforehand: other lengths break it. */
class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number) {
    let bytes = 0;
    super({
      transform: (chunk, controller) => {
        bytes += chunk.length;
        if (bytes > length) throw new TypeError('Attempt to write too many bytes through a FixedLengthStream.');
        controller.enqueue(chunk);
      },
      flush: () => {
        if (bytes < length) throw new TypeError('FixedLengthStream did not see all expected bytes before close().');
      },
    });
  }
}

type HmacKey = { readonly algorithm: { readonly name: string; readonly hash: { readonly name: string } } };
const secrets = new WeakMap<object, { readonly inner: Buffer; readonly outer: Buffer }>();
const bytesOf = (source: BufferSource): Buffer =>
  ArrayBuffer.isView(source)
    ? Buffer.from(source.buffer, source.byteOffset, source.byteLength)
    : Buffer.from(source as ArrayBuffer);
const bufferOf = (bytes: Buffer): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
const HASH = { 'SHA-1': 'sha1', 'SHA-256': 'sha256' } as const;
const digestOf = (name: string, bytes: Buffer): Buffer => {
  const known = HASH[name as keyof typeof HASH];
  if (!known) throw new DOMException(`${name} is not simulated`, 'NotSupportedError');
  return hashOnce(known, bytes, 'buffer');
};
const nameOf = (hash: string | { readonly name: string }): string => (typeof hash === 'string' ? hash : hash.name);

const BLOCK = 64;
const padded = (key: Buffer, value: number): Buffer => {
  const block = Buffer.alloc(BLOCK, value);
  for (const [i, byte] of key.entries()) block[i] = byte ^ value;
  return block;
};

/** Keys of Ed25519, which sign by a digest of the same length: nobody here verifies. */
const signingKeys = new WeakSet<object>();
const importSigningKey = () => {
  const [algorithm, usages] = [{ name: 'Ed25519' }, ['sign']];
  const key = { [Symbol.toStringTag]: 'CryptoKey', type: 'private', extractable: false, usages, algorithm };
  signingKeys.add(key);
  return key;
};
const importMacKey = (secret: Buffer, algorithm: { readonly hash: string | { readonly name: string } }) => {
  const hash = { name: nameOf(algorithm.hash) };
  const key = { type: 'secret', extractable: false, usages: ['sign', 'verify'], algorithm: { name: 'HMAC', hash } };
  const short = secret.length > BLOCK ? digestOf(hash.name, secret) : secret;
  secrets.set(key, { inner: padded(short, 0x36), outer: padded(short, 0x5c) });
  return key;
};

/** The digests, MACs (RFC 2104) and signatures that the edge uses, on the spot: the machine's own end when its threads please. */
const synchronousSubtle = {
  digest: async (hash: string | { name: string }, source: BufferSource): Promise<ArrayBuffer> =>
    bufferOf(digestOf(nameOf(hash), bytesOf(source))),
  importKey: async (
    format: 'raw' | 'jwk',
    source: BufferSource | JsonWebKey,
    algorithm: { name: string; hash: string | { name: string } },
  ) => (format === 'jwk' ? importSigningKey() : importMacKey(bytesOf(source as BufferSource), algorithm)),
  sign: async (_algorithm: unknown, key: HmacKey, source: BufferSource): Promise<ArrayBuffer> => {
    return bufferOf(signingKeys.has(key) ? hashOnce('sha512', bytesOf(source), 'buffer') : mac(key, source));
  },
  verify: async (
    _algorithm: unknown,
    key: HmacKey,
    signature: BufferSource,
    source: BufferSource,
  ): Promise<boolean> => {
    const [right, given] = [mac(key, source), bytesOf(signature)];
    return right.length === given.length && timingSafeEqual(right, given);
  },
};
const mac = (key: HmacKey, source: BufferSource): Buffer => {
  const pads = secrets.get(key);
  if (!pads) throw new DOMException('not a key of ours', 'InvalidAccessError');
  const { name } = key.algorithm.hash;
  return digestOf(name, Buffer.concat([pads.outer, digestOf(name, Buffer.concat([pads.inner, bytesOf(source)]))]));
};

const installLog = (): void => {
  for (const level of ['info', 'warn', 'error', 'log'] as const) {
    const real = console[level].bind(console);
    console[level] = (...parts: unknown[]) => {
      const own = running.getStore();
      if (!own) return real(...parts);
      const text = String(parts[0]);
      own.world.tally(`log ${/"event":"(\w+)"/.exec(text)?.[1] ?? level}`);
      own.world.trace(() => `${own.actor.name} logs ${text.slice(0, 400)}`);
    };
  }
};
