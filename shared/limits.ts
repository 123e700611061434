/**
 * Every bound of the system, with its unit in the name. A queue, buffer, wait or retry without a line here is a defect.
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
    /** Retries of one image within one upload: connection errors and 503. */
    uploadAttemptsMax: 6,
    retryBaseMs: 250,
    retryCapMs: 8 * SECOND,
    serviceTokenSeconds: 60,
    queueJobsMax: 128,
    /** Jobs being worked on at once beside the ones queued: one in the model, one before it, one behind it. */
    pipelinesMax: 3,
    jobBodyBytesMax: 64 * KiB,
    fetchInputMsMax: 30 * SECOND,
    storeOutputMsMax: 30 * SECOND,
    storeAttemptsMax: 3,
    drainMsMax: 30 * SECOND,
    outcomeKeptMs: 7 * DAY,
    leaseMs: 30 * SECOND,
    leaseRenewMs: 10 * SECOND,
    sweepRowsMax: 1_000,
    sweepStepsMax: 20,
    sweepEveryMs: 5 * MINUTE,
    /** Jobs past admission beside those in a pipeline: being fetched, or stored. */
    jobsAroundPipelines: 3,
    /** Share of the queue that batch jobs may fill; the rest stays free for interactive ones. */
    batchQueueShare: 0.75,
    /** Pixels of all inputs being worked on at once; a larger single image runs alone. Bounds memory, not speed. */
    pixelsInFlightMax: 64_000_000,
    /** One pipeline run, waiting for the model included; a worker that takes longer is ended. */
    pipelineMsMax: 60 * SECOND,
    retryAfterSecondsMax: 60,
    /** What a draining or starting node asks callers to wait. */
    notReadyRetrySeconds: 2,
    fetchAttemptsMax: 3,
    /** Waiting for another node's outcome of the same job. */
    elsewhereWaitMsMax: 60 * SECOND,
    elsewherePollMsMin: 100,
    elsewherePollMsMax: 1 * SECOND,
    /** A job whose node died this often is taken for the cause and failed for good. */
    crashesMax: 5,
    ledgerBodyBytesMax: 1 * MiB,
    /** First pause before a storage request is repeated; doubles. */
    storageRetryMsBase: 200,
  },
  inference: {
    /** A run that takes longer is killed with its process. */
    runMsMax: 30 * SECOND,
    startMsMax: 120 * SECOND,
    respawnBackoffMsMax: 10 * SECOND,
    respawnBackoffMsBase: 100,
    batchWaitMsMax: 5,
    batchSizeMax: 8,
    /** Images waiting for a device. Admission keeps the number far below. */
    queueImagesMax: 64,
    sideMax: 2_048,
    /** Runs of one image before its failure is reported: a device may die for reasons of its own. */
    attemptsMax: 2,
    /** How often a device looks whether its parent still lives. */
    orphanCheckMs: 1 * SECOND,
    /** Mean difference of int8 and fp32 mattes that the start-up check lets pass, of 255. */
    int8ErrorMax: 4,
  },
  models: {
    downloadAttemptsMax: 5,
    retryBaseMs: 500,
    /** A download that brings no byte for so long is given up and retried from where it stopped. */
    stallMsMax: 30 * SECOND,
    npmMsMax: 30 * SECOND,
    resourceListBytesMax: 1 * MiB,
    /** Longest wait for another process that prepares the same folder. */
    lockWaitMsMax: 15 * MINUTE,
    lockPollMs: 250,
    lockHeartbeatMs: 5 * SECOND,
    /** A lock not refreshed for so long belongs to no one. */
    lockStaleMs: 60 * SECOND,
  },
  database: {
    poolMax: 10,
    statementMsMax: 10 * SECOND,
    connectMsMax: 10 * SECOND,
    /** Waiting for a database that is starting or restarting, per operation. */
    retryMsMax: 20 * SECOND,
    retryDelayMsBase: 50,
    retryDelayMsMax: 1 * SECOND,
    embeddedStartMsMax: 60 * SECOND,
  },
  webhook: {
    attemptsMax: 10,
    backoffBaseMs: 5 * SECOND,
    timeoutMs: 10 * SECOND,
    windowMs: DAY,
    urlCharsMax: 2_048,
  },
  portal: {
    passwordCharsMin: 10,
    passwordCharsMax: 128,
    nameCharsMax: 80,
  },
} as const);
