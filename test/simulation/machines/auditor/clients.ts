/** What clients were told: it must be true, stay true, and be the same for all tries of one request. */
import type { Memory, Reply, Status } from './memory.ts';

export const auditClients = ({ demand, caseOf, files, answers }: Memory) => ({
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
    demand(
      (answers.get(request) ?? reply.batchId) === reply.batchId,
      `request ${request} was answered with two batches`,
    );
    answers.set(request, reply.batchId);
    for (const [index, status] of (reply.images ?? []).entries()) {
      if (status === 'completed')
        demand(
          one.decided.get(index) === 'completed',
          `upload ${reply.batchId}:${index} told completed, is ${one.decided.get(index)}`,
        );
      else one.denied.push(index);
    }
  },

  polled(batchId: string, status: Status): void {
    const one = caseOf(batchId);
    const before = one.seen;
    one.seen = status;
    const tally = (name: string): number => status.images.filter((image) => image === name).length;
    demand(
      status.total === one.images && status.images.length === one.images,
      `status of ${batchId} lists ${status.images.length} images`,
    );
    for (const name of ['completed', 'failed', 'processing'] as const)
      demand(status[name] === tally(name), `status of ${batchId} counts ${status[name]} ${name}, lists ${tally(name)}`);
    const over = status.completed + status.failed === status.total;
    const right = !over
      ? ['queued', 'processing']
      : status.completed === 0
        ? ['failed']
        : status.failed === 0
          ? ['completed']
          : ['completed_with_errors'];
    demand(
      right.includes(status.status),
      `status of ${batchId} is ${status.status} with ${status.completed} completed and ${status.failed} failed of ${status.total}`,
    );
    for (const [index, image] of status.images.entries()) {
      const was = before?.images[index];
      if (was === 'completed' || was === 'failed')
        demand(image === was, `${batchId}:${index} was shown ${was}, now ${image}`);
      if (image === 'completed')
        demand(files.has(`${batchId}:${index}`), `${batchId}:${index} shown completed without a file`);
    }
  },

  downloaded: (id: string, found: boolean): void => demand(found, `download of ${id} is missing`),
});
