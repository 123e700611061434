import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../../origin/pipeline/decode.ts';
import { createCheckPool } from '../../../origin/pool/check-pool.ts';
import { ok } from '../../../shared/result.ts';
import { renderScene } from '../../support/scenes.ts';

let started = 0;
const onWorker = (): void => void started++;
beforeAll(() => void process.on('worker', onWorker));
afterAll(() => void process.off('worker', onWorker));

/** As a decoder's process gives them: buffers that may be handed over to a thread. */
const ownBuffers = (photo: Awaited<ReturnType<typeof decode>>): typeof photo => {
  if (!photo.ok) return photo;
  const { rgb, alpha } = photo.value;
  return ok({
    rgb: { ...rgb, data: new Uint8Array(rgb.data) },
    alpha: alpha && { ...alpha, data: new Uint8Array(alpha.data) },
  });
};

describe('a check whose caller has gone', () => {
  it('does not end the thread of checks: the next one finds it warm', async () => {
    const photo = await renderScene('mug', { width: 200 });
    const faults: unknown[] = [];
    const [caller, asked] = [new AbortController(), Promise.withResolvers<void>()];
    const pool = createCheckPool(
      async (bytes) => {
        asked.resolve();
        if (!caller.signal.aborted) await new Promise((resolve) => caller.signal.addEventListener('abort', resolve));
        return ownBuffers(await decode(bytes));
      },
      () => Promise.reject(new Error('no model is needed to reduce a photo')),
      (error) => faults.push(error),
    );
    const first = pool.reduce(new Uint8Array(photo), caller.signal);
    await asked.promise;
    caller.abort();
    expect(await first).toMatchObject({ ok: false, failure: { code: 'origin_busy' } });
    expect(await pool.reduce(new Uint8Array(photo), new AbortController().signal)).toMatchObject({ ok: true });
    expect([started, faults]).toEqual([1, []]);
    await pool.close();
  });
});
