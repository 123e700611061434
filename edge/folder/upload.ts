/**
 * Some photos of a folder: an upload that is answered as a batch, noted in the folder before its batch is opened, so
 * that whoever closes the page finds it again.
 */
import type { Failure } from '../../shared/errors.ts';
import { failure } from '../../shared/errors.ts';
import { PHOTO_ALREADY_SENT } from '../../shared/portal-api.ts';
import { fail } from '../../shared/result.ts';
import type { Caller } from '../account/authenticate.ts';
import type { FolderBatch } from '../account/folders/port.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import { notReady } from '../responses/accepted.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { imageError } from '../responses/image.ts';
import type { UploadForm } from '../upload/read-upload.ts';
import { mainImages, type UploadDialect, type UploadRequest, upload } from '../upload/upload.ts';
import { mayArrive } from './photos.ts';

/** `positions`: of the files, in their order. `isReplacement`: they may take the place of photos that were sent before. */
export type FolderUpload = Omit<UploadRequest, 'respondAsync' | 'idempotencyKey'> & {
  readonly folderId: string;
  readonly positions: readonly number[];
  readonly isReplacement: boolean;
  readonly idempotencyKey: string;
};

/**
 * The answer of a batch, and in `refused` each file that could not be one of its images, by position. Repeated under its
 * Idempotency-Key, it opens and charges nothing again. A photo that another upload has brought is refused, unless it is
 * a replacement.
 */
export const uploadToFolder = async (
  services: Services,
  caller: Caller,
  { folderId, positions, isReplacement, ...request }: FolderUpload,
): Promise<Answer> => {
  const row = { part: request.idempotencyKey, batchId: request.batchId, positions };
  const refusal = await begin(services, caller, folderId, row, isReplacement);
  if (refusal) return failed(refusal);
  const noted: { form?: UploadForm } = {};
  const answer = await upload(
    services,
    caller,
    { ...request, respondAsync: true },
    placing(caller, folderId, positions, noted),
  );
  // This try's batch is open, or may be, only where the answer names it; an earlier try's stays noted by its own row.
  if (answer.batchId !== request.batchId) await drop(caller, folderId, request.batchId);
  if (answer.kind === 'failed' || answer.kind === 'empty' || !noted.form) return answer;
  const refused = placedFiles(noted.form, positions).flatMap((file) =>
    file.failure ? [{ position: file.position, ...imageError(file.failure) }] : [],
  );
  return { ...answer, body: { ...answer.body, refused } };
};

const placedFiles = ({ files }: UploadForm, positions: readonly number[]) =>
  files.map((file, i) => ({ ...file, position: positions[i] ?? i }));

const begin = async (
  { sagaOf, clock }: Services,
  { account: { folders } }: Caller,
  folderId: string,
  row: FolderBatch,
  isReplacement: boolean,
): Promise<Failure | undefined> => {
  const begun = await folders.beginFolderBatch(folderId, row, isReplacement);
  if (begun.result !== 'taken') return refusals[begun.result];
  for (const batchId of begun.batchIds)
    if (mayArrive(batchId, clock.nowMs()) || (await sagaOf(batchId).snapshot({ evenAsking: true }))) return alreadySent;
  // What was noted for these photos never opened a batch.
  const again = await folders.beginFolderBatch(folderId, row, true);
  return again.result === 'taken' ? alreadySent : refusals[again.result];
};

const alreadySent = failure('invalid_request', 'Another upload has brought these photos already', {
  errors: [{ field: 'positions', code: PHOTO_ALREADY_SENT, detail: 'another upload has brought these photos already' }],
});
const refusals = {
  begun: undefined,
  unknown: failure('invalid_request', 'This batch is unknown, or was deleted'),
  full: failure(
    'invalid_request',
    `This batch has had the ${edgeLimits.folders.uploadsMax} uploads that it may have; start another one with the photos that are left`,
  ),
} as const;

/** A row that stays names a batch that is never opened: it is shown nowhere. */
const drop = async ({ account: { folders } }: Caller, folderId: string, batchId: string): Promise<void> => {
  try {
    await folders.dropFolderBatch(folderId, batchId);
  } catch (error) {
    logEvent('warn', 'folder_batch_not_dropped', { folder_id: folderId, batch_id: batchId, error: errorText(error) });
  }
};

/**
 * Main images. Before their batch is opened, the folder is told which of its photos they are, so that nothing has to be
 * written once it may be charged. The form goes into `noted`.
 */
const placing = (
  { account: { folders } }: Caller,
  folderId: string,
  positions: readonly number[],
  noted: { form?: UploadForm },
): UploadDialect => ({
  ...mainImages,
  readOnly: async (...given) => {
    const read = await mainImages.readOnly(...given);
    if (read.ok) noted.form = read.value;
    return read;
  },
  readAndStore: async (services, caller, request, batchId, stored) => {
    const read = await mainImages.readAndStore(services, caller, request, batchId, stored);
    if (!read.ok) return read;
    noted.form = read.value.form;
    const usable = placedFiles(noted.form, positions).filter((file) => file.failure === null);
    try {
      const isPlaced = await folders.placeFolderBatch(
        folderId,
        batchId,
        usable.map(({ position }) => position),
      );
      return isPlaced ? read : fail(refusals.unknown);
    } catch (error) {
      logEvent('warn', 'folder_batch_not_placed', { folder_id: folderId, batch_id: batchId, error: errorText(error) });
      return fail(notReady());
    }
  },
});
