/**
 * `node models/tools/calibrate.ts DIR_OF_PHOTOS`: measures the range of every activation of isnet-fp32 over a folder of
 * product photos and writes activation-ranges.json, from which isnet-int8 is derived. Takes about seven seconds a photo
 * and up to 4 GB.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ort from 'onnxruntime-node';
import type { ModelInput } from '../catalogue.ts';
import { ensureModel } from '../ensure.ts';
import { addValues, emptyHistogram, type Histogram, quantile } from './histogram.ts';
import { readModel } from './onnx/file.ts';
import { MODEL, type Model } from './onnx/schema.ts';
import { encode } from './onnx/wire.ts';
import { readPhoto } from './photo.ts';
import { type ActivationRanges, tensorsToMeasure } from './quantise.ts';

/**
 * Each end of a range leaves out this much of the values (the 99.99 % interval, both ends together). The few beyond are
 * clipped; covering them too would cost the many others their resolution. Of 99.98, 99.99 and 99.996 % this agrees best
 * with fp32.
 */
const COVERED = 0.99995;
/** The sizes the service runs the network at. */
const SIDES = [1024, 512];

export type Planes = { planes: Float32Array; width: number; height: number };

/** Histograms of all tensors the model's ranges are wanted for, over the given inputs. */
export const measure = async (
  model: Model,
  input: ModelInput,
  images: AsyncIterable<Planes>,
): Promise<Map<string, Histogram>> => {
  const names = tensorsToMeasure(model);
  const file = Buffer.concat(encode(withOutputs(model, names), MODEL));
  const session = await ort.InferenceSession.create(file, { enableMemPattern: false });
  const histograms = new Map(names.map((name) => [name, emptyHistogram()]));
  for await (const { planes, width, height } of images) {
    const results = await session.run({ [input.name]: new ort.Tensor('float32', planes, [1, 3, height, width]) });
    for (const [name, histogram] of histograms) addValues(histogram, results[name]!.data as Float32Array);
    for (const tensor of Object.values(results)) tensor.dispose();
  }
  await session.release();
  return histograms;
};

/** Ranges in four significant digits. */
export const rangesOf = (histograms: Map<string, Histogram>, covered: number): ActivationRanges => {
  const round = (value: number) => Number(value.toPrecision(4));
  return Object.fromEntries(
    [...histograms].map(([name, histogram]) => [
      name,
      [round(quantile(histogram, 1 - covered)), round(quantile(histogram, covered))],
    ]),
  );
};

const withOutputs = (model: Model, names: string[]): Model => {
  const outputs = [...model.graph.outputs, ...names.map((name) => ({ name, metadata: [] }))];
  return { ...model, graph: { ...model.graph, outputs } };
};

async function* readAll(photos: string[], input: ModelInput, sides: readonly number[]): AsyncGenerator<Planes> {
  for (const photo of photos) {
    for (const side of sides) yield { planes: await readPhoto(photo, input, side), width: side, height: side };
  }
}

if (import.meta.main) {
  const dir = process.argv[2];
  if (!dir) throw new Error('usage: node models/tools/calibrate.ts DIR_OF_PHOTOS');
  const photos = (await readdir(dir))
    .filter((name) => /\.(jpe?g|png|webp)$/i.test(name))
    .sort()
    .map((name) => join(dir, name));
  const { path, model } = await ensureModel('isnet-fp32');
  const histograms = await measure(await readModel(path), model.input, readAll(photos, model.input, SIDES));
  const ranges = Object.entries(rangesOf(histograms, COVERED)).map(
    ([name, range]) => `  ${JSON.stringify(name)}: ${JSON.stringify(range)}`,
  );
  const head = `"model": "isnet-general", "covered": ${COVERED}, "photos": ${photos.length}, "sides": ${JSON.stringify(SIDES)}`;
  await writeFile(
    new URL('activation-ranges.json', import.meta.url),
    `{\n ${head}, "ranges": {\n${ranges.join(',\n')}\n }\n}\n`,
  );
  console.log(`${ranges.length} tensors, ${photos.length} photos`);
}
