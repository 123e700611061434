/** A batch as a client sees it: created, polled, downloaded. Every answer is checked against its schema. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { LocalAccount } from '../../../local/system.ts';
import {
  type BatchCreated,
  type BatchStatusResponse,
  batchCreatedSchema,
  batchStatusSchema,
} from '../../../shared/api.ts';
import type { TemporarySystem } from '../../support/local-system.ts';

export type Status = BatchStatusResponse;

export const post = (
  system: TemporarySystem,
  apiKey: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${system.baseUrl}/api/v1/service-hero`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

export const create = async (
  system: TemporarySystem,
  account: LocalAccount,
  urls: readonly string[],
  more: Record<string, unknown> = {},
): Promise<BatchCreated> => {
  const answer = await post(system, account.apiKey, { images: urls.map((input_url) => ({ input_url })), ...more });
  const text = await answer.text();
  expect(answer.status, text).toBe(202);
  const created = batchCreatedSchema.parse(JSON.parse(text));
  expect(answer.headers.get('location')).toBe(`/api/v1/service-hero/status/${created.batch_id}`);
  return created;
};

export const poll = (system: TemporarySystem, apiKey: string, batchId: string, waitSeconds = 0): Promise<Response> =>
  fetch(`${system.baseUrl}/api/v1/service-hero/status/${batchId}?wait=${waitSeconds}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });

export const statusOf = async (
  system: TemporarySystem,
  account: LocalAccount,
  batchId: string,
  waitSeconds = 0,
): Promise<Status> => {
  const answer = await poll(system, account.apiKey, batchId, waitSeconds);
  expect(answer.status).toBe(200);
  return batchStatusSchema.parse(await answer.json());
};

export const finished = ({ progress }: Status): number => progress.completed + progress.failed;

/**
 * Polls until `enough`, and checks on the way that nothing once finished is taken back. A poll that finds the edge
 * down, or starting, is tried again.
 */
export const follow = async (
  system: TemporarySystem,
  account: LocalAccount,
  batchId: string,
  msMax: number,
  enough: (status: Status) => boolean = isOver,
): Promise<Status> => {
  let before: Status | undefined;
  for (const end = Date.now() + msMax; Date.now() < end; ) {
    const answer = await poll(system, account.apiKey, batchId, 5).catch(() => undefined);
    if (answer?.status !== 200) {
      expect([undefined, 502, 503], `poll answered ${answer?.status}`).toContain(answer?.status);
      await sleep(500);
      continue;
    }
    const status = await answer.json().then((body) => batchStatusSchema.parse(body));
    expectHonest(status, before);
    before = status;
    if (enough(status)) return status;
  }
  throw new Error(`batch ${batchId} is not there after ${msMax} ms: ${JSON.stringify(before?.progress)}`);
};

const isOver = (status: Status): boolean => finished(status) === status.progress.total;

const expectHonest = (status: Status, before: Status | undefined): void => {
  const { progress, images } = status;
  const count = (name: string): number => images.filter((image) => image.status === name).length;
  expect(progress).toEqual({
    total: images.length,
    queued: count('queued'),
    processing: count('processing'),
    completed: count('completed'),
    failed: count('failed'),
  });
  expect(isOver(status)).toBe(!['queued', 'processing'].includes(status.status));
  expect(status.completed_at !== null).toBe(isOver(status));
  for (const [i, was] of (before?.images ?? []).entries())
    if (was.status === 'completed' || was.status === 'failed') expect(images[i]?.status).toBe(was.status);
};

export type Completed = Extract<Status['images'][number], { status: 'completed' }>;
export const completedOf = (status: Status): Completed[] =>
  status.images.filter((image): image is Completed => image.status === 'completed');
