/** Deletes a batch or one of its images, for the key that made it. Credits stay as they are. */
import { failure } from '../../shared/errors.ts';
import { isId, parseImageId } from '../../shared/ids.ts';
import type { Caller } from '../account/authenticate.ts';
import type { Services } from '../ports.ts';
import { type Answer, failed } from '../responses/answer.ts';

/** `imageId` null: the whole batch. Undecided images are not deleted: their credits are still held. */
export const removeBatch = async (
  { sagaOf }: Pick<Services, 'sagaOf'>,
  caller: Caller,
  requestId: string,
  batchId: string,
  imageId: string | null,
): Promise<Answer> => {
  if (!isId('batch', batchId)) return failed(failure('batch_not_found'));
  const image = imageId === null ? null : parseImageId(imageId);
  if (image === undefined || (image && image.batchId !== batchId)) return failed(failure('image_not_found'));
  const saga = sagaOf(batchId);
  const owner = await saga.owner();
  if (owner?.accountId !== caller.accountId || owner.keyId !== caller.keyId) return failed(failure('batch_not_found'));
  switch (await saga.remove(image?.index ?? null)) {
    case 'unknown':
      return failed(failure(image ? 'image_not_found' : 'batch_not_found'));
    case 'running':
      return failed(failure('images_in_progress'));
    case 'removed':
      return { kind: 'empty', batchId };
    case 'removing':
      return {
        kind: 'accepted',
        body: { success: true, request_id: requestId, batch_id: batchId, status: 'deleting' },
        batchId,
        retryAfterSeconds: 5,
      };
  }
};
