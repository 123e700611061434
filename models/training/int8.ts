/**
 * `node models/training/int8.ts IN.onnx INPUTS.bin OUT.onnx`: measures the activation ranges of our own network on the
 * inputs that
 * `matting.export --calibration` wrote, derives the int8 file with the project's `quantise`, and prints how far it is
 * from float32.
 */
import { readFile } from 'node:fs/promises';
import ort from 'onnxruntime-node';
import { rangesOf } from '../tools/calibrate.ts';
import { addValues, emptyHistogram } from '../tools/histogram.ts';
import { readModel, writeModel } from '../tools/onnx/file.ts';
import { MODEL, type Model } from '../tools/onnx/schema.ts';
import { encode } from '../tools/onnx/wire.ts';
import { quantise, tensorsToMeasure } from '../tools/quantise.ts';
import { simplify, toFloat32 } from '../tools/surgery.ts';

/** As for ISNet, see calibrate.ts. */
const COVERED = 0.99995;
const CHANNELS = 7;

const [source, inputs, target] = process.argv.slice(2);
if (!source || !inputs || !target) throw new Error('usage: node models/training/int8.ts IN.onnx INPUTS.bin OUT.onnx');

/** The picture's side stands in the exported file; `simplify` makes it a symbol. */
const sideOf = (model: Model): number => model.graph.inputs[0]?.type?.tensor?.shape?.dims[3]?.value ?? Number.NaN;

const sessionOf = (model: Model): Promise<ort.InferenceSession> =>
  ort.InferenceSession.create(Buffer.concat(encode(model, MODEL)), { enableMemPattern: false, intraOpNumThreads: 1 });

const original = await readModel(source);
const side = sideOf(original);
const model = toFloat32(simplify(original, 'output'));
const names = tensorsToMeasure(model);
const stored = await readFile(inputs);
const values = new Float32Array(stored.buffer, stored.byteOffset, stored.byteLength / 4);
const length = CHANNELS * side * side;
const samples = Array.from(
  { length: values.length / length },
  (_, i) => new ort.Tensor('float32', values.slice(i * length, (i + 1) * length), [1, CHANNELS, side, side]),
);

const measured = await sessionOf({
  ...model,
  graph: { ...model.graph, outputs: [...model.graph.outputs, ...names.map((name) => ({ name, metadata: [] }))] },
});
const histograms = new Map(names.map((name) => [name, emptyHistogram()]));
const wanted: Float32Array[] = [];
for (const input of samples) {
  const results = await measured.run({ input });
  wanted.push(Float32Array.from(results['output']!.data as Float32Array));
  for (const [name, histogram] of histograms) addValues(histogram, results[name]!.data as Float32Array);
}

const written = quantise(model, rangesOf(histograms, COVERED));
const { bytes, sha256 } = await writeModel(target, written);
const session = await sessionOf(written);
let apart = 0;
let turned = 0;
let count = 0;
for (const [i, input] of samples.entries()) {
  const got = (await session.run({ input }))['output']!.data as Float32Array;
  for (let at = 0; at < got.length; at++) {
    apart += Math.abs(got[at]! - wanted[i]![at]!);
    turned += got[at]! > 0.5 !== wanted[i]![at]! > 0.5 ? 1 : 0;
    count++;
  }
}
console.log(
  `${target}: ${bytes} bytes, sha256 ${sha256}; ${names.length} ranges from ${samples.length} inputs; mean difference from float32 ${(apart / count).toFixed(5)}, decided otherwise ${(turned / count).toFixed(5)}`,
);
