/**
 * The device process. A run of onnxruntime-node blocks its thread and can only be ended by killing the process, so the
 * models live here and nothing else does. Takes `run`, `readText` and `findFaces` frames on fd 3, answers `mattes` or `failed`; ends
 * when its node has ended, for whatever reason. Started by device-process.ts only.
 */
import { Worker } from 'node:worker_threads';
import type { InferenceSession } from 'onnxruntime-node';
import { originLimits } from '../limits.ts';
import type { Frame } from '../processes/frames.ts';
import { connectToParent } from '../processes/parent.ts';
import { createFaceRunner } from './face-runner.ts';
import { FRAME } from './frames.ts';
import { createRunner, createSession, type DeviceSettings, type RunImages, type SessionSettings } from './session.ts';

const settings = JSON.parse(process.argv[2] ?? '') as DeviceSettings;
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

const parent = connectToParent();

const answer = async (run: Frame, runImages: RunImages): Promise<void> => {
  const { id, count, width, height } = run;
  try {
    void parent.send({ kind: FRAME.mattes, id, count, width, height }, [
      await runImages(run.payload, count, width, height),
    ]);
  } catch (error) {
    void parent.send({ kind: FRAME.failed, id, count, width, height }, [
      new TextEncoder().encode(error instanceof Error ? error.message : String(error)),
    ]);
  }
};

type Create = (session: InferenceSession, settings: SessionSettings) => RunImages;

const start = async (settings: SessionSettings, create: Create = createRunner): Promise<RunImages> => {
  const runImages = create(await createSession(settings), settings);
  // The first run allocates and, on a GPU, tunes; it belongs to the start, not to a customer's image.
  const { side } = settings.input;
  await runImages(new Uint8Array(3 * side * side), 1, side, side);
  return runImages;
};

watchParent();
const runImages = await start(settings);
const faceRunner: Create = (session, { input }) => createFaceRunner(session, input);
/** Of a model that this host lacks. */
const nothing: RunImages = async () => new Uint8Array();
const detectors = new Map<number, RunImages>([
  [FRAME.readText, settings.text ? await start(settings.text) : nothing],
  [FRAME.findFaces, settings.faces ? await start(settings.faces, faceRunner) : nothing],
]);
parent.onFrame(batchSizeMax * sideMax ** 2 * 3, (frame) => void answer(frame, detectors.get(frame.kind) ?? runImages));
void parent.send({ kind: FRAME.ready, id: 0, count: 0, width: 0, height: 0 }, []);
