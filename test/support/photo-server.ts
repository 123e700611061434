/** A shop's own web server on loopback: photos by URL, addresses that misbehave, and a receiver of webhooks. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { renderScene, type SceneName } from './scenes.ts';
import { served } from './served.ts';

export type ReceivedHook = {
  readonly name: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly atMs: number;
};
export type PhotoServer = {
  readonly url: string;
  /** For LOCAL_INPUT_HOSTS. */
  readonly hostPort: string;
  readonly hooks: readonly ReceivedHook[];
  /** How often a path was asked for. */
  readonly hits: (path: string) => number;
  /** Statuses that `/hook/<name>` answers, one after the other, the last one for ever; 200 unless told otherwise. */
  readonly answerHook: (name: string, statuses: readonly number[]) => void;
  readonly close: () => Promise<void>;
};

const SHOWN: readonly SceneName[] = ['mug', 'chair', 'bottle', 'shoe', 'bag'];
const PHOTO_WIDTH = 640;

/** Keeps what is delivered to `/hook/<name>` and answers as told. */
const hookReceiver = () => {
  const hooks: ReceivedHook[] = [];
  const answers = new Map<string, number[]>();
  const receive = async (name: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks = await request.toArray();
    hooks.push({
      name,
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
      atMs: Date.now(),
    });
    const statuses = answers.get(name) ?? [200];
    response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200).end('noted');
  };
  const answerHook = (name: string, statuses: readonly number[]): void => void answers.set(name, [...statuses]);
  return { hooks, receive, answerHook };
};

/** `/photo/<n>.jpg` is the n-th of `given`, starting over at its end; without any, of small scenes. */
export const startPhotoServer = async (given?: readonly Uint8Array[]): Promise<PhotoServer> => {
  const photos = given ?? (await Promise.all(SHOWN.map((name) => renderScene(name, { width: PHOTO_WIDTH }))));
  const hits = new Map<string, number>();
  const { hooks, receive, answerHook } = hookReceiver();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    hits.set(path, (hits.get(path) ?? 0) + 1);
    const photo = /^\/photo\/(\d+)\.jpg$/.exec(path);
    if (photo)
      return void response
        .writeHead(200, { 'content-type': 'image/jpeg' })
        .end(photos[Number(photo[1]) % photos.length]);
    if (path.startsWith('/hook/')) return void receive(path.slice('/hook/'.length), request, response);
    const misbehave = misbehaviours[path];
    if (misbehave) return misbehave(response, photos[0] as Uint8Array);
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>');
  });
  return { ...(await served(server)), hooks, hits: (path) => hits.get(path) ?? 0, answerHook };
};

type Misbehave = (response: ServerResponse, photo: Uint8Array) => void;
const redirect =
  (location: string): Misbehave =>
  (response) =>
    void response.writeHead(302, { location }).end();

/** Sends `chunk` again and again until the other side hangs up. */
const repeat = (response: ServerResponse, chunk: Uint8Array, everyMs: number): void => {
  const timer = setInterval(() => response.write(chunk), everyMs);
  response.on('close', () => clearInterval(timer));
};

const misbehaviours: Readonly<Record<string, Misbehave>> = {
  '/page.jpg': (response) =>
    void response
      .writeHead(200, { 'content-type': 'image/jpeg' })
      .end('<!doctype html><title>Shop</title><p>Please sign in.</p>'),
  '/empty.jpg': (response) => void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(),
  '/broken-server.jpg': (response) => void response.writeHead(500).end('oops'),
  '/cut.jpg': (response, photo) =>
    void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(photo.subarray(0, photo.length / 3)),
  '/loop': redirect('/loop'),
  '/to-metadata': redirect('http://169.254.169.254/latest/meta-data/'),
  '/to-loopback': redirect('http://2130706433:9/'),
  '/to-photo': redirect('/photo/0.jpg'),
  '/huge.jpg': (response, photo) => {
    response.writeHead(200, { 'content-length': 26_000_000 });
    response.write(photo);
  },
  '/endless.jpg': (response, photo) => {
    response.writeHead(200);
    response.write(photo);
    repeat(response, new Uint8Array(1_000_000), 5);
  },
  '/drip.jpg': (response, photo) => {
    response.writeHead(200);
    response.write(photo.subarray(0, 100));
    repeat(response, new Uint8Array(1), 100);
  },
  '/hang-up.jpg': (response, photo) => {
    response.writeHead(200, { 'content-length': photo.length });
    response.write(photo.subarray(0, 1_000), () => response.destroy());
  },
};
