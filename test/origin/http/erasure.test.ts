/** What origin forgets when an owner deletes, over the node's real HTTP surface and a real database. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eraseJobs } from '../../../origin/db/erase-jobs.ts';
import { createJobStore } from '../../../origin/db/job-store.ts';
import { createServer } from '../../../origin/http/server.ts';
import { serviceTokenVerifier } from '../../../origin/http/service-token.ts';
import { createLog } from '../../../origin/log.ts';
import { ERASURE_SUBJECT } from '../../../shared/erasure.ts';
import { nodePaths } from '../../../shared/paths.ts';
import { publicKeyOf } from '../../../shared/service-key.ts';
import { signingKey } from '../../support/service-keys.ts';
import { signToken } from '../support/caller.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const bug = (): never => {
  throw new Error('nothing else is sent here');
};
const post = async (subject: string, sent: unknown): Promise<{ status: number; body: unknown }> => {
  const app = createServer({
    verifyToken: serviceTokenVerifier({ publicKeys: [publicKeyOf(signingKey)] }, Date.now),
    isStorageUrl: bug,
    log: createLog('silent', 'node'),
    serveJob: bug,
    serveCheck: bug,
    serveQuickLook: bug,
    storeLedgerExport: bug,
    readLedgerArchive: bug,
    eraseJobs: (request) => eraseJobs(db.database, request),
    onRefused: () => {},
    onFault: (_place, error) => {
      throw error;
    },
  });
  const body = JSON.stringify(sent);
  const headers = { authorization: `Bearer ${await signToken(subject, body)}`, 'content-type': 'application/json' };
  const answer = await app.request(nodePaths.erasures, { method: 'POST', headers, body });
  return { status: answer.status, body: await answer.json() };
};

const done = async (jobId: string): Promise<void> => {
  const store = createJobStore(db.database, 'node-1', 60_000);
  const claim = await store.claim({ jobId, accountId: 'acc_1', deadlineAtMs: Date.now() + 60_000, mode: 'live' });
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  const outcome = { status: 'failed', code: 'unreadable_image', detail: 'zebra.jpg', retryable: false } as const;
  expect(await store.record(jobId, claim.fencingToken, outcome)).toBe(true);
};
const rowOf = async (jobId: string) =>
  (
    await db.database.query<{ outcome: unknown; account_id: string }>('select * from jobs where job_id = $1', [jobId])
  )[0];

it('an erased job keeps whether it completed and nothing of the photo; others stay as they are; repeated, nothing changes', async () => {
  await done('img_erased');
  await done('img_other');
  for (let i = 0; i < 2; i++)
    expect(await post(ERASURE_SUBJECT, { job_ids: ['img_erased', 'img_unknown'] })).toEqual({
      status: 200,
      body: { erased: 1 },
    });
  expect(JSON.stringify(await rowOf('img_erased'))).not.toContain('zebra');
  expect((await rowOf('img_erased'))?.outcome).toEqual({ status: 'failed', erased: true });
  expect(JSON.stringify(await rowOf('img_other'))).toContain('zebra');
});

it('an erased job that is asked for again is told as deleted, and is not run', async () => {
  await done('img_again');
  await post(ERASURE_SUBJECT, { job_ids: ['img_again'] });
  const store = createJobStore(db.database, 'node-2', 60_000);
  expect(await store.status('img_again')).toMatchObject({ kind: 'done', outcome: { code: 'result_deleted' } });
});

it('only our edge can have something erased, and only what it names', async () => {
  await done('img_kept');
  expect((await post('another-subject', { job_ids: ['img_kept'] })).status).toBe(401);
  expect((await post(ERASURE_SUBJECT, { job_ids: [] })).status).toBe(400);
  expect(JSON.stringify(await rowOf('img_kept'))).toContain('zebra');
});
