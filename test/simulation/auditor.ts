/**
 * Watches a run from outside and keeps books of its own: what was granted, which image of which batch is pending, posted or voided, which file exists, what
 * each client was told. Written against the specification and shares no code with the machines. Throws at the first thing that is not right.
 */
export class Violation extends Error {}

type Told = { readonly granted: number; readonly available: number; readonly held: number; readonly spent: number };
type Line = Told & { readonly sequence: number; readonly commandId: string; readonly kind: string; readonly credits: number; readonly batchId: string | null; readonly imageIndex: number | null };
type Row = { readonly images: number; readonly completed: number; readonly failed: number; readonly processing: number; readonly completedAtMs: number | null; readonly hold: string };
type Picture = { readonly index: number; readonly status: string; readonly settlement: string };
export type Status = { readonly status: string; readonly total: number; readonly completed: number; readonly failed: number; readonly processing: number; readonly images: readonly string[] };
export type Reply = { readonly status: number; readonly batchId?: string; readonly images?: readonly string[] };

type Books = { granted: number; available: number; held: number; spent: number; lines: number; asked: Map<string, number>; applied: Set<string> };
type Place = 'pending' | 'posted' | 'voided';
type Case = {
  readonly accountId: string;
  readonly images: number;
  readonly live: boolean;
  readonly request: string;
  /** Per image, once credits are held. */
  places: Place[] | undefined;
  released: boolean;
  refused: boolean;
  told: 'nothing' | 'accepted' | 'refused' | 'failed';
  /** Images an upload's answer called failed. */
  denied: number[];
  decided: Map<number, string>;
  endedAtMs: number | null;
  seen: Status | undefined;
  webhook: { expected: boolean; received: number; gone: boolean };
};

/** From calm to the end of every batch: an alarm two hours late, then the longest pause between dispatches, twice. */
const RECOVERY_MS_MAX = 2.5 * 3_600_000;

export type Auditor = ReturnType<typeof createAuditor>;

export const createAuditor = () => {
  const accounts = new Map<string, Books>();
  const cases = new Map<string, Case>();
  const files = new Set<string>();
  const answers = new Map<string, string>();
  let checks = 0;

  const demand = (holds: boolean, what: string): void => {
    checks++;
    if (!holds) throw new Violation(what);
  };
  const booksOf = (accountId: string): Books => {
    const books = accounts.get(accountId) ?? { granted: 0, available: 0, held: 0, spent: 0, lines: 0, asked: new Map(), applied: new Set() };
    accounts.set(accountId, books);
    return books;
  };
  const caseOf = (batchId: string | null): Case => {
    const one = cases.get(batchId ?? '');
    if (!one) throw new Violation(`nobody asked for batch ${batchId}`);
    return one;
  };

  const book = {
    grant(books: Books, line: Line): void {
      const id = line.commandId.slice(line.commandId.indexOf(':') + 1);
      demand(books.asked.get(id) === line.credits, `${line.commandId}: ${line.credits} credits nobody ordered`);
      demand(!books.applied.has(id), `${line.commandId} booked twice`);
      books.applied.add(id);
      books.granted += line.credits;
      books.available += line.credits;
    },
    hold(books: Books, line: Line): void {
      const one = caseOf(line.batchId);
      demand(one.live, `credits held for a test key: ${line.batchId}`);
      demand(one.places === undefined, `credits held twice: ${line.batchId}`);
      demand(books.available >= one.images, `held ${one.images} of ${books.available} credits`);
      one.places = Array.from({ length: one.images }, () => 'pending');
      books.available -= one.images;
      books.held += one.images;
    },
    resolve(books: Books, line: Line, to: 'posted' | 'voided'): void {
      const one = caseOf(line.batchId);
      const index = line.imageIndex ?? -1;
      const image = `${line.batchId}:${index}`;
      demand(one.places?.[index] === 'pending', `${image} ${to} while ${one.places?.[index]}`);
      demand(one.decided.get(index) === (to === 'posted' ? 'completed' : 'failed'), `${image} ${to} while its saved outcome is ${one.decided.get(index)}`);
      if (to === 'posted') demand(files.has(image), `${image} charged without a file`);
      one.places![index] = to;
      books.held -= 1;
      if (to === 'posted') books.spent += 1;
      else books.available += 1;
    },
    release(books: Books, line: Line): void {
      const one = caseOf(line.batchId);
      const open = one.places?.filter((place) => place === 'pending').length ?? 0;
      demand(open > 0, `released nothing: ${line.batchId}`);
      demand(one.told !== 'accepted', `credits of an accepted batch released: ${line.batchId}`);
      one.released = true;
      one.places = one.places!.map((place) => (place === 'pending' ? 'voided' : place));
      books.held -= open;
      books.available += open;
    },
  };

  const bookLine = (books: Books, line: Line): void => {
    demand(line.sequence === books.lines + 1, `ledger line ${line.sequence} after ${books.lines}`);
    books.lines++;
    if (line.kind === 'grant' || line.kind === 'adjust') book.grant(books, line);
    else if (line.kind === 'hold') book.hold(books, line);
    else if (line.kind === 'post') book.resolve(books, line, 'posted');
    else if (line.kind === 'void') book.resolve(books, line, 'voided');
    else if (line.kind === 'release') book.release(books, line);
    else throw new Violation(`unknown ledger line ${line.kind}`);
    for (const name of ['granted', 'available', 'held', 'spent'] as const) demand(line[name] === books[name], `line ${line.commandId}: ${name} ${line[name]}, by our books ${books[name]}`);
  };

  return {
    checks: () => checks,
    creditsOrdered: (accountId: string, id: string, credits: number): void => void booksOf(accountId).asked.set(id, credits),
    stored: (id: string): void => void files.add(id),

    /** A request is about to open this batch. `request` is the same for all tries that carry the same idempotency key. */
    batchAsked(batchId: string, facts: { accountId: string; images: number; live: boolean; request: string; webhook: boolean }): void {
      if (cases.has(batchId)) return;
      const { webhook, ...rest } = facts;
      cases.set(batchId, { ...rest, places: undefined, released: false, refused: false, told: 'nothing', denied: [], decided: new Map(), endedAtMs: null, seen: undefined, webhook: { expected: webhook, received: 0, gone: false } });
    },

    ledgerSaved(accountId: string, line: Line | undefined, told: Told): void {
      const books = booksOf(accountId);
      if (line) bookLine(books, line);
      for (const name of ['granted', 'available', 'held', 'spent'] as const) demand(told[name] === books[name], `${accountId}: ${name} ${told[name]}, by our books ${books[name]}`);
      demand(told.granted === told.available + told.held + told.spent, `${accountId}: granted ≠ available + held + spent`);
    },

    sagaSaved(batchId: string, row: Row | undefined, images: readonly Picture[]): void {
      const one = caseOf(batchId);
      if (!row) return demand(one.refused || !one.places?.includes('pending'), `batch ${batchId} forgotten with credits pending`);
      one.refused = row.hold === 'refused';
      demand(row.images === one.images && images.length === one.images, `batch ${batchId} has ${images.length} images, asked were ${one.images}`);
      const count = (status: string): number => images.filter((image) => image.status === status).length;
      for (const status of ['completed', 'failed', 'processing'] as const) demand(row[status] === count(status), `batch ${batchId} counts ${row[status]} ${status}, has ${count(status)}`);
      for (const image of images) checkImage(batchId, one, image);
      demand((row.completedAtMs !== null) === (row.completed + row.failed === row.images), `batch ${batchId} over or not?`);
      demand(one.endedAtMs === null || one.endedAtMs === row.completedAtMs, `batch ${batchId} ended twice`);
      one.endedAtMs = row.completedAtMs;
    },

    /** What a client got back for a request that opened, or would have opened, a batch. */
    replied(request: string, reply: Reply): void {
      if (reply.batchId === undefined) return;
      const one = caseOf(reply.batchId);
      demand(one.request === request, `request ${request} was answered with another's batch`);
      if (reply.status !== 200 && reply.status !== 202) {
        if (one.told === 'nothing') one.told = reply.status === 402 ? 'refused' : 'failed';
        return;
      }
      demand(!one.live || (one.places !== undefined && !one.released), `${reply.batchId} accepted without credits held`);
      demand(one.told !== 'refused', `${reply.batchId} accepted after it was refused`);
      one.told = 'accepted';
      demand((answers.get(request) ?? reply.batchId) === reply.batchId, `request ${request} was answered with two batches`);
      answers.set(request, reply.batchId);
      for (const [index, status] of (reply.images ?? []).entries()) {
        if (status === 'completed') demand(one.decided.get(index) === 'completed', `upload ${reply.batchId}:${index} told completed, is ${one.decided.get(index)}`);
        else one.denied.push(index);
      }
    },

    polled(batchId: string, status: Status): void {
      const one = caseOf(batchId);
      const before = one.seen;
      one.seen = status;
      const tally = (name: string): number => status.images.filter((image) => image === name).length;
      demand(status.total === one.images && status.images.length === one.images, `status of ${batchId} lists ${status.images.length} images`);
      for (const name of ['completed', 'failed', 'processing'] as const) demand(status[name] === tally(name), `status of ${batchId} counts ${status[name]} ${name}, lists ${tally(name)}`);
      const over = status.completed + status.failed === status.total;
      const right = !over ? ['queued', 'processing'] : status.completed === 0 ? ['failed'] : status.failed === 0 ? ['completed'] : ['completed_with_errors'];
      demand(right.includes(status.status), `status of ${batchId} is ${status.status} with ${status.completed} completed and ${status.failed} failed of ${status.total}`);
      for (const [index, image] of status.images.entries()) {
        const was = before?.images[index];
        if (was === 'completed' || was === 'failed') demand(image === was, `${batchId}:${index} was shown ${was}, now ${image}`);
        if (image === 'completed') demand(files.has(`${batchId}:${index}`), `${batchId}:${index} shown completed without a file`);
      }
    },

    downloaded: (id: string, found: boolean): void => demand(found, `download of ${id} is missing`),

    webhookSent: (batchId: string): void => demand(!caseOf(batchId).webhook.gone, `webhook for ${batchId} sent after its 410 was heard`),
    webhookGone: (batchId: string): void => void (caseOf(batchId).webhook.gone = true),
    webhookReceived(batchId: string): void {
      const one = caseOf(batchId);
      demand(one.webhook.expected, `a webhook nobody asked for: ${batchId}`);
      demand(one.endedAtMs !== null, `webhook before the end of ${batchId}`);
      one.webhook.received++;
      demand(one.webhook.received <= 200, `${one.webhook.received} webhooks for ${batchId}`);
    },

    /** The world has been healthy since `calmMs` and nothing is left to happen. */
    quiet(calmMs: number): void {
      for (const [accountId, books] of accounts) demand(books.held === 0, `${accountId} still holds ${books.held} credits at the end`);
      const charged = new Map<string, string>();
      for (const [batchId, one] of cases) {
        if (one.told === 'accepted') demand(one.endedAtMs !== null, `accepted batch ${batchId} never ended`);
        demand((one.endedAtMs ?? 0) <= calmMs + RECOVERY_MS_MAX, `batch ${batchId} was not taken up again: it ended only at its deadline`);
        for (const [index, place] of (one.places ?? []).entries()) {
          if (one.released) continue;
          const owed = one.decided.get(index) === 'completed' ? 'posted' : 'voided';
          demand(place === owed, `${batchId}:${index} is ${place} at the end, its outcome is ${one.decided.get(index)}`);
        }
        // A hold that was asked for, thought lost and granted after the refusal may stand for a while; it must come back whole.
        for (const index of one.denied) demand(one.places?.[index] !== 'posted', `${batchId}:${index} was called failed and charged`);
        if (one.told === 'failed') demand(!one.places?.includes('posted'), `${batchId} was answered with an error and charged`);
        if (one.told === 'refused') demand(!one.places || one.places.every((place) => place === 'voided'), `refused batch ${batchId} was charged`);
        if (one.endedAtMs !== null && one.webhook.expected) demand(one.webhook.received > 0, `no webhook for ${batchId}`);
        if (!one.places?.includes('posted')) continue;
        demand((charged.get(one.request) ?? batchId) === batchId, `one request charged for two batches: ${charged.get(one.request)} and ${batchId}`);
        charged.set(one.request, batchId);
      }
    },
  };

  function checkImage(batchId: string, one: Case, { index, status, settlement }: Picture): void {
    const earlier = one.decided.get(index);
    if (earlier !== undefined) demand(status === earlier, `${batchId}:${index} was ${earlier}, became ${status}`);
    if (status !== 'completed' && status !== 'failed') return;
    if (status === 'completed') demand(files.has(`${batchId}:${index}`), `${batchId}:${index} completed without a file`);
    one.decided.set(index, status);
    if (settlement === 'settled') demand(one.places?.[index] === (status === 'completed' ? 'posted' : 'voided'), `${batchId}:${index} is called settled, by our books it is ${one.places?.[index]}`);
  }
};
