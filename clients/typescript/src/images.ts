/** A finished image as both request styles answer it, under the API's own field names. */
import { ImageError } from './errors.ts';
import type { StatusImage, UploadResponse, UploadResult } from './generated.ts';

type Completed = Extract<StatusImage, { status: 'completed' }>;

/** An image with its file. `url` is short-lived; `batch.status()` and `download` get fresh ones for seven days. */
export type Image = Omit<UploadResult, 'original_name' | 'clean_url'> & {
  readonly filename: string;
  readonly url: string;
};

/** An image that came to its end, at its place in the batch. */
export type FinishedImage =
  | { readonly status: 'completed'; readonly index: number; readonly image: Image }
  | { readonly status: 'failed'; readonly index: number; readonly image_id: string; readonly error: ImageError };

const failedImage = ({ code, detail, remedy }: { code: string; detail: string; remedy?: string }): ImageError =>
  new ImageError(detail, { code, remedy });

const fromUpload = ({ original_name: _, clean_url: url, ...image }: UploadResult): Image => ({
  ...image,
  url,
  filename: decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? ''),
});

/** Where its files were removed at the end of their life, `url` is empty. */
const fromStatus = ({ status: _, clean_download_url, ...image }: Completed): Image => ({
  ...image,
  url: clean_download_url ?? '',
  preview_url: image.preview_url ?? '',
  expires_at: image.expires_at ?? '',
});

export const uploadedImage = (result: UploadResponse['results'][number], index: number): FinishedImage =>
  'error' in result
    ? { status: 'failed', index, image_id: result.image_id, error: failedImage(result.error) }
    : { status: 'completed', index, image: fromUpload(result) };

/** Undefined while it is not finished. */
export const finishedImage = (image: StatusImage, index: number): FinishedImage | undefined => {
  switch (image.status) {
    case 'completed':
      return { status: 'completed', index, image: fromStatus(image) };
    case 'failed':
      return { status: 'failed', index, image_id: image.image_id, error: failedImage(image.error) };
    case 'deleted': {
      const error = new ImageError('The result was deleted', { code: 'result_deleted' });
      return { status: 'failed', index, image_id: image.image_id, error };
    }
    default:
      return undefined;
  }
};
