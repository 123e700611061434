/** Calls to servers outside: they may not be reached, be slow, or be heard but not answer. */
import { type Actor, runAs, running, type Scheduler } from './scheduler.ts';

/** A server answers as long as it lives; `breaks` is called back when it dies, and returns how to stop listening. */
export type Server = {
  readonly actor: () => Actor;
  readonly breaks: (callback: () => void) => () => void;
  readonly handle: (url: URL, init: RequestInit) => Promise<Response>;
};
export type Route = (url: URL) => Server | undefined;

const LOST_AFTER_MS_MAX = 100_000;

export const createNetwork =
  (world: Scheduler, route: Route) =>
  (address: string, init: RequestInit): Promise<Response> => {
    const caller = running.getStore()?.actor;
    if (!caller) throw new Error(`${address} called by nobody`);
    const url = new URL(address);
    const signal = init.signal ?? undefined;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      const fail = (ms: number): void => void world.after(ms, () => reject(new TypeError('fetch failed')), caller);
      caller.emit(() => {
        const server = route(url);
        if (!server || world.chance('fetchFails')) return fail(world.random.between(1, 3_000));
        world.after(world.travelMs(), () => {
          const actor = server.actor();
          if (!actor.alive) return fail(world.random.between(1, 3_000));
          const deaf = server.breaks(() => fail(world.random.between(1, 100)));
          runAs(world, actor, () => server.handle(url, init)).then(
            (response) => {
              if (!actor.alive) return;
              if (world.chance('fetchReplyLost')) {
                world.tally('fetch answer lost');
                world.trace(() => `${url.host}${url.pathname}: its answer is lost`);
                deaf();
                return fail(world.random.between(1, LOST_AFTER_MS_MAX));
              }
              world.after(
                world.travelMs(),
                () => {
                  deaf();
                  resolve(response);
                },
                caller,
              );
            },
            () => actor.alive && fail(0),
          );
        });
      });
    });
  };
