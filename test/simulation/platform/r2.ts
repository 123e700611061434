/** R2: slow, failing before or after the effect, never lying. Objects are kept by size, type and digest, not by content. */
import { digestOf } from './content.ts';
import { running, type Scheduler } from './scheduler.ts';

export type Stored = {
  readonly size: number;
  readonly contentType: string | undefined;
  readonly etag: string;
  readonly md5: Buffer;
};
type Options = { readonly httpMetadata?: { readonly contentType?: string } };
type Part = { readonly partNumber: number; readonly etag: string };

/** As R2 bills operations: what changes a bucket or lists it is A, what reads is B, deletions are free. */
const CLASS: Readonly<Record<string, string>> = { head: 'B', get: 'B', delete: 'free', abort: 'free' };

export type Bucket = ReturnType<typeof createBucket>;

export const createBucket = (world: Scheduler) => {
  const objects = new Map<string, Stored>();
  let puts = 0;
  let uploads = 0;
  const put = (key: string, size: number, contentType?: string, content?: string): Stored => {
    const stored = { size, contentType, etag: `etag${puts++}`, md5: digestOf(content) };
    objects.set(key, stored);
    return stored;
  };

  const operation = <T>(what: string, effect: () => T): Promise<T> => {
    const caller = running.getStore()?.actor;
    world.tally(`r2 class ${CLASS[what.slice(0, what.indexOf(' '))] ?? 'A'}`);
    return new Promise((resolve, reject) => {
      const fail = (how: string): void => {
        world.tally(`r2 ${how}`);
        world.trace(() => `r2 ${what}: ${how}`);
        world.after(
          world.travelMs(),
          () => reject(new Error(`${what}: We encountered an internal error. (10001)`)),
          caller,
        );
      };
      const emit = caller?.emit ?? ((work: () => void) => work());
      emit(() =>
        world.after(world.travelMs(), () => {
          if (world.chance('storeFails')) return fail('fails');
          const value = effect();
          if (world.chance('storeReplyLost')) return fail('answer lost');
          world.after(world.travelMs(), () => resolve(value), caller);
        }),
      );
    });
  };

  const shown = (key: string, { size, contentType, etag, md5 }: Stored) => ({
    key,
    size,
    etag,
    httpEtag: `"${etag}"`,
    version: etag,
    uploaded: new Date(world.now()),
    checksums: { md5 },
    httpMetadata: { contentType },
    customMetadata: {},
    writeHttpMetadata: (headers: Headers) => contentType && headers.set('content-type', contentType),
  });

  const binding = {
    put: (key: string, body: ArrayBufferView | ArrayBuffer | string | null, options: Options = {}) => {
      const size = typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
      return operation(`put ${key}`, () => shown(key, put(key, size, options.httpMetadata?.contentType)));
    },
    head: (key: string) =>
      operation(`head ${key}`, () => {
        const found = objects.get(key);
        return found ? shown(key, found) : null;
      }),
    get: (key: string, { range }: { range?: { offset?: number; length?: number } } = {}) =>
      operation(`get ${key}`, () => {
        const found = objects.get(key);
        if (!found) return null;
        const bytes = new Uint8Array(range?.length ?? found.size);
        return { ...shown(key, found), body: new Response(bytes).body, arrayBuffer: async () => bytes.buffer };
      }),
    delete: (keys: string | readonly string[]) =>
      operation(`delete ${keys}`, () => {
        for (const key of typeof keys === 'string' ? [keys] : keys) objects.delete(key);
      }),
    list: ({ prefix = '', limit = 1_000, cursor }: { prefix?: string; limit?: number; cursor?: string } = {}) =>
      operation(`list ${prefix}`, () => {
        const found = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > (cursor ?? '')).sort();
        const page = found.slice(0, limit);
        return {
          objects: page.map((key) => shown(key, objects.get(key) as Stored)),
          truncated: found.length > limit,
          delimitedPrefixes: [],
          ...(found.length > limit ? { cursor: page.at(-1) } : {}),
        };
      }),
    createMultipartUpload: (key: string, options: Options = {}) =>
      operation(`open ${key}`, () => {
        const sizes = new Map<number, number>();
        return {
          key,
          uploadId: `upload${uploads++}`,
          uploadPart: (partNumber: number, body: ArrayBufferView) =>
            operation(`part ${partNumber} of ${key}`, (): Part => {
              sizes.set(partNumber, body.byteLength);
              return { partNumber, etag: `part${partNumber}` };
            }),
          complete: (parts: readonly Part[]) =>
            operation(`complete ${key}`, () => {
              const size = parts.reduce((sum, { partNumber }) => sum + (sizes.get(partNumber) ?? 0), 0);
              return shown(key, put(key, size, options.httpMetadata?.contentType));
            }),
          abort: () => operation(`abort ${key}`, () => sizes.clear()),
        };
      }),
  };

  return { binding, objects, put, operation };
};
