/**
 * Bounds that only the edge reads, with their units in their names. What origin, the portal's pages or the public
 * documents read too is in shared/limits.ts.
 */
const KiB = 1024;
const MiB = 1024 * KiB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

export const edgeLimits = Object.freeze({
  inputUrl: {
    /** Time to response headers, name resolution included. */
    headersMsMax: 10 * SECOND,
    /** A body slower than this for one window is given up: bytes per second over 5 s. */
    bytesPerSecondMin: 4 * KiB,
    speedWindowMs: 5 * SECOND,
    /** An input is stored in blocks of this size: R2's smallest part of a multipart upload. */
    blockBytes: 5 * MiB,
    dnsMsMax: 5 * SECOND,
  },
  origin: {
    /** A node from which the edge hears nothing for so long, before its headers or after, counts as unhealthy. */
    headersMsMax: 5 * SECOND,
    silenceMsMax: 10 * SECOND,
    /** Of a node's answer. */
    answerBytesMax: 64 * KiB,
    /** Nodes that one call is offered to, one after the other. */
    nodesAskedMax: 4,
    /** An unhealthy node is asked last for so long; each further failure in a row doubles it, up to the second. */
    cooldownMsBase: 2 * SECOND,
    cooldownMsCap: 60 * SECOND,
    /** Longest Retry-After of a busy node that is believed. */
    retryAfterMsMax: 5 * MINUTE,
  },
  localAdmin: { bodyBytesMax: 64 * KiB, ledgerRowsMax: 100_000 },
  portal: {
    sessionMs: 7 * DAY,
    mailLinkSeconds: 60 * 60,
    bodyBytesMax: 16 * KiB,
    /** Per client address and path. */
    authRequestsPerMinute: 20,
    /** Per mail address, whether or not it has an account. */
    signInAttemptsMax: 20,
    signInWindowMs: 15 * MINUTE,
    /** A registration whose address nobody confirms is deleted. */
    unconfirmedMs: 7 * DAY,
    /** Rows of each table that one scheduled run removes. */
    sweepRowsMax: 1_000,
    mailMsMax: 10 * SECOND,
    outboxRowsMax: 100,
    usageDaysMax: 90,
    logPageRows: 50,
    /** A filtered search reads so many pages before it hands out a cursor to go on from. */
    logScanPagesMax: 20,
    logImagesMax: 100,
    ledgerPageRowsMax: 100,
    /** Rows of one CSV export; an account of a million images is exported in parts. */
    csvRowsMax: 1_000_000,
  },
} as const);
