/** Edited mattes of photos that are not shown now, in this tab's memory: who goes to another photo and back loses nothing. */
import type { Gray, Size } from '../../../shared/imaging/raster.ts';
import { touchUpLimits } from './limits.ts';
import type { Steps } from './plane.ts';

export type Draft = { readonly plane: Gray; readonly steps: Steps; readonly photo: Size; readonly isFound: boolean };

const drafts = new Map<Blob, Draft>();

/** By the file itself: another file is another photo. */
export const draftOf = (file: Blob): Draft | undefined => drafts.get(file);

/** It was sent. */
export const dropDraft = (file: Blob): void => void drafts.delete(file);

// What was painted and not sent is lost with the page.
addEventListener('beforeunload', (event) => {
  if (Array.from(drafts.values()).some(({ steps }) => steps.canUndo)) event.preventDefault();
});

const chosen = new Map<string, File>();
/** The file that was chosen for a photo of a folder that was not in this tab any more. */
export const chosenFile = (folderId: string, position: number): File | undefined =>
  chosen.get(`${folderId} ${position}`);
export const chooseFile = (folderId: string, position: number, file: File): void =>
  void chosen.set(`${folderId} ${position}`, file);

export const keepDraft = (file: Blob, draft: Draft): void => {
  drafts.delete(file);
  drafts.set(file, draft);
  const [oldest] = drafts.keys();
  if (drafts.size > touchUpLimits.draftsMax && oldest) drafts.delete(oldest);
};
