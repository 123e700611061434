/** A quick look: a small main image for a visitor, in the answer itself. */
import type { Clock } from '../../shared/clock.ts';
import { failure } from '../../shared/errors.ts';
import type { Size } from '../../shared/imaging/raster.ts';
import { limits } from '../../shared/limits.ts';
import { type ResolvedOptions, resolveOptions } from '../../shared/options.ts';
import type { QuickLook, QuickLookRequest } from '../../shared/quick-look.ts';
import { fail, ok } from '../../shared/result.ts';
import type { CheckPool } from '../pool/check-pool.ts';
import { createFreeService, type FreeService, type FreeWorkDeps } from './free-work.ts';
import type { PixelBudget } from './pixel-budget.ts';

export type QuickLookDeps = FreeWorkDeps & {
  readonly pool: Pick<CheckPool, 'quickLook'>;
  readonly pixels: PixelBudget;
  /** By the header alone; undefined for what cannot be read. */
  readonly measure: (bytes: Uint8Array) => Promise<Size | undefined>;
};
export type QuickLookService = FreeService<QuickLookRequest, { readonly look: QuickLook }>;

const { sideMax } = limits.quickLook;

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
    // A few hundred kilobytes may be 64 megapixels, which would take the room of every paid image beside them.
    const size = await deps.measure(bytes);
    if (size && Math.max(size.width, size.height) > sideMax)
      return fail(failure('image_too_large', `A quick look is made of ${sideMax} px a side at most`));
    const photo = { bytes, options: OPTIONS };
    const made = await deps.pixels.within(photo, () => deps.pool.quickLook(photo, signal), 'yielding');
    if (!made.ok) return made;
    const encoded = Buffer.from(made.value).toString('base64');
    return ok((processingMs) => ({ look: { image: encoded, processing_ms: processingMs } }));
  });
