import { describe, expect, it } from 'vitest';
import { measure, rangesOf } from '../../models/tools/calibrate.ts';
import { DATA_TYPE } from '../../models/tools/onnx/schema.ts';
import { constant, readFloats } from '../../models/tools/onnx/tensor.ts';
import { quantise, quantiseWeight, quantiseWeights, tensorsToMeasure } from '../../models/tools/quantise.ts';
import { simplify, toFloat32 } from '../../models/tools/surgery.ts';
import { meanDifference, overlap, type Planes, run } from './run-model.ts';
import { fileOf, randomFrom, SIDE, tinyNetwork } from './tiny-network.ts';

const INPUT = { name: 'input', side: SIDE, multipleOf: 4, mean: [128, 128, 128], scale: [256, 256, 256] } as const;
const simplified = simplify(tinyNetwork(), 'output');

const noise = (seed: number): Planes => {
  const random = randomFrom(seed);
  return { planes: Float32Array.from({ length: 3 * SIDE * SIDE }, random), width: SIDE, height: SIDE };
};

const calibrated = async () => {
  const images = (async function* () {
    for (const seed of [1, 2, 3]) yield noise(seed);
  })();
  return rangesOf(await measure(toFloat32(simplified), INPUT, images), 0.9999);
};

describe('static quantisation', () => {
  it('computes nearly what single precision computes, on an input it was not calibrated on', async () => {
    const [expected] = await run(fileOf(toFloat32(simplified)), [noise(9)]);
    const [matte] = await run(fileOf(quantise(simplified, await calibrated())), [noise(9)]);
    expect(meanDifference(matte!, expected!)).toBeLessThan(0.01);
    expect(overlap(matte!, expected!)).toBeGreaterThan(0.97);
  });

  it('rounds every activation but the photo and what follows the last convolution', async () => {
    expect(tensorsToMeasure(simplified)).toEqual(['conv_in', 'fine', 'coarse', 'both', 'merged', 'sum']);
    const { nodes, initializers } = quantise(simplified, await calibrated()).graph;
    const types = new Map(initializers.map((each) => [each.name!, each.dataType]));
    for (const conv of nodes.filter((each) => each.op === 'Conv')) {
      const inFloat = types.get(conv.inputs[1]!) === DATA_TYPE.float;
      expect([conv.name, inFloat]).toEqual([conv.name, ['conv_in', 'side'].includes(conv.name!)]);
    }
    const rounded = nodes.filter((each) => each.op === 'QuantizeLinear').map((each) => each.inputs[0]);
    expect(rounded).toEqual(['conv_in', 'fine', 'pooled', 'coarse', 'enlarged_wide', 'both', 'merged', 'sum']);
  });

  it('depends on the ranges: ranges too narrow clip the result', async () => {
    const narrow = Object.fromEntries(
      Object.entries(await calibrated()).map(([name, [low, high]]) => [name, [low / 20, high / 20]]),
    );
    const [expected] = await run(fileOf(toFloat32(simplified)), [noise(9)]);
    const [matte] = await run(fileOf(quantise(simplified, narrow as never)), [noise(9)]);
    expect(meanDifference(matte!, expected!)).toBeGreaterThan(0.01);
  });
});

describe('weight-only quantisation', () => {
  it('stores convolution weights as int8 and computes nearly the same', async () => {
    const model = quantiseWeights(simplified);
    const stored = model.graph.initializers.filter((each) => each.dims.length === 4);
    expect(stored.map((each) => each.dataType)).toEqual(stored.map(() => DATA_TYPE.int8));
    const [expected] = await run(fileOf(toFloat32(simplified)), [noise(9)]);
    const [matte] = await run(fileOf(model), [noise(9)], { disable_quant_qdq: '1' });
    expect(meanDifference(matte!, expected!)).toBeLessThan(0.01);
  });

  it('is off by at most half a step of each channel', () => {
    const random = randomFrom(5);
    const weight = constant(
      'w',
      Float32Array.from({ length: 4 * 18 }, () => random() * 3),
      [4, 2, 3, 3],
    );
    const { tensor, scales } = quantiseWeight(weight);
    const rounded = new Int8Array(tensor.raw!.buffer, tensor.raw!.byteOffset, tensor.raw!.byteLength);
    readFloats(weight).forEach((value, i) => {
      const scale = scales[Math.floor(i / 18)]!;
      expect(Math.abs(rounded[i]! * scale - value)).toBeLessThanOrEqual(scale * 0.5001);
    });
    expect(Math.max(...rounded.map(Math.abs))).toBe(127);
  });
});
