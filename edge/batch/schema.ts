/** Tables of one batch, by number, forward only. State sets are repeated as constraints. */
export const batchSchema: readonly string[] = [
  `
  create table batch (
    batchId text primary key,
    style text not null check (style in ('upload', 'batch')),
    images integer not null,
    createdAtMs integer not null,
    deadlineAtMs integer not null,
    hold text not null check (hold in ('not_needed', 'asking', 'held', 'refused')),
    nextIndex integer not null,
    processing integer not null check (processing >= 0),
    completed integer not null,
    failed integer not null,
    unsettled integer not null check (unsettled >= 0),
    ledgerDueAtMs integer,
    completedAtMs integer,
    webhook text not null,
    check (processing + completed + failed <= images)
  ) without rowid;

  create table context (id integer primary key check (id = 1), request text not null);

  create table image (
    "index" integer primary key,
    status text not null check (status in ('queued', 'processing', 'completed', 'failed')),
    dispatches integer not null,
    dueAtMs integer,
    settlement text not null check (settlement in ('open', 'due', 'settled', 'not_needed')),
    outcome text,
    originalName text not null,
    filename text not null,
    inputUrl text,
    check ((outcome is null) = (status in ('queued', 'processing'))),
    check ((settlement = 'open') = (outcome is null))
  );
  create index imageDue on image (dueAtMs) where dueAtMs is not null;
  create index imageUnsettled on image (settlement) where settlement = 'due';
  `,
  `alter table batch add column isGivenUp integer not null default 0`,
  `
  alter table image add column waits integer not null default 0;
  alter table image add column failures integer not null default 0;
  `,
  `alter table batch add column ledgerTries integer not null default 0`,
  // Batches from before were told no window; the first settlement tells them theirs.
  `alter table batch add column window integer not null default 48`,
  // A thousand rows are soon looked through, and reading is cheap; every index is one more row written with each change.
  `drop index imageDue; drop index imageUnsettled;`,
  // Inputs are many to a row; an image has a row of its own once it was handed over or decided.
  `
  create table requestPart (
    part integer primary key,
    context text,
    images text not null,
    check ((part = 0) = (context is not null))
  );
  insert into requestPart
    select "index" / 50, case "index" / 50 when 0 then (select request from context) end,
        json_group_array(json_object('originalName', originalName, 'filename', filename, 'inputUrl', inputUrl) order by "index")
      from image group by "index" / 50;
  drop table context;
  alter table image drop column originalName;
  alter table image drop column filename;
  alter table image drop column inputUrl;
  `,
  // Why a batch was refused, where its key's cap was the reason.
  `alter table batch add column capReached text`,

  // Why a batch was ended before its images were done.
  `alter table batch add column endReason text check (endReason in ('key_revoked'))`,
  // What the owner deleted: of a batch as a whole the index is −1; removal.ts says how.
  `
  alter table batch add column removedAtMs integer;
  alter table batch add column retentionDays integer;
  alter table batch add column expiredAtMs integer;
  create table removal (
    "index" integer not null,
    what text not null check (what in ('everything', 'files', 'inputs')),
    isAgain integer not null default 0,
    tries integer not null default 0,
    dueAtMs integer not null,
    primary key ("index", what)
  ) without rowid;
  create table delivered (
    "index" integer not null,
    objectKey text not null,
    primary key ("index", objectKey)
  ) without rowid;
  create table removedImage ("index" integer primary key, atMs integer not null);
  `,
  // For the comparison with what nodes completed.
  `alter table batch add column unheard integer not null default 0`,
  // Until the last image is decided.
  `create table inputAuthorization (id integer primary key check (id = 1), sealed text not null)`,
];

/** The tables as all of these scripts leave them. */
export const batchTables = `
  create table batch (
    batchId text primary key,
    style text not null check (style in ('upload', 'batch')),
    images integer not null,
    createdAtMs integer not null,
    deadlineAtMs integer not null,
    hold text not null check (hold in ('not_needed', 'asking', 'held', 'refused')),
    nextIndex integer not null,
    processing integer not null check (processing >= 0),
    completed integer not null,
    failed integer not null,
    unsettled integer not null check (unsettled >= 0),
    ledgerDueAtMs integer,
    completedAtMs integer,
    webhook text not null,
    isGivenUp integer not null default 0,
    ledgerTries integer not null default 0,
    window integer not null default 48,
    capReached text,
    endReason text check (endReason in ('key_revoked')),
    removedAtMs integer,
    retentionDays integer,
    expiredAtMs integer,
    unheard integer not null default 0,
    check (processing + completed + failed <= images)
  ) without rowid;

  create table requestPart (
    part integer primary key,
    context text,
    images text not null,
    check ((part = 0) = (context is not null))
  );

  create table image (
    "index" integer primary key,
    status text not null check (status in ('queued', 'processing', 'completed', 'failed')),
    dispatches integer not null,
    dueAtMs integer,
    settlement text not null check (settlement in ('open', 'due', 'settled', 'not_needed')),
    outcome text,
    waits integer not null default 0,
    failures integer not null default 0,
    check ((outcome is null) = (status in ('queued', 'processing'))),
    check ((settlement = 'open') = (outcome is null))
  );

  create table removal (
    "index" integer not null,
    what text not null check (what in ('everything', 'files', 'inputs')),
    isAgain integer not null default 0,
    tries integer not null default 0,
    dueAtMs integer not null,
    primary key ("index", what)
  ) without rowid;
  create table delivered (
    "index" integer not null,
    objectKey text not null,
    primary key ("index", objectKey)
  ) without rowid;
  create table removedImage ("index" integer primary key, atMs integer not null);
  create table inputAuthorization (id integer primary key check (id = 1), sealed text not null);
`;
