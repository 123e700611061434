/** One device process as its node sees it: frames go in, frames come out, and some day it ends. */
import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { originLimits } from '../limits.ts';
import type { SessionSettings } from './session.ts';
import { createFrameReader, type Frame, frameHeader } from './wire.ts';

export type DeviceProcess = {
  readonly pid: number | undefined;
  /** Resolves with a signal's name, an exit code or the reason why it could not be started. */
  readonly ended: Promise<string>;
  /** The next frame, or how the process ended. To be called before the frame that it answers is sent. */
  nextFrame(msMax: number): Promise<Frame | 'timed_out' | { readonly ended: string }>;
  send(frame: Omit<Frame, 'payload'>, payload: readonly Uint8Array[]): void;
  kill(): void;
};

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
const { batchSizeMax, sideMax } = originLimits.inference;
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

export const launchDevice = (settings: SessionSettings, deviceIndex: number): DeviceProcess => {
  const child = spawn(process.execPath, ['--no-warnings', CHILD, JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: deviceEnvironment(settings, deviceIndex),
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  // Tells the same as `ended`, to the many runs that come and go.
  const end = new AbortController();
  void ended.then((how) => end.abort(how));

  let onFrame = (_frame: Frame): void => undefined;
  const socket = child.stdio[3] as Duplex;
  socket.on('error', () => undefined); // The exit that follows says it all.
  const payloadBytesMax = batchSizeMax * sideMax ** 2;
  socket.on(
    'data',
    createFrameReader(payloadBytesMax, (frame) => onFrame(frame)),
  );

  return {
    pid: child.pid,
    ended,
    // Not a race of promises: `ended` lives as long as the process and would keep every answer raced against it.
    nextFrame: (msMax) =>
      new Promise((resolve) => {
        const settle = (outcome: Awaited<ReturnType<DeviceProcess['nextFrame']>>): void => {
          clearTimeout(timer);
          end.signal.removeEventListener('abort', onEnd);
          onFrame = () => undefined;
          resolve(outcome);
        };
        const onEnd = (): void => settle({ ended: String(end.signal.reason) });
        const timer = setTimeout(settle, msMax, 'timed_out' as const);
        if (end.signal.aborted) return onEnd();
        end.signal.addEventListener('abort', onEnd, { once: true });
        // The reader's buffer is overwritten by the next frame.
        onFrame = (frame) => settle({ ...frame, payload: frame.payload.slice() });
      }),
    send: (frame, payload) => {
      const payloadBytes = payload.reduce((sum, part) => sum + part.byteLength, 0);
      socket.cork();
      socket.write(frameHeader(frame, payloadBytes));
      for (const part of payload) socket.write(part);
      socket.uncork();
    },
    kill: () => void child.kill('SIGKILL'),
  };
};
