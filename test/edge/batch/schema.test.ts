/** Objects made at different times have the same tables. */
import { runInDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { batchSchema, batchTables } from '../../../edge/batch/schema.ts';
import { migrate } from '../../../edge/sqlite/rows.ts';
import { newId } from '../../../shared/ids.ts';
import { sagaStub } from '../support/service.ts';

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
