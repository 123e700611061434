/**
 * Some photos of a folder: an upload that is answered as a batch, noted in the folder before its batch is opened, so
 * that whoever closes the page finds it again.
 */
import type { Failure } from '../../shared/errors.ts';
import { failure } from '../../shared/errors.ts';
import type { Result } from '../../shared/result.ts';
import type { Caller } from '../account/authenticate.ts';
import type { Services } from '../ports.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { imageError } from '../responses/image.ts';
import type { UploadForm } from '../upload/read-upload.ts';
import { mainImages, type UploadDialect, type UploadRequest, upload } from '../upload/upload.ts';

/** `positions`: of the files, in their order. */
export type FolderUpload = Omit<UploadRequest, 'respondAsync' | 'idempotencyKey'> & {
  readonly folderId: string;
  readonly positions: readonly number[];
  readonly idempotencyKey: string;
};

/**
 * The answer of a batch, and in `refused` each file that could not be one of its images, by position. Repeated under its
 * Idempotency-Key, it opens and charges nothing again.
 */
export const uploadToFolder = async (
  services: Services,
  caller: Caller,
  { folderId, positions, ...request }: FolderUpload,
): Promise<Answer> => {
  const { folders } = caller.account;
  const part = request.idempotencyKey;
  const begun = await folders.beginFolderBatch(folderId, { part, batchId: request.batchId, positions });
  if (!begun) return failed(failure('invalid_request', 'This folder is unknown, or has had too many uploads'));
  let form: UploadForm | undefined;
  const dialect = noting((read) => {
    form = read;
  });
  const answer = await upload(services, caller, { ...request, respondAsync: true }, dialect);
  const { batchId } = answer;
  if (answer.kind === 'failed') {
    // What may have been opened stays noted.
    if (batchId === undefined) await folders.endFolderBatch(folderId, part, null);
    return answer;
  }
  if (answer.kind === 'empty' || batchId === undefined || !form) return answer;
  const files = form.files.map((file, i) => ({ ...file, position: positions[i] ?? i }));
  const usable = files.filter((file) => file.failure === null).map(({ position }) => position);
  await folders.endFolderBatch(folderId, part, { part, batchId, positions: usable });
  const refused = files.flatMap((file) =>
    file.failure ? [{ position: file.position, ...imageError(file.failure) }] : [],
  );
  return { ...answer, body: { ...answer.body, refused } };
};

/** Main images, telling of the form once it was read to its end. */
const noting = (note: (form: UploadForm) => void): UploadDialect => {
  const noted = <T extends { readonly form: UploadForm } | UploadForm>(
    read: Result<T, Failure>,
  ): Result<T, Failure> => {
    if (read.ok) note('form' in read.value ? read.value.form : read.value);
    return read;
  };
  return {
    ...mainImages,
    readOnly: async (...given) => noted(await mainImages.readOnly(...given)),
    readAndStore: async (...given) => noted(await mainImages.readAndStore(...given)),
  };
};
