/** Requests as they go over the wire, byte by byte where that matters, and answers as they are heard, or not. */
import { type Actor, runAs, type Scheduler } from './platform/scheduler.ts';
import type { Isolates } from './platform/worker.ts';
import { baseUrl, type Handlers } from './production.ts';

export type Body = {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Half of it comes, then for so long nothing, then its end is lost. */
  readonly breaksAfterMs?: number;
};
export type WireRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Body;
};
export type Json = Record<string, unknown>;
export type WireAnswer = { readonly status: number; readonly headers: Headers; readonly body: Json };
/** `undefined`: nothing was heard; whether anything happened nobody knows. */
export type Heard = WireAnswer | undefined;

export type Door = ReturnType<typeof createDoor>;

const STALL_MS_MAX = 300_000;
const PATIENCE_MS_MAX = 90_000;
const PIECES = 4;

export const createDoor = (world: Scheduler, isolates: Isolates<Handlers>) => {
  let requests = 0;

  /** The body in a few pieces, which may stall, or break off together with the connection. */
  const bodyOf = ({ bytes, breaksAfterMs }: Body, broke: () => void): ReadableStream<Uint8Array> => {
    const size = Math.ceil(bytes.length / PIECES) || 1;
    const doomed = breaksAfterMs !== undefined;
    const breaksAt = doomed
      ? bytes.length - 1
      : world.chance('bodyBreaks')
        ? world.random.between(0, bytes.length)
        : undefined;
    const stallsAt = doomed ? 1 : world.chance('bodyStalls') ? world.random.between(0, PIECES - 1) : undefined;
    const stallMs = (): number => breaksAfterMs ?? world.random.between(1_000, STALL_MS_MAX);
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (piece: number): void => {
          const [from, to] = [piece * size, Math.min((piece + 1) * size, bytes.length)];
          if (breaksAt !== undefined && breaksAt <= to) {
            try {
              if (breaksAt > from) controller.enqueue(bytes.slice(from, breaksAt));
              controller.error(new Error('Network connection lost.'));
            } catch {}
            broke();
            return;
          }
          try {
            if (to > from) controller.enqueue(bytes.slice(from, to));
            if (to >= bytes.length) {
              controller.close();
              return;
            }
          } catch {
            return;
          }
          const waitMs = stallsAt === piece ? stallMs() : world.random.between(1, 20);
          world.after(waitMs, () => send(piece + 1));
        };
        send(0);
      },
    });
  };

  const send = (client: Actor, wire: WireRequest): Promise<Heard> =>
    new Promise((resolve) => {
      const label = `request ${requests++} ${wire.method} ${wire.path}`;
      const hear = (heard: Heard): void => {
        world.trace(
          () =>
            `${client.name} hears of ${label}: ${heard ? `${heard.status} ${JSON.stringify(heard.body).slice(0, 260)}` : 'nothing'}`,
        );
        world.after(world.travelMs(), () => resolve(heard), client);
      };
      world.after(world.travelMs(), () => {
        let broken = false;
        const broke = (): void => {
          broken = true;
          world.after(world.random.between(0, 50), () => invocation.disconnect());
        };
        world.tally('requests');
        const invocation = isolates.invoke<WireAnswer>(
          label,
          async (handlers, context) => {
            const body = wire.body ? bodyOf(wire.body, broke) : undefined;
            const request = new Request(`${baseUrl}${wire.path}`, {
              method: wire.method,
              headers: { ...wire.headers, ...(wire.body ? { 'content-type': wire.body.contentType } : {}) },
              ...(body ? { body, duplex: 'half' } : {}),
            } as RequestInit);
            const response = await handlers.fetch(request, context);
            const text = await response.text();
            const isJson = response.headers.get('content-type')?.includes('json') === true;
            const json = text && isJson ? (JSON.parse(text) as Json) : {};
            return { status: response.status, headers: response.headers, body: json };
          },
          (end) => {
            // The platform answers 500 for what a Worker throws; nothing of ours says that, so nothing is heard of it.
            if (end.kind === 'threw') world.trace(() => `${label} threw ${end.error}`);
            const lost = end.kind !== 'returned' || broken || world.chance('answerLost');
            hear(lost ? undefined : end.value);
          },
        );
        if (world.chance('clientLeaves'))
          world.after(world.random.between(0, PATIENCE_MS_MAX), () => {
            broken = true;
            invocation.disconnect();
          });
      });
    });

  return { send: (client: Actor, wire: WireRequest): Promise<Heard> => runAs(world, client, () => send(client, wire)) };
};
