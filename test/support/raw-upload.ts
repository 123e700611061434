/** Uploads as a careless or hostile client sends them: over a socket of its own, in chunks and at a speed of its choice. */
import { type ClientRequest, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** `code`: of a problem document; `connection` where the connection broke off without an answer. */
export type Sent = { readonly status: number; readonly code: string; readonly bytes: number; readonly ms: number };
/** `bytes` undefined: sent in chunks, without a declared length. */
export type RawBody = { readonly bytes: number | undefined; readonly chunks: AsyncIterable<Uint8Array> };

const BOUNDARY = 'cut';
const head = Buffer.from(
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="files"; filename="photo.jpg"\r\ncontent-type: image/jpeg\r\n\r\n`,
);
const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
const JPEG = [0xff, 0xd8, 0xff, 0xe0];

/** Bytes that begin as a JPEG does. */
const jpegOf = (bytes: number): Buffer => {
  const file = Buffer.alloc(bytes, 7);
  file.set(JPEG);
  return file;
};

const CHUNK_BYTES = 64 * 1024;
/** A file of so many bytes, as fast as it is taken. */
export const steadyBody = (fileBytes: number): RawBody => ({
  bytes: head.length + fileBytes + tail.length,
  chunks: (async function* () {
    yield head;
    const file = jpegOf(fileBytes);
    for (let at = 0; at < fileBytes; at += CHUNK_BYTES) yield file.subarray(at, at + CHUNK_BYTES);
    yield tail;
  })(),
});

/** A small file in chunks of one byte each. */
export const tinyChunks = (count: number): RawBody => ({
  bytes: undefined,
  chunks: (async function* () {
    yield head;
    const file = jpegOf(count);
    for (let at = 0; at < count; at++) yield file.subarray(at, at + 1);
    yield tail;
  })(),
});

/** Says that it brings 20 MB, sends `fileBytes` of them at once, and then so few a second that it is just not given up. */
export const heldBody = (fileBytes = 5_000_000, bytesPerSecond = 6_000, forMs = 60_000): RawBody => ({
  bytes: 20_000_000,
  chunks: (async function* () {
    yield head;
    const file = jpegOf(fileBytes);
    for (let at = 0; at < fileBytes; at += CHUNK_BYTES) yield file.subarray(at, at + CHUNK_BYTES);
    for (const endsAt = Date.now() + forMs; Date.now() < endsAt; await sleep(500))
      yield file.subarray(0, bytesPerSecond / 2);
  })(),
});

const drained = (call: ClientRequest): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      call.off('drain', done).off('close', done);
      resolve();
    };
    call.on('drain', done).on('close', done);
  });

/** Sends until it is answered, or the body ends; a body that ends before its declared length breaks off. */
export const sendBody = (base: string, apiKey: string, { bytes, chunks }: RawBody): Promise<Sent> =>
  new Promise((resolve) => {
    const begun = performance.now();
    let sent = 0;
    let isOver = false;
    const end = (status: number, code: string): void => {
      isOver = true;
      resolve({ status, code, bytes: sent, ms: performance.now() - begun });
    };
    const call = request(`${base}/api/v1/service-hero`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        ...(bytes === undefined ? {} : { 'content-length': bytes }),
      },
    });
    call.on('response', async (answer) => {
      const text = Buffer.concat(await answer.toArray().catch(() => [])).toString();
      end(answer.statusCode ?? 0, /"code":"(\w+)"/.exec(text)?.[1] ?? '');
      call.destroy();
    });
    call.on('error', () => end(0, 'connection'));
    void (async () => {
      for await (const chunk of chunks) {
        if (isOver) return;
        sent += chunk.length;
        if (!call.write(chunk)) await drained(call);
      }
      if (bytes === undefined || sent === bytes) call.end();
      else call.destroy();
    })();
  });
