/** When a webhook that its receiver never accepts is attempted: the numbers that the documentation promises. */
import { describe, expect, it } from 'vitest';
import { afterAnswer, attempting, isSpent, type WebhookState } from '../../../edge/batch/machine/webhook-schedule.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { limits } from '../../../shared/limits.ts';

const { windowMs, attemptsMax } = limits.webhook;
const DAY_MS = 86_400_000;

/** Times of all attempts, ms from the first, where each one fails after `answerMs`. `jitter` 1: the longest pauses. */
const attemptsOf = (jitter: () => number, answerMs = 0): readonly number[] => {
  const times: number[] = [];
  let webhook: WebhookState = { state: 'due', attempts: 0, firstAtMs: 0, dueAtMs: 0 };
  while (webhook.state === 'due' && !isSpent(webhook)) {
    const { dueAtMs } = webhook;
    times.push(dueAtMs);
    webhook = afterAnswer(attempting(webhook, dueAtMs), 'failed', jitter(), dueAtMs + answerMs);
  }
  return times;
};
const pausesOf = (times: readonly number[]): number[] => times.slice(1).map((time, i) => time - (times[i] ?? 0));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('the pauses between the attempts at a webhook', () => {
  it.each([
    ['longest', () => 1],
    ['shortest', () => 0],
    ['drawn at random', Math.random],
  ])('add up to one day when they are %s', (_name, jitter) => {
    const times = attemptsOf(jitter);
    expect(sum(pausesOf(times))).toBe(windowMs);
    expect(windowMs).toBe(DAY_MS);
    expect(times.length).toBeGreaterThanOrEqual(attemptsMax - 1);
    expect(times.length).toBeLessThanOrEqual(attemptsMax);
  });

  it('triple from 5 s, shortened by up to half', () => {
    const longest = pausesOf(attemptsOf(() => 1)).slice(0, -1);
    const shortest = pausesOf(attemptsOf(() => 0)).slice(0, -1);
    expect(edgeLimits.webhook.backoffBaseMs).toBe(5_000);
    expect(longest).toEqual(longest.map((_, i) => 5_000 * 3 ** i));
    expect(shortest).toEqual(shortest.map((_, i) => 2_500 * 3 ** i));
  });

  it('end with the day also for a receiver that lets every attempt run into its time limit', () => {
    const times = attemptsOf(Math.random, limits.webhook.timeoutMs);
    expect(times.at(-1)).toBe(windowMs);
    expect(times.length).toBeLessThanOrEqual(attemptsMax);
  });
});

it('attempts whose answers are all lost end with the day too', () => {
  let webhook: WebhookState = { state: 'due', attempts: 0, firstAtMs: 0, dueAtMs: 0 };
  let last = 0;
  while (webhook.state === 'due' && !isSpent(webhook)) {
    last = webhook.dueAtMs;
    webhook = attempting(webhook, last);
  }
  expect(last).toBeLessThanOrEqual(windowMs);
  expect(last).toBeGreaterThan(windowMs - limits.webhook.timeoutMs - 2 * edgeLimits.batch.redriveAfterMs);
});
