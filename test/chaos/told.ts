/** What clients asked for and what they were told, to be compared with what is charged and what is there. */
import type { UploadResponse } from '../../shared/api.ts';

export type ToldImage = { readonly imageId: string; readonly sha256: string | undefined; readonly code: string };
export type Told = {
  /** Images of uploads by their answers: completed with a digest, or failed with a code. */
  readonly images: ToldImage[];
  /** Batches that were accepted with 202, and how many images each has. */
  readonly batches: Map<string, number>;
  /** Of these, the ones with a webhook. */
  readonly hooked: Set<string>;
  /** Batches whose state the answer could not tell, and that its client looked at instead. */
  readonly unknown: Set<string>;
  /** Images of requests that were refused as a whole, by code. */
  readonly refused: Map<string, number>;
  /** Images of all requests. */
  asked: number;
  readonly calls: Map<string, number>;
  readonly faults: string[];
};

export const newTold = (): Told => ({
  images: [],
  batches: new Map(),
  hooked: new Set(),
  unknown: new Set(),
  refused: new Map(),
  asked: 0,
  calls: new Map(),
  faults: [],
});

export const add = (counts: Map<string, number>, what: string, times = 1): void =>
  void counts.set(what, (counts.get(what) ?? 0) + times);

export const tellUpload = (told: Told, { results }: UploadResponse): void => {
  for (const result of results)
    told.images.push(
      'error' in result
        ? { imageId: result.image_id, sha256: undefined, code: result.error.code }
        : { imageId: result.image_id, sha256: result.sha256, code: 'completed' },
    );
};
