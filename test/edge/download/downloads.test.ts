import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { contentDisposition } from '../../../edge/http/content-disposition.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { limits } from '../../../shared/limits.ts';
import { signDownload } from '../../../shared/signed-token.ts';
import { fakeOrigin } from '../support/origin.ts';
import { BASE, bindings, call, files, newAccount, problemOf, upload, uploadForm } from '../support/service.ts';

const FILE = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
let folder: string;
const link = async (
  filename = 'shoe.png',
  expiresAtMs = Date.now() + 25_000,
  objectKey = `${folder}/0000.png`,
): Promise<string> => {
  const download = { objectKey, filename, expiresAtMs, madeFor: 'key' } as const;
  return `/api/v1/downloads/${await signDownload(download, bindings.DOWNLOAD_SIGNING_SECRET)}/${encodeURIComponent(filename)}`;
};
const bytes = async (response: Response): Promise<Uint8Array> => new Uint8Array(await response.arrayBuffer());

let path: string;
beforeAll(async () => {
  fakeOrigin();
  const answer = await upload(await newAccount(1), uploadForm(files(1)));
  folder = `results/${((await answer.json()) as { batch_id: string }).batch_id}`;
  vi.restoreAllMocks();
});
beforeEach(async () => {
  await bindings.BUCKET.put(`${folder}/0000.png`, FILE);
  path = await link();
});
afterEach(() => vi.restoreAllMocks());

describe('a download', () => {
  it('serves the file with its type, length, name and tag, without a key', async () => {
    const response = await call(path);
    expect(response.status).toBe(200);
    expect(await bytes(response)).toEqual(FILE);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '1000',
      'accept-ranges': 'bytes',
      'content-disposition': 'attachment; filename="shoe.png"',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    });
    expect(response.headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=2[45], must-revalidate$/);
  });

  it('by HEAD sends the same headers and no body', async () => {
    const response = await call(path, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe('1000');
    expect(await bytes(response)).toHaveLength(0);
  });

  it.each([
    ['bytes=0-9', 0, 9],
    ['bytes=990-', 990, 999],
    ['bytes=-5', 995, 999],
    ['bytes=500-5000', 500, 999],
    ['bytes=999-999', 999, 999],
  ])('with Range %s sends that part', async (range, first, last) => {
    const response = await call(path, { headers: { range } });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${first}-${last}/1000`);
    expect(response.headers.get('content-length')).toBe(String(last - first + 1));
    expect(await bytes(response)).toEqual(FILE.slice(first, last + 1));
  });

  it.each(['bytes=1000-', 'bytes=-0'])(
    'with Range %s, outside the file, is a 416 that tells the length',
    async (range) => {
      const response = await call(path, { headers: { range } });
      expect(await problemOf(response)).toMatchObject({ status: 416, code: 'range_not_satisfiable' });
      expect(response.headers.get('content-range')).toBe('bytes */1000');
    },
  );

  it.each(['bytes=5-1', 'bytes=a-b', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=-'])(
    'with Range %s, which is none, sends the whole',
    async (range) => {
      const response = await call(path, { headers: { range } });
      expect(response.status).toBe(200);
      expect(await bytes(response)).toHaveLength(1000);
    },
  );

  it('the caller has already is a 304', async () => {
    const etag = (await call(path, { method: 'HEAD' })).headers.get('etag') ?? '';
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect((await call(path, { headers: { 'if-none-match': tag } })).status).toBe(304);
    expect((await call(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('resumes only the version that If-Range names', async () => {
    const etag = (await call(path, { method: 'HEAD' })).headers.get('etag') ?? '';
    expect((await call(path, { headers: { range: 'bytes=0-9', 'if-range': etag } })).status).toBe(206);
    expect((await call(path, { headers: { range: 'bytes=0-9', 'if-range': '"other"' } })).status).toBe(200);
  });

  it('whose time is over is a 410, a file whose life is over a 404', async () => {
    expect(await problemOf(await call(await link('shoe.png', Date.now() - 1_000)))).toMatchObject({
      status: 410,
      code: 'download_expired',
    });
    for (const key of [`${folder}/0001.png`, 'results/bat_01jd0000000000000000000001/0000.png']) {
      const gone = await link('shoe.png', undefined, key);
      expect(await problemOf(await call(gone))).toMatchObject({ status: 404, code: 'not_found' });
    }
  });

  it('may be kept by a cache for no longer than its link may outlive its key', async () => {
    const response = await call(await link('shoe.png', Date.now() + 86_400_000));
    const { checkedMs, cachedSeconds } = edgeLimits.links;
    expect(response.headers.get('cache-control')).toBe(`public, max-age=${cachedSeconds}, must-revalidate`);
    expect(cachedSeconds * 1_000 + checkedMs).toBeLessThanOrEqual(limits.downloads.deadWithinMs);
  });

  it('whose path is its permission does not show it in the log where the store breaks', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const broken = new Error(`the store failed at ${BASE}${path}`);
    vi.spyOn(bindings.BUCKET, 'head').mockRejectedValue(broken);
    expect((await call(path)).status).toBe(500);
    const text = logged.mock.calls.flat().map(String).join('\n');
    vi.restoreAllMocks();
    const [, , , , token = 'none'] = path.split('/');
    expect(text).toContain('route_threw');
    expect(text).toContain('/api/v1/downloads/[redacted]');
    expect(text).not.toContain(token.split('.')[1]);
    expect(text).not.toContain(token);
  });

  it('altered anywhere is a 403', async () => {
    const [, , , , token = '', name = ''] = path.split('/');
    const [payload = '', mac = ''] = token.split('.');
    const flip = (text: string, at: number): string =>
      text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
    const other = `${btoa(JSON.stringify([`${folder}/0001.png`, 9_999_999_999])).replaceAll('=', '')}.${mac}`;
    for (const wrong of [
      `${flip(payload, 5)}.${mac}`,
      `${payload}.${flip(mac, 5)}`,
      `${payload}.${mac}A`,
      payload,
      'x',
      other,
    ]) {
      expect(await problemOf(await call(`/api/v1/downloads/${wrong}/${name}`)), wrong).toMatchObject({
        status: 403,
        code: 'download_invalid',
      });
    }
    expect(await problemOf(await call(`/api/v1/downloads/${token}/other.png`))).toMatchObject({ status: 403 });
  });

  it('keeps a name of any script through URL and header', async () => {
    const response = await call(await link('Кроссовки 42 "neu" Ä.png'));
    expect(response.status).toBe(200);
    const disposition = response.headers.get('content-disposition') ?? '';
    expect(decodeURIComponent(disposition.split("filename*=UTF-8''")[1] ?? '')).toBe('Кроссовки 42 "neu" Ä.png');
  });

  it('can put nothing into its header but a name', () => {
    expect(contentDisposition('a"\r\nX-Evil: 1.jpg')).not.toMatch(/[\r\n]/);
    expect(contentDisposition('a"b\\c.jpg')).toContain('filename="a_b_c.jpg"');
    expect(contentDisposition('Ärger.jpg')).toContain('filename="Arger.jpg"');
  });
});
