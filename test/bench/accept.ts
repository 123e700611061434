/**
 * `npm run bench -- accept [--rounds 30]`: the time in which a batch is accepted (`202`), of one URL and of 1,000 by
 * turns, by the edge in real workerd. The URLs lead to a server that never answers, so that accepting is all the work.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { createAccount, type LocalAccount } from '../../local/system.ts';
import { limits } from '../../shared/limits.ts';
import { type EdgeAlone, startEdgeAlone } from './edge-alone.ts';
import { median, percentile } from './statistics.ts';

const WARM_UP = 3;
const TARGET_MS = 50;

const say = (text = ''): void => void process.stdout.write(`${text}\n`);

/** Takes connections and says nothing on them. */
const silentServer = async () => {
  const server = createServer((socket) => void socket.on('error', () => {}).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { hostPort: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
};

/** Milliseconds from sending a batch of `images` URLs to the last byte of its 202. */
const acceptMs = async ({ base }: EdgeAlone, { apiKey }: LocalAccount, host: string, images: number) => {
  const urls = Array.from({ length: images }, (_, i) => ({ input_url: `http://${host}/products/photo-${i}.jpg` }));
  const body = JSON.stringify({ images: urls });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const begun = performance.now();
  const answer = await fetch(`${base}/api/v1/service-hero`, { method: 'POST', headers, body });
  const text = await answer.text();
  const took = performance.now() - begun;
  if (answer.status !== 202) throw new Error(`a batch was refused: ${answer.status} ${text}`);
  return took;
};

export const main = async (args: string[]): Promise<void> => {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '30' } } });
  const rounds = Number(values.rounds);
  const silent = await silentServer();
  const edge = await startEdgeAlone({ LOCAL_INPUT_HOSTS: silent.hostPort });
  try {
    const { imagesMax } = limits.batch;
    const account = await createAccount(edge.base, edge.secrets, (WARM_UP + rounds) * (imagesMax + 1));
    const times: Record<'one' | 'many', number[]> = { one: [], many: [] };
    for (let round = 0; round < WARM_UP + rounds; round++) {
      times.one.push(await acceptMs(edge, account, silent.hostPort, 1));
      times.many.push(await acceptMs(edge, account, silent.hostPort, imagesMax));
    }
    const line = (images: number, all: readonly number[]): void => {
      const counted = all.slice(WARM_UP);
      const [p50, p95] = [median(counted), percentile(counted, 0.95)];
      const met = p50 <= TARGET_MS ? 'met   ' : 'missed';
      say(
        `${met} 202 for ${images} URLs: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms of ${counted.length} (target p50 ≤ ${TARGET_MS} ms)`,
      );
    };
    line(1, times.one);
    line(imagesMax, times.many);
  } finally {
    await edge.remove();
    silent.close();
  }
};
