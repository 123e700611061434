/** A quick look: a small main image for a visitor, in the answer itself. */
import type { Clock } from '../../shared/clock.ts';
import { limits } from '../../shared/limits.ts';
import { type ResolvedOptions, resolveOptions } from '../../shared/options.ts';
import type { QuickLook, QuickLookRequest } from '../../shared/quick-look.ts';
import { ok } from '../../shared/result.ts';
import type { CheckPool } from '../pool/check-pool.ts';
import { createFreeService, type FreeService, type FreeWorkDeps } from './free-work.ts';
import type { PixelBudget } from './pixel-budget.ts';

export type QuickLookDeps = FreeWorkDeps & {
  readonly pool: Pick<CheckPool, 'quickLook'>;
  readonly pixels: PixelBudget;
};
export type QuickLookService = FreeService<QuickLookRequest, { readonly look: QuickLook }>;

const optionsOfLook = (): ResolvedOptions => {
  const options = resolveOptions({ marketplace: 'amazon', canvas: limits.quickLook.canvas, format: 'jpg' });
  if (!options.ok) throw new Error(options.failure.detail);
  return options.value;
};
const OPTIONS = optionsOfLook();

/** `unixClock` is the clock in which deadlines are given. */
export const createQuickLookService = (deps: QuickLookDeps, unixClock: Pick<Clock, 'nowMs'>): QuickLookService =>
  createFreeService(deps, unixClock, async ({ image }, signal) => {
    // Of its own buffer, which the thread takes over.
    const bytes = new Uint8Array(Buffer.from(image, 'base64'));
    const photo = { bytes, options: OPTIONS };
    const made = await deps.pixels.within(photo, () => deps.pool.quickLook(photo, signal), 'yielding');
    if (!made.ok) return made;
    const encoded = Buffer.from(made.value).toString('base64');
    return ok((processingMs) => ({ look: { image: encoded, processing_ms: processingMs } }));
  });
