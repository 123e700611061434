/**
 * A network of a dozen operators in the form exporters leave behind: half-precision weights between casts, absolute
 * resize sizes computed from shapes, a second output, nodes out of order. Input [1, 3, 64, 64], output [1, 1, 64, 64]
 * in 0..1.
 */
import {
  ATTRIBUTE_TYPE,
  type Attribute,
  DATA_TYPE,
  MODEL,
  type Model,
  type Node,
  type Tensor,
  type ValueInfo,
} from '../../models/tools/onnx/schema.ts';
import { constant, intAttribute, node } from '../../models/tools/onnx/tensor.ts';
import { encode } from '../../models/tools/onnx/wire.ts';

const CHANNELS = 8;
export const SIDE = 64;

/** mulberry32: reproducible numbers in −0.5..0.5. */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 - 0.5;
  };
};

/** IEEE binary16 bits of a number within the normal range. */
const halfBits = (value: number): number => {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  const fraction = Math.round((Math.abs(value) / 2 ** exponent - 1) * 1024);
  return (value < 0 ? 0x8000 : 0) + ((exponent + 15) << 10) + fraction;
};

const halfTensor = (name: string, dims: number[], random: () => number, gain: number): Tensor => {
  const bits = Uint16Array.from({ length: dims.reduce((product, each) => product * each, 1) }, () =>
    halfBits(random() * gain),
  );
  return { ...constant(name, new Uint8Array(bits.buffer), dims), dataType: DATA_TYPE.float16 };
};

const ints = (name: string, values: number[]): Attribute => ({
  name,
  ints: values,
  type: ATTRIBUTE_TYPE.ints,
  floats: [],
  strings: [],
});
const text = (name: string, value: string): Attribute => ({
  name,
  s: new TextEncoder().encode(value),
  type: ATTRIBUTE_TYPE.string,
  floats: [],
  ints: [],
  strings: [],
});
const info = (name: string, dims: number[], elemType: number): ValueInfo => ({
  name,
  metadata: [],
  type: { tensor: { elemType, shape: { dims: dims.map((value) => ({ value })) } } },
});

/** Adds nodes the way an exporter writes them; each function returns the name of its output. */
const graphBuilder = (random: () => number) => {
  const nodes: Node[] = [];
  const casts: Node[] = [];
  const initializers: Tensor[] = [];
  const valueInfos: ValueInfo[] = [];

  const conv = (name: string, from: string, inputs: number, outputs = CHANNELS, stride = 1) => {
    initializers.push(halfTensor(`${name}.weight`, [outputs, inputs, 3, 3], random, 4 / Math.sqrt(9 * inputs)));
    initializers.push(halfTensor(`${name}.bias`, [outputs], random, 0.2));
    const attributes = [ints('kernel_shape', [3, 3]), ints('pads', [1, 1, 1, 1]), ints('strides', [stride, stride])];
    nodes.push(node('Conv', [from, `${name}.weight`, `${name}.bias`], [name], attributes));
    return name;
  };
  const simple = (op: string, name: string, inputs: string[], attributes: Attribute[] = []) => {
    nodes.push(node(op, inputs, [name], attributes));
    return name;
  };
  const cast = (from: string, to: string, elemType: number) => {
    casts.push(node('Cast', [from], [to], [intAttribute('to', elemType)]));
    return to;
  };
  /** An int64 constant. */
  const integers = (name: string, values: number[]) => {
    const raw = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
    const t = { ...constant('', raw, [values.length]), dataType: DATA_TYPE.int64 };
    return simple(
      'Constant',
      name,
      [],
      [{ name: 'value', t, type: ATTRIBUTE_TYPE.tensor, floats: [], ints: [], strings: [] }],
    );
  };
  /** As PyTorch exports it: sizes = Concat(first two of Shape(x), constant). */
  const resize = (name: string, from: string, channels: number, fromSide: number, toSide: number) => {
    const wide = cast(from, `${name}_input`, DATA_TYPE.float);
    valueInfos.push(info(wide, [1, channels, fromSide, fromSide], DATA_TYPE.float));
    const shape = simple('Shape', `${name}_shape`, [wide]);
    const kept = simple('Slice', `${name}_kept`, [
      shape,
      integers(`${name}_start`, [0]),
      integers(`${name}_end`, [2]),
      integers(`${name}_axes`, [0]),
    ]);
    const sizes = simple(
      'Concat',
      `${name}_sizes`,
      [kept, integers(`${name}_target`, [toSide, toSide])],
      [intAttribute('axis', 0)],
    );
    const attributes = [text('coordinate_transformation_mode', 'half_pixel'), text('mode', 'linear')];
    return cast(simple('Resize', `${name}_wide`, [wide, '', '', sizes], attributes), name, DATA_TYPE.float16);
  };

  return { nodes, casts, initializers, valueInfos, conv, simple, cast, resize };
};

export const tinyNetwork = (): Model => {
  const { nodes, casts, initializers, valueInfos, conv, simple, cast, resize } = graphBuilder(randomFrom(7));
  const input = cast('input', 'input_half', DATA_TYPE.float16);
  const first = conv('conv_in', input, 3, CHANNELS, 2);
  const fine = simple('Relu', 'fine', [conv('conv_fine', first, CHANNELS)]);
  const pooled = simple('MaxPool', 'pooled', [fine], [ints('kernel_shape', [2, 2]), ints('strides', [2, 2])]);
  const coarse = simple('Relu', 'coarse', [conv('conv_coarse', pooled, CHANNELS)]);
  const enlarged = resize('enlarged', coarse, CHANNELS, SIDE / 4, SIDE / 2);
  const both = simple('Concat', 'both', [fine, enlarged], [intAttribute('axis', 1)]);
  const merged = simple('Relu', 'merged', [conv('conv_merged', both, 2 * CHANNELS)]);
  const sum = simple('Add', 'sum', [merged, fine]);
  const side = resize('side_enlarged', conv('side', sum, CHANNELS, 1), 1, SIDE / 2, SIDE);
  cast(simple('Sigmoid', 'matte', [side]), 'output', DATA_TYPE.float);
  cast(coarse, 'other', DATA_TYPE.float);

  const outputs = [
    info('output', [1, 1, SIDE, SIDE], DATA_TYPE.float),
    info('other', [1, CHANNELS, SIDE / 4, SIDE / 4], DATA_TYPE.float),
  ];
  return {
    irVersion: 8,
    opsets: [{ version: 15 }],
    metadata: [],
    graph: {
      name: 'tiny',
      nodes: [...nodes, ...casts],
      initializers,
      valueInfos,
      metadata: [],
      inputs: [info('input', [1, 3, SIDE, SIDE], DATA_TYPE.float)],
      outputs,
    },
  };
};

export const fileOf = (model: Model): Buffer => {
  return Buffer.concat(encode(model, MODEL));
};
