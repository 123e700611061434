/**
 * Files that come in parts: fetched once, kept in the browser's cache by their content's name, put together and
 * checked.
 */
import { backoffMs } from '../../../shared/backoff.ts';
import { sha256 } from '../../../shared/digest.ts';
import type { Manifest, PartedFile } from './manifest.ts';

const CACHE = 'packshot-parts-1';
const ATTEMPTS_MAX = 3;
const RETRY = { baseMs: 1_000 };

export const readManifest = async (): Promise<Manifest> => {
  const response = await fetch('/runtime/manifest.json');
  if (!response.ok) throw new Error(`the list of preview files could not be loaded (${response.status})`);
  return (await response.json()) as Manifest;
};

const openCache = (): Promise<Cache | undefined> =>
  'caches' in self ? caches.open(CACHE).catch(() => undefined) : Promise.resolve(undefined);

type OnShare = (share: number) => void;

/** The body as it comes; `onShare` is told how much of it is there, where the server says how long it is. */
const readBody = async (response: Response, onShare: OnShare): Promise<ArrayBuffer> => {
  const total = Number(response.headers.get('content-length') ?? 0);
  if (!response.body || total === 0) return response.arrayBuffer();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  const reader = response.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value);
    done += read.value.length;
    onShare(Math.min(1, done / total));
  }
  return new Blob(chunks).arrayBuffer();
};

const fetchPart = async (path: string, onShare: OnShare): Promise<ArrayBuffer> => {
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(path);
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      return await readBody(response, onShare);
    } catch (error) {
      if (attempt + 1 === ATTEMPTS_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, backoffMs(attempt, RETRY)));
    }
  }
};

const gunzip = (bytes: ArrayBuffer): Promise<ArrayBuffer> =>
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();

const part = async (cache: Cache | undefined, path: string, onShare: OnShare): Promise<ArrayBuffer> => {
  const kept = await cache?.match(path);
  if (kept) return kept.arrayBuffer();
  const bytes = await fetchPart(path, onShare);
  // A full disk must not stop the preview.
  await cache?.put(path, new Response(bytes.slice(0))).catch(() => undefined);
  return bytes;
};

/** Tells a part's bytes as they come, each once: a part that is fetched again is told where it goes beyond the first try. */
const counter = (bytes: number, onBytes: (bytes: number) => void) => {
  let told = 0;
  return (share: number): void => {
    const reached = Math.floor(bytes * share);
    if (reached > told) onBytes(reached - told);
    told = Math.max(told, reached);
  };
};

/** The whole file. Throws where its sha256 is not the manifest's; what was cached of it is then dropped. */
export const fetchFile = async (
  file: PartedFile,
  onBytes: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> => {
  const cache = await openCache();
  const whole = new Uint8Array(file.bytes);
  let at = 0;
  for (const { path, bytes } of file.parts) {
    const reached = counter(bytes, onBytes);
    const raw = await part(cache, path, reached);
    whole.set(new Uint8Array(file.gzip ? await gunzip(raw) : raw), at);
    at += bytes;
    reached(1);
  }
  if ((await sha256(whole)) !== file.sha256) {
    await Promise.all(file.parts.map(({ path }) => cache?.delete(path)));
    throw new Error(`${file.name} arrived damaged`);
  }
  return whole;
};

/** Drops parts of earlier versions. */
export const forgetOldParts = async (manifest: Manifest): Promise<void> => {
  const cache = await openCache();
  const current = new Set(Object.values(manifest.files).flatMap((file) => file.parts.map((each) => each.path)));
  for (const request of (await cache?.keys()) ?? [])
    if (!current.has(new URL(request.url).pathname)) await cache?.delete(request);
};
