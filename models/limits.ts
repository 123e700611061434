/** Bounds of fetching and preparing model files, each with its unit in the name. */
const MiB = 1024 * 1024;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const modelLimits = Object.freeze({
  downloadAttemptsMax: 5,
  /** Wait before the first retry of a download; doubles. */
  retryBaseMs: 500,
  /** A download that brings no byte for so long is given up and retried from where it stopped. */
  stallMsMax: 30 * SECOND,
  npmMsMax: 30 * SECOND,
  resourceListBytesMax: 1 * MiB,
  /** Longest wait for another process that prepares the same folder. */
  lockWaitMsMax: 15 * MINUTE,
  lockPollMs: 250,
  lockHeartbeatMs: 5 * SECOND,
  /** A lock not refreshed for so long is stale. */
  lockStaleMs: 60 * SECOND,
} as const);
