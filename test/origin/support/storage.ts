/**
 * Object storage as origin sees it: a plain HTTP server on this machine that gives inputs and takes outputs. The bucket
 * itself is a third party's.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type StoredObject = {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly sha256: string;
  readonly md5: string;
  readonly writes: number;
};
export type Storage = {
  readonly url: string;
  /** `/in/…` is served from here. */
  readonly inputs: Map<string, Uint8Array>;
  /** What was written to `/out/…`, by path. */
  readonly outputs: Map<string, StoredObject>;
  /** Statuses that the next requests of a path are answered with, before it behaves. */
  readonly misbehave: Map<string, number[]>;
  /** Where requests of a path are sent on to. */
  readonly redirects: Map<string, string>;
  /** Paths on which requests are left hanging, and those that hang. */
  readonly hold: Set<string>;
  readonly requests: { method: string; path: string; at: number }[];
  close(): Promise<void>;
};

export const startStorage = async (): Promise<Storage> => {
  const inputs = new Map<string, Uint8Array>();
  const outputs = new Map<string, StoredObject>();
  const misbehave = new Map<string, number[]>();
  const redirects = new Map<string, string>();
  const hold = new Set<string>();
  const requests: Storage['requests'] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://storage').pathname;
    requests.push({ method: request.method ?? '', path, at: Date.now() });
    const status = misbehave.get(path)?.shift();
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (hold.has(path)) return;
      if (status !== undefined) return void response.writeHead(status).end();
      const location = redirects.get(path);
      if (location) return void response.writeHead(307, { location }).end();
      if (request.method === 'GET') {
        const bytes = inputs.get(path);
        return void (bytes
          ? response.writeHead(200, { 'Content-Length': bytes.byteLength }).end(bytes)
          : response.writeHead(404).end());
      }
      const bytes = Buffer.concat(pieces);
      outputs.set(path, {
        bytes,
        contentType: request.headers['content-type'] ?? '',
        sha256: createHash('sha256').update(bytes).digest('hex'),
        md5: createHash('md5').update(bytes).digest('hex'),
        writes: (outputs.get(path)?.writes ?? 0) + 1,
      });
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    inputs,
    outputs,
    misbehave,
    redirects,
    hold,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
