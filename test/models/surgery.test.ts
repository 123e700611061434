import { describe, expect, it } from 'vitest';
import { simplify, toFloat16, toFloat32 } from '../../models/tools/surgery.ts';
import { meanDifference, type Planes, run } from './run-model.ts';
import { fileOf, randomFrom, SIDE, tinyNetwork } from './tiny-network.ts';

const noise = (width: number, height: number): Planes => {
  const random = randomFrom(1);
  return { planes: Float32Array.from({ length: 3 * width * height }, random), width, height };
};

describe('graph surgery', () => {
  it('computes what the original computes, in single and in half precision', async () => {
    const original = tinyNetwork();
    const simplified = simplify(original, 'output');
    const [expected] = await run(fileOf(original), [noise(SIDE, SIDE)]);
    for (const model of [toFloat32(simplified), toFloat16(simplified)]) {
      const [matte] = await run(fileOf(model), [noise(SIDE, SIDE)]);
      expect(meanDifference(matte!, expected!)).toBeLessThan(1e-3);
    }
    // Not a constant that anything would agree with.
    expect(Math.max(...expected!) - Math.min(...expected!)).toBeGreaterThan(0.1);
  });

  it('makes the network run at other sizes, where the original fails', async () => {
    const wide = noise(96, 64);
    await expect(run(fileOf(tinyNetwork()), [wide])).rejects.toThrow();
    const [matte] = await run(fileOf(toFloat32(simplify(tinyNetwork(), 'output'))), [wide]);
    expect(matte!.length).toBe(96 * 64);
  });

  it('keeps only what the output needs, without casts, each node after its inputs', () => {
    const { nodes, initializers, outputs } = simplify(tinyNetwork(), 'output').graph;
    expect(outputs.map((each) => each.name)).toEqual(['output']);
    expect(new Set(nodes.map((each) => each.op))).toEqual(
      new Set(['Conv', 'Relu', 'MaxPool', 'Resize', 'Concat', 'Add', 'Sigmoid']),
    );
    const known = new Set(['input', '', ...initializers.map((each) => each.name)]);
    for (const { inputs, outputs: made } of nodes) {
      for (const name of inputs) expect(known).toContain(name);
      for (const name of made) known.add(name);
    }
    expect(known).toContain('output');
  });

  it('leaves the given model as it was', () => {
    const original = tinyNetwork();
    toFloat16(toFloat32(simplify(original, 'output')));
    expect(fileOf(original).equals(fileOf(tinyNetwork()))).toBe(true);
  });

  it('refuses an output the model does not have, and a resize of unknown scale', () => {
    expect(() => simplify(tinyNetwork(), 'alpha')).toThrow('no output named alpha');
    const unrecorded = tinyNetwork();
    unrecorded.graph.valueInfos = [];
    expect(() => simplify(unrecorded, 'output')).toThrow('enlarged_wide: its scale is not recorded');
  });
});
