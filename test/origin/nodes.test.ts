import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newJob, outcomeOf, postJob } from './support/caller.ts';
import { drawProduct } from './support/photo.ts';
import { childPids, devicePid, eventually, isAlive } from './support/proc.ts';
import { type NodeProcess, startNodeProcess } from './support/process.ts';
import { type Storage, startStorage } from './support/storage.ts';

let storage: Storage;
let dataDir: string;
beforeAll(async () => {
  storage = await startStorage();
  dataDir = await mkdtemp(join(tmpdir(), 'packshot-nodes-'));
  storage.inputs.set('/in/mug', await drawProduct());
});
afterAll(async () => {
  await storage.close();
  await rm(dataDir, { recursive: true, force: true });
});

const claimedBy = (node: NodeProcess, id: string) =>
  node.lines.some((line) => line.msg === 'job claimed' && line['job_id'] === id);
const claim = (node: NodeProcess, id: string) =>
  node.waitFor((line) => line.msg === 'job claimed' && line['job_id'] === id);
const run = async (node: NodeProcess, id: string, input = 'mug') =>
  outcomeOf(await postJob(node.url, newJob(storage, id, input)));

describe('two nodes on one database', () => {
  const LEASE_MS = '1500';
  let keeper: NodeProcess;
  let other: NodeProcess;
  /** The first node keeps the embedded database; the second reaches it as it would any server. */
  const startOther = () =>
    startNodeProcess({
      STORAGE_URLS: storage.url,
      DATABASE_URL: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(join(dataDir, 'two', 'postgres'))}`,
      LEASE_MS,
      NODE_NAME: 'other',
    });
  beforeAll(async () => {
    keeper = await startNodeProcess({
      DATA_DIR: join(dataDir, 'two'),
      STORAGE_URLS: storage.url,
      LEASE_MS,
      NODE_NAME: 'keeper',
    });
    other = await startOther();
  });
  afterAll(async () => {
    for (const node of [other, keeper]) {
      node.kill('SIGKILL');
      await node.ended;
    }
  });

  it('run a job that both are given once, and both answer with its outcome', async () => {
    const [a, b] = await Promise.all([run(keeper, 'shared'), run(other, 'shared')]);
    expect(a.status).toBe('completed');
    expect(b).toEqual(a);
    expect([claimedBy(keeper, 'shared'), claimedBy(other, 'shared')].filter(Boolean)).toHaveLength(1);
    expect(storage.outputs.get('/out/shared')?.writes).toBe(1);
  });

  it('do many jobs side by side, each once', async () => {
    const ids = Array.from({ length: 4 }, (_, i) => `many-${i}`);
    const outcomes = await Promise.all(ids.flatMap((id) => [run(keeper, id), run(other, id)]));
    expect(new Set(outcomes.map((outcome) => outcome.status))).toEqual(new Set(['completed']));
    for (const id of ids) expect(storage.outputs.get(`/out/${id}`)?.writes, id).toBe(1);
  });

  it('take over the job of a frozen node, whose late result does not count', async () => {
    storage.inputs.set('/in/frozen', await drawProduct());
    storage.hold.add('/in/frozen');
    const late = run(other, 'frozen', 'frozen').catch(() => undefined);
    await claim(other, 'frozen');
    process.kill(other.pid, 'SIGSTOP');
    storage.hold.delete('/in/frozen');
    const outcome = await run(keeper, 'frozen', 'frozen');
    expect(outcome.status).toBe('completed');
    process.kill(other.pid, 'SIGCONT');
    await eventually(
      async () => other.lines.some((line) => line.msg === 'job finished' && line['job_id'] === 'frozen'),
      'the frozen node to give up',
    );
    expect(other.lines.find((line) => line.msg === 'job finished' && line['job_id'] === 'frozen')).toMatchObject({
      recorded: false,
    });
    expect(await late).toEqual(outcome);
    expect(storage.outputs.get('/out/frozen')?.writes).toBe(1);
  });

  it('take over the job of a node that died', async () => {
    storage.inputs.set('/in/fatal', await drawProduct());
    storage.hold.add('/in/fatal');
    const lost = run(other, 'fatal', 'fatal');
    await claim(other, 'fatal');
    other.kill('SIGKILL');
    await expect(lost).rejects.toThrow();
    storage.hold.delete('/in/fatal');
    expect((await run(keeper, 'fatal', 'fatal')).status).toBe('completed');
    expect(await claim(keeper, 'fatal')).toMatchObject({ fencing_token: '2' });
    other = await startOther();
  });

  it('give up an image on which node after node died', async () => {
    const { openDatabase } = await import('../../origin/db/database.ts');
    const database = openDatabase(
      { host: join(dataDir, 'two', 'postgres'), user: 'postgres', database: 'postgres' },
      1,
      () => undefined,
    );
    await database.query(`insert into jobs (job_id, account_id, state, node_id, fence, claim_id, crashes, lease_until, deadline_at)
                          values ('killer', 'acc_a', 'leased', 'dead', 5, gen_random_uuid(), 4, clock_timestamp() - interval '1 s', clock_timestamp())`);
    await database.close();
    expect(await run(keeper, 'killer')).toMatchObject({
      status: 'failed',
      code: 'processing_failed',
      retryable: false,
    });
    expect(storage.outputs.has('/out/killer')).toBe(false);
  });
});

describe('a node with its own database', () => {
  const own = () => ({ DATA_DIR: join(dataDir, 'own'), STORAGE_URLS: storage.url });

  it('that is killed leaves no process behind, and knows every outcome after its next start', async () => {
    const first = await startNodeProcess(own());
    const outcome = await run(first, 'before-the-kill');
    const doomed = run(first, 'during-the-kill').catch(() => undefined);
    await claim(first, 'during-the-kill');
    const device = await devicePid(first.pid);
    const children = await childPids(first.pid);
    first.kill('SIGKILL');
    await first.ended;
    await doomed;
    for (const pid of [device, ...children])
      await eventually(async () => !(await isAlive(pid)), `process ${pid} ends`, 5_000);

    const second = await startNodeProcess({ ...own(), LEASE_MS: '1500' });
    const requests = storage.requests.length;
    expect(await run(second, 'before-the-kill')).toEqual(outcome);
    expect(storage.requests).toHaveLength(requests);

    await expect(startNodeProcess(own(), 20_000)).rejects.toThrow(/in use by another node/);
    second.kill('SIGTERM');
    expect(await second.ended).toBe(0);
  });
});
