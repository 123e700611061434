/**
 * Where the files of an image lie. Keys begin with the batch id, whose ULID sorts by time, so a sweep finds the oldest
 * first. Pure.
 */
import { idTimeMs, isId } from '../../shared/ids.ts';
import { extensionOf, type ResolvedOptions } from '../../shared/options.ts';

const INDEX_DIGITS = 4;
const place = (index: number): string => String(index).padStart(INDEX_DIGITS, '0');

export const inputKey = (batchId: string, index: number): string => `inputs/${batchId}/${place(index)}`;

/** The picture behind the product of a batch's one image. */
export const backgroundKey = (batchId: string): string => `inputs/${batchId}/background`;

/** The matte that the caller sent with a batch's one image. */
export const matteKey = (batchId: string): string => `inputs/${batchId}/matte`;

export const resultKey = (
  batchId: string,
  index: number,
  options: Pick<ResolvedOptions, 'format' | 'cutout'>,
): string => `results/${batchId}/${place(index)}.${extensionOf(options)}`;

/** The files of an image, in the order of its outputs; each further one names its marketplace. */
export const outputKeys = (batchId: string, index: number, options: ResolvedOptions): readonly string[] => [
  resultKey(batchId, index, options),
  ...(options.others ?? []).map(
    ({ marketplace, format }) => `results/${batchId}/${place(index)}.${marketplace}.${format}`,
  ),
];

/** A preview keeps transparency, as png, and is a jpg otherwise. */
export const previewKey = (
  batchId: string,
  index: number,
  { background }: Pick<ResolvedOptions, 'background'>,
): string => `results/${batchId}/${place(index)}.preview.${background === 'transparent' ? 'png' : 'jpg'}`;

/** The photo of a check, for as long as the check runs. */
export const checkKey = (checkId: string): string => `checks/${checkId}`;

/** Of an input or a result: the batch it belongs to. */
export const batchOfObject = (key: string): string => key.split('/')[1] ?? '';

export const isInput = (key: string): boolean => key.startsWith('inputs/');

/** Of a result: its image's index. */
export const indexOfObject = (key: string): number => Number.parseInt(key.split('/')[2] ?? '', 10);

/** What the keys of all files of an image begin with, or with null of all images of the batch. */
export const prefixesOf = (batchId: string, index: number | null, images: number): readonly string[] =>
  // What lies beside the inputs, a background or a matte, belongs to the one image of its batch.
  index === null || images === 1
    ? [`results/${batchId}/`, `inputs/${batchId}/`]
    : [`results/${batchId}/${place(index)}.`, `inputs/${batchId}/${place(index)}`];

/** Creation time of the batch or check an object belongs to; undefined for a key that is not ours. */
export const objectTimeMs = (key: string): number | undefined => {
  const id = key.split('/')[1] ?? '';
  return isId('batch', id) || isId('check', id) ? idTimeMs(id) : undefined;
};

const contentTypes = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp', zip: 'application/zip' } as const;

/** By the extension of a result's key. */
export const contentTypeOf = (key: string): string =>
  contentTypes[key.slice(key.lastIndexOf('.') + 1) as keyof typeof contentTypes] ?? 'application/octet-stream';
