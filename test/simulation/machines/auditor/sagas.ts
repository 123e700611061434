/**
 * What the sagas saved: outcomes are decided once, counted right, settled as the money was, and never forgotten while
 * credits are pending.
 */
import type { Case, Memory, Picture, Row } from './memory.ts';

export const auditSagas = ({ demand, caseOf, cases, files }: Memory) => {
  const checkImage = (batchId: string, one: Case, { index, status, settlement }: Picture): void => {
    const earlier = one.decided.get(index);
    if (earlier !== undefined) demand(status === earlier, `${batchId}:${index} was ${earlier}, became ${status}`);
    if (status !== 'completed' && status !== 'failed') return;
    if (status === 'completed')
      demand(files.has(`${batchId}:${index}`), `${batchId}:${index} completed without a file`);
    one.decided.set(index, status);
    if (settlement === 'settled' && one.live)
      demand(
        one.places?.[index] === (status === 'completed' ? 'posted' : 'voided'),
        `${batchId}:${index} is called settled, by our books it is ${one.places?.[index]}`,
      );
  };

  return {
    /**
     * A request is about to open this batch. `request` is the same for all tries that carry the same idempotency key.
     */
    batchAsked(
      batchId: string,
      facts: { accountId: string; images: number; live: boolean; request: string; webhook: boolean },
    ): void {
      if (cases.has(batchId)) return;
      const { webhook, ...rest } = facts;
      cases.set(batchId, {
        ...rest,
        places: undefined,
        released: false,
        refused: false,
        told: 'nothing',
        denied: [],
        decided: new Map(),
        endedAtMs: null,
        seen: undefined,
        webhook: { expected: webhook, received: 0, gone: false },
      });
    },

    sagaSaved(batchId: string, row: Row | undefined, images: readonly Picture[]): void {
      const one = caseOf(batchId);
      if (!row) {
        demand(one.refused || !one.places?.includes('pending'), `batch ${batchId} forgotten with credits pending`);
        return;
      }
      one.refused = row.hold === 'refused';
      demand(
        row.images === one.images && images.length === one.images,
        `batch ${batchId} has ${images.length} images, asked were ${one.images}`,
      );
      const count = (status: string): number => images.filter((image) => image.status === status).length;
      for (const status of ['completed', 'failed', 'processing'] as const)
        demand(row[status] === count(status), `batch ${batchId} counts ${row[status]} ${status}, has ${count(status)}`);
      for (const image of images) checkImage(batchId, one, image);
      demand(
        (row.completedAtMs !== null) === (row.completed + row.failed === row.images),
        `batch ${batchId} over or not?`,
      );
      demand(one.endedAtMs === null || one.endedAtMs === row.completedAtMs, `batch ${batchId} ended twice`);
      one.endedAtMs = row.completedAtMs;
    },

    webhookSent: (batchId: string): void =>
      demand(!caseOf(batchId).webhook.gone, `webhook for ${batchId} sent after its 410 was heard`),
    webhookGone: (batchId: string): void => {
      caseOf(batchId).webhook.gone = true;
    },
    webhookReceived(batchId: string): void {
      const one = caseOf(batchId);
      demand(one.webhook.expected, `a webhook nobody asked for: ${batchId}`);
      demand(one.endedAtMs !== null, `webhook before the end of ${batchId}`);
      one.webhook.received++;
      demand(one.webhook.received <= 200, `${one.webhook.received} webhooks for ${batchId}`);
    },
  };
};
