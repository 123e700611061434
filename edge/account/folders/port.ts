/** What an account remembers of photos that were dropped into the portal together. */
import type { Page, PageRequest } from '../page.ts';

/** `fields`: the options of its uploads, as a form sends them. `photos`: that were chosen; fewer may have arrived. */
export type Folder = {
  readonly folderId: string;
  readonly name: string;
  readonly keyId: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly photos: number;
};

/**
 * One upload of a folder. `part` is its Idempotency-Key; `positions`: which photos of the folder its images are, in their
 * order. A photo that is sent again has the position of the one it replaces.
 */
export type FolderBatch = { readonly part: string; readonly batchId: string; readonly positions: readonly number[] };
export type FolderWithBatches = Folder & { readonly batches: readonly FolderBatch[] };

export type FoldersPort = {
  /** Repeated, it changes nothing. The oldest one goes where there are too many. */
  addFolder(folder: Folder): Promise<void>;
  folder(folderId: string): Promise<FolderWithBatches | undefined>;
  /** Newest first. */
  folders(page: PageRequest): Promise<Page<FolderWithBatches>>;
  /**
   * Before the batch is opened, so that none is lost; then it may never be opened. False where the folder is unknown or
   * has had as many uploads as it may.
   */
  beginFolderBatch(folderId: string, batch: FolderBatch): Promise<boolean>;
  /** What came of the upload: its one batch, or null for none. */
  endFolderBatch(folderId: string, part: string, batch: FolderBatch | null): Promise<void>;
};
