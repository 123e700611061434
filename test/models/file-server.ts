/**
 * An HTTP server on the loopback interface that serves one file, in the ways registries and networks do and misbehave.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse, file: Uint8Array) => void;
export type FileServer = { url: string; ranges: (string | undefined)[]; paths: string[]; close: () => Promise<void> };

/** Whole file, or the asked range. */
export const serve: Answer = (request, response, file) => {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (from >= file.length) return void response.writeHead(416).end();
  const headers = {
    'content-length': file.length - from,
    'content-range': `bytes ${from}-${file.length - 1}/${file.length}`,
  };
  response.writeHead(from > 0 ? 206 : 200, headers).end(file.subarray(from));
};
export const serveWhole: Answer = (_, response, file) =>
  void response.writeHead(200, { 'content-length': file.length }).end(file);
/**
 * Sends the first bytes and breaks the connection once `when` resolves. A break drops bytes that the client has not
 * read yet.
 */
export const breakAfter =
  (bytes: number, when: Promise<void>): Answer =>
  (_, response, file) => {
    response.writeHead(200, { 'content-length': file.length });
    response.write(file.subarray(0, bytes));
    void when.then(() => response.destroy());
  };
/** Sends the first bytes, then nothing. */
export const stallAfter =
  (bytes: number): Answer =>
  (_, response, file) => {
    response.writeHead(200, { 'content-length': file.length });
    response.write(file.subarray(0, bytes));
  };
export const status =
  (code: number): Answer =>
  (_, response) =>
    void response.writeHead(code).end();

/** The n-th request gets the n-th answer, later ones the last. Remembers every request's path and range. */
export const startFileServer = async (file: Uint8Array, ...answers: Answer[]): Promise<FileServer> => {
  const ranges: (string | undefined)[] = [];
  const paths: string[] = [];
  const server: Server = createServer((request, response) => {
    const answer = answers[Math.min(ranges.length, answers.length - 1)]!;
    ranges.push(request.headers.range);
    paths.push(request.url ?? '');
    answer(request, response, file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ranges, paths, close };
};
