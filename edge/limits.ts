/**
 * Bounds that only the edge reads, with their units in the names. What another tier or the public documentation reads
 * too stands in shared/limits.ts. A queue, buffer, wait or retry without a line in one of them is a defect.
 */
const KiB = 1024;
const MiB = 1024 * KiB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const edgeLimits = Object.freeze({
  upload: {
    fieldBytesMax: 4 * KiB,
    fieldsMax: 32,
    /** A part's headers; browsers stay under 1 KiB. */
    partHeaderBytesMax: 8 * KiB,
    /** From the first byte of the body to its last: 100 MB at 170 kB/s. */
    bodyMsMax: 10 * MINUTE,
    /** The saga gives up an upload so long after `waitMsMax`, in case the request that ran it died. */
    deadlineGraceMs: 15 * SECOND,
    /** Retry-After of an upload that failed for a passing reason. */
    retrySeconds: 5,
    /** An upload that never released its slot no longer counts as running after this. */
    slotMsMax: 10 * MINUTE,
    /** Images of one upload that are at origin at once. */
    concurrencyMax: 4,
  },
  removebg: {
    /** A form-encoded or JSON body: base64 of the largest file, with room for escapes and the other fields. */
    bodyBytesMax: 18 * 1_000_000,
    /** Such a body is held as a text, as a parameter of it, and decoded. */
    textFactor: 3,
  },
  batch: {
    /** Times that an image is tried; being told to wait is none. */
    attemptsMax: 12,
    /** An image handed to the queue and not started for so long is handed over again. */
    redispatchAfterMs: 2 * MINUTE,
    /** Each further time waits twice as long, up to this; the dispatch window bounds how many copies that makes. */
    redispatchCapMs: 5 * MINUTE,
    /** Images that one invocation of the queue consumer works on at once; fewer of them at origin while that is busy. */
    concurrencyMax: 8,
    slowDownEveryMs: 1 * SECOND,
    /**
     * Inputs that it fetches at once: Cloudflare lets an invocation wait for the headers of six connections, and slow
     * hosts must not keep its calls to nodes and stores from being sent.
     */
    fetchesMax: 2,
    /** Images that are handed over again in one run of the alarm: more than `ledger.dispatchWindowMax` cannot be due. */
    redispatchMax: 48,
    /**
     * Outcomes are settled with the ledger together: as soon as there are so many, or a quarter of the batch's window,
     * and after so long.
     */
    settleTogetherMax: 8,
    settleAfterMs: 5 * SECOND,
    /** A batch without a place in its account's window asks for one again after so long; each pause is twice the last. */
    windowAskMs: 5 * SECOND,
    windowAskCapMs: MINUTE,
    /** A call to the ledger that brought no answer is made again after so long, each further time after twice that. */
    redriveAfterMs: 10 * SECOND,
    redriveCapMs: 10 * MINUTE,
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
  check: {
    /** A JSON body: one URL and the options. */
    jsonBodyBytesMax: 16 * KiB,
    /** Of a multipart body, beside its one file. */
    fieldsBytesMax: 256 * KiB,
    /** Times that a check is offered to the fleet: connection errors and 503. */
    attemptsMax: 4,
    /** A check that never ended no longer counts as running after this. */
    slotMsMax: 10 * MINUTE,
    /** Retry-After of a check that failed for a passing reason, or found as many running as may. */
    retrySeconds: 2,
  },
  inputUrl: {
    /** Times that an image's input is asked for. */
    attemptsMax: 3,
    /** Time to response headers, name resolution included. */
    headersMsMax: 10 * SECOND,
    dnsMsMax: 5 * SECOND,
  },
  /** From the first byte of a JSON body to its last. */
  jsonBody: { msMax: MINUTE },
  /**
   * Bytes of bodies that one isolate holds at once, over all requests: half of the 128 MB that Cloudflare gives it. Of
   * them `openMax` bodies have `firstBytes` each, 8 MiB; the rest is lent to those that are larger, 6 MiB to a large
   * photo. Who finds no room waits, and is then refused with 503.
   */
  bodies: {
    bytesMax: 64 * MiB,
    firstBytes: 16 * KiB,
    openMax: 512,
    /** What one account may have of either kind, while it has any. */
    accountShare: 1 / 2,
    /** What a file takes beside its block: while that grows, and for the chunk that comes in. */
    besideBlockBytes: 1 * MiB,
    /** A text is held as bytes, as a string of two bytes a character, and as what was read from it. */
    jsonFactor: 4,
    /** With the longest wait of an upload for its images, 90 s: what clients allow a try. */
    waitMsMax: 30 * SECOND,
    waitersMax: 1_000,
    /** Room that nobody has used for so long is taken back. */
    idleMsMax: MINUTE,
    /** While others wait for room, a body slower than this for one window is given up. */
    wantedBytesPerSecondMin: 64 * KiB,
    wantedWindowMs: 5 * SECOND,
    retrySeconds: 5,
  },
  /** Bytes of an image on their way from a client or an untrusted server into the store. */
  spool: {
    /** A body slower than this for one window is given up. */
    bytesPerSecondMin: 4 * KiB,
    /** Of a server that should send as fast as it can. */
    serverWindowMs: 5 * SECOND,
    /** Of a client, whose phone may be changing cells, or whose machine sends hundreds of uploads at once. */
    clientWindowMs: 30 * SECOND,
    /** An input is stored in blocks of this size: R2's smallest part of a multipart upload. */
    blockBytes: 5 * MiB,
  },
  downloads: { sweepObjectsMax: 1_000 },
  /**
   * Files of one ZIP; further ones are in the next. With a call for each file and each batch, a Worker stays below the
   * 1,000 that it may make.
   */
  results: { zipFilesMax: 400 },
  /** Photos that were dropped into the portal together. A folder asks each of its batches how it stands. */
  folders: {
    keptMax: 500,
    /**
     * Photos sent again included: 400 of 25 MB are 134 uploads of three. With `retryRowsMax`, a page of folders asks 800
     * batches at most, of the 1,000 calls that a request may make.
     */
    uploadsMax: 150,
    /** Beyond them, tries of uploads that have one already: each is a row until it is known to have opened nothing. */
    retryRowsMax: 10,
    pageRowsMax: 5,
    /** An upload that is noted may still open its batch for so long: its body comes in within 10 minutes. */
    arrivingMsMax: 15 * MINUTE,
    sweepRowsMax: 100,
  },
  /** Presigned URLs outlive the longest wait of a job at origin. */
  objects: {
    presignedSeconds: 900,
    /** A call to R2, up to the headers of what it reads. It writes at most one block, which takes it about a second. */
    callMsMax: 30 * SECOND,
  },
  /** Attempts of a message are in wrangler.toml: 12, then the dead letter queue. */
  queue: {
    queuesMax: 64,
    messagesPerSend: 100,
    sendMsMax: 30 * SECOND,
    imagesPerMessage: 8,
    delayMsMax: 5 * MINUTE,
    backoffBaseMs: 1 * SECOND,
    thrownDelaySeconds: 5,
  },
  idempotency: {
    /** Longest Retry-After while the first request runs. */
    retrySeconds: 10,
    /** A request that has not renewed its lease for so long is taken for dead; its retry takes over. */
    leaseMs: 15 * SECOND,
    renewEveryMs: 5 * SECOND,
    /** Longer than any body and the wait after it: a try that still runs then hangs at something that never answers. */
    renewForMsMax: 12 * MINUTE,
    /** Records that one run of the alarm deletes; the next run follows at once. */
    sweepRowsMax: 1_000,
    /**
     * Longest stored answer: an upload of 20 files with 20 findings each, some 1.3 kB a finding, and a verdict by them, or
     * for eight marketplaces each, stays below.
     */
    answerBytesMax: 1 * MiB,
  },
  /** Retry-After of an upload that found no slot. */
  rate: { slotRetrySeconds: 2 },
  /**
   * A call to a Durable Object: pauses of 100, 400 and 1,600 ms, each shortened at random by up to half. One that is not
   * answered in `answerMsMax`, several times the longest long-poll, is not made again.
   */
  objectCall: { triesMax: 4, baseMs: 100, factor: 4, answerMsMax: 2 * MINUTE },
  /** Rows beyond `rowsMax` go, oldest first, whatever their age. */
  requestLog: {
    rowsMax: 100_000,
    pageRowsMax: 100,
    pathCharsMax: 200,
    /** Rows that one call of a search looks through, newest first; it then says where the next one goes on. */
    scanRowsMax: 10_000,
    /** Of the file names of a request, as many as are kept to be searched. */
    namesCharsMax: 4 * KiB,
    csvPageRows: 500,
    /** Requests turned away, such as 429, of which one account's log takes lines; the others are only counted. */
    refusedRowsPerMinute: 60,
    /** Rows are added up by day so often. */
    rollUpEveryMs: 5 * MINUTE,
    /** Rows that one run of the alarm adds up, or deletes; the next run follows at once. */
    rollUpRowsMax: 5_000,
    sweepRowsMax: 5_000,
  },
  /**
   * Sums of a day by key and marketplaces. Beyond `setsPerDayMax` groups a key's further ones are one, beyond
   * `groupsPerDayMax` those of all keys: 80,000 rows of 100 bytes at most, or of 1 kB where they have latencies.
   */
  usageSplit: { keptDays: 400, setsPerDayMax: 100, groupsPerDayMax: 200 },
  /** An object's alarm of which a part failed comes again after so long. */
  alarm: { retryMs: 30 * SECOND },
  ledger: {
    commandRowsPerCall: 1_000,
    /** Images of one account that are in the queue or at work at once, shared by its open batches. */
    dispatchWindowMax: 48,
    /** Entries of this long are exported together. */
    outboxDelayMs: 2 * SECOND,
    housekeepingMs: 1 * HOUR,
    /** An object in which nothing new was written is woken this seldom: rows of a month ago may go a day late. */
    quietHousekeepingMs: 1 * DAY,
    holdChecksPerAlarm: 20,
    /** Rows of the log from before it had an object of its own that move there in one call. */
    movedRowsPerCall: 500,
    usageDaysMax: 90,
    /** Usage reads the entries not yet added up: they are, as soon as there are so many, or at housekeeping. */
    rollUpEntriesMin: 1_000,
    /** Entries that one run of the alarm adds up; the next run follows at once. */
    rollUpRowsMax: 20_000,
    /** Lines older, or beyond so many, leave the ledger once origin has them. */
    entriesKeptMs: 30 * DAY,
    entriesMax: 10_000,
    foldRowsMax: 1_000,
    /** A line that origin holds otherwise is sent again, and logged, so often. */
    conflictRetryMs: 1 * HOUR,
    /** A hold goes so long after it was resolved: later than its batch's own record. */
    holdsKeptMs: 31 * DAY,
    /** Images of the holds that one run of the alarm deletes; the next run follows at once. */
    sweepImagesMax: 5_000,
    /**
     * A hold still open after so long makes the ledger ask the batch's saga about it: soon at first, because a saga that
     * died while it asked for the hold knows nothing of it.
     */
    holdFirstCheckAfterMs: 30 * MINUTE,
    holdCheckAfterMs: 12 * HOUR,
  },
  balanceAlert: {
    /** Older crossings are forgotten. */
    crossingsKeptMax: 100,
    /** Told by one run of the alarm; the next run follows when the next one is due. */
    crossingsPerAlarm: 5,
    /** After 1, 2, 4 … minutes, then every two hours. */
    retry: { baseMs: 1 * MINUTE, capMs: 2 * HOUR },
    /** From the first try to the last one: within the 24 hours for which the mail API knows an Idempotency-Key. */
    triesMsMax: 20 * HOUR,
  },
  topUp: {
    /** Each after 1, 2, 4 … minutes, then every two hours; after `triesMax` the invoice is closed instead of paid. */
    retry: { baseMs: 1 * MINUTE, capMs: 2 * HOUR },
    triesMax: 5,
    /** After one that got no answer, before another is begun. */
    pauseAfterFailureMs: 1 * HOUR,
    /** Paid, and its credits not here: logged as an error, and again each day. */
    creditsLateMs: 1 * HOUR,
    creditsLateAgainMs: 24 * HOUR,
    /** An account is not deleted while a card is being charged for it; after this it is, and what is open is stopped. */
    closesWithinMs: 24 * HOUR,
    /**
     * Ended ones are forgotten after this: a month's sum never needs them. There are at most 1,000 that were paid in a
     * month (the highest limit in the smallest pack); of those that were not, the newest are kept.
     */
    keptMs: 400 * DAY,
    fruitlessKeptMax: 100,
    shownMax: 5,
    noticesKeptMax: 100,
    noticesPerAlarm: 5,
    /** As for the mail of a low balance. */
    noticeTriesMsMax: 20 * HOUR,
    /** Two months, at one try every two hours. */
    detachTriesMax: 720,
  },
  /**
   * Unknown keys that one client (an IPv4 address, an IPv6 /64) may try before it waits out the minute, and its network
   * (/24, /48), in the memory of one isolate; a key that was unknown is not looked up again within the minute.
   */
  keyGuard: {
    unknownPerMinute: 5,
    unknownPerNetworkMinute: 50,
    addressesMax: 10_000,
    knownKeysMax: 10_000,
    unknownKeysMax: 10_000,
  },
  account: {
    /** Of a request that changes how long files are kept. */
    bodyBytesMax: 1 * KiB,
  },
  keys: {
    /** A key's last use is written down at most so often. */
    lastUsedStepMs: MINUTE,
    /** Secrets of one key that were replaced and are still remembered; those that end first go. */
    replacedSecretsMax: 8,
    /** Of a request that makes or changes a key. */
    bodyBytesMax: 16 * KiB,
  },
  /**
   * After a key was revoked: batches asked in one run of the alarm, the next following at once; and the pause before all
   * are asked again where one could not say yet, each twice the last.
   */
  revocation: { batchesPerAlarm: 20, roundBaseMs: 5 * SECOND, roundCapMs: 5 * MINUTE },
  /**
   * What is deleted is deleted once more when a node that is late can no longer store a file: presigned URLs have ended
   * and so has every call. `perAlarm`: images at a time. `batchesPerAlarm`: of an account whose data go.
   */
  removal: {
    /** The alarm takes over a first try after so long. */
    tryMsMax: 30 * SECOND,
    againAfterMs: 20 * MINUTE,
    retryBaseMs: 5 * SECOND,
    retryCapMs: 10 * MINUTE,
    perAlarm: 20,
    objectsPerCall: 1_000,
    batchesPerAlarm: 20,
  },
  /**
   * That a key is good is remembered for so long in one isolate, for so many batches; and so long a cache may keep a
   * file. Both together are how long a link outlives its key: `limits.downloads.deadWithinMs`.
   */
  links: { checkedMs: 30 * SECOND, cachedSeconds: 30, rememberedMax: 10_000 },
  origin: {
    /** One call to the fleet, whatever nodes it goes to; a job's own deadline may end it sooner. */
    callMsMax: 60 * SECOND,
    /** A node from which the edge hears nothing for so long, before its headers or after, counts as unhealthy. */
    headersMsMax: 5 * SECOND,
    silenceMsMax: 10 * SECOND,
    /** Of a node's answer. */
    answerBytesMax: 64 * KiB,
    /** Of a page of exported ledger lines, some 350 bytes each. */
    archiveBytesMax: 1 * MiB,
    /** A small picture in base64. */
    quickLookBytesMax: 512 * KiB,
    archiveCallMsMax: 10 * SECOND,
    /** Nodes that one call is offered to, one after the other. */
    nodesAskedMax: 4,
    /** An unhealthy node is asked last for so long; each further failure in a row doubles it, up to the second. */
    cooldownMsBase: 2 * SECOND,
    cooldownMsCap: 60 * SECOND,
    /** Longest Retry-After of a busy node that is believed. */
    retryAfterMsMax: 5 * MINUTE,
    /** Attempts at one image within one upload: connection errors and 503. */
    uploadAttemptsMax: 6,
    retryBaseMs: 250,
    retryCapMs: 8 * SECOND,
  },
  /** First pause after a failed webhook; each further one is three times as long. */
  webhook: { backoffBaseMs: 5 * SECOND },
  /**
   * The log of attempts at webhooks, resent and test ones too. Beyond `rowsMax` of an account the oldest go; with their
   * bodies, of which so much is kept, they are 32 MB of Latin text at most, and three times that of other scripts.
   */
  webhookAttempts: { keptMs: 30 * DAY, rowsMax: 1_000, bodyCharsMax: 32 * KiB, pageRowsMax: 50, sweepRowsMax: 1_000 },
  /**
   * Events for webhook endpoints, in the account's own object on their way to its history: beyond `eventsMax` the oldest
   * are dropped. One run of the history's alarm begins so many deliveries as all endpoints have places.
   */
  webhookEndpoints: {
    eventsMax: 1_000,
    eventsPerCall: 100,
    /** Ends that come together are handed over together. */
    handOverAfterMs: SECOND / 4,
    handOverRetryMs: 30 * SECOND,
    startedPerAlarm: 20,
    /** Until the account is told of an endpoint that is dead, and its owner by mail: as for a low balance. */
    disableRetry: { baseMs: 1 * MINUTE, capMs: 2 * HOUR },
    disableTriesMsMax: 20 * HOUR,
  },
  /** That somebody listens is written down at most so often. */
  webhookEvents: { pageMax: 10, answerCharsMax: 4 * MiB, listeningStepMs: MINUTE, waitersMax: 16 },
  mcp: {
    bodyBytesMax: 64 * KiB,
    /** Credits that an agent's session may spend, where its configuration says nothing else; and the most it may say. */
    spendCapDefault: 20,
    spendCapMax: 100_000,
    /** A session in which nothing was spent for so long is over. */
    sessionKeptMs: 2 * DAY,
  },
  /** The audit log of an account; migration 0005 repeats both times. Network addresses go sooner than the rest. */
  audit: {
    keptMs: 400 * DAY,
    addressKeptMs: 90 * DAY,
    sweepRowsMax: 1_000,
    csvPageRows: 500,
    /** 600 calls of the database, of the 1,000 that a request may make. */
    csvRowsMax: 300_000,
  },
  securityTxt: { lifeMs: 90 * DAY, cacheSeconds: 3_600 },
  /**
   * The status page. Probes run three at a time, below the six connections for whose headers one invocation may wait.
   * `probesKeptMs`: rows of single probes, some 18,000 at a time. `unwrittenMax`: probes that wait for a database that is
   * down, as many; older ones go first. A run writes `writtenMax` of them, so that a long outage fits into D1's limits.
   */
  status: {
    probeMsMax: 10 * SECOND,
    pipelineMsMax: 40 * SECOND,
    probesAtOnce: 3,
    probeBytes: 256,
    probesKeptMs: 2 * DAY,
    sweepRowsMax: 1_000,
    incidentsMax: 1_000,
    incidentsShown: 20,
    /** One call of a run to D1 or R2. */
    storeMsMax: 5 * SECOND,
    unwrittenMax: 18_000,
    writtenMax: 1_000,
    /** An isolate reads the answer again after so long, and so long may others keep it. */
    rememberedMs: 10 * SECOND,
    /** Nobody waits longer for that read: what was read last is told instead. */
    readMsMax: 2 * SECOND,
    cacheSeconds: 20,
  },
  localAdmin: { bodyBytesMax: 64 * KiB, ledgerRowsMax: 100_000 },
  portal: {
    sessionMs: 7 * DAY,
    mailLinkSeconds: 60 * 60,
    bodyBytesMax: 16 * KiB,
    /**
     * Of one account. An answer of what became of a link is kept for so long after its end; mails are those of a day.
     * `tellings`: deeds that its owners are mailed about, all of them each; what is done beyond is in the log alone.
     */
    team: {
      membersMax: 20,
      invitationsMax: 20,
      invitationMs: 7 * DAY,
      invitationKeptMs: 7 * DAY,
      invitationMails: { max: 60, windowMs: DAY },
      roleChanges: { max: 60, windowMs: DAY },
      tellings: { max: 40, windowMs: HOUR },
    },
    /** Per client address and path. */
    authRequestsPerMinute: 20,
    /**
     * Tries to sign in to one account. From one device or network: the sixth waits 15 s, each further one twice as long,
     * half an hour at most, which is 58 a day. `strangersPerDay`: from all devices and networks together from which it was
     * never signed in to. With ten known networks a password is thus guessed at most 680 times a day (100 where none of
     * the guessers sits in one of them), and 58 more for each stolen cookie of a known device.
     */
    signIn: {
      freeTries: 5,
      waitMsBase: 15 * SECOND,
      waitMsCap: 30 * MINUTE,
      /** A trail on which nothing was tried for so long is forgotten. */
      forgetMs: DAY,
      strangersPerDay: 100,
      knownNetworksMax: 10,
      knownNetworkMs: 90 * DAY,
      knownDeviceMs: 180 * DAY,
    },
    /** Mails that anybody can have sent: for one recipient by kind (confirm, reset, invite), for one client, for its network. */
    mails: { perRecipientHour: 3, perRecipientDay: 6, perLineHour: 20, perNetworkHour: 60 },
    /** Tries at the password of somebody signed in: to delete the account, for one. */
    passwordTries: { max: 20, windowMs: 15 * MINUTE },
    /** A rate of better-auth's own that was last touched so long ago is forgotten. */
    authRateKeptMs: 15 * MINUTE,
    /** In one isolate: calls of one signed-in user, failed sign-ins and mailed links of one client. */
    rates: { callsPerMinute: 300, failuresPerMinute: 20, namesMax: 10_000 },
    /** Checkouts that one account opens, each of which asks Stripe. */
    checkouts: { max: 10, windowMs: HOUR },
    /** Changes of one account's automatic top-up, each of which may begin one. */
    topUpChanges: { max: 20, windowMs: HOUR },
    /** Of visitors without an account: of one client, its network, and all of them together. */
    quickLooks: { perLineHour: 12, perNetworkHour: 60, perMinute: 60 },
    /** Links to invoices, each of which asks Stripe. */
    invoices: { max: 60, windowMs: HOUR },
    /** Webhooks that one account sends by hand: those of its batches again, and tests. */
    resentWebhooks: { max: 10, windowMs: MINUTE },
    testWebhooks: { max: 5, windowMs: MINUTE },
    turnstileMsMax: 5 * SECOND,
    breachedMsMax: 3 * SECOND,
    /** A session in use is written down, and its life begins again, so often. */
    sessionStepMs: HOUR,
    /** A passkey is added within so long of signing in: a session that was stolen later cannot. */
    freshSessionMs: 15 * MINUTE,
    /** Rows of each table that one scheduled run removes. */
    sweepRowsMax: 1_000,
    /** Second factors encrypted anew by one scheduled run while the auth secret is being changed. */
    renewedRowsMax: 200,
    mailMsMax: 10 * SECOND,
    outboxRowsMax: 100,
    usageDaysMax: 90,
    /**
     * A report of usage, as far back as `usageSplit.keptDays`: by day, or beyond so many days by week, or by month. The
     * largest keys or marketplaces are told apart, so many.
     */
    usageReport: { byDayMax: 92, byWeekMax: 210, partsMax: 7 },
    logPageRows: 50,
    /** Of one CSV of the log; a search through all of it is ten calls more. */
    logCsvRowsMax: 20_000,
    logSearchCharsMax: 100,
    logImagesMax: 100,
    /** Photos of one request that are looked for, each a call of the store; and stages of an image that are shown. */
    logInputsMax: 20,
    logStagesMax: 30,
    ledgerPageRowsMax: 100,
    /** Rows of one CSV file: some 600 calls, of the 1,000 that a request may make. The next file goes on below them. */
    csvRowsMax: 500_000,
  },
} as const);
