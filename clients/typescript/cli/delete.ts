/** `packshot delete`: a batch, or one image of it, for good. */
import { type Command, InvalidArgumentError } from 'commander';
import { type Batch, type Deletion, NotFoundError } from '../src/index.ts';
import type { AccountCommand } from './keys.ts';
import { wholeNumber } from './options.ts';

/** A batch has at most 1,000 images. */
const INDEX_MAX = 999;

const index = (text: string): number => {
  try {
    return wholeNumber('--index', 0, INDEX_MAX)(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
};

export const addDeleteCommand = (program: Command, { connected, isJson }: AccountCommand): void => {
  program
    .command('delete')
    .description('delete a batch or an upload with its files, or one image of it; nothing is refunded')
    .argument('<batch_id>')
    .option('--index <n>', 'only the image at this place, counted from 0', index)
    .action(async (batchId: string, { index: at }: { index?: number }) => {
      const batch = (await connected()).batch(batchId);
      const imageId = at === undefined ? undefined : await imageIn(batch, at);
      const state = imageId === undefined ? await batch.delete() : await batch.deleteImage(imageId);
      const deleted = imageId ?? batchId;
      process.stdout.write(
        isJson() ? `${JSON.stringify({ id: deleted, status: state })}\n` : `${deleted}: ${told[state]}\n`,
      );
    });
};

/** For people. */
export const told: Readonly<Record<Deletion, string>> = {
  deleted: 'deleted',
  deleting: 'is being deleted, whatever happens here',
};

const imageIn = async (batch: Batch, at: number): Promise<string> => {
  const image = (await batch.status()).images[at];
  if (!image) throw new NotFoundError(`The batch has no image at place ${at}`, { code: 'image_not_found' });
  return image.image_id;
};
