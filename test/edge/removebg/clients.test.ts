/** The recorded requests of remove.bg's clients get the answers that those clients read. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { shop } from '../batch/shop.ts';
import { type FakeOrigin, fakeOrigin, RESULT_BYTES } from '../support/origin.ts';
import { audited, call, newAccount, type TestAccount } from '../support/service.ts';
import { base64Photo, go, npm, pypi, REMOVEBG, type Recorded, URL_OF_PHOTO } from './requests.ts';

let origin: FakeOrigin;
let account: TestAccount;
beforeEach(async () => {
  origin = fakeOrigin(shop().answer);
  account = await newAccount(5);
});
afterEach(() => vi.restoreAllMocks());

const send = ({ headers, body }: Recorded): Promise<Response> => call(REMOVEBG, { method: 'POST', headers, body });
const cutout = () => origin.jobs[0]?.options.cutout;

/** npm's client takes the file out of JSON, and what else it knows from headers. */
const expectJson = async (response: Response): Promise<void> => {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  const { data } = (await response.json()) as { data: { result_b64: string; foreground_width: number } };
  expect(Uint8Array.fromBase64(data.result_b64)).toEqual(new Uint8Array(RESULT_BYTES).fill(1));
  expect(data.foreground_width).toBe(1700);
  for (const name of [
    'x-width',
    'x-height',
    'x-type',
    'x-credits-charged',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ])
    expect(response.headers.get(name), name).not.toBeNull();
};
/** The others write the answer's body to a file. */
const expectFile = async (response: Response, type: string): Promise<void> => {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(type);
  expect(response.headers.get('content-length')).toBe(String(RESULT_BYTES));
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(RESULT_BYTES).fill(1));
};

describe('npm’s remove.bg', () => {
  it('from a file', async () => {
    await expectJson(await send(npm.file(account.apiKey, { size: 'full', scale: '50%', crop: 'true' })));
    expect(cutout()).toMatchObject({ pixelsMax: 25_000_000, scale: 0.5, position: { x: 0.5, y: 0.5 } });
    expect(cutout()?.crop).not.toBeNull();
  });

  it('from base64', async () => {
    await expectJson(
      await send(npm.json(account.apiKey, { size: 'full', bg_color: 'fff', image_file_b64: base64Photo() })),
    );
    expect(cutout()).toMatchObject({ background: '#ffffffff', crop: null });
  });

  it('from a URL', async () => {
    await expectJson(await send(npm.json(account.apiKey, { image_url: URL_OF_PHOTO })));
    expect(cutout()).toMatchObject({ pixelsMax: 250_000, isPreview: true });
  });

  it('reads errors from a list', async () => {
    const response = await send(npm.file(account.apiKey, { scale: '5%' }));
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as { errors: { title: string; code: string; detail: string }[] };
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: 'invalid_scale' });
    expect(errors[0]?.title).toContain('scale=5%');
  });
});

describe('PyPI’s removebg', () => {
  it('from a file', async () => {
    await expectFile(await send(pypi.file(account.apiKey, { size: 'regular', bg_color: 'fff' })), 'image/jpeg');
    expect(cutout()).toMatchObject({ pixelsMax: 250_000, background: '#ffffffff' });
  });

  it('from a URL', async () => {
    await expectFile(await send(pypi.form(account.apiKey, { image_url: URL_OF_PHOTO, size: 'regular' })), 'image/png');
  });

  it('from base64', async () => {
    await expectFile(await send(pypi.form(account.apiKey, { image_file_b64: base64Photo(), size: 'hd' })), 'image/png');
    expect(cutout()).toMatchObject({ pixelsMax: 4_000_000, isPreview: false });
  });
});

describe('remove.bg’s command line', () => {
  it('asks for an archive and gets one', async () => {
    await expectFile(await send(go.file(account.apiKey, { size: 'auto', format: 'zip' })), 'application/zip');
    expect(cutout()).toMatchObject({ container: 'zip', pixelsMax: 25_000_000 });
    expect(await audited(account)).toMatchObject({ available: 4, spent: 1 });
  });

  it('with a colour, a shadow and a JPEG', async () => {
    const fields = { size: 'full', bg_color: '81d4fa', format: 'jpg', type: 'product', add_shadow: 'true' };
    await expectFile(await send(go.file(account.apiKey, fields)), 'image/jpeg');
    expect(origin.jobs[0]?.options).toMatchObject({
      shadow: 'soft',
      format: 'jpg',
      cutout: { background: '#81d4faff' },
    });
  });

  it('with a picture behind the product', async () => {
    const files = ['image_file', 'bg_image_file'];
    await expectFile(await send(go.file(account.apiKey, { size: 'auto', format: 'png' }, files)), 'image/png');
    expect(cutout()).toMatchObject({ background: 'image' });
    expect(origin.jobs[0]?.background_url).toContain('/background');
  });

  it('shows the titles of a 4xx', async () => {
    const response = await send(go.file('wrong', { size: 'auto', format: 'zip' }));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ errors: [{ code: 'auth_failed' }] });
  });
});
