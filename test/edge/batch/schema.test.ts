/** Objects made at different times have the same tables. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { batchView, jobOf, snapshotOf } from '../../../edge/batch/rows.ts';
import { batchSchema, batchTables } from '../../../edge/batch/schema.ts';
import { migrate } from '../../../edge/sqlite/rows.ts';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { sagaOf, sagaStub } from '../support/service.ts';

const tablesMadeBy = (fresh: string | undefined): Promise<unknown> =>
  runInDurableObject(
    sagaStub(newId('batch', Date.now(), (n) => crypto.getRandomValues(new Uint8Array(n)))),
    (_saga, { storage }) => {
      migrate(storage, batchSchema, fresh);
      const made = storage.sql
        .exec<{ name: string; type: string }>(
          "select name, type from sqlite_master where name not like '\\_%' escape '\\' order by name",
        )
        .toArray();
      return made.map(({ name, type }) => [
        name,
        type,
        storage.sql
          .exec('select name, type, "notnull", dflt_value, pk from pragma_table_info(?) order by name', name)
          .toArray(),
      ]);
    },
  );

it('a batch has the same tables whether all scripts made them or one did at once', async () => {
  const atOnce = await tablesMadeBy(batchTables);
  expect(atOnce).toEqual(await tablesMadeBy(undefined));
  expect(JSON.stringify(atOnce)).toContain('ledgerTries');
});

/** Scripts before inputs were many to a row. */
const ONE_INPUT_A_ROW = 6;
/** Before a key's cap could refuse one. */
const BEFORE_CAPS = 7;

it("a batch of 120 images of the version before keeps every image's input, state and place", async () => {
  const images = Array.from({ length: 120 }, (_, i) => `https://shop.example/"${i}".jpg`);
  const context = { batchId: 'bat_1', accountId: 'acc_1', webhookUrl: null };
  await runInDurableObject(
    sagaStub(newId('batch', Date.now(), (n) => crypto.getRandomValues(new Uint8Array(n)))),
    (_saga, { storage }) => {
      const { sql } = storage;
      migrate(storage, batchSchema.slice(0, ONE_INPUT_A_ROW));
      sql.exec(`insert into batch (batchId, style, images, createdAtMs, deadlineAtMs, hold, nextIndex, processing, completed, failed,
        unsettled, webhook) values ('bat_1', 'batch', 120, 1, 2, 'held', 1, 0, 1, 0, 0, '{"state":"none"}')`);
      sql.exec('insert into context values (1, ?)', JSON.stringify(context));
      for (const [index, url] of images.entries())
        sql.exec(
          `insert into image ("index", status, dispatches, settlement, outcome, originalName, filename, inputUrl) values (?, ?, 0, ?, ?, ?, ?, ?)`,
          index,
          index === 77 ? 'completed' : 'queued',
          index === 77 ? 'settled' : 'open',
          index === 77 ? '{"status":"completed"}' : null,
          `${index} "a".jpg`,
          `${index}.jpg`,
          url,
        );
      migrate(storage, batchSchema);
      const batch = batchView(sql).batch();
      if (!batch) throw new Error('no batch');
      expect(sql.exec('select part, context is not null as first from requestPart').toArray()).toEqual([
        { part: 0, first: 1 },
        { part: 1, first: 0 },
        { part: 2, first: 0 },
      ]);
      for (const index of [0, 49, 50, 119])
        expect(jobOf(sql, batch, index)).toMatchObject({ accountId: 'acc_1', inputUrl: images[index], failures: 0 });
      const shown = snapshotOf(sql, batch).images;
      expect(shown.map(({ originalName }) => originalName)).toEqual(images.map((_, index) => `${index} "a".jpg`));
      expect(shown.flatMap(({ index, status }) => (status === 'completed' ? [index] : []))).toEqual([77]);
    },
  );
});

it('a batch of the version before that was refused is refused for want of credits, not by a cap', async () => {
  const stub = sagaStub(newId('batch', Date.now(), (n) => crypto.getRandomValues(new Uint8Array(n))));
  await runInDurableObject(stub, (_saga, { storage }) => {
    const { sql } = storage;
    migrate(storage, batchSchema.slice(0, BEFORE_CAPS));
    sql.exec(`insert into batch (batchId, style, images, createdAtMs, deadlineAtMs, hold, nextIndex, processing, completed, failed,
      unsettled, webhook) values ('bat_1', 'batch', 1, 1, 2, 'refused', 0, 0, 0, 0, 0, '{"state":"none"}')`);
    migrate(storage, batchSchema);
    expect(batchView(sql).batch()).toMatchObject({ hold: 'refused', capReached: null });
  });
});

it('a batch of the version before is shown as it was, goes at the end of its week, and can be ended and deleted', async () => {
  const batchId = newId('batch', Date.now(), (n) => crypto.getRandomValues(new Uint8Array(n)));
  const stub = sagaStub(batchId);
  const before = batchSchema.findIndex((script) => script.includes('endReason'));
  await runInDurableObject(stub, (_saga, { storage }) => {
    const { sql } = storage;
    migrate(storage, batchSchema.slice(0, before));
    sql.exec(
      `insert into batch (batchId, style, images, createdAtMs, deadlineAtMs, hold, nextIndex, processing, completed, failed,
        unsettled, completedAtMs, webhook) values (?, 'batch', 1, ?, ?, 'held', 1, 0, 1, 0, 0, ?, '{"state":"none"}')`,
      batchId,
      Date.now(),
      Date.now() + 1_000,
      Date.now(),
    );
    const options = { marketplace: 'amazon', format: 'jpg', background: '#ffffff' };
    const context = {
      batchId,
      accountId: 'acc_1',
      keyId: 'key_1',
      requestId: 'req_1',
      fingerprint: 'f',
      mode: 'live',
      options,
    };
    sql.exec(
      'insert into requestPart values (0, ?, ?)',
      JSON.stringify(context),
      JSON.stringify([{ originalName: 'a.jpg', filename: 'a.jpg', inputUrl: null }]),
    );
    sql.exec(
      `insert into image ("index", status, dispatches, settlement, outcome) values (0, 'completed', 1, 'settled', '{"status":"completed"}')`,
    );
  });
  await evictDurableObject(stub);
  const batch = await sagaOf(batchId).snapshot();
  expect(batch).toMatchObject({
    endReason: null,
    images: [{ isRemoved: false, isGone: false, originalName: 'a.jpg' }],
  });
  expect((batch?.resultsUntilMs ?? 0) - (batch?.createdAtMs ?? 0)).toBe(limits.downloads.objectMs);
  expect(await sagaOf(batchId).owner()).toMatchObject({ keyId: 'key_1', removed: [], isKeptOnce: false });
  expect(await sagaOf(batchId).endForKey('key_1')).toBe('ended');
  expect(await runInDurableObject(stub, (_saga, { storage }) => storage.getAlarm())).toBeLessThanOrEqual(
    Date.now() + limits.downloads.objectMs,
  );
});
