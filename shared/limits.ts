/**
 * Every bound of the system, with its unit in the name. Every queue, buffer, wait and retry has a line here or in its
 * own tier's limits file.
 */
const KiB = 1024;
const MiB = 1024 * KiB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const limits = Object.freeze({
  upload: {
    filesMax: 20,
    fileBytesMax: 25 * 1_000_000,
    fieldBytesMax: 4 * KiB,
    fieldsMax: 32,
    filenameCharsMax: 255,
    /** A part's headers; browsers stay under 1 KiB. */
    partHeaderBytesMax: 8 * KiB,
    /** How long an upload waits for its images before those left are failed and returned. */
    waitMsMax: 60 * SECOND,
    /** The saga gives up an upload so long after that, in case the request that ran it died. */
    deadlineGraceMs: 15 * SECOND,
    /** Retry-After of an upload that failed for a passing reason. */
    retrySeconds: 5,
    /** An upload that said no more of itself is no longer counted as running. */
    slotMsMax: 10 * MINUTE,
    /** Images of one upload that are at origin at once. */
    concurrencyMax: 4,
  },
  batch: {
    imagesMax: 1_000,
    bodyBytesMax: 4 * MiB,
    urlCharsMax: 2_048,
    /** An image not done by then is failed and its credit returned. */
    deadlineMs: 6 * HOUR,
    /** Long-poll of the status endpoint, seconds. */
    statusWaitSecondsMax: 25,
    /** An image handed to the queue and not heard of for so long is handed over again. */
    redispatchAfterMs: 2 * MINUTE,
    /** Each further time waits twice as long, up to this; the dispatch window bounds how many copies that makes. */
    redispatchCapMs: 5 * MINUTE,
    concurrencyMax: 8,
    /**
     * Images of one batch that are in the queue or at work at once, so that no batch fills the queue before another
     * account's.
     */
    dispatchWindowMax: 48,
    /** A call to the ledger that brought no answer is made again after so long. */
    redriveAfterMs: 10 * SECOND,
    /** Life of a batch's own record, after which its status is unknown. */
    keptMs: 30 * DAY,
    /** A batch refused for want of credits is remembered for so long, against answers that come late. */
    refusedKeptMs: 1 * HOUR,
    /** Longest Retry-After of a running batch's status. */
    pollSecondsMax: 15,
    /** Faults of one request body that are listed. */
    errorRowsMax: 20,
    /** Long-polls of one batch waiting at once; beyond it the status is answered at once. */
    waitersMax: 64,
  },
  image: {
    pixelsMax: 64_000_000,
    sideMax: 32_000,
    /** Below this there is no product to find. */
    sideMin: 16,
  },
  inputUrl: {
    redirectsMax: 3,
    /** Connection, headers and body together. */
    totalMsMax: 20 * SECOND,
    /** Time to response headers. */
    headersMsMax: 10 * SECOND,
    /** A body slower than this for one window is given up: bytes per second over 5 s. */
    bytesPerSecondMin: 4 * KiB,
    speedWindowMs: 5 * SECOND,
    /** An input is stored in blocks of this size: R2's smallest part of a multipart upload. */
    blockBytes: 5 * MiB,
    dnsMsMax: 5 * SECOND,
    attemptsMax: 3,
  },
  canvas: { sideMin: 100, sideMax: 10_000, pixelsMax: 64_000_000 },
  fill: { min: 0.3, max: 1 },
  quality: { min: 60, max: 100, default: 92 },
  preview: { sideMax: 512, quality: 82 },
  downloads: {
    /** Life of a signed URL. */
    urlMs: 24 * HOUR,
    /** Life of the stored result; the status response mints fresh URLs until then. */
    objectMs: 7 * DAY,
    inputObjectMs: 1 * DAY,
    sweepObjectsMax: 1_000,
  },
  /** Presigned URLs outlive the longest wait of a job at origin. */
  objects: { presignedSeconds: 900 },
  /** Attempts of a message are in wrangler.toml: 12, then the dead letter queue. */
  queue: { messagesPerSend: 100, delayMsMax: 5 * MINUTE, backoffBaseMs: 1 * SECOND, thrownDelaySeconds: 5 },
  idempotency: {
    keyCharsMax: 255,
    keptMs: 24 * HOUR,
    /** Longest Retry-After while the first request runs. */
    retrySeconds: 10,
    /** A request in flight for longer than this is taken for dead; its retry takes over its batch. */
    leaseMs: 120 * SECOND,
    /** Longest stored answer; an upload of 20 files stays far below. */
    answerBytesMax: 256 * KiB,
  },
  rate: {
    /** Token bucket per account. */
    requestsPerWindow: 600,
    windowMs: MINUTE,
    burst: 300,
    /** Uploads of one account running at once; beyond it 429. */
    uploadsInFlightMax: 250,
    /** Retry-After of an upload that found no slot. */
    slotRetrySeconds: 2,
  },
  requestLog: { keptMs: 30 * DAY, rowsMax: 100_000, pageRowsMax: 100, pathCharsMax: 200 },
  ledger: {
    commandRowsPerCall: 1_000,
    outboxBatchMax: 200,
    outboxRetryMs: 30 * SECOND,
    outboxDelayMs: 2 * SECOND,
    housekeepingMs: 1 * HOUR,
    holdChecksPerAlarm: 20,
    sweepRowsMax: 5_000,
    usageDaysMax: 90,
    holdCheckAfterMs: 12 * HOUR,
  },
  /** `lastUsedStepMs`: a key's last use is written down at most so often. */
  keys: { perAccountMax: 50, labelCharsMax: 80, lastUsedStepMs: MINUTE },
  origin: {
    /** One call from edge, whatever nodes it goes to; a job's own deadline may end it sooner. */
    callMsMax: 60 * SECOND,
    /** A node answers within the first, be it with nothing but headers, and then makes itself heard every so often. */
    headersAfterMs: 1 * SECOND,
    heartbeatMs: 2 * SECOND,
    /** A node from which the edge hears nothing for so long, before its headers or after, is taken for lost. */
    headersMsMax: 5 * SECOND,
    silenceMsMax: 10 * SECOND,
    /** Of a job's answer. */
    answerBytesMax: 64 * KiB,
    /** Nodes that one call is offered to, one after the other. */
    nodesAskedMax: 4,
    /** Retries of one image within one upload: connection errors and 503. */
    uploadAttemptsMax: 6,
    retryBaseMs: 250,
    retryCapMs: 8 * SECOND,
    /** A node that was lost is asked last for so long; each further loss in a row doubles it, up to the second. */
    restMsBase: 2 * SECOND,
    restMsCap: 60 * SECOND,
    serviceTokenSeconds: 60,
    jobBodyBytesMax: 64 * KiB,
  },
  webhook: {
    attemptsMax: 10,
    backoffBaseMs: 5 * SECOND,
    timeoutMs: 10 * SECOND,
    windowMs: DAY,
    responseBytesMax: 64 * KiB,
    urlCharsMax: 2_048,
  },
  portal: {
    sessionMs: 7 * DAY,
    mailLinkSeconds: 60 * 60,
    passwordCharsMin: 10,
    passwordCharsMax: 128,
    nameCharsMax: 80,
    bodyBytesMax: 16 * KiB,
    /** Per client address and path. */
    authRequestsPerMinute: 20,
    /** Per mail address, known or not. */
    signInAttemptsMax: 20,
    signInWindowMs: 15 * MINUTE,
    /** A registration whose address nobody confirms is forgotten. */
    unconfirmedMs: 7 * DAY,
    /** Rows of each table that one scheduled run removes. */
    sweepRowsMax: 1_000,
    mailMsMax: 10 * SECOND,
    outboxRowsMax: 100,
    usageDaysMax: 90,
    ledgerPageRowsMax: 100,
    logPageRows: 50,
    /** A filter looks at so many pages before it hands out a cursor to go on from. */
    logScanPagesMax: 20,
    logImagesMax: 100,
    /** Rows of one CSV export; an account of a million images is exported in parts. */
    csvRowsMax: 1_000_000,
  },
} as const);
