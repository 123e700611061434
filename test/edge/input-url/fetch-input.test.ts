import { describe, expect, it } from 'vitest';
import { fetchInput, type InputSource } from '../../../edge/input-url/fetch-input.ts';
import { dnsOverHttps } from '../../../edge/input-url/resolve.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { createBodies } from '../../../edge/spool/bodies.ts';
import type { Fetch } from '../../../shared/clock.ts';
import { type ErrorCode, errors } from '../../../shared/errors.ts';
import { limits } from '../../../shared/limits.ts';
import { forbiddenUrls, invalidUrls } from '../../support/addresses.ts';
import { heicHeads, imageHeads, jpegOf, notImages } from '../../support/image-heads.ts';
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts';
import { memoryLog, memorySink, names, untrustedServers } from './untrusted-servers.ts';

const photo = 'https://photos.shop.com/a.jpg';

const fetched = async (
  source: string | InputSource,
  fetch: Fetch,
  clock: VirtualClock = virtualClock(),
  localHosts: string[] = [],
) => {
  const sink = memorySink();
  const { log, lines } = memoryLog();
  const rules = { ownHosts: ['api.packshot.shop'], localHosts };
  const startedMs = clock.nowMs();
  const result = await clock.run(
    fetchInput(typeof source === 'string' ? { url: source } : source, sink, {
      openRoom: createBodies(clock).of('a'),
      fetch,
      clock,
      log,
      rules,
      resolve: dnsOverHttps('https://resolver.test/dns-query', fetch, log),
    }),
  );
  return { code: result.ok ? 'ok' : result.failure.code, result, sink, lines, elapsedMs: clock.nowMs() - startedMs };
};

describe('an image is stored with its own size and type', () => {
  it.each(Object.entries(imageHeads))('%s, whatever the server calls it', async (type, body) => {
    const { result, sink } = await fetched(
      photo,
      untrustedServers({ [photo]: () => new Response(body, { headers: { 'content-type': 'text/plain' } }) }),
    );
    expect(result).toEqual({ ok: true, value: { bytes: body.byteLength, contentType: type } });
    expect(sink.stored()).toEqual({ body, contentType: type });
  });

  it('larger than one block: whole, in equal blocks, in order', async () => {
    const body = jpegOf(2 * edgeLimits.spool.blockBytes + 77).map((byte, i) => (i < 64 ? byte : i % 251));
    const { result, sink } = await fetched(
      photo,
      untrustedServers({ [photo]: () => new Response(new Blob([body]).stream()) }),
    );
    expect(result.ok && result.value.bytes).toBe(body.byteLength);
    expect(sink.blocks()).toEqual([edgeLimits.spool.blockBytes, edgeLimits.spool.blockBytes, 77]);
    expect(sink.stored()?.body.every((byte, i) => byte === body[i])).toBe(true);
  });

  it('exactly the largest size is taken', async () => {
    const { result } = await fetched(
      photo,
      untrustedServers({ [photo]: () => new Response(jpegOf(limits.upload.fileBytesMax)) }),
    );
    expect(result.ok && result.value.bytes).toBe(limits.upload.fileBytesMax);
  });
});

describe('each way of not being an image has its own code', () => {
  const cases: [string, ErrorCode, () => Response][] = [
    ['a 404', 'url_status', () => new Response('gone', { status: 404 })],
    ['a 403', 'url_status', () => new Response('no', { status: 403 })],
    ['a 500', 'url_server_error', () => new Response('oops', { status: 500 })],
    ['a 429', 'url_server_error', () => new Response('later', { status: 429 })],
    ['an empty body', 'file_empty', () => new Response(new Uint8Array(0))],
    ['no body at all', 'file_empty', () => new Response(null, { status: 204 })],
    ['a redirect without a target', 'url_status', () => new Response(null, { status: 302 })],
    [
      'a redirect to a broken target',
      'url_status',
      () => new Response(null, { status: 302, headers: { location: 'http://[' } }),
    ],
    [
      'a declared size over the limit',
      'file_too_large',
      () => new Response(jpegOf(10), { headers: { 'content-length': '25000001' } }),
    ],
  ];
  it.each(cases)('%s: %s', async (_what, code, response) => {
    const { code: got, sink } = await fetched(photo, untrustedServers({ [photo]: response }));
    expect(got).toBe(code);
    expect(sink.stored()).toBeUndefined();
    expect(errors[code].scope).toBe('image');
  });

  it.each(Object.entries(notImages))('%s called image/jpeg: url_not_an_image', async (_what, body) => {
    const { code, sink } = await fetched(
      photo,
      untrustedServers({ [photo]: () => new Response(body, { headers: { 'content-type': 'image/jpeg' } }) }),
    );
    expect(code).toBe('url_not_an_image');
    expect(sink.stored()).toBeUndefined();
  });

  it.each(Object.entries(heicHeads))('a HEIC %s: unsupported_heic, whatever it is called', async (_what, body) => {
    const { code, sink } = await fetched(
      photo,
      untrustedServers({ [photo]: () => new Response(body, { headers: { 'content-type': 'image/jpeg' } }) }),
    );
    expect(code).toBe('unsupported_heic');
    expect(sink.stored()).toBeUndefined();
  });

  it('a server that cannot be reached', async () => {
    const refuse = untrustedServers({ [photo]: () => Promise.reject(new Error('connection refused')) });
    expect((await fetched(photo, refuse)).code).toBe('url_unreachable');
  });

  it('a body that breaks off leaves nothing behind', async () => {
    const breaks = (sizes: number[]) =>
      new Response(
        new ReadableStream({
          pull(controller) {
            const size = sizes.shift();
            if (size === undefined) controller.error(new Error('reset'));
            else controller.enqueue(jpegOf(size));
          },
        }),
      );
    for (const sizes of [[100], [6_000_000, 6_000_000]]) {
      const { code, sink } = await fetched(photo, untrustedServers({ [photo]: () => breaks([...sizes]) }));
      expect(code).toBe('url_unreachable');
      expect(sink.stored()).toBeUndefined();
      expect(sink.unfinished()).toBe(0);
    }
  });
});

describe('the cause of a failure is logged', () => {
  it('where the server cannot be reached, with its host but neither path nor query', async () => {
    const url = 'https://photos.shop.com/private/a.jpg?signature=s3cret';
    const refuse = untrustedServers({ [url]: () => Promise.reject(new TypeError(`connection refused: ${url}`)) });
    const { lines } = await fetched(url, refuse);
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toContain('connection refused');
    expect(lines()[0]).toContain('photos.shop.com');
    expect(lines()[0]).not.toMatch(/private|s3cret/);
  });

  it('where its name cannot be resolved', async () => {
    const failing = untrustedServers({}, () => new Response('x', { status: 500 }));
    expect((await fetched(photo, failing)).lines().join()).toContain('resolver answered 500');
  });

  it('where the body breaks off', async () => {
    const breaking = new ReadableStream({ pull: (controller) => controller.error(new Error('connection reset')) });
    const { lines } = await fetched(photo, untrustedServers({ [photo]: () => new Response(breaking) }));
    expect(lines().join()).toContain('connection reset');
  });
});

describe('an endless or slow body', () => {
  /** Chunks of `size` bytes, one every `everyMs`, for ever. */
  const drip = (clock: VirtualClock, size: number, everyMs: number, taken: { bytes: number }) => () =>
    new Response(
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (everyMs > 0) await clock.wait(everyMs);
          taken.bytes += size;
          controller.enqueue(jpegOf(size));
        },
      }),
    );

  it('endless: given up at the size limit', async () => {
    const clock = virtualClock();
    const taken = { bytes: 0 };
    const { code, sink } = await fetched(photo, untrustedServers({ [photo]: drip(clock, 1_000_000, 0, taken) }), clock);
    expect(code).toBe('file_too_large');
    expect(taken.bytes).toBeLessThanOrEqual(limits.upload.fileBytesMax + 4_000_000);
    expect(sink.unfinished()).toBe(0);
    expect(sink.stored()).toBeUndefined();
  });

  it('a slow drip: given up after the first slow window', async () => {
    const clock = virtualClock();
    const { code, elapsedMs } = await fetched(
      photo,
      untrustedServers({ [photo]: drip(clock, 1, 100, { bytes: 0 }) }),
      clock,
    );
    expect(code).toBe('url_timeout');
    expect(elapsedMs).toBe(edgeLimits.spool.serverWindowMs);
  });

  it('just fast enough but endless: given up at the total time', async () => {
    const clock = virtualClock();
    const { code, elapsedMs } = await fetched(
      photo,
      untrustedServers({ [photo]: drip(clock, edgeLimits.spool.bytesPerSecondMin, 900, { bytes: 0 }) }),
      clock,
    );
    expect(code).toBe('url_timeout');
    expect(elapsedMs).toBe(limits.inputUrl.totalMsMax);
  });

  it('headers that never come: given up at the header time', async () => {
    const { code, elapsedMs } = await fetched(photo, untrustedServers({ [photo]: () => new Promise(() => {}) }));
    expect(code).toBe('url_timeout');
    expect(elapsedMs).toBe(edgeLimits.inputUrl.headersMsMax);
  });

  it('a body that never starts: given up after one window', async () => {
    const { code, elapsedMs } = await fetched(
      photo,
      untrustedServers({ [photo]: () => new Response(new ReadableStream()) }),
    );
    expect(code).toBe('url_timeout');
    expect(elapsedMs).toBe(edgeLimits.spool.serverWindowMs);
  });

  it('slow redirects: the total time still holds', async () => {
    const clock = virtualClock();
    const slowly = async (location: string) => {
      await clock.wait(9_000);
      return new Response(null, { status: 302, headers: { location } });
    };
    const { code, elapsedMs } = await fetched(
      photo,
      untrustedServers({
        [photo]: () => slowly('/b'),
        'https://photos.shop.com/b': () => slowly('/c'),
        'https://photos.shop.com/c': () => slowly('/d'),
      }),
      clock,
    );
    expect(code).toBe('url_timeout');
    expect(elapsedMs).toBe(limits.inputUrl.totalMsMax);
  });
});

describe('redirects', () => {
  const to =
    (location: string, status = 302) =>
    () =>
      new Response(null, { status, headers: { location } });
  const hops = (n: number) =>
    Object.fromEntries(
      Array.from({ length: n }, (_, i) => [
        `https://photos.shop.com/${i}`,
        to(`/${i + 1}`, [301, 302, 303, 307, 308][i % 5]),
      ]),
    );

  it('as many as allowed are followed', async () => {
    const { code } = await fetched(
      'https://photos.shop.com/0',
      untrustedServers({
        ...hops(limits.inputUrl.redirectsMax),
        'https://photos.shop.com/3': () => new Response(jpegOf(99)),
      }),
    );
    expect(code).toBe('ok');
  });

  it('one more is too many', async () => {
    const fetch = untrustedServers({
      ...hops(limits.inputUrl.redirectsMax + 1),
      'https://photos.shop.com/4': () => new Response(jpegOf(99)),
    });
    expect((await fetched('https://photos.shop.com/0', fetch)).code).toBe('url_too_many_redirects');
  });

  it('a loop ends', async () => {
    expect((await fetched(photo, untrustedServers({ [photo]: to(photo) }))).code).toBe('url_too_many_redirects');
  });

  /** A header holds ASCII without line breaks. */
  const sendable = forbiddenUrls
    .filter(([, url]) => !url.includes('\n'))
    .map(([what, url]) => [what, url.replace(/[^ -~]/g, encodeURIComponent)] as const);
  it.each(sendable)('to %s: refused before any request goes there', async (_notation, target) => {
    const fetch = untrustedServers({ [photo]: to(target) });
    const { code } = await fetched(photo, fetch);
    expect(code).toBe('url_forbidden');
    expect(fetch.asked()).toEqual([photo]);
  });

  it('to another scheme: refused', async () => {
    expect((await fetched(photo, untrustedServers({ [photo]: to('ftp://photos.shop.com/a.jpg') }))).code).toBe(
      'url_invalid',
    );
  });
});

describe('no request goes to an address that is not public', () => {
  it.each([...forbiddenUrls, ...invalidUrls])('%s: %s', async (_notation, url) => {
    const fetch = untrustedServers({});
    expect(['url_forbidden', 'url_invalid']).toContain((await fetched(url, fetch)).code);
    expect(fetch.asked()).toEqual([]);
  });

  it('a name that resolves to a private address, or to a private one among public ones', async () => {
    for (const addresses of [
      ['10.0.0.7'],
      ['93.184.215.14', '127.0.0.1'],
      ['::1'],
      ['2606:4700::1', '::ffff:10.0.0.1'],
    ]) {
      const fetch = untrustedServers(
        { [photo]: () => new Response(jpegOf(9)) },
        names({ 'photos.shop.com': addresses }),
      );
      expect((await fetched(photo, fetch)).code).toBe('url_forbidden');
      expect(fetch.asked()).toEqual([]);
    }
  });

  it('a name that does not resolve, and a resolver that does not answer', async () => {
    for (const dns of [
      names({}),
      () => new Response('x', { status: 500 }),
      () => Promise.reject(new Error('no network')),
      () => Response.json({ nonsense: 1 }),
    ]) {
      const fetch = untrustedServers({ [photo]: () => new Response(jpegOf(9)) }, dns);
      expect((await fetched(photo, fetch)).code).toBe('url_unreachable');
      expect(fetch.asked()).toEqual([]);
    }
  });

  it('the service itself', async () => {
    expect((await fetched('https://api.packshot.shop/api/v1/downloads/x', untrustedServers({}))).code).toBe(
      'url_forbidden',
    );
  });

  it('loopback, unless local mode lists that host and port', async () => {
    const here = 'http://127.0.0.1:20301/a.jpg';
    const serve = () => untrustedServers({ [here]: () => new Response(jpegOf(99)) });
    expect((await fetched(here, serve())).code).toBe('url_forbidden');
    expect((await fetched(here, serve(), virtualClock(), ['127.0.0.1:20301'])).code).toBe('ok');
    expect((await fetched(here, serve(), virtualClock(), ['127.0.0.1:20302'])).code).toBe('url_forbidden');
  });
});

describe('the authorization of an input', () => {
  const authorization = 'Bearer of-the-shop';
  const image = () => new Response(jpegOf(300));
  const to = (location: string) => () => new Response(null, { status: 302, headers: { location } });
  /** Where each request went, and what authorization it had. */
  const carried = async (url: string, servers: Parameters<typeof untrustedServers>[0], localHosts: string[] = []) => {
    const hosts = ['photos.shop.com', 'cdn.shop.com', 'evil.com'];
    const open = untrustedServers(servers, names(Object.fromEntries(hosts.map((host) => [host, ['93.184.215.14']]))));
    const seen: [string, string | null][] = [];
    const spy: Fetch = (at, init) => {
      if (!at.startsWith('https://resolver.test/')) seen.push([at, new Headers(init.headers).get('authorization')]);
      else expect(new Headers(init.headers).has('authorization')).toBe(false);
      return open(at, init);
    };
    const { code, lines } = await fetched({ url, authorization }, spy, virtualClock(), localHosts);
    expect(JSON.stringify(lines())).not.toContain('of-the-shop');
    return { code, seen };
  };

  it('goes with the request, and with a redirect within the same scheme, host and port', async () => {
    const { code, seen } = await carried(photo, { [photo]: to('/b.jpg'), 'https://photos.shop.com/b.jpg': image });
    expect(code).toBe('ok');
    expect(seen).toEqual([
      [photo, authorization],
      ['https://photos.shop.com/b.jpg', authorization],
    ]);
  });

  it.each([
    ['another host', 'https://evil.com/a.jpg'],
    ['a host below the same domain', 'https://cdn.shop.com/a.jpg'],
    ['another port', 'https://photos.shop.com:8443/a.jpg'],
    ['the same host without TLS', 'http://photos.shop.com/a.jpg'],
  ])('stays behind where a redirect leads to %s', async (_, target) => {
    const { seen } = await carried(photo, { [photo]: to(target), [target]: image });
    expect(seen[0]).toEqual([photo, authorization]);
    expect(seen.slice(1).map(([, value]) => value)).not.toContain(authorization);
  });

  it('is not sent to its own host again by a redirect that comes back from another one', async () => {
    const back = 'https://photos.shop.com/b.jpg';
    const { code, seen } = await carried(photo, {
      [photo]: to('https://evil.com/a.jpg'),
      'https://evil.com/a.jpg': to(back),
      [back]: image,
    });
    expect(code).toBe('ok');
    expect(seen).toEqual([
      [photo, authorization],
      ['https://evil.com/a.jpg', null],
      [back, null],
    ]);
  });

  it('is not sent without TLS, but to a loopback server of local mode', async () => {
    const plain = 'http://photos.shop.com/a.jpg';
    expect((await carried(plain, { [plain]: image })).seen).toEqual([[plain, null]]);
    const local = 'http://127.0.0.1:9000/a.jpg';
    expect((await carried(local, { [local]: image }, ['127.0.0.1:9000'])).seen).toEqual([[local, authorization]]);
  });

  it('is in no log of a server that cannot be reached', async () => {
    expect((await carried(photo, {})).code).toBe('url_unreachable');
  });
});
