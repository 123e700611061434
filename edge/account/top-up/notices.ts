/** What the owner is told of top-ups: an outbox as that of a low balance, told until somebody took it or it is given up. */
import { backoffMs } from '../../../shared/backoff.ts';
import { edgeLimits } from '../../limits.ts';
import { errorText, logEvent } from '../../log.ts';
import { all } from '../../sqlite/rows.ts';
import type { TellTopUp, TopUpNotice } from './port.ts';

const { noticesPerAlarm, retry, noticeTriesMsMax } = edgeLimits.topUp;

type Telling = { readonly sql: SqlStorage; readonly now: () => number; readonly accountId: () => string };
type Due = TopUpNotice & { readonly tries: number; readonly firstTryAtMs: number | null };

/** Given up `noticeTriesMsMax` after the first try: later a mail API would not know a repeat as such. */
export const tellNotices = async (telling: Telling, tell: TellTopUp): Promise<void> => {
  const due = all<Due>(
    telling.sql,
    `select notice, what, credits, usdCents, atMs, tries, firstTryAtMs from topUpNotice
      where dueAtMs <= ? order by notice limit ?`,
    telling.now(),
    noticesPerAlarm,
  );
  for (const notice of due) await tellOne(telling, notice, tell);
};

const tellOne = async ({ sql, now, accountId }: Telling, due: Due, tell: TellTopUp): Promise<void> => {
  const { tries, firstTryAtMs, ...notice } = due;
  const fields = { account_id: accountId(), notice: notice.notice, what: notice.what };
  const done = (): unknown => sql.exec('update topUpNotice set dueAtMs = null where notice = ?', notice.notice);
  if (firstTryAtMs !== null && now() > firstTryAtMs + noticeTriesMsMax) {
    logEvent('error', 'top_up_not_told', { ...fields, tries });
    done();
    return;
  }
  sql.exec(
    'update topUpNotice set tries = ?, firstTryAtMs = ?, dueAtMs = ? where notice = ?',
    tries + 1,
    firstTryAtMs ?? now(),
    now() + backoffMs(tries, retry),
    notice.notice,
  );
  try {
    await tell(accountId(), notice);
    done();
  } catch (error) {
    logEvent('warn', 'top_up_told_later', { ...fields, tries: tries + 1, error: errorText(error) });
  }
};
