/**
 * Every bound that only a node reads, with its unit in the name. What the edge or the public documentation reads too is
 * in shared/limits.ts.
 */
const MiB = 1024 * 1024;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

export const originLimits = Object.freeze({
  http: {
    ledgerBodyBytesMax: 1 * MiB,
    /** How long production may go on accepting a secret that edge and nodes share. */
    sharedSecretMsMax: 30 * DAY,
  },
  jobs: {
    queueJobsMax: 128,
    /** Jobs being worked on at once beside the ones queued: one in the model, one before it, one behind it. */
    pipelinesMax: 3,
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
    drainMsMax: 30 * SECOND,
    leaseMs: 30 * SECOND,
    /** Waiting for another node's outcome of the same job. */
    otherNodeWaitMsMax: 60 * SECOND,
    otherNodePollMsMin: 100,
    otherNodePollMsMax: 1 * SECOND,
    /** A job whose node died this often is taken for the cause and failed for good. */
    crashesMax: 5,
    outcomeKeptMs: 7 * DAY,
    sweepRowsMax: 1_000,
    sweepStepsMax: 20,
    sweepEveryMs: 5 * MINUTE,
  },
  decoder: {
    /** One decoder decodes for about four pipelines: a photo takes some 50 to 150 ms there, and seconds in all. */
    pipelinesPerProcess: 4,
    /** Of one photo. The slowest accepted kind, 64 megapixels as WebP with alpha, takes about 3 s. */
    cpuMsMax: 10 * SECOND,
    /** On a machine that is busy with other things. */
    wallMsMax: 45 * SECOND,
    /** The largest accepted kind, 64 megapixels as AVIF, takes 1.4 to 1.6 GiB. */
    rssBytesMax: 2_048 * MiB,
    watchEveryMs: 50,
    /** A file that killed its decoder is refused at once for so long, on every node. */
    rememberedMs: 1 * DAY,
  },
  /** Checks and quick looks are free, so they get what paid images leave: one at a time, and last at the model. */
  checks: {
    queueMax: 32,
    /** One step of a check, waiting for the model included; a thread that takes longer is ended. */
    runMsMax: 60 * SECOND,
    /** A thread without checks for so long is ended and its memory given back. */
    threadIdleMs: 60 * SECOND,
  },
  storage: {
    fetchInputMsMax: 30 * SECOND,
    fetchAttemptsMax: 3,
    storeOutputMsMax: 30 * SECOND,
    storeAttemptsMax: 3,
    /** First wait before a storage request is repeated; doubles. */
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
    /** How often a device process checks that its node is still alive. */
    orphanCheckMs: 1 * SECOND,
    /** Mean difference of int8 and fp32 mattes that the start-up check lets pass, of 255. */
    int8ErrorMax: 4,
  },
  reconcile: {
    /** Rows of one statement. */
    pageRowsMax: 1_000,
    /** An upload settles when all of it is decided, and its lines reach origin some seconds later. */
    graceMs: 10 * MINUTE,
    /** The edge deletes lines after 30 days, by an alarm that comes once a day, and sends the checkpoint then. */
    foldedWithinMs: 35 * DAY,
    /** A line may come so long after its job's outcome: its saga asks again until its deadline. */
    settledWithinMs: 1 * DAY,
  },
  database: {
    poolMax: 10,
    statementMsMax: 10 * SECOND,
    connectMsMax: 10 * SECOND,
    /** Waiting for a database that is starting or restarting, per operation. */
    retryMsMax: 20 * SECOND,
    retryDelayMsBase: 50,
    retryDelayMsMax: 1 * SECOND,
    /** Making its folder takes 3 s, and a minute on a machine that is twenty times overloaded. */
    embeddedStartMsMax: 110 * SECOND,
  },
} as const);
