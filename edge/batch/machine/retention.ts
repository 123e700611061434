/** How long a batch's files are kept, as its account wanted when it was opened. Pure. */
import { limits } from '../../../shared/limits.ts';
import type { Batch } from './types.ts';

const DAY_MS = 86_400_000;

type Kept = Pick<Batch, 'createdAtMs' | 'retentionDays'>;

/** Results go with their first download, and inputs with the decision of their image. */
export const isKeptOnce = ({ retentionDays }: Pick<Batch, 'retentionDays'>): boolean => retentionDays === 0;

/** When results go at the latest, and every link to them. */
export const resultsUntilMs = ({ createdAtMs, retentionDays }: Kept): number =>
  createdAtMs +
  (retentionDays === null
    ? limits.downloads.objectMs
    : retentionDays === 0
      ? limits.retention.undeliveredMs
      : retentionDays * DAY_MS);
