/** The internet as the input fetcher meets it: servers by URL and a resolver, each as badly behaved as a test wants. */

import type { LogEvent } from '../../../edge/log.ts';
import type { InputSink } from '../../../edge/spool/sink.ts';
import type { Fetch } from '../../../shared/clock.ts';

type Answer = () => Response | Promise<Response>;
type Resolver = (url: URL) => Response | Promise<Response>;

/** A resolver that knows these names, in the JSON form of DNS over HTTPS. */
export const names =
  (addresses: Record<string, readonly string[]>): Resolver =>
  (url) => {
    const wanted = url.searchParams.get('type');
    const all = addresses[url.searchParams.get('name') ?? ''] ?? [];
    const records = all.filter((address) => address.includes(':') === (wanted === 'AAAA'));
    const cname = { name: 'alias', type: 5, data: 'another.shop.com.' };
    return Response.json({
      Status: all.length > 0 ? 0 : 3,
      Answer: [cname, ...records.map((data) => ({ type: wanted === 'A' ? 1 : 28, data }))],
    });
  };

/** Answers by exact URL; anything else cannot be reached. `asked()` lists what was requested beside the resolver. */
export const untrustedServers = (
  servers: Record<string, Answer>,
  resolver: Resolver = names({ 'photos.shop.com': ['93.184.215.14'] }),
): Fetch & { asked(): string[] } => {
  const asked: string[] = [];
  const fetch: Fetch = async (url, init) => {
    if (url.startsWith('https://resolver.test/')) return resolver(new URL(url));
    if (init.redirect !== 'manual') throw new Error('a redirect would be followed unguarded');
    asked.push(url);
    const answer = servers[url];
    if (!answer) throw new Error(`no server at ${url}`);
    return answer();
  };
  return Object.assign(fetch, { asked: () => asked });
};

/** Keeps what is stored; a file in blocks is visible only once it is complete. */
export const memorySink = (): InputSink & {
  stored(): { body: Uint8Array; contentType: string } | undefined;
  blocks(): number[];
  unfinished(): number;
} => {
  let stored: { body: Uint8Array; contentType: string } | undefined;
  let blocks: Uint8Array[] = [];
  let unfinished = 0;
  return {
    takesHeic: false,
    async put(body, contentType) {
      stored = { body: body.slice(), contentType };
    },
    async open(contentType) {
      unfinished++;
      blocks = [];
      return {
        async write(block) {
          blocks.push(block.slice());
        },
        async complete() {
          unfinished--;
          stored = {
            body: new Uint8Array(await new Blob(blocks as Uint8Array<ArrayBuffer>[]).arrayBuffer()),
            contentType,
          };
        },
        async abort() {
          unfinished--;
        },
      };
    },
    stored: () => stored,
    blocks: () => blocks.map((block) => block.byteLength),
    unfinished: () => unfinished,
  };
};

/** Keeps log lines as text. */
export const memoryLog = (): { log: LogEvent; lines(): string[] } => {
  const lines: string[] = [];
  return {
    log: (level, event, fields) => void lines.push(JSON.stringify({ level, event, ...fields })),
    lines: () => lines,
  };
};
