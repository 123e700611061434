/** Untrusted servers: name server, input hosts and webhook receivers. What each does follows from its address. */
import type { Server } from '../platform/network.ts';
import { newActor, type Scheduler } from '../platform/scheduler.ts';
import { hashOf } from './origin.ts';

type Delivered = {
  readonly url: string;
  readonly id: string;
  readonly body: { readonly batch_id: string; readonly status: string; readonly type?: string };
};

/** `strange`: some hosts have no photo, or are slow. */
export const createStrangers = (world: Scheduler, strange = true) => {
  const deliveries: Delivered[] = [];
  const actor = newActor('stranger');
  const server = (handle: Server['handle']): Server => ({ actor: () => actor, breaks: () => () => {}, handle });

  const resolve = async (url: URL): Promise<Response> =>
    Response.json({
      Status: 0,
      Answer: url.searchParams.get('type') === 'A' ? [{ type: 1, data: '93.184.216.34' }] : [],
    });

  const input = async (url: URL): Promise<Response> => {
    if (!strange) return image();
    switch (hashOf(url.pathname) % 24) {
      case 0:
        return new Response('none', { status: 404 });
      case 1:
        return new Response('no image at all, but some text', { status: 200 });
      case 2:
        return world.faults.slow > 0 ? new Response('later', { status: 500 }) : image();
      case 3:
        return new Response(null, { status: 302, headers: { location: `${url.origin}/moved${url.pathname}` } });
      case 4:
        await new Promise((wake) => setTimeout(wake, world.faults.slow > 0 ? 30_000 : 100));
        return image();
      default:
        return image();
    }
  };

  /** Some receivers fail at times while there is trouble; those called `gone` want no more. */
  const receive = async (url: URL, init: RequestInit): Promise<Response> => {
    const id = new Headers(init.headers).get('webhook-id') ?? '';
    deliveries.push({ url: url.href, id, body: JSON.parse(String(init.body)) });
    world.trace(() => `webhook ${id} arrives`);
    if (url.host.startsWith('gone')) return new Response(null, { status: 410 });
    return new Response(null, { status: world.faults.slow > 0 && world.random.chance(0.5) ? 500 : 204 });
  };

  return {
    deliveries,
    route: (url: URL): Server | undefined => {
      if (url.host === 'resolver.example') return server(resolve);
      if (url.host.endsWith('shop-images.com')) return server(input);
      if (url.host.endsWith('hook-server.net')) return server(receive);
      return undefined;
    },
  };
};

/** As little of a JPEG as its recognition needs. */
export const imageBytes = (length: number, tint = 0): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(length).fill(tint);
  bytes.set([0xff, 0xd8, 0xff, 0xe0]);
  return bytes;
};
const image = (): Response => new Response(imageBytes(64), { status: 200 });
