/**
 * `npm run bench -- bodies [--uploads 20] [--held 40] [--drips 10]`: how far the edge's runtime grows, in real workerd,
 * while it takes many large request bodies at once; printed is the most memory beyond that of an idle edge, and what each
 * kind of sender was answered. The node is a stand-in that runs no model.
 *
 * The figure is of the whole process: the local simulator of R2 runs in it, beside the edge's isolate.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createAccount, type LocalAccount } from '../../local/system.ts';
import { publicKeyOf } from '../../shared/service-key.ts';
import { startQuickNode } from '../support/quick-node.ts';
import { heldBody, type Sent, sendBody, steadyBody, tinyChunks } from '../support/raw-upload.ts';
import { startEdgeAlone } from './edge-alone.ts';
import { watchPeakWorkerd } from './memory.ts';

const FILE_BYTES = 25_000_000;
const TINY_CHUNKS = 30_000;
const SETTLE_MS = 5_000;

const say = (text = ''): void => void process.stdout.write(`${text}\n`);

/** `3 × 200, 1 × 503 not_ready` */
const told = (answers: readonly Sent[]): string => {
  const counts = new Map<string, number>();
  for (const { status, code } of answers) {
    const name = `${status}${code ? ` ${code}` : ''}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
};

type Kind = { readonly what: string; readonly sends: readonly (() => Promise<Sent>)[] };

const measure = async ({ what, sends }: Kind, group: number): Promise<void> => {
  const watched = watchPeakWorkerd(group);
  const begun = performance.now();
  const answers = await Promise.all(sends.map((send) => send()));
  const { beforeMiB, peakMiB } = watched.stop();
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  say(
    `${what}: ${told(answers)} in ${seconds} s; workerd ${beforeMiB.toFixed(0)} → ${peakMiB.toFixed(0)} MiB, +${(peakMiB - beforeMiB).toFixed(0)}`,
  );
  await sleep(SETTLE_MS);
};

export const main = async (args: string[]): Promise<void> => {
  const number = (fallback: number) => ({ type: 'string', default: String(fallback) }) as const;
  const { values } = parseArgs({ args, options: { uploads: number(20), held: number(40), drips: number(10) } });
  const edge = await startEdgeAlone({});
  const node = await startQuickNode(edge.originPort, publicKeyOf(edge.secrets.serviceKey));
  try {
    const many = (count: string, send: (account: LocalAccount) => Promise<Sent>, of: readonly LocalAccount[]) =>
      Array.from({ length: Number(count) }, (_, i) => () => send(of[i % of.length] as LocalAccount));
    const accounts = await Promise.all(Array.from({ length: 4 }, () => createAccount(edge.base, edge.secrets, 200)));
    const whole = (account: LocalAccount) => sendBody(edge.base, account.apiKey, steadyBody(FILE_BYTES));
    const drip = (account: LocalAccount) => sendBody(edge.base, account.apiKey, tinyChunks(TINY_CHUNKS));
    const held = (account: LocalAccount) => sendBody(edge.base, account.apiKey, heldBody());
    await measure({ what: 'one upload of 25 MB', sends: many('1', whole, accounts) }, edge.group);
    await measure(
      { what: `${values.uploads} uploads of 25 MB at once`, sends: many(values.uploads, whole, accounts) },
      edge.group,
    );
    await measure(
      {
        what: `${values.drips} bodies of ${TINY_CHUNKS} chunks of one byte`,
        sends: many(values.drips, drip, accounts),
      },
      edge.group,
    );
    const both = [...many(values.uploads, whole, accounts), ...many(values.drips, drip, accounts)];
    await measure({ what: 'both at once', sends: both }, edge.group);
    await measure(
      { what: `${values.held} bodies that stop short of a block`, sends: many(values.held, held, accounts) },
      edge.group,
    );
  } finally {
    await edge.remove();
    await node.close();
  }
};
