/**
 * A node's side of one device process: starts it, gives it one run at a time, kills it when a run takes too long, and
 * replaces it when it dies.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { SessionSettings } from './session.ts';
import { createFrameReader, FRAME, type Frame, frameHeader } from './wire.ts';

export type Image = { readonly rgb: Uint8Array; readonly width: number; readonly height: number };
/** crashed: the process died · timed_out: it was killed · refused: the model answered with an error. */
export type DeviceFailure = { readonly kind: 'crashed' | 'timed_out' | 'refused'; readonly detail: string };
export type DeviceEvents = {
  /** A process ended without being asked to. */
  onDeath(detail: string): void;
  onReady(startMs: number): void;
};
export type Device = {
  /** Images of one size; one call at a time. */
  run(images: readonly Image[]): Promise<Result<Uint8Array[], DeviceFailure>>;
  pid(): number | undefined;
  ready(): boolean;
  close(): Promise<void>;
};

/** `ended` and `gone` tell the same, to one who waits and to many who come and go. */
type Live = {
  readonly child: ChildProcess;
  readonly socket: Duplex;
  onFrame: (frame: Frame) => void;
  readonly ended: Promise<string>;
  readonly gone: AbortSignal;
};

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
const READY_POLL_MS = 20;
/**
 * glibc keeps one arena per thread and gives little back; two are enough for a process that allocates in a few large
 * pieces.
 */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '1048576' };

export const deviceEnvironment = (settings: SessionSettings, deviceIndex: number): NodeJS.ProcessEnv => ({
  ...process.env,
  ...MALLOC,
  ...(settings.providers.some((name) => name === 'cuda' || name === 'tensorrt')
    ? { CUDA_VISIBLE_DEVICES: String(deviceIndex) }
    : {}),
});

const launch = (settings: SessionSettings, deviceIndex: number): Live => {
  const child = spawn(process.execPath, ['--no-warnings', CHILD, JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: deviceEnvironment(settings, deviceIndex),
  });
  const socket = child.stdio[3] as Duplex;
  socket.on('error', () => undefined); // The exit that follows says it all.
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const gone = new AbortController();
  void ended.then((how) => gone.abort(how));
  const live: Live = { child, socket, onFrame: () => undefined, ended, gone: gone.signal };
  socket.on(
    'data',
    createFrameReader(limits.inference.batchSizeMax * limits.inference.sideMax ** 2, (frame) => live.onFrame(frame)),
  );
  return live;
};

const nextFrame = (live: Live): Promise<Frame> =>
  new Promise((resolve) => void (live.onFrame = (frame) => resolve({ ...frame, payload: frame.payload.slice() })));

/**
 * What `work` gives, 'timed_out', or the way the process ended. Not a race of promises: `ended` lives as long as the
 * process and would keep every answer that
 * was ever raced against it.
 */
const raced = <T>(
  work: Promise<T>,
  { gone }: Live,
  msMax: number,
): Promise<{ value: T } | { ended: string } | 'timed_out'> =>
  new Promise((resolve) => {
    const settle = (outcome: { value: T } | { ended: string } | 'timed_out'): void => {
      clearTimeout(timer);
      gone.removeEventListener('abort', onGone);
      resolve(outcome);
    };
    const onGone = (): void => settle({ ended: String(gone.reason) });
    const timer = setTimeout(settle, msMax, 'timed_out' as const);
    if (gone.aborted) return onGone();
    gone.addEventListener('abort', onGone, { once: true });
    void work.then((value) => settle({ value }));
  });

/** Waits until the first process has run the model once. Throws what kept it from that. */
export const startDevice = async (
  settings: SessionSettings,
  deviceIndex: number,
  events: DeviceEvents,
  runMsMax: number = limits.inference.runMsMax,
): Promise<Device> => {
  let live: Live;
  let isReady = false;
  let closing = false;
  let runId = 0;
  let backoffMs: number = limits.inference.respawnBackoffMsBase;

  const begin = async (): Promise<void> => {
    const startedAt = performance.now();
    live = launch(settings, deviceIndex);
    const first = await raced(nextFrame(live), live, limits.inference.startMsMax);
    if (first === 'timed_out') live.child.kill('SIGKILL');
    if (first === 'timed_out' || 'ended' in first)
      throw new Error(`the device process did not start: ${first === 'timed_out' ? 'no answer in time' : first.ended}`);
    isReady = true;
    events.onReady(performance.now() - startedAt);
    void live.ended.then(replace);
  };

  const replace = async (how: string): Promise<void> => {
    isReady = false;
    while (!closing) {
      events.onDeath(how);
      await sleep(backoffMs, undefined, { ref: false });
      backoffMs = Math.min(backoffMs * 2, limits.inference.respawnBackoffMsMax);
      if (closing) return;
      try {
        return await begin();
      } catch (error) {
        how = error instanceof Error ? error.message : String(error);
      }
    }
  };
  await begin();

  const whenReady = async (): Promise<boolean> => {
    const giveUpAt = performance.now() + runMsMax;
    while (!isReady && !closing && performance.now() < giveUpAt) await sleep(READY_POLL_MS);
    return isReady;
  };

  const run = async (images: readonly Image[]): Promise<Result<Uint8Array[], DeviceFailure>> => {
    const [first] = images;
    if (!first) return ok([]);
    if (!(await whenReady())) return fail({ kind: 'crashed', detail: 'the device process is being replaced' });
    const { width, height } = first;
    const current = live;
    const answer = nextFrame(current);
    current.socket.cork();
    current.socket.write(
      frameHeader(
        { kind: FRAME.run, id: ++runId, count: images.length, width, height },
        images.length * width * height * 3,
      ),
    );
    for (const image of images) current.socket.write(image.rgb);
    current.socket.uncork();
    const result = await raced(answer, current, runMsMax);
    if (result === 'timed_out') {
      isReady = false;
      current.child.kill('SIGKILL');
      await current.ended;
      return fail({ kind: 'timed_out', detail: `a run took longer than ${runMsMax} ms` });
    }
    if ('ended' in result) return ((isReady = false), fail({ kind: 'crashed', detail: result.ended }));
    const frame = result.value;
    if (frame.kind !== FRAME.mattes) return fail({ kind: 'refused', detail: new TextDecoder().decode(frame.payload) });
    backoffMs = limits.inference.respawnBackoffMsBase;
    const pixels = width * height;
    return ok(images.map((_, i) => frame.payload.subarray(i * pixels, (i + 1) * pixels)));
  };

  return {
    run,
    pid: () => live.child.pid,
    ready: () => isReady,
    close: async () => {
      closing = true;
      isReady = false;
      live.child.kill('SIGKILL');
      await live.ended;
    },
  };
};
