/** A child process as its node sees it: frames go in, frames come out, and some day it ends. */
import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { createFrameReader, type Frame, writeFrame } from './frames.ts';

export type ChildProcess = {
  readonly pid: number | undefined;
  /** Resolves with a signal's name, an exit code or the reason why it could not be started. */
  readonly ended: Promise<string>;
  /** The next frame, or how the process ended. To be called before the frame that it answers is sent. */
  nextFrame(msMax: number): Promise<Frame | 'timed_out' | { readonly ended: string }>;
  send(frame: Omit<Frame, 'payload'>, payload: readonly Uint8Array[]): void;
  kill(): void;
};

/** `command` finds its end of the socket as fd 3. A frame from it has `payloadBytesMax` at most. */
export const launchChild = (
  [file, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  payloadBytesMax: number,
): ChildProcess => {
  const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit', 'pipe'], env });
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
  socket.on(
    'data',
    createFrameReader(payloadBytesMax, 'own', (frame) => onFrame(frame)),
  );

  return {
    pid: child.pid,
    ended,
    // Not a race of promises: `ended` lives as long as the process and would keep every answer raced against it.
    nextFrame: (msMax) =>
      new Promise((resolve) => {
        const settle = (outcome: Awaited<ReturnType<ChildProcess['nextFrame']>>): void => {
          clearTimeout(timer);
          end.signal.removeEventListener('abort', onEnd);
          onFrame = () => undefined;
          resolve(outcome);
        };
        const onEnd = (): void => settle({ ended: String(end.signal.reason) });
        const timer = setTimeout(settle, msMax, 'timed_out' as const);
        if (end.signal.aborted) return onEnd();
        end.signal.addEventListener('abort', onEnd, { once: true });
        onFrame = settle;
      }),
    send: (frame, payload) => void writeFrame(socket, frame, payload),
    kill: () => void child.kill('SIGKILL'),
  };
};
