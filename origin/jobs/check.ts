/** A check: fetch → reduce → find. */
import type { Clock } from '../../shared/clock.ts';
import type { CheckReport, CheckRequest } from '../../shared/findings.ts';
import { ok } from '../../shared/result.ts';
import type { CheckPool } from '../pool/check-pool.ts';
import type { FetchInput } from '../storage/fetch-input.ts';
import { createFreeService, type FreeService, type FreeWorkDeps } from './free-work.ts';
import type { PixelBudget } from './pixel-budget.ts';

export type CheckDeps = FreeWorkDeps & {
  readonly fetchInput: FetchInput;
  readonly pool: Pick<CheckPool, 'reduce' | 'find'>;
  readonly pixels: PixelBudget;
};
export type CheckService = FreeService<CheckRequest, { readonly check: CheckReport }>;

/** `unixClock` is the clock in which deadlines are given. */
export const createCheckService = (deps: CheckDeps, unixClock: Pick<Clock, 'nowMs'>): CheckService =>
  createFreeService(deps, unixClock, async (check, signal) => {
    const report = await look(deps, check, signal);
    return report.ok ? ok((processingMs) => ({ check: { ...report.value, processing_ms: processingMs } })) : report;
  });

const look = async ({ fetchInput, pool, pixels }: CheckDeps, check: CheckRequest, signal: AbortSignal) => {
  const input = await fetchInput(check.input_url, signal);
  if (!input.ok) return input;
  // No result is made, so it is the photo that weighs.
  const photo = { bytes: input.value, options: { ...check.options, layout: 'original' as const } };
  const reduced = await pixels.within(photo, () => pool.reduce(photo.bytes, signal), 'yielding');
  return reduced.ok ? pool.find(reduced.value, check.options, signal) : reduced;
};
