/**
 * A proxy that loses answers and repeats requests, as bad networks do. What it loses was done: the request had reached
 * the service, and its answer was ready.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http';
import { served } from './served.ts';

export type LossyProxy = {
  readonly url: string;
  readonly counts: { readonly requests: number; readonly lost: number; readonly doubled: number };
  readonly close: () => Promise<void>;
};

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/**
 * `lose` and `double` are shares of the requests, 0..1; `random` is uniform over 0..1. A doubled request is sent twice at
 * once; the caller gets either answer.
 */
export const startLossyProxy = async (
  target: string,
  { lose, double, random }: { lose: number; double: number; random: () => number },
): Promise<LossyProxy> => {
  const counts = { requests: 0, lost: 0, doubled: 0 };
  const { hostname, port } = new URL(target);
  const forward = ({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = send({
        hostname,
        port,
        method,
        path: url,
        headers: { ...headers, host: `${hostname}:${port}` },
      });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        incoming
          .toArray()
          .then(
            (chunks) =>
              resolve({ status: incoming.statusCode ?? 502, headers: incoming.headers, body: Buffer.concat(chunks) }),
            reject,
          );
      });
      outgoing.end(body);
    });
  const server = createServer(async (request, response) => {
    counts.requests++;
    const [isLost, isDoubled, isFirst] = [random() < lose, random() < double, random() < 0.5];
    try {
      const body = Buffer.concat(await request.toArray());
      if (isDoubled) counts.doubled++;
      const answers = await Promise.all(Array.from({ length: isDoubled ? 2 : 1 }, () => forward(request, body)));
      const { status, headers, body: answer } = answers.at(isFirst ? 0 : -1) as Answer;
      if (isLost) {
        counts.lost++;
        request.socket.destroy();
        return;
      }
      const { 'transfer-encoding': _, ...kept } = headers;
      response.writeHead(status, { ...kept, 'content-length': answer.length }).end(answer);
    } catch {
      request.socket.destroy();
    }
  });
  return { ...(await served(server)), counts };
};
