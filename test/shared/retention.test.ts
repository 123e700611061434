/** The bucket's lifecycle rules are set by `npm run deploy:lifecycle`; they must say what the limits promise. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { limits } from '../../shared/limits.ts';

type Rule = {
  readonly enabled: boolean;
  readonly conditions: { readonly prefix: string };
  readonly deleteObjectsTransition?: { readonly condition: { readonly type: string; readonly maxAge: number } };
  readonly abortMultipartUploadsTransition?: { readonly condition: { readonly type: string; readonly maxAge: number } };
};
const { rules } = JSON.parse(readFileSync('edge/deploy/r2-lifecycle.json', 'utf8')) as { readonly rules: Rule[] };
const ruleFor = (prefix: string): Rule | undefined => rules.find((rule) => rule.conditions.prefix === prefix);

describe('the lifecycle rules of the bucket', () => {
  it('delete inputs at the age that the limits promise, and results at the longest that an account may choose', () => {
    const ageSeconds = (prefix: string) => ruleFor(prefix)?.deleteObjectsTransition?.condition;
    expect(ageSeconds('inputs/')).toEqual({ type: 'Age', maxAge: limits.downloads.inputObjectMs / 1_000 });
    expect(ageSeconds('results/')).toEqual({ type: 'Age', maxAge: limits.retention.daysMax * 86_400 });
    expect(limits.downloads.objectMs).toBe(limits.retention.daysDefault * 86_400_000);
  });

  it('delete what a check left behind after a day at the latest', () => {
    expect(ruleFor('checks/')?.deleteObjectsTransition?.condition).toEqual({ type: 'Age', maxAge: 86_400 });
    expect(limits.downloads.checkObjectMs).toBeLessThan(86_400_000);
  });

  it('drop uploads to R2 that were never completed, whatever their key', () => {
    expect(ruleFor('')?.abortMultipartUploadsTransition?.condition).toEqual({ type: 'Age', maxAge: 86_400 });
  });

  it('are all switched on', () => {
    expect(rules.map(({ enabled }) => enabled)).toEqual([true, true, true, true]);
  });
});
