/**
 * The model in this process, for tests of the pipeline and for measuring mattes. The service runs it in a child
 * process.
 */
import ort from 'onnxruntime-node';
import { faceModel, textModel } from '../../models/catalogue.ts';
import { ensureModel } from '../../models/ensure.ts';
import { createFaceRunner } from '../../origin/inference/face-runner.ts';
import type { Detectors } from '../../origin/pipeline/findings/gather.ts';
import type { Infer } from '../../origin/pipeline/index.ts';

/** Loads a model by its catalogue name. `msTotal()` is the time spent in runs so far, `runs()` their sizes. */
export const loadInfer = async (name = process.env['MODEL'] ?? 'isnet-int8', threads = 2) => {
  const { path, model } = await ensureModel(name);
  const session = await ort.InferenceSession.create(path, {
    graphOptimizationLevel: 'all',
    enableMemPattern: false,
    intraOpNumThreads: threads,
    ...('session' in model && model.session ? { extra: { session: model.session as Record<string, string> } } : {}),
  });
  const { mean, scale, name: inputName } = model.input;
  const sizes: string[] = [];
  let ms = 0;
  const infer: Infer = async ({ rgb, width, height }) => {
    const started = performance.now();
    const area = width * height;
    const planes = new Float32Array(area * 3);
    for (let c = 0; c < 3; c++)
      for (let i = 0, j = c; i < area; i++, j += 3) planes[c * area + i] = (rgb[j]! - mean[c]!) / scale[c]!;
    const results = await session.run({ [inputName]: new ort.Tensor('float32', planes, [1, 3, height, width]) });
    const output = results[model.output.name]!.data as Float32Array;
    const matte = new Uint8Array(area);
    for (let i = 0; i < area; i++) matte[i] = Math.min(255, Math.max(0, Math.round(output[i]! * 255)));
    ms += performance.now() - started;
    sizes.push(`${width}x${height}`);
    return matte;
  };
  return { infer, msTotal: () => ms, runs: () => sizes };
};

/** As a node has them. */
export const loadDetectors = async (): Promise<Detectors> => {
  const { path, model } = await ensureModel(faceModel);
  const session = await ort.InferenceSession.create(path, { intraOpNumThreads: 2 });
  const findFaces = createFaceRunner(session, model.input);
  return {
    readText: (await loadInfer(textModel)).infer,
    findFaces: ({ rgb, width, height }) => findFaces(rgb, 1, width, height),
  };
};
