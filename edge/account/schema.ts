/**
 * Tables of an account, by number, forward only. Invariants are repeated as constraints, so that no code can
 * save what does not balance.
 */
export const accountSchema: readonly string[] = [
  `
  create table account (
    id integer primary key check (id = 1),
    accountId text not null,
    label text not null,
    createdAtMs integer not null,
    granted integer not null,
    available integer not null,
    held integer not null check (held >= 0),
    spent integer not null check (spent >= 0),
    entries integer not null,
    exportedThrough integer not null default 0,
    exportDueAtMs integer,
    housekeepingAtMs integer not null,
    webhookSecret text,
    webhookRotatedAtMs integer,
    check (granted = available + held + spent)
  );

  create table hold (
    batchId text primary key,
    state text not null check (state in ('open', 'released')),
    images integer not null,
    pending integer not null check (pending >= 0),
    posted integer not null,
    voided integer not null,
    openedAtMs integer not null,
    checkAtMs integer,
    check (images = pending + posted + voided),
    check ((pending = 0) = (checkAtMs is null))
  ) without rowid;
  create index holdDue on hold (checkAtMs) where checkAtMs is not null;

  create table resolution (
    batchId text not null,
    imageIndex integer not null,
    resolvedAs text not null check (resolvedAs in ('posted', 'voided')),
    primary key (batchId, imageIndex)
  ) without rowid;

  create table entry (
    sequence integer primary key,
    commandId text not null unique,
    kind text not null check (kind in ('grant', 'adjust', 'hold', 'post', 'void', 'release')),
    credits integer not null,
    granted integer not null,
    available integer not null,
    held integer not null,
    spent integer not null,
    batchId text,
    imageIndex integer,
    reason text,
    reference text,
    createdAtMs integer not null,
    check (granted = available + held + spent)
  );
  create index entryTime on entry (createdAtMs);
  create trigger entryStays before update on entry begin select raise(abort, 'the ledger is append-only'); end;
  create trigger entryIsKept before delete on entry begin select raise(abort, 'the ledger is append-only'); end;

  create table endedBatch (batchId text primary key, summary text not null) without rowid;

  create table apiKey (
    keyId text primary key,
    hash text not null unique,
    mode text not null check (mode in ('live', 'test')),
    label text not null,
    masked text not null,
    createdAtMs integer not null,
    lastUsedAtMs integer,
    revokedAtMs integer
  ) without rowid;

  create table idempotency (
    keyId text not null,
    idempotencyKey text not null,
    batchId text not null,
    createdAtMs integer not null,
    leaseUntilMs integer not null,
    answer text,
    primary key (keyId, idempotencyKey)
  ) without rowid;
  create index idempotencyAge on idempotency (createdAtMs);

  create table request (
    row integer primary key autoincrement,
    requestId text not null unique,
    atMs integer not null,
    keyId text not null,
    method text not null,
    path text not null,
    status integer not null,
    images integer not null,
    credits integer not null,
    latencyMs integer not null,
    errorCode text,
    batchId text
  );
  create index requestTime on request (atMs);
  create index requestKey on request (keyId, row);
  `,

  // Counters and sums in place of scans. A hold is in the index exactly while something of it is pending.
  `
  alter table account add column pendingHolds integer not null default 0 check (pendingHolds >= 0);
  update account set pendingHolds = (select count(*) from hold where checkAtMs is not null);

  alter table account add column rolledThrough integer not null default 0;
  create table settledDay (day text primary key, posted integer not null, voided integer not null) without rowid;
  drop index entryTime;
  `,

  // Holds of test keys, which count images of the day in place of credits.
  `
  alter table hold add column mode text not null default 'live' check (mode in ('live', 'test'));
  alter table account add column testDay text not null default '';
  alter table account add column testImages integer not null default 0;
  `,

  // Lines at or below the checkpoint are origin's; it only moves on, and never beyond what origin has.
  `
  alter table hold add column closedAtMs integer;

  create table checkpoint (
    id integer primary key check (id = 1),
    throughSequence integer not null check (throughSequence > 0),
    granted integer not null,
    available integer not null,
    held integer not null,
    spent integer not null,
    chain text not null,
    keyId text not null,
    signature text not null,
    madeAtMs integer not null,
    check (granted = available + held + spent)
  );
  create trigger checkpointIsExported before insert on checkpoint
    when new.throughSequence > (select exportedThrough from account)
    begin select raise(abort, 'the checkpoint is ahead of the export'); end;
  create trigger checkpointMovesOn before update on checkpoint when new.throughSequence <= old.throughSequence
    begin select raise(abort, 'the checkpoint only moves on'); end;
  create trigger checkpointStays before delete on checkpoint
    begin select raise(abort, 'the checkpoint only moves on'); end;

  drop trigger entryIsKept;
  create trigger entryIsKept before delete on entry
    when old.kind in ('grant', 'adjust') or old.sequence > coalesce((select throughSequence from checkpoint), 0)
    begin select raise(abort, 'the ledger is append-only'); end;
  `,

  // Lines that origin holds otherwise stop the checkpoint. A checkpoint is sent to origin, and signed anew when the secret
  // changes; what it says of the lines stays.
  `
  create table exportConflict (sequence integer primary key);
  alter table account add column checksDueAtMs integer;
  update account set checksDueAtMs = 0 where exists (select 1 from checkpoint);

  create trigger checkpointStopsAtConflict before insert on checkpoint
    when new.throughSequence >= (select min(sequence) from exportConflict)
    begin select raise(abort, 'the checkpoint stops before a conflict'); end;
  drop trigger checkpointMovesOn;
  create trigger checkpointMovesOn before update on checkpoint
    when new.throughSequence < old.throughSequence
      or (new.throughSequence = old.throughSequence and (new.keyId = old.keyId
        or (new.granted, new.available, new.held, new.spent, new.chain)
          is not (old.granted, old.available, old.held, old.spent, old.chain)))
    begin select raise(abort, 'the checkpoint only moves on'); end;
  `,

  // What was posted and voided stands in the hold itself; older holds have it in \`resolution\` until they are next saved.
  `
  alter table hold add column resolved text;
  alter table hold add column style text not null default 'batch' check (style in ('upload', 'batch'));
  alter table hold add column window integer not null default 0 check (window >= 0);
  alter table account add column queuedHolds integer not null default 0 check (queuedHolds >= 0);
  alter table account add column windows integer not null default 0 check (windows >= 0);
  update account set queuedHolds = pendingHolds;
  `,

  // Only grants and adjustments are known by their command; each other line was one more row in the index. The table is
  // made anew because the index came with its column.
  `
  create table entryLines (
    sequence integer primary key,
    commandId text not null,
    kind text not null check (kind in ('grant', 'adjust', 'hold', 'post', 'void', 'release')),
    credits integer not null,
    granted integer not null,
    available integer not null,
    held integer not null,
    spent integer not null,
    batchId text,
    imageIndex integer,
    reason text,
    reference text,
    createdAtMs integer not null,
    check (granted = available + held + spent)
  );
  insert into entryLines select * from entry;
  drop table entry;
  alter table entryLines rename to entry;
  create unique index entryCommand on entry (commandId) where kind in ('grant', 'adjust');
  create trigger entryStays before update on entry begin select raise(abort, 'the ledger is append-only'); end;
  create trigger entryIsKept before delete on entry
    when old.kind in ('grant', 'adjust') or old.sequence > coalesce((select throughSequence from checkpoint), 0)
    begin select raise(abort, 'the ledger is append-only'); end;
  `,

  // One line for all images that a command posts or voids, and with it the end of their batch.
  `
  alter table entry add column images text;
  alter table entry add column ended text;
  `,

  // Holds with something pending have a table of their own, so that they are found without an index.
  `
  create table openHold (
    batchId text primary key,
    state text not null check (state = 'open'),
    images integer not null,
    pending integer not null check (pending > 0),
    posted integer not null,
    voided integer not null,
    openedAtMs integer not null,
    checkAtMs integer not null,
    mode text not null check (mode in ('live', 'test')),
    closedAtMs integer check (closedAtMs is null),
    resolved text,
    style text not null check (style in ('upload', 'batch')),
    window integer not null check (window >= 0),
    check (images = pending + posted + voided)
  ) without rowid;
  insert into openHold (batchId, state, images, pending, posted, voided, openedAtMs, checkAtMs, mode, resolved, style, window)
    select batchId, state, images, pending, posted, voided, openedAtMs, checkAtMs, mode, resolved, style, window
      from hold where checkAtMs is not null;
  delete from hold where checkAtMs is not null;
  drop index holdDue;
  alter table account add column holdCheckAtMs integer;
  update account set holdCheckAtMs = (select min(checkAtMs) from openHold);
  `,

  // Free checks of the current minute and day, both counted from the Unix epoch.
  `
  create table checkUse (
    id integer primary key check (id = 1),
    minute integer not null,
    inMinute integer not null check (inMinute >= 0),
    day integer not null,
    inDay integer not null check (inDay >= 0)
  );
  `,

  // The webhook secret before the last rotation, by which deliveries are signed too for a while.
  `
  alter table account add column webhookSecretBefore text;
  `,

  // What a key may do. `creditsOfDay`: held on `capDay` (UTC, YYYY-MM-DD) by the key and by those it made, less what came
  // back; kept only while the key has a cap. A hold names its key, so that a cap which is set later knows them too. A secret
  // that was replaced goes on until `endsAtMs`.
  `
  alter table apiKey add column scopes text not null default 'images:write batches:read account:read';
  alter table apiKey add column expiresAtMs integer;
  alter table apiKey add column allowedIps text;
  alter table apiKey add column creditsPerDayMax integer check (creditsPerDayMax >= 0);
  alter table apiKey add column capDay text not null default '';
  alter table apiKey add column creditsOfDay integer not null default 0 check (creditsOfDay >= 0);
  alter table apiKey add column createdBy text;
  create table replacedSecret (
    hash text primary key,
    keyId text not null,
    endsAtMs integer not null
  ) without rowid;
  alter table hold add column keyId text;
  alter table openHold add column keyId text;
  `,

  // Revoked keys whose batches are still to be ended; revocations.ts says how.
  `
  create table revocation (
    keyId text primary key,
    afterBatchId text not null default '',
    unclear integer not null default 0,
    rounds integer not null default 0,
    dueAtMs integer not null
  ) without rowid;
  `,

  // The owner's last wish to have all data deleted; erasure.ts says how.
  `
  create table erasure (
    id integer primary key check (id = 1),
    askedAtMs integer not null,
    hasHistory integer not null default 1,
    afterBatchId text not null default '',
    tries integer not null default 0,
    dueAtMs integer not null,
    doneAtMs integer
  );
  `,

  `alter table account add column retentionDays integer check (retentionDays between 0 and 30)`,

  // Ends of batches, for whoever listens; events.ts says how.
  `
  create table event (
    sequence integer primary key autoincrement,
    batchId text not null unique,
    mode text not null check (mode in ('live', 'test')),
    atMs integer not null
  );
  alter table account add column listenedUntilMs integer;
  `,

  // When the balance fell to the level at which the owner wants to be told, and whether that was told; alerts.ts says how.
  `
  alter table account add column alertLevel integer check (alertLevel between 1 and 1000000);
  create table balanceCrossing (
    crossing integer primary key autoincrement,
    level integer not null,
    balance integer not null,
    atMs integer not null,
    tries integer not null default 0,
    firstTryAtMs integer,
    dueAtMs integer
  );
  create index balanceCrossingDue on balanceCrossing (dueAtMs) where dueAtMs is not null;
  `,

  // Credits posted by month (UTC, YYYY-MM) and key, of the lines that are in settledDay; '' where the key is not known.
  // Lines that were added up before and are still there are counted once here.
  `
  create table spentMonth (
    month text not null,
    keyId text not null,
    credits integer not null,
    primary key (month, keyId)
  ) without rowid;
  insert into spentMonth (month, keyId, credits)
    select strftime('%Y-%m', createdAtMs / 1000, 'unixepoch'),
        coalesce((select keyId from openHold where openHold.batchId = entry.batchId),
          (select keyId from hold where hold.batchId = entry.batchId), ''),
        sum(credits)
      from entry where sequence <= (select rolledThrough from account) and kind = 'post' group by 1, 2;
  `,

  // Images settled by day (UTC), kind of key, key and what they were made for; image-split.ts says how. Lines that were
  // added up before and are still there are counted once here; what they were made for is not known.
  `
  alter table hold add column marketplaces text;
  alter table openHold add column marketplaces text;
  create table imageSplit (
    day text not null,
    mode text not null check (mode in ('live', 'test')),
    keyId text not null,
    marketplaces text not null,
    completed integer not null,
    failed integer not null,
    primary key (day, mode, keyId, marketplaces)
  ) without rowid;
  insert into imageSplit
    select strftime('%Y-%m-%d', createdAtMs / 1000, 'unixepoch'), 'live',
        coalesce((select keyId from openHold where openHold.batchId = entry.batchId),
          (select keyId from hold where hold.batchId = entry.batchId), ''),
        '?',
        sum(case kind when 'post' then credits else 0 end), sum(case kind when 'void' then credits else 0 end)
      from entry where sequence <= (select rolledThrough from account) and kind in ('post', 'void') group by 1, 3;
  `,

  // Automatic top-up; top-up/port.ts says how. \`topUpLevel\` is kept beside the totals: null while nothing is to be begun.
  // At most one top-up is open.
  `
  alter table account add column topUpLevel integer;
  create table topUpSetting (
    id integer primary key check (id = 1),
    isOn integer not null default 0 check (isOn in (0, 1)),
    isClosed integer not null default 0 check (isClosed in (0, 1)),
    level integer,
    credits integer,
    usdCents integer,
    monthlyLimitCents integer,
    pause text,
    waitUntilMs integer,
    waitFor text check (waitFor in ('month', 'stripe')),
    card text,
    cardChangedAtMs integer not null default 0,
    check (isOn = 0 or (level >= 0 and credits > 0 and usdCents > 0 and monthlyLimitCents >= usdCents))
  );
  create table topUp (
    number integer primary key autoincrement,
    state text not null check (state in ('due', 'asked', 'paid', 'succeeded', 'declined', 'failed', 'stopped')),
    credits integer not null check (credits > 0),
    usdCents integer not null check (usdCents > 0),
    customer text not null,
    paymentMethod text not null,
    isUnwanted integer not null default 0 check (isUnwanted in (0, 1)),
    invoice text,
    paymentIntent text,
    payment text,
    reason text,
    tries integer not null default 0,
    createdAtMs integer not null,
    endedAtMs integer,
    dueAtMs integer,
    check ((state in ('due', 'asked', 'paid')) = (endedAtMs is null))
  );
  create unique index topUpOpen on topUp ((1)) where endedAtMs is null;
  create index topUpEnded on topUp (endedAtMs);
  create unique index topUpIntent on topUp (paymentIntent) where paymentIntent is not null;
  create table topUpNotice (
    notice integer primary key autoincrement,
    what text not null,
    credits integer,
    usdCents integer,
    atMs integer not null,
    tries integer not null default 0,
    firstTryAtMs integer,
    dueAtMs integer
  );
  create index topUpNoticeDue on topUpNotice (dueAtMs) where dueAtMs is not null;
  create table cardToDetach (
    paymentMethod text primary key,
    tries integer not null default 0,
    dueAtMs integer not null
  ) without rowid;
  `,

  // Where the owner wants to be told of events, and events that are to be handed to the history; webhook-endpoints/ says how.
  `
  create table webhookEndpoint (
    endpointId text primary key,
    url text not null,
    mode text not null check (mode in ('live', 'test')),
    events text not null,
    createdAtMs integer not null,
    changedAtMs integer not null,
    disabledAtMs integer,
    disabledWhy text check (disabledWhy in ('owner', 'gone', 'failing')),
    check ((disabledAtMs is null) = (disabledWhy is null))
  ) without rowid;
  create table webhookEvent (
    sequence integer primary key autoincrement,
    eventId text not null,
    type text not null,
    batchId text,
    body text,
    endpoints text not null,
    atMs integer not null,
    dueAtMs integer not null
  );
  `,
];
