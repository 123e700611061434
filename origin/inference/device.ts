/**
 * A device that is always there: gives its process one run at a time, kills it when a run takes too long, and replaces
 * it when it dies.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../shared/backoff.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import type { ChildProcess } from '../processes/child-process.ts';
import { launchDevice } from './device-process.ts';
import { FRAME } from './frames.ts';
import type { DeviceSettings } from './session.ts';

/**
 * Interleaved 8-bit rgb, and what is looked for in it: the product's matte unless said otherwise. Mattes and texts come
 * back as one byte a pixel, faces as face-runner.ts says.
 */
export type Image = {
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly wanted?: 'matte' | 'text' | 'faces';
};
/** crashed: the process died · timed_out: it was killed · refused: the model answered with an error. */
export type DeviceFailure = { readonly kind: 'crashed' | 'timed_out' | 'refused'; readonly detail: string };
export type DeviceEvents = {
  /** A process ended without being asked to. */
  onDeath(detail: string): void;
  onReady(startMs: number): void;
};
export type Device = {
  /** Images of one size in which the same is looked for; one call at a time. */
  run(images: readonly Image[]): Promise<Result<Uint8Array[], DeviceFailure>>;
  pid(): number | undefined;
  ready(): boolean;
  close(): Promise<void>;
};

const { startMsMax, respawnBackoffMsBase, respawnBackoffMsMax } = originLimits.inference;
const RESPAWN = { baseMs: respawnBackoffMsBase, capMs: respawnBackoffMsMax };
const READY_POLL_MS = 20;

/** Resolves once the first process has run the model. Throws what kept it from that. */
export const startDevice = async (
  settings: DeviceSettings,
  deviceIndex: number,
  events: DeviceEvents,
  runMsMax: number = originLimits.inference.runMsMax,
): Promise<Device> => {
  let current: ChildProcess;
  let isReady = false;
  let closing = false;
  let runId = 0;
  /** In a row, without a run between them. */
  let deaths = 0;

  const begin = async (): Promise<void> => {
    const startedAtMs = performance.now();
    current = launchDevice(settings, deviceIndex);
    const first = await current.nextFrame(startMsMax);
    if (first === 'timed_out') current.kill();
    if (first === 'timed_out' || 'ended' in first)
      throw new Error(`the device process did not start: ${first === 'timed_out' ? 'no answer in time' : first.ended}`);
    isReady = true;
    events.onReady(performance.now() - startedAtMs);
    void current.ended.then(replace);
  };

  const replace = async (how: string): Promise<void> => {
    isReady = false;
    for (let detail = how; !closing; ) {
      events.onDeath(detail);
      await sleep(backoffMs(deaths++, RESPAWN), undefined, { ref: false });
      if (closing) return;
      try {
        return await begin();
      } catch (error) {
        detail = error instanceof Error ? error.message : String(error);
      }
    }
  };

  const whenReady = async (): Promise<boolean> => {
    const giveUpAtMs = performance.now() + runMsMax;
    while (!isReady && !closing && performance.now() < giveUpAtMs) await sleep(READY_POLL_MS);
    return isReady;
  };

  const run: Device['run'] = async (images) => {
    if (!(await whenReady())) return fail({ kind: 'crashed', detail: 'the device process is being replaced' });
    const result = await runOn(current, ++runId, images, runMsMax);
    if (result.ok) deaths = 0;
    else if (result.failure.kind !== 'refused') isReady = false;
    return result;
  };

  await begin();
  return {
    run,
    pid: () => current.pid,
    ready: () => isReady,
    close: async () => {
      closing = true;
      isReady = false;
      current.kill();
      await current.ended;
    },
  };
};

const kindOf = { matte: FRAME.run, text: FRAME.readText, faces: FRAME.findFaces } as const;

/** One run on one process, which is killed where it takes longer than `msMax`. */
const runOn = async (
  device: ChildProcess,
  id: number,
  images: readonly Image[],
  msMax: number,
): Promise<Result<Uint8Array[], DeviceFailure>> => {
  const [first] = images;
  if (!first) return ok([]);
  const { width, height, wanted } = first;
  const answer = device.nextFrame(msMax);
  device.send(
    { kind: kindOf[wanted ?? 'matte'], id, count: images.length, width, height },
    images.map((image) => image.rgb),
  );
  const frame = await answer;
  if (frame === 'timed_out') {
    device.kill();
    await device.ended;
    return fail({ kind: 'timed_out', detail: `a run took longer than ${msMax} ms` });
  }
  if ('ended' in frame) return fail({ kind: 'crashed', detail: frame.ended });
  if (frame.kind !== FRAME.mattes) return fail({ kind: 'refused', detail: new TextDecoder().decode(frame.payload) });
  const each = frame.payload.length / images.length;
  return ok(images.map((_, i) => frame.payload.subarray(i * each, (i + 1) * each)));
};
