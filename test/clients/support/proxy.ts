/** A network that loses answers and sends requests twice. What reached the service was done by it all the same. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type BadNetwork = {
  readonly url: string;
  readonly seen: { requests: number; dropped: number; doubled: number };
  readonly close: () => Promise<void>;
};

/** Shares of 1. A doubled request is sent twice at once; the caller gets either answer. */
export const startBadNetwork = async (
  target: string,
  { dropped, doubled }: { readonly dropped: number; readonly doubled: number },
  random: () => number,
): Promise<BadNetwork> => {
  const seen = { requests: 0, dropped: 0, doubled: 0 };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { host: _, connection: __, ...headers } = request.headers;
    const forward = () =>
      fetch(target + request.url, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(body.length > 0 ? { body } : {}),
      });
    seen.requests++;
    const [isDoubled, isDropped, first] = [random() < doubled, random() < dropped, random() < 0.5];
    try {
      const answers = await Promise.all(isDoubled ? [forward(), forward()] : [forward()]);
      if (isDoubled) seen.doubled++;
      const bodies = await Promise.all(answers.map((answer) => answer.arrayBuffer()));
      const index = first ? 0 : answers.length - 1;
      if (isDropped) {
        seen.dropped++;
        return void request.socket.destroy();
      }
      const answer = answers[index] as Response;
      const { 'content-encoding': ___, 'transfer-encoding': ____, ...given } = Object.fromEntries(answer.headers);
      response.writeHead(answer.status, given).end(Buffer.from(bodies[index] as ArrayBuffer));
    } catch {
      request.socket.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** The same sequence for the same seed (mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};
