import { describe, expect, it } from 'vitest';
import { publicRoutes } from '../../edge/app.ts';
import { readConfig } from '../../edge/config.ts';
import { resultFilenames } from '../../edge/responses/filenames.ts';
import { removeExpired } from '../../edge/stores/objects.ts';
import { sweep } from '../../edge/stores/sweep.ts';
import { backoffMs } from '../../shared/backoff.ts';
import { errors } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import { type Options, resolveOptions } from '../../shared/options.ts';
import { paths, UNKNOWN_ORIGIN } from '../../shared/paths.ts';
import { routeScopes } from '../../shared/scopes.ts';
import { signingKey } from '../support/service-keys.ts';
import { bindings, call, storedKeys } from './support/service.ts';

const optionsOf = (raw: Options) => {
  const options = resolveOptions(raw);
  if (!options.ok) throw new Error(options.failure.detail);
  return options.value;
};
const jpg = optionsOf({});

type Content = Record<
  string,
  { schema: object; example?: unknown; examples?: Record<string, { value: { code?: string } }> }
>;
type Operation = {
  operationId?: string;
  tags?: string[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content; headers?: object }>;
  'x-scope'?: string;
  'x-retry'?: { safe: string };
  'x-idempotency'?: { header: string };
};
type Document = {
  openapi: string;
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
  'x-error-codes': Record<string, { status: number; retryable: boolean }>;
};
const operationsOf = ({ paths, webhooks }: Document): Operation[] =>
  [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) => Object.values(item));
const document = async (): Promise<Document> => (await (await call('/api/v1/openapi.json')).json()) as Document;

describe('the OpenAPI document', () => {
  it('names every public route with its methods, and no other', async () => {
    const { openapi, paths } = await document();
    expect(openapi).toBe('3.1.0');
    const documented = Object.entries(paths).map(([path, methods]) => [
      path,
      Object.keys(methods).map((method) => method.toUpperCase()),
    ]);
    const served = Object.entries(publicRoutes).map(([path, methods]) => [
      path.replace(/:(\w+)/g, '{$1}'),
      methods.filter((method) => method !== 'HEAD'),
    ]);
    expect(documented.sort()).toEqual(served.sort());
  });

  it('resolves every reference it makes', async () => {
    const found = await document();
    const references = [...JSON.stringify(found).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, kind = '', name = ''] of references)
      expect((found.components as Record<string, Record<string, unknown>>)[kind]?.[name], name).toBeDefined();
  });

  it('lists, for an upload, each error that a caller can meet, under its status', async () => {
    const { paths } = await document();
    const responses = paths['/api/v1/service-hero']?.['post']?.responses ?? {};
    for (const code of [
      'key_revoked',
      'insufficient_credits',
      'unreadable_image',
      'no_product_found',
      'too_many_files',
      'idempotency_mismatch',
      'rate_limited',
      'test_quota_exceeded',
      'origin_unavailable',
    ] as const) {
      expect(responses[errors[code].status]?.content?.['application/problem+json']?.examples, code).toHaveProperty(
        code,
      );
    }
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '202']));
    expect(responses['200']?.headers).toHaveProperty('X-Credits-Charged');
  });
});

describe('an operation of the OpenAPI document', () => {
  it('has an example for each body that it takes or answers, and for each error by its code', async () => {
    const contents = operationsOf(await document()).flatMap(({ requestBody, responses }) => [
      ...(requestBody ? [requestBody.content] : []),
      ...Object.values(responses).flatMap(({ content }) => (content ? [content] : [])),
    ]);
    expect(contents.length).toBeGreaterThan(20);
    for (const content of contents)
      for (const [type, media] of Object.entries(content)) {
        const isFile = 'format' in media.schema && media.schema.format === 'binary';
        const examples = media.examples ?? (media.example === undefined ? {} : { one: media.example });
        if (!isFile) expect(Object.keys(examples).length, type).toBeGreaterThan(0);
        if (type !== 'application/problem+json') continue;
        for (const [code, example] of Object.entries(media.examples ?? {})) expect(example.value.code).toBe(code);
      }
  });

  it('has an id of its own and a tag that is described', async () => {
    const found = await document();
    const operations = operationsOf(found);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    const described = found.tags.map(({ name }) => name);
    for (const { tags = [] } of operations) expect(described).toEqual(expect.arrayContaining(tags));
  });

  it('says how it may be repeated, and with which header where it can be charged', async () => {
    const { paths, webhooks } = await document();
    const free = ['/api/v1/check', '/api/v1/keys/{key_id}/revoke'];
    // Each time another key, or another secret.
    const never = ['/api/v1/keys', '/api/v1/keys/{key_id}/roll'];
    for (const [path, item] of Object.entries(paths))
      for (const [method, operation] of Object.entries(item))
        expect([operation['x-retry']?.safe, operation['x-idempotency']?.header], path).toEqual(
          method !== 'post' || free.includes(path)
            ? ['always', undefined]
            : never.includes(path)
              ? ['never', undefined]
              : ['with_idempotency_key', 'Idempotency-Key'],
        );
    expect(Object.keys(webhooks)).toEqual(['batchEnded', 'balanceLow']);
  });

  it('says which scope its key needs, as the routes ask for it', async () => {
    const found = (await document()).paths;
    for (const [name, path] of Object.entries(paths)) {
      const scope = routeScopes[name as keyof typeof paths];
      for (const operation of Object.values(found[path.replace(/:(\w+)/g, '{$1}')] ?? {}))
        expect(operation['x-scope'], name).toBe(scope === 'public' ? undefined : scope);
    }
  });

  it('knows every code of the table of errors, but for those between our own machines', async () => {
    const known = (await document())['x-error-codes'];
    const { unauthorized_service: _, ...expected } = errors;
    expect(known).toEqual(expected);
  });
});

describe('the documentation as Markdown', () => {
  it('keeps code apart from code and from words, and marks code in the meaning of a field', async () => {
    const keys = await (await call('/docs/keys.md')).text();
    expect(keys).toContain('`/v1.0/account`');
    expect(keys).not.toMatch(/`\/[^`]*``/);
    expect(await (await call('/docs/removebg.md')).text()).toContain('in `HTTPS_PROXY`');
    const batch = await (await call('/docs/batch.md')).text();
    expect(batch).toContain('With `Prefer: respond-async`: files');
    expect(batch).not.toContain('\\`');
  });

  it('names this service wherever a page names an address, and is listed in llms.txt', async () => {
    const index = await call('/llms.txt');
    expect([index.status, index.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const links = [...(await index.text()).matchAll(/\]\((\S+\.md)\)/g)].map(([, link = '']) => link);
    expect(links).toContain(`${bindings.PUBLIC_BASE_URL}/docs.md`);
    expect(links.length).toBe(15);
    for (const link of links) {
      const page = await call(link);
      expect([page.status, page.headers.get('content-type')], link).toEqual([200, 'text/markdown; charset=utf-8']);
      const text = await page.text();
      expect(text, link).toMatch(/^# /);
      expect(text).not.toContain(UNKNOWN_ORIGIN);
    }
    expect(await (await call('/docs/upload.md')).text()).toContain(`curl ${bindings.PUBLIC_BASE_URL}/api/v1/`);
  });

  it('does not answer for a page that there is not', async () => {
    expect((await call('/docs/none.md')).status).toBe(404);
  });
});

describe('public pages', () => {
  const titleOf = (html: string): string | undefined => /<title>(.*)<\/title>/.exec(html)?.[1];

  it('can be read without running any code, and say what they are to who links to them', async () => {
    const page = await call('/docs/errors');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    expect(titleOf(html)).toBe('Errors · packshot');
    expect(html).toContain('no_product_found</code>');
    expect(html).toContain(`<link rel="canonical" href="${bindings.PUBLIC_BASE_URL}/docs/errors" />`);
    expect(html).toContain(`<meta property="og:image" content="${bindings.PUBLIC_BASE_URL}/og.png" />`);
    expect(await (await call('/docs')).text()).toContain(`${bindings.PUBLIC_BASE_URL}/api/v1/service-hero`);
    expect(await (await call('/docs/reference')).text()).toContain('id="post--api-v1-service-hero"');
  });

  it('are all in the sitemap, each with its own title and none with an address that is not ours', async () => {
    const robots = await (await call('/robots.txt')).text();
    expect(robots).toContain(`Sitemap: ${bindings.PUBLIC_BASE_URL}/sitemap.xml`);
    const map = await (await call('/sitemap.xml')).text();
    const addresses = Array.from(map.matchAll(/<loc>(.+?)<\/loc>/g), ([, address = '']) => address);
    expect(addresses).toContain(`${bindings.PUBLIC_BASE_URL}/`);
    expect(addresses.length).toBe(20);
    const titles = new Set<string>();
    for (const address of addresses) {
      const page = await call(address);
      const html = await page.text();
      expect([page.status, html.includes(UNKNOWN_ORIGIN), html.includes('<h1')], address).toEqual([200, false, true]);
      titles.add(titleOf(html) ?? '');
    }
    expect(titles.size).toBe(addresses.length);
  });

  it('have a feed of what has changed, with addresses of this service alone', async () => {
    const feed = await call('/changelog.xml');
    expect([feed.status, feed.headers.get('content-type')]).toEqual([200, 'application/xml']);
    const text = await feed.text();
    expect(text).not.toContain(UNKNOWN_ORIGIN);
    const [, anchor] = /<id>\S+\/changelog#([a-z0-9-]+)<\/id>/.exec(text) ?? [];
    expect(await (await call('/changelog')).text()).toContain(`id="${anchor}"`);
  });

  it('are not answered again to a browser that has them', async () => {
    const etag = (await call('/docs/errors')).headers.get('etag') ?? '';
    expect((await call('/docs/errors', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('are told from addresses without a page by their status', async () => {
    const page = await call('/docs/none');
    expect([page.status, titleOf(await page.text())]).toEqual([404, 'Page not found · packshot']);
  });
});

describe('the configuration', () => {
  const production = {
    ...bindings,
    ENVIRONMENT: 'production',
    PUBLIC_BASE_URL: 'https://api.packshot.shop',
    ORIGIN_URLS: 'https://nodes.packshot.shop',
    R2_S3_ENDPOINT: 'https://account.r2.cloudflarestorage.com',
    OWN_ZONES: 'packshot.shop',
    LOCAL_ADMIN_TOKEN: '',
    LOCAL_INPUT_HOSTS: '',
    SERVICE_SIGNING_KEY: JSON.stringify({ ...signingKey, kid: 'of-production' }),
    DOWNLOAD_SIGNING_SECRET: 'y'.repeat(32),
  };

  it('is frozen, without trailing slashes, and read from the variables', () => {
    const config = readConfig({
      ...bindings,
      ORIGIN_URLS: 'http://a:1/, http://b:2',
      PUBLIC_BASE_URL: 'https://x.example/',
    });
    expect(config).toMatchObject({
      local: true,
      originUrls: ['http://a:1', 'http://b:2'],
      publicBaseUrl: 'https://x.example',
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it.each(['ORIGIN_URLS', 'DOWNLOAD_SIGNING_SECRET', 'R2_S3_ENDPOINT', 'PUBLIC_BASE_URL'] as const)(
    'that lacks %s stops the start and names it',
    (name) => {
      expect(() => readConfig({ ...bindings, [name]: '' })).toThrow(`${name} is missing`);
    },
  );

  it.each([
    ['LOCAL_INPUT_HOSTS', '127.0.0.1:9000'],
    ['LOCAL_ADMIN_TOKEN', 'token'],
    ['SERVICE_SIGNING_KEY', bindings.SERVICE_SIGNING_KEY],
    ['DOWNLOAD_SIGNING_SECRET', 'short'],
    ['ENVIRONMENT', 'staging'],
  ])('of production with %s = %s is refused', (name, value) => {
    expect(() => readConfig(production)).not.toThrow();
    expect(() => readConfig({ ...production, [name]: value })).toThrow(name);
  });

  it('of local mode lets input through from loopback only', () => {
    expect(() => readConfig({ ...bindings, LOCAL_INPUT_HOSTS: '10.0.0.1:80' })).toThrow('LOCAL_INPUT_HOSTS');
    expect(readConfig({ ...bindings, LOCAL_INPUT_HOSTS: '127.0.0.1:80' }).localInputHosts).toEqual(['127.0.0.1:80']);
  });
});

describe('stored files', () => {
  it('are removed when they expire, oldest first and a bounded number at a time', async () => {
    const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
    const nowMs = Date.now();
    const at = (ageMs: number): string => newId('batch', nowMs - ageMs, random);
    const [oldInput, newInput, oldResult, newResult] = [
      limits.downloads.inputObjectMs + 1,
      1_000,
      limits.retention.daysMax * 86_400_000 + 1,
      limits.downloads.inputObjectMs + 1,
    ].map(at);
    const check = (ageMs: number): string => `checks/${newId('check', nowMs - ageMs, random)}`;
    const kept = [`inputs/${newInput}/0000`, `results/${newResult}/0000.jpg`, check(1_000)];
    const { checkObjectMs } = limits.downloads;
    for (const ageMs of [checkObjectMs + 2, checkObjectMs + 1]) await bindings.BUCKET.put(check(ageMs), 'x');
    for (const key of [`inputs/${oldInput}/0000`, `inputs/${oldInput}/0001`, `results/${oldResult}/0000.jpg`, ...kept])
      await bindings.BUCKET.put(key, 'x');
    const run = (max: number) =>
      sweep((prefix, isExpired) => removeExpired(bindings.BUCKET, prefix, isExpired, max), nowMs);
    expect(await run(1)).toEqual({ 'inputs/': 1, 'results/': 1, 'checks/': 1 });
    expect(await run(100)).toEqual({ 'inputs/': 1, 'results/': 0, 'checks/': 1 });
    expect((await Promise.all(['inputs/', 'results/', 'checks/'].map(storedKeys))).flat()).toEqual(kept);
  });
});

describe('the name of a result', () => {
  it.each([
    ['photo.PNG', 'photo.jpg'],
    ['../../etc/passwd', 'passwd.jpg'],
    ['C:\\Users\\me\\shoe 1.jpeg', 'shoe-1.jpg'],
    ['.htaccess', 'htaccess.jpg'],
    ['', 'image.jpg'],
    ['???.gif', 'image.jpg'],
    ['a\r\nb<script>.png', 'a-b-script.jpg'],
    ['靴.webp', '靴.jpg'],
    [`${'x'.repeat(300)}.png`, `${'x'.repeat(80)}.jpg`],
  ])('made of %j is %j', (original, name) => expect(resultFilenames([original], jpg)).toEqual([name]));

  it('is unique without regard to case', () =>
    expect(resultFilenames(['A.png', 'a.jpg', 'a-2.jpg', 'a.gif'], jpg)).toEqual([
      'A.jpg',
      'a-2.jpg',
      'a-2-2.jpg',
      'a-3.jpg',
    ]));

  it('no file of a further marketplace bears the name of another image', () =>
    expect(resultFilenames(['a.png', 'a-walmart.png', 'A.gif'], optionsOf({ marketplaces: 'amazon,walmart' }))).toEqual(
      ['a.jpg', 'a-walmart-2.jpg', 'A-2.jpg'],
    ));
});

it('the wait between tries doubles up to its cap, with jitter, and never undercuts Retry-After', () => {
  const backoff = { baseMs: 250, capMs: 8_000 };
  expect([0, 1, 2, 10].map((attempt) => backoffMs(attempt, backoff))).toEqual([250, 500, 1_000, 8_000]);
  expect(backoffMs(1, backoff, 0)).toBe(250);
  expect(backoffMs(0, backoff, 0, 3_000)).toBe(3_000);
});
