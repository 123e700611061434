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
 * One try of an upload of a folder. `part` is its Idempotency-Key; `positions`: which photos of the folder its images
 * are, in their order. A photo that is sent again has the position of the one it replaces.
 */
export type FolderBatch = { readonly part: string; readonly batchId: string; readonly positions: readonly number[] };
export type FolderWithBatches = Folder & { readonly batches: readonly FolderBatch[] };

/** `taken`: another upload has photos of these positions, in these batches. `full`: it has had as many as it may. */
export type FolderBatchBegun =
  | { readonly result: 'begun' | 'unknown' | 'full' }
  | { readonly result: 'taken'; readonly batchIds: readonly string[] };

export type FoldersPort = {
  /** Repeated, it changes nothing. The oldest one goes where there are too many. */
  addFolder(folder: Folder): Promise<void>;
  folder(folderId: string): Promise<FolderWithBatches | undefined>;
  /** Newest first. */
  folders(page: PageRequest): Promise<Page<FolderWithBatches>>;
  /**
   * Before the batch is opened, so that none is lost; then it may never be opened. `isReplacement`: its photos may take
   * the place of others.
   */
  beginFolderBatch(folderId: string, batch: FolderBatch, isReplacement: boolean): Promise<FolderBatchBegun>;
  /** Of the files that can be used, once they were read. False where the folder is gone: the batch must not be opened. */
  placeFolderBatch(folderId: string, batchId: string, positions: readonly number[]): Promise<boolean>;
  /** For a batch that was not opened and never will be. */
  dropFolderBatch(folderId: string, batchId: string): Promise<void>;
};
