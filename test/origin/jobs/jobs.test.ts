import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../shared/options.ts';
import { nodePaths } from '../../../shared/paths.ts';
import { signingKey, strangersKey } from '../../support/service-keys.ts';
import { newJob, outcomeOf, postJob, postSigned, signToken } from '../support/caller.ts';
import { drawProduct } from '../support/photo.ts';
import { devicePid, eventually } from '../support/proc.ts';
import { type NodeProcess, startNodeProcess } from '../support/process.ts';
import { type Storage, startStorage } from '../support/storage.ts';

const MB = 1_000_000;
const PIECE = Buffer.alloc(64 * 1024);
let storage: Storage;
let node: NodeProcess;
let dataDir: string;

beforeAll(async () => {
  storage = await startStorage();
  dataDir = await mkdtemp(join(tmpdir(), 'packshot-jobs-'));
  storage.inputs.set('/in/mug', await drawProduct());
  storage.inputs.set('/in/garbage', new TextEncoder().encode('not an image at all'));
  storage.inputs.set('/in/huge', new Uint8Array(25_000_001));
  node = await startNodeProcess({ DATA_DIR: dataDir, STORAGE_URLS: storage.url, QUEUE_JOBS: '4', PIPELINES: '1' });
});
afterAll(async () => {
  node.kill('SIGKILL');
  await node.ended;
  await storage.close();
  await rm(dataDir, { recursive: true, force: true });
});

const run = async (id: string, input = 'mug', more: Parameters<typeof newJob>[3] = {}) =>
  outcomeOf(await postJob(node.url, newJob(storage, id, input, more)));
const finished = (id: string) => node.waitFor((line) => line.msg === 'job finished' && line['job_id'] === id);

describe('a job', () => {
  it('with a matte keeps what that says, opened where photos are, and fails where it does not fit', async () => {
    const half = await sharp({ create: { width: 600, height: 900, channels: 3, background: '#fff' } })
      .extend({ right: 600, background: '#000' })
      .png()
      .toBuffer();
    storage.inputs.set('/in/matte-half', new Uint8Array(half));
    storage.inputs.set(
      '/in/matte-square',
      new Uint8Array(await sharp(half).resize(500, 500, { fit: 'fill' }).png().toBuffer()),
    );
    const withMatte = (matte: string) => ({ matte_url: `${storage.url}/in/${matte}?X-Amz-Signature=secret-signature` });
    const outcome = await run('matted', 'mug', withMatte('matte-half'));
    if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
    const { product_box: box, matte_confidence, stages_ms } = outcome;
    expect(Math.abs(box.width / box.height - 600 / 900)).toBeLessThan(0.01);
    expect([matte_confidence, stages_ms['infer']]).toEqual([1, undefined]);
    storage.inputs.set('/in/matte-damaged', new TextEncoder().encode('no picture'));
    for (const matte of ['matte-square', 'mug', 'matte-damaged'])
      expect(await run(`not-${matte}`, 'mug', withMatte(matte))).toMatchObject({
        status: 'failed',
        code: 'invalid_matte',
        retryable: false,
      });
    const { options } = newJob(storage, 'img_unsent', 'mug');
    expect(await run('unsent', 'mug', { options: { ...options, matte: true } })).toMatchObject({
      status: 'failed',
      code: 'processing_failed',
      retryable: true,
    });
  });

  it('ends with both files stored as its outcome describes them', async () => {
    const outcome = await run('plain');
    const clean = storage.outputs.get('/out/plain');
    const preview = storage.outputs.get('/out/plain.preview');
    if (outcome.status !== 'completed' || !clean || !preview)
      throw new Error(`not completed: ${JSON.stringify(outcome)}`);
    expect(outcome).toMatchObject({
      sha256: clean.sha256,
      bytes: clean.bytes.byteLength,
      md5: clean.md5,
      preview_bytes: preview.bytes.byteLength,
      preview_md5: preview.md5,
      amazon_compliant: true,
      provider: 'cpu',
      model: 'isnet-int8',
    });
    expect(clean.contentType).toBe('image/jpeg');
    expect(await sharp(clean.bytes).metadata()).toMatchObject({
      format: 'jpeg',
      width: outcome.width,
      height: outcome.height,
    });
  });

  it('that is repeated is answered from its outcome, without touching storage again', async () => {
    const first = await run('twice');
    const requests = storage.requests.length;
    expect(await run('twice')).toEqual(first);
    expect(storage.requests).toHaveLength(requests);
  });

  it('that is asked for three times at once runs once', async () => {
    const outcomes = await Promise.all([run('joined'), run('joined'), run('joined')]);
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[2]).toEqual(outcomes[0]);
    expect(storage.outputs.get('/out/joined')?.writes).toBe(1);
  });

  it('whose image is damaged fails for good, and jobs beside it do not', async () => {
    const [bad, good] = await Promise.all([run('poisoned', 'garbage'), run('neighbour')]);
    expect(bad).toMatchObject({ status: 'failed', code: 'unsupported_media_type', retryable: false });
    expect(good.status).toBe('completed');
    expect(await run('poisoned', 'garbage')).toEqual(bad);
    expect(storage.requests.filter((request) => request.path === '/in/garbage')).toHaveLength(1);
  });

  it('whose input is larger than allowed is refused without reading it all', async () => {
    expect(await run('huge', 'huge')).toMatchObject({ status: 'failed', code: 'file_too_large', retryable: false });
  });

  it('whose storage fails may succeed later: the outcome is not kept', async () => {
    storage.misbehave.set('/out/unstored', [403]);
    expect(await run('unstored')).toMatchObject({ status: 'failed', code: 'result_missing', retryable: true });
    expect((await run('unstored')).status).toBe('completed');
    expect(await run('lost-input', 'nowhere')).toMatchObject({
      status: 'failed',
      code: 'processing_failed',
      retryable: true,
    });
  });

  it('for several marketplaces stores every file as its outcome describes it, or has none', async () => {
    const options = resolveOptions({ marketplaces: 'amazon,zalando,ebay', canvas: '600x800' });
    if (!options.ok) throw new Error(options.failure.detail);
    const several = (id: string) => {
      const { outputs } = newJob(storage, id, 'mug');
      const others = ['zalando', 'ebay'].map((name) => outputs.clean.replace('?', `.${name}?`));
      return run(id, 'mug', { options: options.value, outputs: { ...outputs, others } });
    };
    const outcome = await several('several');
    if (outcome.status !== 'completed') throw new Error(outcome.detail);
    expect(outcome.others?.map(({ compliance }) => compliance.marketplace)).toEqual(['zalando', 'ebay']);
    for (const [i, name] of ['zalando', 'ebay'].entries()) {
      const stored = storage.outputs.get(`/out/several.${name}`);
      const { sha256, bytes, width, height } = outcome.others?.[i] ?? {};
      expect([stored?.sha256, stored?.bytes.byteLength]).toEqual([sha256, bytes]);
      const file = await sharp(stored?.bytes).metadata();
      expect([file.width, file.height]).toEqual([width, height]);
    }
    storage.misbehave.set('/out/half.ebay', [403]);
    expect(await several('half')).toMatchObject({ status: 'failed', code: 'result_missing', retryable: true });
    expect((await several('half')).status).toBe('completed');
  });

  it('whose input cannot be read tells its caller no more than that, and the log why', async () => {
    storage.inputs.set('/in/unreadable', await drawProduct());
    storage.misbehave.set('/in/unreadable', [503, 503, 503]);
    expect(await run('unreadable', 'unreadable')).toMatchObject({
      code: 'processing_failed',
      detail: 'the stored input could not be read',
    });
    expect(await finished('unreadable')).toMatchObject({ error: { message: 'the stored input answered 503' } });
  });

  it('survives storage that fails for a moment', async () => {
    storage.misbehave.set('/in/mug', [503, 500]);
    storage.misbehave.set('/out/patient', [503]);
    expect((await run('patient')).status).toBe('completed');
  });

  it('past its deadline is not run', async () => {
    const requests = storage.requests.length;
    expect(await run('late', 'mug', { deadline_at: Date.now() - 1 })).toMatchObject({
      status: 'failed',
      code: 'deadline_exceeded',
      retryable: true,
    });
    expect(storage.requests).toHaveLength(requests);
  });

  it('whose deadline passes while it runs is stopped at once, and jobs beside it are not', async () => {
    const neighbour = run('undisturbed');
    const cutShort = await Promise.all(
      [150, 400, 900].map((ms) => run(`cut-${ms}`, 'mug', { deadline_at: Date.now() + ms })),
    );
    expect(
      cutShort
        .filter((outcome) => outcome.status === 'failed')
        .every((outcome) => outcome.status === 'failed' && outcome.code === 'deadline_exceeded'),
    ).toBe(true);
    expect(cutShort[0]?.status).toBe('failed');
    expect((await neighbour).status).toBe('completed');
    expect((await run('cut-150')).status).toBe('completed');
  });

  it('whose caller hangs up before the model is dropped', async () => {
    storage.inputs.set('/in/slow', await drawProduct());
    storage.hold.add('/in/slow');
    const caller = new AbortController();
    const answer = postJob(node.url, newJob(storage, 'abandoned', 'slow'), { signal: caller.signal });
    await node.waitFor((line) => line.msg === 'job claimed' && line['job_id'] === 'abandoned');
    caller.abort();
    await expect(answer).rejects.toThrow();
    expect(await finished('abandoned')).toMatchObject({ outcome: 'failed', recorded: false });
    storage.hold.delete('/in/slow');
    expect((await run('abandoned', 'slow')).status).toBe('completed');
  });

  it('that takes long sends heartbeats, and its caller may still hang up', async () => {
    storage.inputs.set('/in/long', await drawProduct());
    storage.hold.add('/in/long');
    const response = await postJob(node.url, newJob(storage, 'long', 'long', { deadline_at: Date.now() + 4_500 }));
    const text = await response.text();
    // One space with the headers, one at least with the heartbeat.
    expect(text).toMatch(/^ {2,}\{/);
    expect(JSON.parse(text)).toMatchObject({ outcome: { status: 'failed', code: 'deadline_exceeded' } });

    const caller = new AbortController();
    const headers = await postJob(node.url, newJob(storage, 'long-left', 'long'), { signal: caller.signal });
    expect(headers.status).toBe(200);
    caller.abort();
    expect(await finished('long-left')).toMatchObject({ outcome: 'failed', recorded: false });
    storage.hold.delete('/in/long');
  });

  it('that does not fit into the queue is refused with a Retry-After, and repeats of finished jobs are still answered', async () => {
    storage.inputs.set('/in/stuck', await drawProduct());
    storage.hold.add('/in/stuck');
    const callers = new AbortController();
    const slots = 1 + 3;
    const filling = Array.from({ length: slots + 4 }, (_, i) =>
      postJob(node.url, newJob(storage, `fill-${i}`, 'stuck'), { signal: callers.signal }),
    );
    // The network decides which of them come first.
    const claimed = new Set<unknown>();
    await node.waitFor((line) => {
      if (line.msg === 'job claimed' && String(line['job_id']).startsWith('fill-')) claimed.add(line['job_id']);
      return claimed.size === slots;
    });
    await eventually(
      async () =>
        /packshot_queue_jobs\{priority="interactive"\} 4/.test(
          await (await fetch(`${node.managementUrl}/metrics`)).text(),
        ),
      'the queue is full',
    );
    const refused = await postJob(node.url, newJob(storage, 'too-many', 'mug'));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await refused.json()).toMatchObject({ code: 'origin_busy', status: 503, success: false });
    expect((await run('plain')).status).toBe('completed');
    callers.abort();
    await Promise.allSettled(filling);
    storage.hold.delete('/in/stuck');
    expect((await run('after-the-rush')).status).toBe('completed');
  });
});

describe('a validly signed job', () => {
  let foreign: Storage;
  beforeAll(async () => {
    foreign = await startStorage();
    foreign.inputs.set('/in/mug', await drawProduct());
  });
  afterAll(() => foreign.close());
  const port = () => new URL(foreign.url).port;
  const own = () => new URL(storage.url).port;

  it.each([
    ['another port of this host', () => `${foreign.url}/in/mug`],
    ['another name of this host', () => `http://localhost:${own()}/in/mug`],
    ['an address of this network', () => `http://169.254.169.254/latest/meta-data`],
    ['the loopback address in another notation', () => `http://[::ffff:127.0.0.1]:${own()}/in/mug`],
    ['our address as user and password', () => `http://127.0.0.1:${own()}@127.0.0.1:${port()}/in/mug`],
    ['a user at our address', () => `http://user@127.0.0.1:${own()}/in/mug`],
    ['a host that begins as ours does', () => `${storage.url}.example/in/mug`],
    ['another scheme', () => `https://127.0.0.1:${own()}/in/mug`],
  ])('that names %s is refused, and nothing is fetched or written', async (_what, url) => {
    const named = `${url()}?X-Amz-Signature=secret-signature`;
    const job = newJob(storage, 'foreign', 'mug');
    const before = storage.requests.length;
    const { clean, preview } = job.outputs;
    const wrong = [
      ['input_url', { input_url: named }],
      ['background_url', { background_url: named }],
      ['matte_url', { matte_url: named }],
      ['outputs.clean', { outputs: { clean: named, preview } }],
      ['outputs.preview', { outputs: { clean, preview: named } }],
      ['outputs.others.0', { outputs: { clean, preview, others: [named] } }],
    ] as const;
    for (const [field, change] of wrong) {
      const response = await postJob(node.url, { ...job, ...change } as typeof job);
      const problem = (await response.json()) as { errors: { field: string }[] };
      expect([response.status, problem.errors.map((row) => row.field)]).toEqual([400, [field]]);
    }
    expect(foreign.requests).toEqual([]);
    expect(storage.requests).toHaveLength(before);
  });

  it('whose storage answers with a redirect is not followed there, neither reading nor writing', async () => {
    storage.redirects.set('/in/moved', `${foreign.url}/in/mug`);
    expect(await run('moved', 'moved')).toMatchObject({ status: 'failed', code: 'processing_failed' });
    storage.redirects.set('/out/moved-out', `${foreign.url}/out/moved-out`);
    expect(await run('moved-out')).toMatchObject({ status: 'failed', code: 'result_missing' });
    expect(foreign.requests).toEqual([]);
  });
});

describe('the service token', () => {
  const refusal = async (answer: Promise<Response>) => {
    const response = await answer;
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    return [response.status, ((await response.json()) as { code: string }).code];
  };
  const refused = [401, 'unauthorized_service'];
  const soon = () => Math.floor(Date.now() / 1000);

  it('must be present and well-formed', async () => {
    const job = newJob(storage, 'denied', 'mug');
    expect(await refusal(postJob(node.url, job, { token: undefined }))).toEqual(refused);
    expect(await refusal(postJob(node.url, job, { token: 'a.b.c' }))).toEqual(refused);
  });

  it('must be fresh, short-lived and for this service', async () => {
    const job = newJob(storage, 'denied', 'mug');
    expect(await refusal(postJob(node.url, job, { changes: { issuedAt: soon() - 300 } }))).toEqual(refused);
    expect(await refusal(postJob(node.url, job, { changes: { expiresAt: soon() + 3_600 } }))).toEqual(refused);
    expect(await refusal(postJob(node.url, job, { changes: { audience: 'somebody-else' } }))).toEqual(refused);
    expect(await refusal(postJob(node.url, job, { changes: { issuer: 'somebody-else' } }))).toEqual(refused);
    expect(await refusal(postJob(node.url, job, { changes: { key: strangersKey } }))).toEqual(refused);
    expect(await refusal(postJob(node.url, job, { changes: { key: strangersKey, kid: signingKey.kid } }))).toEqual(
      refused,
    );
  });

  it.each([
    [-300, 'clock skew: the service token was issued 300 s behind'],
    [30, 'clock skew: the service token was issued 30 s ahead of'],
  ])('of another time (%d s) is refused as what it is: clock skew', async (seconds, said) => {
    const job = newJob(storage, 'skewed', 'mug');
    const response = await postJob(node.url, job, { changes: { issuedAt: soon() + seconds } });
    expect(response.status).toBe(401);
    const { detail } = (await response.json()) as { detail: string };
    expect(detail.replace(/\d+ s/, (text) => `${Math.round(Number.parseInt(text, 10) / 10) * 10} s`)).toContain(said);
    // As much as clocks may differ.
    const close = newJob(storage, `close-${seconds}`, 'mug', { deadline_at: Date.now() - 1 });
    const accepted = await postJob(node.url, close, { changes: { issuedAt: soon() + 4 } });
    expect(accepted.status).not.toBe(401);
  });

  it('must be for this body and this job', async () => {
    const job = newJob(storage, 'denied', 'mug');
    expect(await refusal(postJob(node.url, job, { changes: { body: '{}' } }))).toEqual(refused);
    expect(await refusal(postJob(node.url, job, { changes: { subject: 'another-job' } }))).toEqual(refused);
  });

  it.each([
    ['announced', { 'content-length': String(100 * MB) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('is checked before the body: 100 MB %s with a bad one are refused and not read', async (_how, headers) => {
    const { port } = new URL(node.url);
    const before = Date.now();
    const request = httpRequest({
      port,
      method: 'POST',
      path: nodePaths.jobs,
      headers: { ...headers, authorization: 'Bearer a.b.c' },
    });
    request.on('error', () => undefined);
    const answered = new Promise<number>((resolve) =>
      request.once('response', (answer) => resolve(answer.statusCode ?? 0)),
    );
    const closed = new Promise<void>((resolve) => request.once('close', resolve));
    // Sent as fast as it is taken; a server that reads takes all of it.
    let taken = 0;
    const send = (): void => {
      while (taken < 100 * MB && !request.destroyed) {
        taken += PIECE.length;
        if (!request.write(PIECE)) return void request.once('drain', send);
      }
      request.end();
    };
    request.flushHeaders();
    expect(await answered).toBe(401);
    send();
    await closed;
    expect(taken).toBeLessThan(5 * MB);
    expect(Date.now() - before).toBeLessThan(5_000);
  });

  it('does not excuse a malformed job', async () => {
    const { outputs, ...rest } = newJob(storage, 'malformed', 'mug');
    expect(outputs).toBeDefined();
    expect(await refusal(postSigned(node.url, nodePaths.jobs, 'malformed', rest))).toEqual([400, 'invalid_request']);
    expect(await refusal(postSigned(node.url, nodePaths.jobs, 'malformed', '{"job_id":'))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(await refusal(postSigned(node.url, nodePaths.jobs, 'malformed', 'x'.repeat(70_000)))).toEqual([
      413,
      'body_too_large',
    ]);
  });
});

describe('a node', () => {
  it('reports its provider, model and metrics', async () => {
    const ready = await fetch(`${node.managementUrl}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { status: 'ready', provider: 'cpu', model: 'isnet-int8', database: true, inference: true },
    ]);
    const metrics = await (await fetch(`${node.managementUrl}/metrics`)).text();
    expect(metrics).toMatch(/packshot_node_info\{node="[^"]+",provider="cpu",model="isnet-int8"\} 1/);
    expect(metrics).toMatch(/packshot_job_outcomes_total\{code="ok",priority="interactive"\} [1-9]/);
    expect(Number(/packshot_device_resident_bytes (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(50_000_000);
  });

  it('answers nothing but /v1/* to the edge, and no job on the port of its operators', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/', '/v1', '/v1/..%2fmetrics'])
      expect((await fetch(`${node.url}${path}`)).status, path).toBe(404);
    expect((await fetch(`${node.managementUrl}/healthz`)).status).toBe(200);
    expect((await postJob(node.managementUrl, newJob(storage, 'denied', 'mug'))).status).toBe(404);
    expect(new URL(node.managementUrl).hostname).toBe('127.0.0.1');
  });

  it('ties its log lines to request, job and trace, and never writes a signature or a token', async () => {
    const job = newJob(storage, 'traced', 'mug');
    const token = await signToken('traced', JSON.stringify(job));
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await outcomeOf(
      await postJob(node.url, job, {
        token,
        headers: { 'Request-Id': 'req_of_the_edge', traceparent: `00-${traceId}-b7ad6b7169203331-01` },
      }),
    );
    expect(await finished('traced')).toMatchObject({
      request_id: 'req_of_the_edge',
      trace_id: traceId,
      outcome: 'completed',
    });
    expect(node.text()).not.toContain('secret-signature');
    expect(node.text()).not.toContain(token);
  });

  it('survives the death of its device process: the job gets a new one', async () => {
    const pid = await devicePid(node.pid);
    const outcome = run('survivor');
    await node.waitFor((line) => line.msg === 'job claimed' && line['job_id'] === 'survivor');
    process.kill(pid, 'SIGKILL');
    expect((await outcome).status).toBe('completed');
    expect(await devicePid(node.pid)).not.toBe(pid);
  });

  it('drains on SIGTERM: running jobs are finished, new ones are refused', async () => {
    storage.inputs.set('/in/last', await drawProduct());
    const last = run('last-one', 'last');
    await node.waitFor((line) => line.msg === 'job claimed' && line['job_id'] === 'last-one');
    node.kill('SIGTERM');
    await node.waitFor((line) => line.msg === 'draining');
    const late = await postJob(node.url, newJob(storage, 'too-late', 'mug')).catch(() => undefined);
    if (late) expect([late.status, late.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await last).status).toBe('completed');
    expect(await node.ended).toBe(0);
  });
});
