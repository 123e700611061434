/** What must hold of one batch: its lines, its summary and its jobs, side by side. Pure. */
import { imageId } from '../../../shared/ids.ts';
import { imagesIn } from '../../../shared/image-list.ts';
import type { Disagreement } from './kinds.ts';
import type { EndedBatch, Job, Line } from './rows.ts';

export type BatchRows = {
  readonly batchId: string;
  readonly lines: readonly Line[];
  readonly ended: EndedBatch | undefined;
  readonly jobs: readonly Job[];
};
/** Rows newer than `untilMs` are not compared; jobs of lines older than `jobsSinceMs` may have been swept. */
export type Compared = { readonly untilMs: number; readonly jobsSinceMs: number };

export const batchDisagreements = (batch: BatchRows, compared: Compared): Disagreement[] => [
  ...sumDisagreements(batch, compared),
  ...imageDisagreements(batch, compared),
];

const creditsOf = (lines: readonly Line[], ...kinds: readonly Line['kind'][]): number =>
  lines.reduce((sum, { kind, credits }) => (kinds.includes(kind) ? sum + credits : sum), 0);

/** A release returns all that is left of a batch in one line that names no image. */
const isReleased = ({ lines }: BatchRows): boolean =>
  lines.some((line) => line.kind === 'void' && imagesOf(line).length === 0);

/** Ids of the images that a post or void settled. */
const imagesOf = ({ imageId: one, images, batchId }: Line): readonly string[] => {
  if (one !== null) return [one];
  return images === null || batchId === null ? [] : imagesIn(images).map((index) => imageId(batchId, index));
};

const sumDisagreements = (batch: BatchRows, { untilMs }: Compared): Disagreement[] => {
  const { batchId: subject, lines, ended } = batch;
  const held = creditsOf(lines, 'hold');
  const [posted, voided] = [creditsOf(lines, 'post'), creditsOf(lines, 'void')];
  const found: Disagreement[] = [];
  for (const line of lines) {
    const images = imagesOf(line).length;
    if (images > 0 && images !== line.credits)
      found.push({
        kind: 'batch_counts',
        subject,
        detail: `${line.id} moves ${line.credits} credits for ${images} images`,
      });
  }
  if (posted + voided > held)
    found.push({ kind: 'batch_oversettled', subject, detail: `held ${held}, settled ${posted + voided}` });
  if (!ended || ended.receivedAtMs >= untilMs) return found;
  const { images, completed, failed } = ended;
  // A batch that has ended leaves nothing pending.
  if (posted + voided < held) {
    const detail = `ended with ${posted + voided} of ${held} credits settled`;
    found.push({ kind: 'batch_unsettled', subject, detail });
  }
  const isCounted = posted === completed && (isReleased(batch) || voided === failed);
  if (completed + failed !== images || (lines.length > 0 && !isCounted)) {
    const detail = `${completed} completed and ${failed} failed of ${images}, but ${posted} posted and ${voided} voided`;
    found.push({ kind: 'batch_counts', subject, detail });
  }
  if (completed > 0 && !lines.some(({ kind }) => kind === 'hold'))
    found.push({ kind: 'batch_without_hold', subject, detail: `${images} images of ${ended.accountId}` });
  return found;
};

const imageDisagreements = (batch: BatchRows, compared: Compared): Disagreement[] => {
  const jobs = new Map(batch.jobs.map((job) => [job.jobId, job]));
  const settled = new Map<string, Line[]>();
  for (const line of batch.lines)
    for (const image of imagesOf(line)) settled.set(image, [...(settled.get(image) ?? []), line]);
  const found: Disagreement[] = [];
  const returned: Disagreement[] = [];
  for (const [subject, lines] of settled) {
    if (lines.length > 1) {
      const detail = lines.map(({ kind, id }) => `${kind} ${id}`).join(', ');
      found.push({ kind: 'image_settled_twice', subject, detail });
    }
    for (const line of lines) {
      const job = jobs.get(subject);
      found.push(...chargeDisagreements(subject, line, job, compared));
      returned.push(...returnDisagreements(subject, line, job));
    }
  }
  // The edge says of how many images it never heard what became of them, not of which.
  if (returned.length > (batch.ended?.unheard ?? 0)) found.push(...returned);
  for (const job of batch.jobs)
    if (isOwed(job, compared) && !settled.has(job.jobId) && !isReleased(batch)) {
      const detail = 'completed, but neither charged nor returned';
      found.push({ kind: 'completed_but_unsettled', subject: job.jobId, detail });
    }
  return found;
};

/** Completed for a live key, and not just now: the ledger must know of it. */
const isOwed = ({ status, mode, touchedAtMs }: Job, { untilMs }: Compared): boolean =>
  status === 'completed' && mode === 'live' && touchedAtMs < untilMs;

/** An image is charged only when its download exists. */
const chargeDisagreements = (
  subject: string,
  { id, kind, atMs }: Line,
  job: Job | undefined,
  { jobsSinceMs }: Compared,
): Disagreement[] => {
  if (kind === 'post' && job?.state !== 'done' && atMs > jobsSinceMs) {
    const store = job ? `has it ${job.state}` : 'does not know it';
    return [{ kind: 'posted_without_outcome', subject, detail: `charged by ${id}, but the job store ${store}` }];
  }
  if (kind === 'post' && job?.status === 'failed')
    return [{ kind: 'posted_but_failed', subject, detail: `charged by ${id}, but it failed with ${job.code}` }];
  return [];
};

/** An image is not called failed once its download exists. */
const returnDisagreements = (subject: string, { id, kind, atMs }: Line, job: Job | undefined): Disagreement[] => {
  // One that was returned at its deadline was given up without its outcome being heard of.
  const inTime = job !== undefined && job.touchedAtMs <= atMs && atMs < job.deadlineAtMs;
  if (kind === 'void' && job?.status === 'completed' && inTime)
    return [{ kind: 'voided_but_completed', subject, detail: `returned by ${id}, but it was completed in time` }];
  return [];
};
