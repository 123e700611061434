/** The outside world of a batch: a shop with photos, its name in DNS, and its receiver of webhooks. */
import { jpegOf } from '../../support/image-heads.ts';

type Hook = { readonly url: string; readonly headers: Record<string, string>; readonly body: string };
export type Shop = {
  readonly hooks: Hook[];
  readonly photoHits: string[];
  /** Statuses the receiver answers, one after the other, the last one for ever. */
  hookStatuses: number[];
  readonly answer: (url: string, init: RequestInit) => Promise<Response>;
};

export const photoUrls = (count: number): { readonly input_url: string }[] =>
  Array.from({ length: count }, (_, i) => ({ input_url: `https://photos.shop.com/${i}.jpg` }));

export const shop = (): Shop => {
  const open: Shop = {
    hooks: [],
    photoHits: [],
    hookStatuses: [200],
    async answer(url, init) {
      const { hostname, searchParams, pathname } = new URL(url);
      if (hostname === 'cloudflare-dns.com')
        return Response.json({
          Status: 0,
          Answer: searchParams.get('type') === 'A' ? [{ type: 1, data: '93.184.215.14' }] : [],
        });
      if (hostname === 'hooks.shop.com') {
        open.hooks.push({ url, headers: init.headers as Record<string, string>, body: String(init.body) });
        return new Response('noted', {
          status: (open.hookStatuses.length > 1 ? open.hookStatuses.shift() : open.hookStatuses[0]) ?? 200,
        });
      }
      open.photoHits.push(pathname);
      return pathname.includes('missing') ? new Response('no', { status: 404 }) : new Response(jpegOf(300));
    },
  };
  return open;
};
