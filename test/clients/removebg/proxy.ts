/**
 * Where clients that know only https://api.remove.bg find another service: a proxy (HTTPS_PROXY) that answers for that
 * name, under a certificate of its own, and passes every request on unchanged but for its host.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';

const NAME = 'api.remove.bg';

type Seen = { readonly path: string; readonly status: number; readonly charged: string | undefined };
export type ClientProxy = {
  /** What a client's environment gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Requests so far, and what became of them. `charged`: by the answer's X-Credits-Charged. */
  readonly seen: readonly Seen[];
  close(): Promise<void>;
};

/** `folder` takes the key and the certificate. */
export const startProxy = async (baseUrl: string, folder: string): Promise<ClientProxy> => {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', keyFile, '-out', certFile],
    ...['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`],
  ]);
  const [key, cert] = await Promise.all([readFile(keyFile), readFile(certFile)]);
  const seen: Seen[] = [];
  const inner = createServer((from, to) => void passOn(baseUrl, from, to, seen));
  const sockets = new Set<Socket>();
  const outer = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    socket.once('data', (head) => {
      if (!head.toString('latin1').startsWith(`CONNECT ${NAME}:443 `)) return void socket.destroy();
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      inner.emit(
        'connection',
        new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => socket.destroy()),
      );
    });
  });
  outer.listen(0, '127.0.0.1');
  await once(outer, 'listening');
  const address = `http://127.0.0.1:${(outer.address() as AddressInfo).port}`;
  const env = {
    HTTPS_PROXY: address,
    https_proxy: address,
    NO_PROXY: '',
    no_proxy: '',
    NODE_EXTRA_CA_CERTS: certFile,
    REQUESTS_CA_BUNDLE: certFile,
    SSL_CERT_FILE: certFile,
  };
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    outer.close();
    await once(outer, 'close');
  };
  return { env, seen, close };
};

const passOn = async (baseUrl: string, from: IncomingMessage, to: ServerResponse, seen: Seen[]): Promise<void> => {
  const body = Buffer.concat(await from.toArray());
  const headers = from.headers as Record<string, string>;
  const { host } = new URL(baseUrl);
  const passed = request(`${baseUrl}${from.url}`, { method: from.method ?? 'GET', headers: { ...headers, host } });
  passed.on('response', (answer) => {
    const charged = answer.headers['x-credits-charged'];
    seen.push({ path: from.url ?? '', status: answer.statusCode ?? 0, charged: charged?.toString() });
    to.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(to);
  });
  passed.on('error', () => to.destroy());
  passed.end(body);
};
