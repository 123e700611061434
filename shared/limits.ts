/**
 * Every bound that two tiers or the public documents read, with its unit in the name; what one tier reads alone is in
 * its own limits file. Every queue, buffer, wait and retry has a line in one of them.
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
    /** All of a request: what Cloudflare takes in its Free and Pro plans. */
    bodyBytesMax: 100 * 1_000_000,
    filenameCharsMax: 255,
    /** How long an upload waits for its images before those left are failed and returned. */
    waitMsMax: 60 * SECOND,
  },
  folders: {
    /** Photos that are dropped into the portal together; of those of one upload `upload` says how many. */
    photosMax: 400,
    nameCharsMax: 120,
  },
  removebg: {
    /** Of a file sent as base64, decoded: a Worker holds such a body, its text and its bytes at once. */
    base64BytesMax: 12 * 1_000_000,
  },
  batch: {
    imagesMax: 1_000,
    /** Images times marketplaces: what one status answers. */
    filesMax: 2_000,
    bodyBytesMax: 4 * MiB,
    urlCharsMax: 2_048,
    /** An image not done by then is failed and its credit returned. */
    deadlineMs: 6 * HOUR,
    /** Long-poll of the status endpoint, seconds. */
    statusWaitSecondsMax: 25,
  },
  image: {
    pixelsMax: 64_000_000,
    /** Its decoder takes some 62 bytes a pixel: 1.5 GiB for a camera's 24 megapixels. */
    jxlPixelsMax: 24_500_000,
    sideMax: 32_000,
    /** Below this there is no product to find. */
    sideMin: 16,
  },
  /**
   * Checks are free, so an account has so many of them: by UTC minute and day, all of its keys together. One counts once
   * it has begun, whatever becomes of it.
   */
  checks: {
    perMinute: 60,
    perDay: 1_000,
    /** Of one account, running at once; beyond it 429. */
    inFlightMax: 8,
    /** How long a check waits for a node before it is given up. */
    waitMsMax: 30 * SECOND,
  },
  /** The landing page's first picture of a visitor's photo, of which the browser sends a small copy. */
  quickLook: {
    /** Longer side of the copy, and its bytes. */
    sideMax: 1_024,
    imageBytesMax: 400_000,
    /** Side of the picture, px. */
    canvas: 480,
    /** From the edge's call to the node's answer: the browser's own preview comes after 10 to 30 s. */
    waitMsMax: 25 * SECOND,
    /** Of a request between the tiers, the image in base64. */
    bodyBytesMax: 600 * KiB,
  },
  inputUrl: {
    redirectsMax: 3,
    /** Connection, headers and body together. */
    totalMsMax: 20 * SECOND,
    /** Of `input_authorization`: bearer tokens of shops have one or two thousand at most. */
    authorizationCharsMax: 4_096,
  },
  /** Both bounds hold. The pixels are those of an input, which is what bounds a node's memory: a square has 8,000 px. */
  canvas: { sideMin: 100, sideMax: 10_000, pixelsMax: 64_000_000 },
  /** Marketplaces that one photo is made for at once. */
  marketplaces: { perImageMax: 8 },
  fill: { min: 0.3, max: 1 },
  quality: { min: 60, max: 100, default: 92 },
  preview: { sideMax: 512, quality: 82 },
  /** Result of a test key; smaller ones keep their size. */
  testResult: { sideMax: 512 },
  downloads: {
    /** Life of a signed URL. */
    urlMs: 24 * HOUR,
    /** Life of the stored result where its account says nothing else; the status response mints fresh URLs until then. */
    objectMs: 7 * DAY,
    inputObjectMs: 1 * DAY,
    /** A link ends at the latest so long after its key was revoked or its file deleted. */
    deadWithinMs: 60 * SECOND,
    /** The photo of a check is deleted with its answer; one whose Worker died goes with the next sweep after this. */
    checkObjectMs: 15 * MINUTE,
  },
  /**
   * Days that an account may have its results kept; 0: until their first complete download, or for `undeliveredMs`. The
   * bucket's own rules delete them after `daysMax`, whatever happens here.
   */
  retention: { daysDefault: 7, daysMax: 30, undeliveredMs: 24 * HOUR },
  idempotency: {
    keyCharsMax: 255,
    keptMs: 24 * HOUR,
  },
  rate: {
    /** Token bucket per account. */
    requestsPerWindow: 600,
    windowMs: MINUTE,
    burst: 300,
    /** Uploads of one account running at once; beyond it 429. */
    uploadsInFlightMax: 250,
  },
  /**
   * Images of all test keys of an account and its free previews, by UTC day. One counts once it is accepted, whatever
   * becomes of it.
   */
  testImages: { perDay: 200 },
  requestLog: { keptMs: 30 * DAY },
  ledger: {
    /** Rows of each kind in one call of the export. */
    outboxBatchMax: 200,
    /** An export that origin did not take is tried again after so long. */
    outboxRetryMs: 30 * SECOND,
    /** Lines that origin gives back in one answer. */
    archivePageMax: 1_000,
  },
  keys: {
    /** Those that can be used. */
    perAccountMax: 50,
    labelCharsMax: 80,
    /** Address ranges of a key's allow-list. */
    allowedIpsMax: 20,
    creditsPerDayMax: 1_000_000,
    /** For how long a secret that was replaced may go on. */
    overlapMsMax: 7 * DAY,
  },
  origin: {
    /** A node answers within the first, be it with nothing but headers, and then makes itself heard every so often. */
    headersAfterMs: 1 * SECOND,
    heartbeatMs: 2 * SECOND,
    serviceTokenSeconds: 60,
    jobBodyBytesMax: 64 * KiB,
  },
  webhook: {
    /** From the first attempt to the last. */
    windowMs: DAY,
    /** The first attempt included. Pauses triple from 5 s, shortened at random by up to half: 11 or 12 fit the window. */
    attemptsMax: 12,
    timeoutMs: 10 * SECOND,
    /** After a rotation deliveries carry a signature of the secret before, too. */
    secretOverlapMs: DAY,
    urlCharsMax: 2_048,
  },
  /**
   * Addresses of an account that are told of its events. One is disabled where it accepted nothing for `failingMsMax`,
   * in `failuresMin` attempts or more, without a gap of `webhook.windowMs` between them. Of the deliveries to one,
   * `concurrencyMax` are under way at a time; beyond `pendingMax` the oldest are dropped.
   */
  webhookEndpoints: {
    perAccountMax: 5,
    failingMsMax: 3 * DAY,
    failuresMin: 12,
    concurrencyMax: 4,
    pendingMax: 1_000,
  },
  /** Ends of batches, kept for a developer who listens; noted until so long after the last call. */
  webhookEvents: { keptMs: DAY, eventsMax: 1_000 },
  /** Credits at which an owner may want to be told of a low balance. */
  balanceAlert: { levelMax: 1_000_000 },
  /** Automatic top-up: credits, and whole dollars in a UTC month, before tax. */
  topUp: { levelMax: 100_000, monthlyLimitUsdMax: 10_000 },
  portal: {
    passwordCharsMin: 10,
    passwordCharsMax: 128,
    nameCharsMax: 80,
  },
} as const);
