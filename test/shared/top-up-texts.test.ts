/** The billing page sees each top-up that brought its credits, also one that was over before it looked. */
import { expect, it } from 'vitest';
import { lastBought } from '../../portal/src/pages/billing/top-up-texts.ts';

it.each([
  [[], 0],
  [[[1, 'succeeded']], 1],
  [
    [
      [2, 'declined'],
      [1, 'succeeded'],
    ],
    1,
  ],
  [
    [
      [3, 'asked'],
      [2, 'succeeded'],
      [1, 'succeeded'],
    ],
    2,
  ],
  [[[1, 'paid']], 0],
] as const)('the last purchase of %j is number %j', (rows, number) => {
  expect(lastBought(rows.map(([n, state]) => ({ number: n, state })))).toBe(number);
});
