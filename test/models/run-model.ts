/** Running a model file or its bytes on the CPU, and comparing mattes. */
import { readFile } from 'node:fs/promises';
import ort from 'onnxruntime-node';
import type { CatalogueRow } from '../../models/catalogue.ts';

export type Planes = { planes: Float32Array; width: number; height: number };

/** The output named `output` for each input, row-major. */
export const run = async (
  file: string | Buffer,
  images: Planes[],
  session?: CatalogueRow['session'],
): Promise<Float32Array[]> => {
  // Threads that wait sleep: other test files compute on the same cores.
  const extra = { session: { ...session, intra_op: { allow_spinning: '0' } } };
  const bytes = typeof file === 'string' ? await readFile(file) : file;
  const model = await ort.InferenceSession.create(bytes, { enableMemPattern: false, extra });
  const mattes: Float32Array[] = [];
  for (const { planes, width, height } of images) {
    const results = await model.run({ input: new ort.Tensor('float32', planes, [1, 3, height, width]) }, ['output']);
    mattes.push(results['output']!.data as Float32Array);
  }
  await model.release();
  return mattes;
};

/** Mean absolute difference. */
export const meanDifference = (a: Float32Array, b: Float32Array): number => {
  if (a.length !== b.length) throw new Error(`${a.length} and ${b.length} values`);
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]! - b[i]!);
  return sum / a.length;
};

/** Intersection over union of what lies above one half. */
export const overlap = (a: Float32Array, b: Float32Array): number => {
  let both = 0;
  let either = 0;
  for (let i = 0; i < a.length; i++) {
    const inA = a[i]! > 0.5;
    const inB = b[i]! > 0.5;
    if (inA && inB) both++;
    if (inA || inB) either++;
  }
  return either === 0 ? 1 : both / either;
};
