/** Messages between the touch-up page and the worker that finds the product. */
import type { Gray, Size } from '../../../shared/imaging/raster.ts';
import type { Region } from '../../../shared/region.ts';

/** `region`: where the product is; undefined: anywhere in the photo. */
export type ToFinder = { readonly id: number; readonly file: Blob; readonly region: Region | undefined };

/** `plane`: over all of the photo, empty where no product was found. `photo`: the upright file's size. */
export type FoundMatte = { readonly plane: Gray; readonly photo: Size; readonly isFound: boolean };

export type FromFinder =
  | { readonly kind: 'loading'; readonly id: number; readonly doneBytes: number; readonly totalBytes: number }
  | { readonly kind: 'finding'; readonly id: number }
  | ({ readonly kind: 'found'; readonly id: number } & FoundMatte)
  /** `isUnreadable`: the browser cannot show the photo at all. */
  | { readonly kind: 'failed'; readonly id: number; readonly detail: string; readonly isUnreadable: boolean };
