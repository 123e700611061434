/**
 * The device process. A run of onnxruntime-node blocks its thread and can only be ended by killing the process, so the
 * model lives here and nothing else does. Takes `run` frames on fd 3, answers `mattes` or `failed`; ends when its node
 * has ended, for whatever reason. Started by device-process.ts only.
 */
import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { originLimits } from '../limits.ts';
import { createRunner, createSession, type SessionSettings } from './session.ts';
import { createFrameReader, FRAME, type Frame, frameHeader } from './wire.ts';

const settings = JSON.parse(process.argv[2] ?? '') as SessionSettings;
const NODE_FD = 3;
const { sideMax, batchSizeMax, orphanCheckMs } = originLimits.inference;

/**
 * An idle process learns from its closed socket at once that its node has ended. This thread also ends a process that
 * is stuck in a run, which would otherwise hold its GPU for ever.
 */
const watchParent = (): void => {
  const source = `
    const parent = process.ppid;
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, ${orphanCheckMs});`;
  new Worker(source, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
  }).unref();
};

const socket = new Socket({ fd: NODE_FD, readable: true, writable: true });
const send = (frame: Omit<Frame, 'payload'>, payload: Uint8Array): void => {
  socket.cork();
  socket.write(frameHeader(frame, payload.byteLength));
  socket.write(payload);
  socket.uncork();
};

const answer = async (run: Frame, runImages: Awaited<ReturnType<typeof start>>): Promise<void> => {
  const { id, count, width, height } = run;
  try {
    send({ kind: FRAME.mattes, id, count, width, height }, await runImages(run.payload, count, width, height));
  } catch (error) {
    send(
      { kind: FRAME.failed, id, count, width, height },
      new TextEncoder().encode(error instanceof Error ? error.message : String(error)),
    );
  }
};

const start = async () => {
  const runImages = createRunner(await createSession(settings), settings);
  // The first run allocates and, on a GPU, tunes; it belongs to the start, not to a customer's image.
  const { side } = settings.input;
  await runImages(new Uint8Array(3 * side * side), 1, side, side);
  return runImages;
};

watchParent();
process.on('SIGINT', () => undefined); // Ctrl-C reaches the whole group; the node decides when this process ends.
socket.on('close', () => process.exit(0));
socket.on('error', () => process.exit(0));
const runImages = await start();
// The node sends one run at a time, so the frame's buffer is not overwritten while it is read.
const read = createFrameReader(batchSizeMax * sideMax ** 2 * 3, (frame) => void answer(frame, runImages));
socket.on('data', read);
send({ kind: FRAME.ready, id: 0, count: 0, width: 0, height: 0 }, new Uint8Array(0));
