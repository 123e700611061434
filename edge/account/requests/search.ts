/**
 * Searching the log: by time through its key, which sorts by time; by everything else among a bounded number of rows. An
 * index of each column would be one more row written with every request.
 */
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import type { Page, PageRequest } from '../page.ts';
import { asLogged, firstLogId, type KeyedRow } from './log.ts';
import type { RequestRow, RequestSearch } from './port.ts';

type Condition = readonly [sql: string, ...values: (string | number)[]];

const conditionsOf = ({ keyId, status, errorCode, marketplace, name }: RequestSearch): readonly Condition[] => [
  ...(keyId === undefined ? [] : [['keyId = ?', keyId] as const]),
  ...(status === undefined ? [] : [['status between ? and ?', status.from, status.to] as const]),
  ...(errorCode === undefined ? [] : [['errorCode = ?', errorCode] as const]),
  ...(marketplace === undefined
    ? []
    : [["instr(',' || marketplaces || ',', ',' || ? || ',') > 0", marketplace] as const]),
  ...(name === undefined ? [] : [['instr(lower(names), lower(?)) > 0', name] as const]),
];

/** Keys of the rows that one call looks through: all below `under`, and not below `from`. */
const rangeOf = ({ cursor, sinceMs, beforeMs }: PageRequest & RequestSearch) => {
  const end = beforeMs === undefined ? '~' : firstLogId(Math.max(0, beforeMs));
  return {
    from: sinceMs === undefined ? '' : firstLogId(Math.max(0, sinceMs)),
    under: cursor && cursor < end ? cursor : end,
  };
};

export const requestPage = (sql: SqlStorage, asked: PageRequest & RequestSearch): Page<RequestRow> => {
  const { pageRowsMax, csvPageRows, scanRowsMax } = edgeLimits.requestLog;
  const max = Math.min(asked.max ?? pageRowsMax, csvPageRows);
  const conditions = conditionsOf(asked);
  const { from, under } = rangeOf(asked);
  const scanned = conditions.length === 0 ? max + 1 : scanRowsMax;
  const rows = all<KeyedRow>(
    sql,
    `select * from (select * from request where logId >= ? and logId < ? order by logId desc limit ?)
      where ${['true', ...conditions.map(([text]) => text)].join(' and ')} order by logId desc limit ?`,
    from,
    under,
    scanned,
    ...conditions.flatMap(([, ...values]) => values),
    max + 1,
  );
  const shown = rows.slice(0, max);
  const next = rows.length > max ? (shown.at(-1)?.logId ?? null) : lastScanned(sql, from, under, scanned);
  return { rows: shown.map(asLogged), next };
};

/** The key below which the next call goes on; null where all was looked through. */
const lastScanned = (sql: SqlStorage, from: string, under: string, scanned: number): string | null =>
  first<{ logId: string }>(
    sql,
    'select logId from request where logId >= ? and logId < ? order by logId desc limit 1 offset ?',
    from,
    under,
    scanned - 1,
  )?.logId ?? null;
