/** The pipeline in this process: a photo as a transparent PNG of its own size. */
import { monotonicClock } from '../../origin/clock.ts';
import { decode } from '../../origin/pipeline/decode.ts';
import { type Infer, makeMainImage } from '../../origin/pipeline/index.ts';
import { resolveOptions } from '../../shared/options.ts';

/** Undefined where no product is found. Throws what else goes wrong. */
export const cutOut = async (bytes: Uint8Array, infer: Infer): Promise<Uint8Array | undefined> => {
  const options = resolveOptions({ layout: 'original', background: 'transparent', format: 'png' });
  if (!options.ok) throw new Error(options.failure.detail);
  const hero = await makeMainImage(
    { bytes, options: options.value, watermark: false },
    { decode, infer, clock: monotonicClock },
  );
  if (hero.ok) return hero.value.clean;
  if (hero.failure.code === 'no_product_found') return undefined;
  throw new Error(`${hero.failure.code}: ${hero.failure.detail}`);
};
