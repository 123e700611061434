/** `packshot` against the real edge and ledger; the node stores a digest in place of a picture. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Packshot } from '../../clients/typescript/src/index.ts';
import type { LocalAccount } from '../../local/system.ts';
import { optionsSchema } from '../../shared/options.ts';
import { keyScopes } from '../../shared/scopes.ts';
import { heicHeads } from '../support/image-heads.ts';
import { seeded } from '../support/random.ts';
import { type Ended, linesOf, startCli } from './support/cli.ts';
import { croppedPhoto, emptyPhoto, photo, resultOf, sha256 } from './support/node.ts';
import { startService, type TestService } from './support/service.ts';

type Made = { readonly key: { readonly key_id: string }; readonly secret: string };

/** Long enough that a run can be killed in the middle. */
const JOB_MS = 60;

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startService(() => JOB_MS);
});
afterAll(() => service?.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packshot-cli-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (...path: string[]): string => join(folder, ...path);
const put = async (path: string, content: string | Uint8Array): Promise<void> => {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), content);
};
const envOf = ({ apiKey }: LocalAccount) => ({ PACKSHOT_API_KEY: apiKey, PACKSHOT_BASE_URL: service.baseUrl });
const cli = (account: LocalAccount, args: readonly string[], input?: string | Uint8Array): Promise<Ended> =>
  startCli(args, envOf(account), input).ended;
const result = (id: string): string => resultOf(sha256(photo(id)));
const outputs = (): string[] =>
  readdirSync(at('out'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(at('out').length + 1))
    .sort();

describe('the environment', () => {
  it('may name key and address as the Python client reads them', async () => {
    const { apiKey } = await service.account(3);
    const { code, stdout } = await startCli(['account'], { PACKSHOT_KEY: apiKey, PACKSHOT_URL: service.baseUrl }).ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining('3')]);
  });
});

describe('--marketplaces', () => {
  it('writes a file for each, for one credit, and a second run pays nothing', async () => {
    const account = await service.account(10);
    await put('in/a.jpg', photo('several'));
    const args = [at('in'), '-o', at('out'), '--json', '--marketplaces', 'amazon,walmart,zalando'];
    const first = await cli(account, args);
    expect([first.code, first.stderr]).toEqual([0, '1 made, 1 credit spent\n']);
    expect(outputs()).toEqual(['.packshot-state.jsonl', 'a-walmart.jpg', 'a-zalando.jpg', 'a.jpg']);
    expect(readFileSync(at('out/a.jpg'), 'utf8')).toBe(result('several'));
    expect(readFileSync(at('out/a-zalando.jpg'), 'utf8')).toBe(`zalando ${result('several')}`);
    expect(linesOf(await cli(account, args)).at(-1)).toMatchObject({ summary: { unchanged: 1, credits_spent: 0 } });
    // The first file gone, the run asks the batch for all of them again.
    await rm(at('out/a.jpg'));
    await rm(at('out/a-walmart.jpg'));
    expect(linesOf(await cli(account, args)).at(-1)).toMatchObject({ summary: { done: 1, credits_spent: 0 } });
    expect(outputs()).toEqual(['.packshot-state.jsonl', 'a-walmart.jpg', 'a-zalando.jpg', 'a.jpg']);
    expect(await service.totals(account)).toMatchObject({ spent: 1, held: 0 });
  });

  it('that the API would refuse ends the command before anything is sent', async () => {
    const account = await service.account(1);
    await put('in/a.jpg', photo('refused'));
    const { code, stderr } = await cli(account, [at('in'), '-o', at('out'), '--marketplaces', 'amazon,temu']);
    expect(code).toBe(2);
    expect(stderr).toContain('marketplaces');
  });
});

describe('a HEIC photo', () => {
  /** The programs that a machine may have, and the argument in which each is told where the JPEG goes. */
  const programs = [
    ['sips', '$9'],
    ['heif-convert', '$4'],
  ] as const;
  const heicOf = (id: string) => new Uint8Array([...heicHeads['of an iPhone'], ...new TextEncoder().encode(id)]);
  const runWith = async (account: LocalAccount, args: readonly string[]): Promise<Ended> =>
    startCli(args, { ...envOf(account), PATH: `${at('bin')}:/bin` }).ended;

  it.each(programs)('is sent as a JPEG where the machine has %s, is converted and paid once', async (name, target) => {
    const account = await service.account(5);
    await put('in/IMG_1.HEIC', heicOf(name));
    await put('converted.jpg', photo(`made by ${name}`));
    await put(`bin/${name}`, `#!/bin/sh\necho ran >> ${at('runs')}\n/bin/cp ${at('converted.jpg')} "${target}"\n`);
    await chmod(at('bin', name), 0o755);
    const args = [at('in'), '-o', at('out'), '--json'];
    expect(linesOf(await runWith(account, args))).toMatchObject([
      { status: 'done', credits: 1 },
      { summary: { images: 1, done: 1 } },
    ]);
    expect(readFileSync(at('out/IMG_1.jpg'), 'utf8')).toBe(resultOf(sha256(photo(`made by ${name}`))));
    expect(linesOf(await runWith(account, args)).at(-1)).toMatchObject({ summary: { unchanged: 1 } });
    expect(readFileSync(at('runs'), 'utf8')).toBe('ran\n');
  });

  it('fails with what to do about it where no program can, costs nothing, and ends nothing else', async () => {
    const account = await service.account(5);
    await put('in/IMG_1.HEIC', heicOf('none'));
    await put('in/a.jpg', photo('beside a HEIC'));
    const ended = await runWith(account, [at('in'), '-o', at('out'), '--json', '--concurrency', '1']);
    expect(ended.code).toBe(1);
    expect(linesOf(ended)).toMatchObject([
      { status: 'failed', code: 'unsupported_heic', detail: expect.stringMatching(/export it as JPEG/), credits: 0 },
      { status: 'done' },
      { summary: { failed: 1, done: 1, credits_spent: 1 } },
    ]);
    expect(linesOf(await runWith(account, ['check', at('in/IMG_1.HEIC'), '--json']))[0]).toMatchObject({
      status: 'failed',
      code: 'unsupported_heic',
    });
    expect(await service.totals(account)).toMatchObject({ spent: 1, held: 0 });
  });
});

describe('a folder', () => {
  it('is mirrored, below itself too, and a second run finds everything there and pays nothing', async () => {
    const account = await service.account(10);
    await put('in/a.jpg', photo('tree-a'));
    await put('in/sub/deep/b.PNG', photo('tree-b'));
    await put('in/notes.pdf', 'no image');
    const args = [at('in'), '-o', at('out'), '--json'];
    const first = await cli(account, args);
    expect(first.stderr).toBe('2 made, 2 credits spent\n');
    expect(first.code).toBe(0);
    expect(linesOf(first)).toMatchObject([
      { status: 'done', credits: 1, compliance: { passed: true } },
      { status: 'done', credits: 1 },
      { summary: { images: 2, done: 2, credits_spent: 2 } },
    ]);
    expect(outputs()).toEqual(['.packshot-state.jsonl', 'a.jpg', 'sub/deep/b.jpg']);
    expect(readFileSync(at('out/sub/deep/b.jpg'), 'utf8')).toBe(result('tree-b'));
    const second = await cli(account, args);
    expect(linesOf(second).at(-1)).toEqual({
      summary: { images: 2, done: 0, unchanged: 2, failed: 0, left: 0, credits_spent: 0 },
    });
    expect(await service.totals(account)).toMatchObject({ spent: 2, held: 0 });
  });

  it('that holds the output folder does not take results for photos', async () => {
    const account = await service.account(10);
    await put('in/a.jpg', photo('inside'));
    const args = [at('in'), '-o', at('in/done'), '--json'];
    await cli(account, args);
    expect(linesOf(await cli(account, args)).at(-1)).toMatchObject({ summary: { images: 1, unchanged: 1 } });
  });

  it('pays once for equal files, keeps results apart that would have one name, and makes a changed file again', async () => {
    const account = await service.account(10);
    await put('in/a.jpg', photo('twin'));
    await put('in/b.jpg', photo('twin'));
    await put('in/b.png', photo('other'));
    await cli(account, [at('in'), '-o', at('out')]);
    expect(outputs()).toEqual(['.packshot-state.jsonl', 'a.jpg', 'b-2.jpg', 'b.jpg']);
    expect(['a', 'b', 'b-2'].map((name) => readFileSync(at(`out/${name}.jpg`), 'utf8'))).toEqual(
      ['twin', 'twin', 'other'].map(result),
    );
    expect((await service.totals(account)).spent).toBe(2);
    await put('in/a.jpg', photo('changed'));
    await cli(account, [at('in'), '-o', at('out')]);
    expect(readFileSync(at('out/a.jpg'), 'utf8')).toBe(result('changed'));
    expect((await service.totals(account)).spent).toBe(3);
  });
});

describe('inputs', () => {
  it('may be patterns, URLs, and lists of both with names of their own', async () => {
    const account = await service.account(20);
    await put('in/x/p.jpg', photo('glob-p'));
    await put('in/y/q.jpg', photo('glob-q'));
    await put('list.csv', `sku,url,filename\n1,${service.shopUrl}/photo/csv.jpg,shoes/one.jpg\n`);
    await put(
      'list.jsonl',
      `{"input_url":"${service.shopUrl}/photo/jsonl.jpg"}\n"${service.shopUrl}/photo/text.jpg"\n`,
    );
    const inputs = [at('in/*/*.jpg'), `${service.shopUrl}/photo/url.jpg`, at('list.csv'), at('list.jsonl')];
    const ended = await cli(account, [...inputs, '-o', at('out')]);
    expect(ended).toMatchObject({ code: 0, stderr: '6 made, 6 credits spent\n' });
    expect(outputs().slice(1)).toEqual(['jsonl.jpg', 'shoes/one.jpg', 'text.jpg', 'url.jpg', 'x/p.jpg', 'y/q.jpg']);
    expect(readFileSync(at('out/shoes/one.jpg'), 'utf8')).toBe(result('csv'));
  });

  it('may come from standard input: an image, or a list', async () => {
    const account = await service.account(5);
    expect((await cli(account, ['-', '-o', at('out/main.jpg')], photo('stdin'))).code).toBe(0);
    expect(readFileSync(at('out/main.jpg'), 'utf8')).toBe(result('stdin'));
    await cli(account, ['-', '-o', at('out')], `# photos\n${service.shopUrl}/photo/listed.jpg\n`);
    expect(readFileSync(at('out/listed.jpg'), 'utf8')).toBe(result('listed'));
  });

  it('that fail are named, cost nothing, and stop nobody else', async () => {
    const account = await service.account(5);
    await put('in/bad.jpg', emptyPhoto('cli-bad'));
    await put('in/good.jpg', photo('cli-good'));
    const ended = await cli(account, [at('in'), `${service.shopUrl}/none.jpg`, '-o', at('out')]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`${at('in/bad.jpg')}: No product was found (no_product_found)`);
    expect(ended.stderr).toContain('(url_status)');
    expect(ended.stderr).toContain('1 made, 2 failed, 1 credit spent');
    expect(await service.totals(account)).toMatchObject({ spent: 1, held: 0 });
  });

  it('may not lead out of the output folder', async () => {
    const account = await service.account(1);
    await put('list.csv', `url,filename\n${service.shopUrl}/photo/out.jpg,../../etc/x.jpg\n`);
    const ended = await cli(account, [at('list.csv'), '-o', at('out')]);
    expect([ended.code, ended.stderr]).toEqual([2, 'packshot: ../../etc/x.jpg: leads out of the output folder\n']);
  });
});

describe('a run', () => {
  it('killed again and again makes every output once and pays for it once', async () => {
    const IMAGES = 40;
    const account = await service.account(IMAGES * 2);
    const ids = Array.from({ length: IMAGES }, (_, i) => `kill-${i}`);
    for (const id of ids.slice(0, IMAGES / 2)) await put(`in/${id}.jpg`, photo(id));
    await put(
      'list.txt',
      ids
        .slice(IMAGES / 2)
        .map((id) => `${service.shopUrl}/photo/${id}.jpg`)
        .join('\n'),
    );
    const args = [at('in'), at('list.txt'), '-o', at('out'), '--json', '--concurrency', '3'];
    const random = seeded(7).next;
    let kills = 0;
    for (; kills < 30; kills++) {
      const { child, ended } = startCli(args, envOf(account));
      // From the first request on: before that a run does nothing that could be lost.
      const began = await Promise.race([untilWorkBegan(service), ended.then(() => 'ended' as const)]);
      if (began === 'ended') break;
      await sleep(random() * 400);
      child.kill('SIGKILL');
      const { code } = await ended;
      if (code === 0) break;
    }
    expect(kills).toBeGreaterThan(3);
    const last = await cli(account, args);
    expect(last.code, last.stderr).toBe(0);
    expect(outputs()).toEqual(['.packshot-state.jsonl', ...ids.map((id) => `${id}.jpg`)].sort());
    for (const id of ids) {
      expect(readFileSync(at(`out/${id}.jpg`), 'utf8')).toBe(result(id));
      expect(service.node.jobs.get(sha256(photo(id))), id).toBe(1);
    }
    await vi.waitUntil(async () => (await service.totals(account)).held === 0, 20_000);
    expect((await service.totals(account)).spent).toBe(IMAGES);
  });

  it('never spends more than --max-credits, says so, and a later one does the rest', async () => {
    const account = await service.account(20);
    for (const id of ['cap-1', 'cap-2', 'cap-3', 'cap-4', 'cap-5']) await put(`in/${id}.jpg`, photo(id));
    const capped = await cli(account, [at('in'), '-o', at('out'), '--max-credits', '2']);
    expect(capped).toMatchObject({ code: 5, stderr: '2 made, 3 left, 2 credits spent\n' });
    expect(await service.totals(account)).toMatchObject({ spent: 2, held: 0 });
    const rest = await cli(account, [at('in'), '-o', at('out'), '--max-credits', '3']);
    expect(rest).toMatchObject({ code: 0, stderr: '3 made, 2 already there, 3 credits spent\n' });
  });

  it('with --dry-run says what is to do and what it costs, and asks nobody', async () => {
    const account = await service.account(3);
    await put('in/a.jpg', photo('dry-a'));
    await cli(account, [at('in'), '-o', at('out')]);
    await put('in/b.jpg', photo('dry-b'));
    await put('in/c.jpg', photo('dry-b'));
    const nobody = startCli([at('in'), '-o', at('out'), '--dry-run', '--json'], {});
    const ended = await nobody.ended;
    expect(ended.code).toBe(0);
    expect(linesOf(ended)).toMatchObject([
      { output: 'a.jpg', status: 'unchanged', credits: 0 },
      { output: 'b.jpg', status: 'to_do', credits: 1 },
      { output: 'c.jpg', status: 'to_do', credits: 0 },
      { summary: { images: 3, credits: 1 } },
    ]);
    expect(ended.stderr).toContain('Without findings: No API key');
  });

  it('with --dry-run and a key says what the free check finds about what is to do, and pays nothing', async () => {
    const account = await service.account(3);
    await put('in/a.jpg', photo('looked-a'));
    await cli(account, [at('in'), '-o', at('out')]);
    await put('in/b.jpg', croppedPhoto('looked-b'));
    const before = service.node.checks();
    const asked = await cli(account, [at('in'), '-o', at('out'), '--dry-run', '--json']);
    expect(linesOf(asked)).toMatchObject([
      { output: 'a.jpg', status: 'unchanged' },
      { output: 'b.jpg', status: 'to_do', credits: 1, findings: [{ code: 'product_cropped' }] },
      { summary: { images: 2, credits: 1 } },
    ]);
    expect(service.node.checks()).toBe(before + 1);
    const text = await cli(account, [at('in'), '-o', at('out'), '--dry-run']);
    expect(text.stdout).toContain('  required     product_cropped: The product touches the upper edge');
    const silent = await cli(account, [at('in'), '-o', at('out'), '--dry-run', '--no-check', '--json']);
    expect(linesOf(silent)[1]).toEqual({ input: at('in/b.jpg'), output: 'b.jpg', status: 'to_do', credits: 1 });
    expect(service.node.checks()).toBe(before + 2);
    expect(await service.totals(account)).toMatchObject({ spent: 1, held: 0 });
  });

  it('ends at once for a refused key and for want of credits, each with its exit code', async () => {
    const account = await service.account(1);
    for (const id of ['poor-1', 'poor-2', 'poor-3']) await put(`in/${id}.jpg`, photo(id));
    const wrong = await cli({ ...account, apiKey: 'sk_live_wrong' }, [at('in'), '-o', at('none')]);
    expect([wrong.code, wrong.stderr.includes('key_malformed')]).toEqual([3, true]);
    const poor = await cli(account, [at('in'), '-o', at('out'), '--concurrency', '1']);
    expect([poor.code, poor.stderr.includes('insufficient_credits')]).toEqual([4, true]);
    expect(poor.stderr).toContain('1 made, 1 failed, 1 left, 1 credit spent');
  });

  it('writes no bar and no colour where stderr is no terminal', async () => {
    await put('a.jpg', photo('plain'));
    const { stdout, stderr } = await cli(await service.account(1), [at('a.jpg'), '-o', at('out')]);
    expect([stdout, stderr]).toEqual(['', '1 made, 1 credit spent\n']);
  });

  it('with --watch makes what comes into the folder, until it is interrupted', async () => {
    const account = await service.account(5);
    await put('in/before.jpg', photo('watch-before'));
    const { child, ended } = startCli([at('in'), '-o', at('in/out'), '--watch'], envOf(account));
    await vi.waitUntil(() => existsSync(at('in/out/before.jpg')), 30_000);
    await put('in/new/later.jpg', photo('watch-later'));
    await vi.waitUntil(() => existsSync(at('in/out/new/later.jpg')), 30_000);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, stderr: '2 made, 2 credits spent\n' });
    expect((await service.totals(account)).spent).toBe(2);
  });
});

describe('usage', () => {
  it.each([
    [['-o', 'out'], 'Name at least one image'],
    [['x.jpg'], '-o is missing'],
    [['no-such.jpg', '-o', 'out'], 'no such file or folder'],
    [['https://shop.example/a.jpg', '-o', 'out', '--canvas', '7'], 'canvas'],
    [['https://shop.example/a.jpg', '-o', 'out', '--background', 'transparent'], 'a jpg cannot be transparent'],
    [['https://shop.example/a.jpg', '-o', 'out.png', '--format', 'jpg'], 'does not go with --format'],
    [['x.jpg', '-o', 'out', '--surprise'], "unknown option '--surprise'"],
    [['x.jpg', '-o', 'out', '--concurrency', '0'], 'must be a whole number'],
  ])('%j is refused before anything is sent, with exit code 2', async (args, said) => {
    const { code, stderr } = await startCli(args, { PACKSHOT_API_KEY: 'k', PACKSHOT_BASE_URL: 'http://127.0.0.1:1' })
      .ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it('has a flag for every option of the API', async () => {
    const { stdout } = await startCli(['--help'], {}).ended;
    for (const name of Object.keys(optionsSchema.shape)) expect(stdout).toContain(`--${name.replaceAll('_', '-')} `);
  });
});

describe('login', () => {
  it('checks the key, keeps it for its owner alone, and later runs use it', async () => {
    const account = await service.account(4);
    const env = { XDG_CONFIG_HOME: at('config') };
    const wrong = await startCli(['login', '--base-url', service.baseUrl], env, 'sk_live_wrong\n').ended;
    expect([wrong.code, existsSync(at('config'))]).toEqual([3, false]);
    const right = await startCli(['login', '--base-url', service.baseUrl], env, `${account.apiKey}\n`).ended;
    expect([right.code, right.stdout, right.stderr.includes(account.apiKey)]).toEqual([0, '', false]);
    expect(statSync(at('config/packshot/credentials.json')).mode & 0o777).toBe(0o600);
    const shown = await startCli(['account'], env).ended;
    expect(shown.stdout).toBe('4 credits available, 0 held, 0 spent (0.25 USD each)\n');
    await startCli(['logout'], env).ended;
    expect((await startCli(['account'], env).ended).code).toBe(2);
  });
});

/** Resolves when the node has got one more job than now. */
const untilWorkBegan = async ({ node }: TestService): Promise<'began'> => {
  const before = total(node.jobs);
  while (total(node.jobs) === before) await sleep(10);
  return 'began';
};
const total = (jobs: ReadonlyMap<string, number>): number => [...jobs.values()].reduce((sum, jobs) => sum + jobs, 0);

describe('packshot check', () => {
  it('lists the findings of each photo with their remedy, and ends with 1 where a listing would be refused', async () => {
    const account = await service.account(0);
    await put('in/cut.jpg', croppedPhoto('check-cut'));
    await put('in/fine.jpg', photo('check-fine'));
    const ended = await cli(account, ['check', at('in'), '--marketplace', 'walmart']);
    expect(ended.stdout).toBe(
      [
        `${at('in/cut.jpg')}  1600 × 1200`,
        '  required     product_cropped: The product touches the upper edge along 212 px. (amazon)',
        '               Take the photo again from further away.',
        `${at('in/fine.jpg')}  1600 × 1200  nothing found`,
        '',
      ].join('\n'),
    );
    expect([ended.code, ended.stderr]).toEqual([1, '2 checked, 1 with findings, 1 that a marketplace would refuse\n']);
    expect((await cli(account, ['check', at('in/fine.jpg')])).code).toBe(0);
    expect(await service.totals(account)).toMatchObject({ spent: 0, held: 0 });
  });

  it('with --json prints a line for each photo, also for one that cannot be read, and a summary', async () => {
    const account = await service.account(0);
    const inputs = [`${service.shopUrl}/cropped/check-url.jpg`, `${service.shopUrl}/none.jpg`];
    const ended = await cli(account, ['check', ...inputs, '--json', '--marketplace', 'etsy']);
    expect(linesOf(ended)).toMatchObject([
      { input: inputs[0], status: 'checked', marketplace: 'etsy', findings: [{ code: 'product_cropped' }] },
      { input: inputs[1], status: 'failed', code: 'url_status' },
      { summary: { images: 2, with_findings: 1, refusable: 1, failed: 1, not_checked: 0 } },
    ]);
    expect(ended.code).toBe(1);
  });

  it('takes the options of the API, and refuses what it would refuse', async () => {
    const account = await service.account(0);
    const wrong = await cli(account, ['check', at('none.jpg'), '--canvas', '5']);
    expect(wrong.code).toBe(2);
    const key = await cli({ ...account, apiKey: 'sk_live_wrong' }, ['check', `${service.shopUrl}/photo/x.jpg`]);
    expect([key.code, key.stderr.includes('key_malformed')]).toEqual([3, true]);
  });
});

describe('packshot keys', () => {
  const adminOf = (account: LocalAccount): Promise<LocalAccount> => service.key(account, { scopes: [...keyScopes] });

  it('create prints the secret alone on stdout, once, and the key does what it may and no more', async () => {
    const account = await service.account(5);
    const admin = await adminOf(account);
    const limits = ['--scope', 'images:write', '--daily-cap', '1', '--expires', '2999-06-30'];
    const made = await cli(admin, ['keys', 'create', 'Warehouse', ...limits]);
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^packshot_live_\w{64}\n$/)]);
    expect(made.stderr).toMatch(/^key_\w+ \(Warehouse\): store the secret now/);
    const key = { ...account, apiKey: made.stdout.trim() };
    expect((await cli(key, ['account'])).stderr).toContain('key_scope_missing');
    await put('in/a.jpg', photo('keys-a'));
    expect((await cli(key, [at('in'), '-o', at('out')])).code).toBe(0);
    await put('in/b.jpg', photo('keys-b'));
    const capped = await cli(key, [at('in'), '-o', at('out')]);
    expect([capped.code, capped.stderr]).toEqual([4, expect.stringContaining('key_spending_cap_reached')]);
    expect(await service.totals(account)).toMatchObject({ spent: 1, held: 0 });
    const listed = await cli(admin, ['keys', 'list']);
    expect(listed.stdout).toContain('Warehouse  images:write  1 of 1 credits today  until 2999-06-30T23:59:59.000Z');
    expect(listed.stdout).not.toContain(key.apiKey);
  });

  it('roll prints another secret; the one before goes on for the overlap, and revoke ends both', async () => {
    const account = await service.account(0);
    const admin = await adminOf(account);
    const madeIn = (ended: Ended) => linesOf(ended)[0] as Made;
    const created = madeIn(await cli(admin, ['keys', 'create', 'Rolled', '--json']));
    const id = created.key.key_id;
    expect((await cli(admin, ['keys', 'roll', id])).code).toBe(2);
    const rolled = madeIn(await cli(admin, ['keys', 'roll', id, '--overlap-hours', '1', '--json']));
    const codes = () =>
      Promise.all(
        [created, rolled].map(async (made) => (await cli({ ...account, apiKey: made.secret }, ['account'])).code),
      );
    expect(await codes()).toEqual([0, 0]);
    const again = await cli(admin, ['keys', 'roll', id, '--overlap-hours', '0']);
    expect(await codes()).toEqual([3, 3]);
    expect((await cli({ ...account, apiKey: again.stdout.trim() }, ['account'])).code).toBe(0);
    const revoked = await cli(admin, ['keys', 'revoke', id]);
    expect([revoked.code, revoked.stdout, revoked.stderr]).toEqual([0, '', `${id} (Rolled) is revoked\n`]);
    expect((await cli({ ...account, apiKey: again.stdout.trim() }, ['account'])).stderr).toContain('key_revoked');
  });

  it('ends with 3 for a key without the scope, 1 for a key that is not there, 2 for wrong usage', async () => {
    const account = await service.account(0);
    const plain = await cli(account, ['keys', 'list']);
    expect([plain.code, plain.stderr]).toEqual([3, expect.stringContaining('admin')]);
    const admin = await adminOf(account);
    expect((await cli(admin, ['keys', 'revoke', 'key_none'])).code).toBe(1);
    expect((await cli(admin, ['keys', 'create', 'x', '--scope', 'everything'])).code).toBe(2);
    expect((await cli(admin, ['keys', 'create', 'x', '--daily-cap', '-1'])).code).toBe(2);
  });
});

describe('packshot results', () => {
  it('saves the archive and the table of a batch, and says where', async () => {
    const account = await service.account(2);
    const packshot = new Packshot({ apiKey: account.apiKey, baseUrl: service.baseUrl });
    const batch = await packshot.createBatch([photo('cli-zip-a'), photo('cli-zip-b')]);
    await batch.wait();
    const into = at('all');
    const saved = await cli(account, ['results', batch.id, '-o', into]);
    const [archive, table] = [join(into, `packshot-${batch.id}.zip`), join(into, `packshot-${batch.id}.csv`)];
    expect(saved).toMatchObject({ code: 0, stdout: `${archive}\n${table}\n` });
    expect(readFileSync(archive, 'latin1')).toContain(result('cli-zip-b'));
    expect(readFileSync(table, 'utf8').trimEnd().split('\r\n')).toHaveLength(3);
    expect(readdirSync(into).sort()).toEqual([`packshot-${batch.id}.csv`, `packshot-${batch.id}.zip`]);
  });

  it('says what it lacks', async () => {
    const account = await service.account(0);
    const unknown = await cli(account, ['results', 'bat_01k9zq4v7kq3w5e7r9t1y3v5n7', '-o', at('none')]);
    expect([unknown.code, unknown.stdout]).toEqual([1, '']);
    expect(await cli(account, ['results', 'bat_01k9zq4v7kq3w5e7r9t1y3v5n7'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('packshot delete', () => {
  it('deletes one image by its place, then the batch, and says so', async () => {
    const account = await service.account(5);
    const packshot = new Packshot({ apiKey: account.apiKey, baseUrl: service.baseUrl });
    const batch = await packshot.createBatch([photo('cli-delete-a'), photo('cli-delete-b')]);
    const { images } = await batch.wait();
    const one = await cli(account, ['delete', batch.id, '--index', '1', '--json']);
    expect([one.code, linesOf(one)]).toEqual([
      0,
      [{ id: images[1]?.image_id, status: expect.stringMatching(/^delet/) }],
    ]);
    expect((await batch.status()).images.map(({ status }) => status)).toEqual(['completed', 'deleted']);
    const all = await cli(account, ['delete', batch.id]);
    expect([all.code, all.stdout]).toEqual([0, expect.stringMatching(new RegExp(`^${batch.id}: (is being )?deleted`))]);
    await expect(batch.status()).rejects.toMatchObject({ code: 'batch_deleted' });
  });

  it.each([
    ['a place that the batch has not', ['--index', '2'], 1, 'no image at place 2'],
    ['a place that is no number', ['--index', 'x'], 2, '--index'],
    ['no batch', [], 2, 'batch_id'],
  ])('of %s fails and deletes nothing', async (what, flags, code, said) => {
    const account = await service.account(1);
    const packshot = new Packshot({ apiKey: account.apiKey, baseUrl: service.baseUrl });
    const { batch_id } = await packshot.create(photo(`cli-kept-${flags.length}-${code}`));
    const ended = await cli(account, ['delete', ...(what === 'no batch' ? [] : [batch_id]), ...flags]);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    expect(ended.stderr).toContain(said);
    expect((await packshot.batch(batch_id).status()).images[0]?.status).toBe('completed');
  });
});

describe('packshot account', () => {
  it('sets how long results are kept, and says it', async () => {
    const admin = await service.key(await service.account(1), { scopes: [...keyScopes] });
    expect(await cli(admin, ['account', '--retention', '0'])).toMatchObject({
      code: 0,
      stdout: 'results are kept until their first complete download\n',
    });
    expect((await cli(admin, ['account'])).stdout).toContain('until their first complete download');
    expect(linesOf(await cli(admin, ['account', '--retention', 'default', '--json']))).toEqual([
      { retention_days: null },
    ]);
    for (const wrong of ['31', '-1', 'week'])
      expect(await cli(admin, ['account', '--retention', wrong])).toMatchObject({ code: 2, stdout: '' });
    expect(linesOf(await cli(admin, ['account', '--json']))[0]).toMatchObject({ retention_days: null });
  });

  it('deletes all data with the typed id of the account or --yes, and else nothing', async () => {
    const account = await service.account(3);
    const admin = await service.key(account, { scopes: [...keyScopes] });
    const packshot = new Packshot({ apiKey: account.apiKey, baseUrl: service.baseUrl });
    const { batch_id } = await packshot.create(photo('cli-delete-data'));
    for (const typed of ['', 'yes\n', 'acc_01k9zq0000r4t6y8v0n2p4s6w8\n']) {
      const refused = await cli(admin, ['account', 'delete-data'], typed);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('nothing was deleted');
    }
    expect((await packshot.batch(batch_id).status()).images[0]?.status).toBe('completed');
    expect(await cli(account, ['account', 'delete-data', '--yes'])).toMatchObject({ code: 3, stdout: '' });
    const asked = await cli(admin, ['account', 'delete-data'], `${account.accountId}\n`);
    expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining('deleted')]);
    await vi.waitFor(
      () => expect(packshot.batch(batch_id).status()).rejects.toMatchObject({ code: 'batch_deleted' }),
      30_000,
    );
    const again = await cli(admin, ['account', 'delete-data', '--yes', '--json']);
    expect([again.code, linesOf(again)]).toEqual([0, [{ status: expect.stringMatching(/^delet/) }]]);
  });
});
