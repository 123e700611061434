/** Bounds of what a page does with a folder of photos. What the service takes stands in shared/limits.ts. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const folderLimits = Object.freeze({
  /** Entries of a dropped folder that are looked at, those in folders below it included. */
  entriesMax: 5_000,
  depthMax: 8,
  /** Photos of one upload: few, so that the first results come soon. */
  photosPerUpload: 8,
  bytesPerUpload: 24_000_000,
  /**
   * Of a folder of which those would be more than `uploadsAimed` uploads, up to what a request may carry: 400 photos of
   * 10 MB are 80 uploads, 400 of 25 MB are 134 of three. The service takes 150 (`edgeLimits.folders.uploadsMax`).
   */
  bytesPerUploadMax: 75_000_000,
  uploadsAimed: 75,
  uploadsAtOnce: 3,
  /** Times that an upload is tried, always under one Idempotency-Key. */
  triesMax: 8,
  retryMsBase: SECOND,
  retryMsCap: 30 * SECOND,
  uploadMsMax: 10 * MINUTE,
  pollMs: 1.5 * SECOND,
  /** While the page is not in view, and while the service cannot be reached. */
  pollHiddenMs: 10 * SECOND,
  /** Names of left-out files that are written out. */
  namesShown: 20,
  /** Pictures of photos before they are sent. */
  picturesShown: 60,
} as const);
