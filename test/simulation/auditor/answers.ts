/** What callers were told, against the rows at the end. */
import { MISTAKE_TAG } from '../mistakes.ts';
import type { WireAnswer } from '../wire.ts';
import { type Book, isDefinite, namedBatch, type Try, type Wish } from './book.ts';
import type { Demand } from './laws.ts';
import type { BatchRows, Rows } from './rows.ts';

type Image = {
  readonly image_id: string;
  readonly status?: string;
  readonly error?: unknown;
  readonly outputs?: readonly { readonly marketplace: string }[];
};
const POLLED_AFTER_THE_END = 'completed_at';

export const answerLaws = (demand: Demand, book: Book, rows: Rows): void => {
  const batches = new Map(rows.batches.map((batch) => [batch.batchId, batch]));
  const postedOf = (batchId: string): number =>
    rows.accounts.reduce((sum, { holds }) => sum + (holds.get(batchId)?.posted ?? 0), 0);
  for (const wish of book.wishes) wishLaws(demand, book, rows, wish, postedOf);
  for (const one of book.tries)
    if (one.heard && one.heard.status < 400) acceptedLaws(demand, book, one, one.heard, batches, postedOf);
  mistakeLaws(demand, book, rows);
  for (const { url, heard, account } of book.downloads) {
    const isDead = account.revoked && heard?.status === 410 && heard.body['code'] === 'download_revoked';
    demand('file', heard?.status === 200 || isDead, () => `${url} answers ${heard?.status}`);
  }
  balanceLaws(demand, book, rows);
  for (const [batchId, answers] of book.statuses) statusLaws(demand, batchId, answers, batches.get(batchId), postedOf);
};

const mistakeLaws = (demand: Demand, book: Book, rows: Rows): void => {
  for (const { name, heard } of book.mistakes)
    demand('refused', !heard || heard.status >= 400, () => `${name} was answered with ${heard?.status}`);
  const left = batchesOf(rows, MISTAKE_TAG);
  demand('refused', left.length === 0, () => `a wrong request left ${left.map(({ batchId }) => batchId)}`);
};

const balanceLaws = (demand: Demand, book: Book, rows: Rows): void => {
  for (const [{ accountId, revoked }, { status, body }] of book.balances) {
    if (revoked) continue;
    const told = ['granted', 'available', 'held', 'spent'].map((name) => body[`${name}_credits`]);
    const row = rows.accounts.find((account) => account.accountId === accountId);
    const right = [row?.granted, row?.available, row?.held, row?.spent];
    demand(
      'counts',
      status === 200 && String(told) === String(right),
      () => `${accountId} is told ${told}, has ${right}`,
    );
  }
};

/** Batches whose files bear the tag. */
const batchesOf = (rows: Rows, tag: string): BatchRows[] =>
  rows.batches.filter(({ images }) => images.some(({ originalName }) => originalName.startsWith(`${tag}-`)));

const wishLaws = (demand: Demand, book: Book, rows: Rows, wish: Wish, postedOf: (batchId: string) => number): void => {
  const tries = book.tries.filter((one) => one.wish === wish);
  const tags = [...new Set(tries.map(({ tag }) => tag))];
  if (wish.idempotencyKey !== undefined) {
    const charged = tags.flatMap((tag) => batchesOf(rows, tag)).filter(({ batchId }) => postedOf(batchId) > 0);
    demand(
      'key',
      charged.length <= 1,
      () => `${wish.id}: one key, charged for ${charged.map(({ batchId }) => batchId)}`,
    );
    const last = tries.at(-1)?.heard;
    // A revoked key cannot ask any more.
    if (wish.account.revoked || !last) return;
    toldLaws(demand, tries, charged, last);
    return;
  }
  for (const one of tries) {
    const charged = batchesOf(rows, one.tag).filter(({ batchId }) => postedOf(batchId) > 0);
    demand(
      'key',
      charged.length <= 1,
      () => `${one.tag}: one request, charged for ${charged.map(({ batchId }) => batchId)}`,
    );
    if (one.heard) toldLaws(demand, [one], charged, one.heard);
  }
};

const toldLaws = (demand: Demand, tries: readonly Try[], charged: readonly BatchRows[], last: WireAnswer): void => {
  if (last.status < 400) return;
  const named = new Set(tries.map(({ heard }) => namedBatch(heard)));
  // Another body under the key is refused for good reason; the first body's answer was told to its own try.
  if (last.body['code'] === 'idempotency_mismatch') return;
  for (const { batchId } of charged)
    demand(
      'told',
      named.has(batchId),
      () => `${tries.at(-1)?.tag} was told ${last.status} ${last.body['code']} and charged for ${batchId}`,
    );
};

const acceptedLaws = (
  demand: Demand,
  book: Book,
  { tag }: Try,
  answer: WireAnswer,
  batches: ReadonlyMap<string, BatchRows>,
  postedOf: (batchId: string) => number,
): void => {
  const batchId = namedBatch(answer);
  demand('kept', batchId !== undefined, () => `${answer.status} without a batch_id`);
  if (batchId === undefined) return;
  const batch = batches.get(batchId);
  demand(
    'kept',
    batch?.over === true,
    () => `${batchId} was accepted with ${answer.status} and is not over, or not there`,
  );
  demand(
    'mine',
    batch?.images.every(({ originalName }) => originalName.startsWith(`${tag}-`)) !== false,
    () => `${tag} was answered with ${batchId}, which has other images`,
  );
  const last = book.statuses.get(batchId)?.at(-1);
  demand(
    'kept',
    last?.status === 200 || last?.status === 401,
    () => `${batchId} was accepted; its status answers ${last?.status}`,
  );
  if (answer.status === 202) {
    const charged = batch?.mode === 'live' ? batch.images.length : 0;
    demand(
      'counts',
      answer.body['charged_images'] === charged,
      () => `${batchId}: 202 says charged ${answer.body['charged_images']}, it is ${charged}`,
    );
    return;
  }
  const posted = postedOf(batchId);
  const told = Number(answer.headers.get('x-credits-charged'));
  demand('counts', told === posted, () => `${batchId}: 200 says ${told} credits charged, ${posted} are`);
  demand(
    'counts',
    answer.body['cost_usd'] === posted * 0.25,
    () => `${batchId}: 200 says ${answer.body['cost_usd']} USD, ${posted} credits are charged`,
  );
  for (const result of (answer.body['results'] ?? []) as Image[]) {
    const image = batch?.images[Number(result.image_id.slice(-4))];
    if (image)
      demand(
        'stays',
        (result.error === undefined) === (image.status === 'completed'),
        () => `${result.image_id} was answered as ${result.error ? 'failed' : 'completed'}, is ${image.status}`,
      );
    if (result.error === undefined) outputsLaw(demand, result, batch);
  }
};

/** A completed image is shown with every file that it was asked for. */
const outputsLaw = (demand: Demand, image: Image, batch: BatchRows | undefined): void => {
  const asked = batch?.others && ['walmart', ...batch.others.map(({ marketplace }) => marketplace)];
  const shown = image.outputs?.map(({ marketplace }) => marketplace);
  demand('file', String(shown) === String(asked), () => `${image.image_id} is shown for ${shown}, asked for ${asked}`);
};

const statusLaws = (
  demand: Demand,
  batchId: string,
  answers: readonly WireAnswer[],
  batch: BatchRows | undefined,
  postedOf: (batchId: string) => number,
): void => {
  const shown = new Map<string, string>();
  for (const { status, body } of answers) {
    if (status !== 200) continue;
    const images = (body['images'] ?? []) as Image[];
    const told = body['progress'] as Readonly<Record<string, number>> | undefined;
    for (const state of told ? ['queued', 'processing', 'completed', 'failed'] : [])
      demand(
        'counts',
        told?.[state] === images.filter((image) => image.status === state).length,
        () => `${batchId}: a status counts ${told?.[state]} ${state} and lists another number`,
      );
    for (const image of images) {
      const before = shown.get(image.image_id);
      if (before === 'completed' || before === 'failed')
        demand('stays', image.status === before, () => `${image.image_id} was shown ${before}, now ${image.status}`);
      shown.set(image.image_id, image.status ?? '');
      if (image.status === 'completed') outputsLaw(demand, image, batch);
    }
  }
  const last = answers.at(-1);
  if (last?.status === 404)
    demand('told', postedOf(batchId) === 0, () => `${batchId} is unknown to its key, and charged`);
  if (last?.status !== 200 || !isDefinite(last) || !last.body[POLLED_AFTER_THE_END]) return;
  const net = Number(last.body['charged_images']);
  demand(
    'counts',
    net === postedOf(batchId),
    () => `${batchId}: its status says ${net} paid, ${postedOf(batchId)} are`,
  );
  const progress = last.body['progress'] as { completed: number; failed: number };
  demand(
    'counts',
    progress.completed === batch?.completed && progress.failed === batch?.failed,
    () => `${batchId}: its status says ${JSON.stringify(progress)}, rows ${batch?.completed} and ${batch?.failed}`,
  );
};
