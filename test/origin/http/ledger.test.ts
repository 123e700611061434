/** The ledger's two routes over the node's real HTTP surface and a real database. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eraseJobs } from '../../../origin/db/erase-jobs.ts';
import { readLedgerArchive } from '../../../origin/db/read-ledger-archive.ts';
import { storeLedgerExport } from '../../../origin/db/store-ledger-export.ts';
import { createServer } from '../../../origin/http/server.ts';
import { serviceTokenVerifier } from '../../../origin/http/service-token.ts';
import { createLog } from '../../../origin/log.ts';
import { newId } from '../../../shared/ids.ts';
import { LEDGER_ARCHIVE_SUBJECT } from '../../../shared/ledger-archive.ts';
import { LEDGER_EXPORT_SUBJECT, type LedgerEntry } from '../../../shared/ledger-export.ts';
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
  throw new Error('no job is sent here');
};
const app = () =>
  createServer({
    verifyToken: serviceTokenVerifier({ publicKeys: [publicKeyOf(signingKey)] }, Date.now),
    isStorageUrl: bug,
    log: createLog('silent', 'node'),
    serveJob: bug,
    serveCheck: bug,
    serveQuickLook: bug,
    storeLedgerExport: (sent) => storeLedgerExport(db.database, sent),
    readLedgerArchive: (request) => readLedgerArchive(db.database, request),
    eraseJobs: (request) => eraseJobs(db.database, request),
    onRefused: () => {},
    onFault: (_place, error) => {
      throw error;
    },
  });
const post = async (path: string, subject: string, sent: unknown) => {
  const body = JSON.stringify(sent);
  const headers = { authorization: `Bearer ${await signToken(subject, body)}`, 'content-type': 'application/json' };
  const answer = await app().request(path, { method: 'POST', headers, body });
  return { status: answer.status, body: (await answer.json()) as unknown };
};

it('exported lines are read back as they were sent, by our edge alone', async () => {
  const accountId = newId('account', Date.now(), (n) => crypto.getRandomValues(new Uint8Array(n)));
  const entries: LedgerEntry[] = [1, 2].map((seq) => ({
    id: `led_${accountId}_${seq}`,
    account_id: accountId,
    seq,
    kind: 'grant',
    credits: 5,
    at_ms: 1_764_000_000_000 + seq,
    balance: { available: 5 * seq, held: 0, spent: 0 },
  }));
  const sent = await post(nodePaths.ledgerEntries, LEDGER_EXPORT_SUBJECT, { entries });
  expect(sent).toEqual({ status: 200, body: { stored: 2, repeated: 0, conflicting: [] } });
  const asked = { account_id: accountId, before: 100, max: 10 };
  const read = await post(nodePaths.ledgerLines, LEDGER_ARCHIVE_SUBJECT, asked);
  expect(read).toEqual({ status: 200, body: { lines: entries.toReversed() } });
  expect((await post(nodePaths.ledgerLines, LEDGER_EXPORT_SUBJECT, asked)).status).toBe(401);
  expect((await post(nodePaths.ledgerLines, LEDGER_ARCHIVE_SUBJECT, { ...asked, max: 1_001 })).status).toBe(400);
});
