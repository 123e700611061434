/** How long the owner wants files kept, in the account's row: days, 0 for until delivery, null for the default. */
import { first } from '../sqlite/rows.ts';

export const readRetention = (sql: SqlStorage): number | null =>
  first<{ days: number | null }>(sql, 'select retentionDays as days from account')?.days ?? null;

export const saveRetention = (sql: SqlStorage, days: number | null): void => {
  sql.exec('update account set retentionDays = ?', days);
};
