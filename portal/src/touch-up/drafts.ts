/** Edited mattes of photos that are not shown now, in this tab's memory: who goes to another photo and back loses nothing. */
import type { Gray, Size } from '../../../shared/imaging/raster.ts';
import { touchUpLimits } from './limits.ts';
import type { Steps } from './plane.ts';

export type Draft = { readonly plane: Gray; readonly steps: Steps; readonly photo: Size; readonly isFound: boolean };

const drafts = new Map<Blob, Draft>();

/** By the file itself: another file is another photo. */
export const draftOf = (file: Blob): Draft | undefined => drafts.get(file);

export const keepDraft = (file: Blob, draft: Draft): void => {
  drafts.delete(file);
  drafts.set(file, draft);
  const [oldest] = drafts.keys();
  if (drafts.size > touchUpLimits.draftsMax && oldest) drafts.delete(oldest);
};
