import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { createBodies } from '../../../edge/spool/bodies.ts';
import { readUpload } from '../../../edge/upload/read-upload.ts';
import { limits } from '../../../shared/limits.ts';
import { heicHeads } from '../../support/image-heads.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { type FakeOrigin, fakeOrigin } from '../support/origin.ts';
import {
  as,
  audited,
  bindings,
  call,
  entriesOf,
  files,
  HERO,
  newAccount,
  photo,
  problemOf,
  type TestAccount,
  upload,
  uploadForm,
  worker,
} from '../support/service.ts';

let origin: FakeOrigin;
let account: TestAccount;
beforeEach(async () => {
  origin = fakeOrigin();
  account = await newAccount(5);
});
afterEach(async () => {
  vi.restoreAllMocks();
  // After every refusal: nothing was run, no credit moved, no object is left.
  expect(origin.jobs).toEqual([]);
  expect(await audited(account)).toMatchObject({ available: 5, held: 0, spent: 0 });
  expect((await entriesOf(account)).map((entry) => entry.kind)).toEqual(['grant']);
  expect((await bindings.BUCKET.list()).objects).toEqual([]);
});

const raw = (body: BodyInit | null, contentType: string): Promise<Response> =>
  call(HERO, { method: 'POST', headers: as(account, { 'content-type': contentType }), body });
const MULTIPART = 'multipart/form-data; boundary=xx';

describe('an upload is refused, and changes nothing,', () => {
  it('without a part named files', async () => {
    expect(await problemOf(await upload(account, uploadForm([], { marketplace: 'amazon' })))).toMatchObject({
      status: 400,
      code: 'no_files',
    });
  });

  it('with a compressed body, by what is wrong with it; so is one under /v1.0', async () => {
    const form = new Response(uploadForm([{ name: 'a.jpg', bytes: photo() }]));
    const body = await new Response(form.body!.pipeThrough(new CompressionStream('gzip'))).arrayBuffer();
    const coded = (coding: string) => ({
      'content-type': form.headers.get('content-type') ?? '',
      'content-encoding': coding,
    });
    const headers = as(account, coded('gzip'));
    const problem = await problemOf(await call(HERO, { method: 'POST', headers, body }));
    expect(problem).toMatchObject({ status: 400, code: 'malformed_request' });
    expect(problem.detail).toContain('Content-Encoding');
    const other = await call('/v1.0/removebg', { method: 'POST', headers: coded('br'), body });
    expect(other.status).toBe(400);
    expect(await other.json()).toMatchObject({ errors: [{ detail: expect.stringContaining('Content-Encoding') }] });
    const harmless = await call('/v1.0/removebg', { method: 'POST', headers: coded('UTF-8'), body });
    expect(await harmless.json()).toMatchObject({ errors: [{ code: 'auth_failed' }] });
  });

  it('with an empty file', async () => {
    expect(
      await problemOf(await upload(account, uploadForm([{ name: 'a.jpg', bytes: new Uint8Array(0) }]))),
    ).toMatchObject({ status: 422, code: 'file_empty' });
  });

  it('with text renamed .jpg', async () => {
    const bytes = Uint8Array.from('this is no picture', (c) => c.charCodeAt(0));
    expect(await problemOf(await upload(account, uploadForm([{ name: 'a.jpg', bytes }])))).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    });
  });

  it('with a HEIC, by its own code and with what to do about it', async () => {
    const bytes = heicHeads['of an iPhone'];
    const problem = await problemOf(await upload(account, uploadForm([{ name: 'IMG_1.HEIC', bytes }])));
    expect(problem).toMatchObject({ status: 415, code: 'unsupported_heic' });
    expect(problem.detail).toMatch(/HEIC.*export it as JPEG.*iPhone/);
  });

  it('with 21 files', async () => {
    expect(await problemOf(await upload(account, uploadForm(files(limits.upload.filesMax + 1))))).toMatchObject({
      status: 413,
      code: 'too_many_files',
    });
  });

  it('with a file over the limit, also behind a good one', async () => {
    const large = photo('jpg', limits.upload.fileBytesMax + 1);
    const problem = await problemOf(
      await upload(account, uploadForm([...files(1), { name: 'large.jpg', bytes: large }])),
    );
    expect(problem).toMatchObject({ status: 413, code: 'file_too_large' });
    expect(problem.errors?.[0]?.field).toBe('files[1]');
  });

  it('that is larger than the platform takes, as soon as that is seen', async () => {
    const file = photo('jpg', 21_000_000);
    const head = new TextEncoder().encode(
      '--xx\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n',
    );
    const end = new TextEncoder().encode('\r\n');
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        for (const part of [head, file, end]) controller.enqueue(part);
        sent += file.length;
      },
    });
    const clock = virtualClock();
    const incoming = { body, contentType: MULTIPART, bytes: undefined };
    const read = await readUpload(incoming, { clock, openRoom: createBodies(clock).of('a') }, undefined);
    expect(read).toMatchObject({ ok: false, failure: { code: 'body_too_large' } });
    expect(sent).toBeGreaterThan(limits.upload.bodyBytesMax - file.length);
    expect(sent).toBeLessThan(limits.upload.bodyBytesMax + 3 * file.length);
  });

  it.each([
    ['an unknown option', { colour: 'red' }, 'colour'],
    ['a value out of range', { canvas: '5' }, 'canvas'],
    ['a number that is none', { quality: 'high' }, 'quality'],
    ['options that contradict each other', { background: 'transparent', format: 'jpg' }, 'background'],
  ])('with %s', async (_name, fields, field) => {
    const problem = await problemOf(await upload(account, uploadForm(files(2), fields)));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_options' });
    expect(problem.errors?.[0]?.field).toBe(field);
  });

  it('with an option given twice', async () => {
    const form = uploadForm(files(1), { format: 'png' });
    form.append('format', 'jpg');
    expect(await problemOf(await upload(account, form))).toMatchObject({ code: 'invalid_options' });
  });

  it('with a file in a part of another name', async () => {
    expect(
      await problemOf(await upload(account, uploadForm([{ name: 'a.jpg', bytes: photo(), part: 'image' }]))),
    ).toMatchObject({ code: 'invalid_options' });
  });

  it('with a field longer than fields may be', async () => {
    expect(
      await problemOf(
        await upload(account, uploadForm(files(1), { format: 'x'.repeat(edgeLimits.upload.fieldBytesMax + 1) })),
      ),
    ).toMatchObject({ code: 'invalid_options' });
  });

  it('with a multipart body that is cut off', async () => {
    const head = '--xx\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\n\r\n';
    expect(await problemOf(await raw(`${head}abc`, MULTIPART))).toMatchObject({
      status: 400,
      code: 'malformed_request',
    });
    expect(await problemOf(await raw('no multipart at all', MULTIPART))).toMatchObject({ code: 'malformed_request' });
    expect(await problemOf(await raw('--xx--', 'multipart/form-data'))).toMatchObject({ code: 'malformed_request' });
  });

  it('that announces more bytes than an upload may have', async () => {
    const announced = new Request(`http://edge.test${HERO}`, {
      method: 'POST',
      headers: as(account, { 'content-type': MULTIPART, 'content-length': String(501e6) }),
      body: new ReadableStream(),
    });
    expect(await problemOf(await worker.fetch(announced))).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  it('with part headers that do not end', async () => {
    expect(
      await problemOf(await raw(`--xx\r\nX-Long: ${'a'.repeat(2 * edgeLimits.upload.partHeaderBytesMax)}`, MULTIPART)),
    ).toMatchObject({ code: 'malformed_request' });
  });

  it('when the client hangs up midway, after a whole file was stored', async () => {
    const part = '--xx\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\n\r\n';
    const encode = (text: string) => new TextEncoder().encode(text);
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls++;
        if (pulls === 1) {
          controller.enqueue(encode(part));
          controller.enqueue(photo());
          controller.enqueue(encode(`\r\n${part}`));
          controller.enqueue(photo());
        } else controller.error(new Error('the client hung up'));
      },
    });
    expect(await problemOf(await raw(body, MULTIPART))).toMatchObject({ status: 400, code: 'malformed_request' });
    expect(pulls).toBe(2);
  });

  it('with a content type that is neither multipart nor JSON', async () => {
    expect(await problemOf(await raw('x', 'text/plain'))).toMatchObject({
      status: 415,
      code: 'unsupported_content_type',
    });
    expect(await problemOf(await call(HERO, { method: 'POST', headers: as(account) }))).toMatchObject({
      code: 'unsupported_content_type',
    });
  });
});

describe('a path', () => {
  it('answers a method it does not have with 405 and those it has', async () => {
    const response = await call(HERO, { headers: as(account) });
    expect(await problemOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
  });

  it('that does not exist is a problem document too', async () => {
    expect(await problemOf(await call('/api/v1/nothing'))).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('may be asked by a page of another origin', async () => {
    const headers = {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,idempotency-key',
    };
    const response = await call(HERO, { method: 'OPTIONS', headers });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('idempotency-key');
  });
});
