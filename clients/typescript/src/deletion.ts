/** What is deleted, and how far that has come. */
import { type CallOptions, call, type Settings } from './call.ts';
import { NotFoundError } from './errors.ts';

/** `deleting`: begun, and gone on with until it is done; ask again to learn of its end. */
export type Deletion = 'deleted' | 'deleting';

const ACCEPTED = 202;

/** May be repeated: what is deleted already is answered as `deleted`. */
export const deleteAt = (settings: Settings, url: string, options: CallOptions): Promise<Deletion> =>
  call(settings, { method: 'DELETE', url }, options, async (answer) => {
    await answer.arrayBuffer();
    return answer.status === ACCEPTED ? 'deleting' : 'deleted';
  });

/** Throws where it is no id: what goes into a path must not lead elsewhere. */
export const pathOfBatch = (batchId: string, imageId?: string): string => {
  for (const [id, code] of [
    [batchId, 'batch_not_found'],
    [imageId ?? '_', 'image_not_found'],
  ] as const)
    if (!/^\w+$/.test(id)) throw new NotFoundError('That is not the id of a batch, or of an image of it', { code });
  return `/api/v1/batches/${batchId}${imageId === undefined ? '' : `/images/${imageId}`}`;
};
