/** Request bodies against the memory of the edge: real workerd, real sockets. The node runs no model. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, type LocalAccount } from '../../local/system.ts';
import { publicKeyOf } from '../../shared/service-key.ts';
import { type EdgeAlone, startEdgeAlone } from '../bench/edge-alone.ts';
import { watchPeakWorkerd } from '../bench/memory.ts';
import { type QuickNode, startQuickNode } from '../support/quick-node.ts';
import { heldBody, type Sent, sendBody, steadyBody } from '../support/raw-upload.ts';

const HELD_BODIES = 60;
/**
 * 64 MiB of bodies, the runtime's own buffers of each connection, wrangler's proxy, and the simulator of R2 in the same
 * process: 250 MiB were measured, and 975 before there was a bound.
 */
const GROWTH_MIB_MAX = 500;

let edge: EdgeAlone;
let node: QuickNode;
let attackers: LocalAccount[];
let stranger: LocalAccount;
const send = ({ apiKey }: LocalAccount, body: Parameters<typeof sendBody>[2]): Promise<Sent> =>
  sendBody(edge.base, apiKey, body);
const creditsOf = async ({ apiKey }: LocalAccount): Promise<unknown> => {
  const answer = await fetch(`${edge.base}/api/v1/account`, { headers: { authorization: `Bearer ${apiKey}` } });
  return ((await answer.json()) as { credits: unknown }).credits;
};

beforeAll(async () => {
  edge = await startEdgeAlone({});
  node = await startQuickNode(edge.originPort, publicKeyOf(edge.secrets.serviceKey));
  attackers = await Promise.all(Array.from({ length: 4 }, () => createAccount(edge.base, edge.secrets, 50)));
  stranger = await createAccount(edge.base, edge.secrets, 50);
  // What the runtime loads with its first uploads is no growth.
  for (let i = 0; i < 4; i++) expect((await send(stranger, steadyBody(25_000_000))).status).toBe(200);
}, 180_000);
afterAll(async () => {
  await edge?.remove();
  await node?.close();
});

describe('sixty bodies of four accounts that stop just short of a block', () => {
  it('grow the edge by less than 500 MiB, cost their senders nothing, and another account is served meanwhile', async () => {
    const before = await Promise.all(attackers.map(creditsOf));
    const watched = watchPeakWorkerd(edge.group);
    const held = Array.from({ length: HELD_BODIES }, (_, i) => send(attackers[i % 4] as LocalAccount, heldBody()));
    const photo = await send(stranger, steadyBody(8_000_000));
    const answers = await Promise.all(held);
    const { beforeMiB, peakMiB } = watched.stop();
    console.info(`workerd ${beforeMiB.toFixed(0)} → ${peakMiB.toFixed(0)} MiB; photo in ${photo.ms.toFixed(0)} ms`);
    expect(photo.status).toBe(200);
    expect(peakMiB - beforeMiB).toBeLessThan(GROWTH_MIB_MAX);
    for (const { code } of answers) expect(['body_too_slow', 'not_ready', 'connection']).toContain(code);
    expect(await Promise.all(attackers.map(creditsOf))).toEqual(before);
    // Nothing of theirs is left in the way.
    expect((await send(stranger, steadyBody(25_000_000))).status).toBe(200);
  }, 240_000);
});
