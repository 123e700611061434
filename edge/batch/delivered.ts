/** Which results of a batch were downloaded to the end, where that ends their life. */
import { outputsOf, type ResolvedOptions } from '../../shared/options.ts';
import { all } from '../sqlite/rows.ts';
import { outputKeys } from '../stores/object-keys.ts';

type Output = { readonly batchId: string; readonly index: number; readonly options: ResolvedOptions };

/** A preview is no delivery. */
export const isOutput = ({ batchId, index, options }: Output, objectKey: string): boolean =>
  outputKeys(batchId, index, options).includes(objectKey);

/** True where with it every output of the image was delivered. */
export const noteDelivered = (sql: SqlStorage, { index, options }: Output, objectKey: string): boolean => {
  sql.exec('insert into delivered values (?, ?) on conflict do nothing', index, objectKey);
  return deliveredImages(sql, options).includes(index);
};

export const deliveredImages = (sql: SqlStorage, options: ResolvedOptions): number[] =>
  all<{ index: number }>(
    sql,
    'select "index" from delivered group by "index" having count(*) >= ?',
    outputsOf(options).length,
  ).map(({ index }) => index);
