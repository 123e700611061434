/**
 * Quantisation to int8, static (`quantise`) and of weights only (`quantiseWeights`).
 *
 * Static quantisation in QDQ form: every activation with a known range is rounded to uint8 right after it is computed
 * (QuantizeLinear, DequantizeLinear), convolutions between such activations get int8 weights, and the runtime fuses
 * these into integer kernels. Per-tensor asymmetric activations, per-channel symmetric weights. Pure. Jacob et al.
 * 2018, "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference".
 */
import type { Model, Node, Tensor } from './onnx/schema.ts';
import { constant, intAttribute, node, readFloats, widen } from './onnx/tensor.ts';

/** Tensor name → [lowest, highest] value to represent. */
export type ActivationRanges = Readonly<Record<string, readonly [low: number, high: number]>>;
type Scale = { scale: number; zeroPoint: number };

/**
 * Operators that compute something new; all others only move or mix values, so that their output fits their input's
 * range.
 */
const MEASURED = new Set(['Conv', 'Relu', 'Add', 'Concat']);
const RANGE_KEEPING = new Set(['MaxPool', 'Resize']);

/**
 * The tensors whose ranges `quantise` wants, in order. A convolution followed only by Relu is measured after it. What
 * follows the last convolution is left out, so that the result is not rounded to 256 steps.
 */
export const tensorsToMeasure = (model: Model): string[] => {
  const { nodes } = model.graph;
  const consumers = consumersOf(nodes);
  const before = beforeConvolutions(nodes);
  return nodes
    .filter((each) => MEASURED.has(each.op) && !(each.op === 'Conv' && reluAfter(each, consumers)))
    .map((each) => each.outputs[0]!)
    .filter((name) => before.has(name));
};

/** Tensors on which some convolution depends. */
const beforeConvolutions = (sorted: Node[]): Set<string> => {
  const before = new Set<string>();
  for (const { op, inputs, outputs } of sorted.toReversed()) {
    if (op === 'Conv' || outputs.some((name) => before.has(name))) for (const name of inputs) before.add(name);
  }
  return before;
};

/**
 * For a simplified model. A convolution whose input or output has no range stays float32: with the ranges of
 * `tensorsToMeasure` these are the first, which sees the photo, and the last, which makes the matte.
 */
export const quantise = (model: Model, ranges: ActivationRanges): Model => {
  const { nodes, initializers } = model.graph;
  const scales = scalesOf(nodes, ranges);
  const consumers = consumersOf(nodes);
  const weights = new Map(initializers.map((each) => [each.name!, each]));
  const constants = new Map<string, Tensor>();
  const out: Node[] = [];
  for (const each of nodes) {
    const inputs = each.inputs.map((name) => (scales.has(name) ? `${name}_dq` : name));
    const target = reluAfter(each, consumers)?.outputs[0] ?? each.outputs[0]!;
    const inputScale = scales.get(each.inputs[0]!);
    if (each.op === 'Conv' && inputScale && scales.has(target)) {
      const quantised = quantiseConv(each, inputScale, weights);
      for (const tensor of quantised.constants) constants.set(tensor.name!, tensor);
      out.push(...quantised.nodes, { ...each, inputs: [inputs[0]!, ...quantised.inputs] });
    } else {
      for (const name of each.inputs) {
        const weight = weights.get(name);
        if (weight) constants.set(name, widen(weight));
      }
      out.push({ ...each, inputs });
    }
    const scale = scales.get(each.outputs[0]!);
    if (scale) out.push(...roundActivation(each.outputs[0]!, scale, constants));
  }
  return { ...model, graph: { ...model.graph, nodes: out, initializers: [...constants.values()] } };
};

const consumersOf = (nodes: Node[]): Map<string, Node[]> => {
  const consumers = new Map<string, Node[]>();
  for (const each of nodes) {
    for (const name of each.inputs) consumers.set(name, [...(consumers.get(name) ?? []), each]);
  }
  return consumers;
};

const reluAfter = (conv: Node, consumers: Map<string, Node[]>): Node | undefined => {
  const after = consumers.get(conv.outputs[0]!) ?? [];
  return after.length === 1 && after[0]!.op === 'Relu' ? after[0] : undefined;
};

const scalesOf = (nodes: Node[], ranges: ActivationRanges): Map<string, Scale> => {
  const scales = new Map<string, Scale>();
  for (const { op, inputs, outputs } of nodes) {
    const range = ranges[outputs[0]!];
    const scale = range ? scaleOf(range) : RANGE_KEEPING.has(op) ? scales.get(inputs[0]!) : undefined;
    if (scale) scales.set(outputs[0]!, scale);
  }
  return scales;
};

/** Zero is always represented exactly: padding and Relu depend on it. */
const scaleOf = ([low, high]: readonly [number, number]): Scale => {
  const from = Math.min(low, 0);
  const to = Math.max(high, 0);
  const scale = Math.fround((to - from) / 255) || 1;
  return { scale, zeroPoint: Math.round(-from / scale) };
};

const roundActivation = (name: string, { scale, zeroPoint }: Scale, constants: Map<string, Tensor>): Node[] => {
  const parameters = [`${name}_scale`, `${name}_zero`];
  constants.set(parameters[0]!, constant(parameters[0]!, Float32Array.of(scale)));
  constants.set(parameters[1]!, constant(parameters[1]!, Uint8Array.of(zeroPoint)));
  return [
    node('QuantizeLinear', [name, ...parameters], [`${name}_q`]),
    node('DequantizeLinear', [`${name}_q`, ...parameters], [`${name}_dq`]),
  ];
};

type QuantisedConv = { inputs: string[]; nodes: Node[]; constants: Tensor[] };

const quantiseConv = (conv: Node, input: Scale, weights: Map<string, Tensor>): QuantisedConv => {
  const [, weightName, biasName] = conv.inputs;
  const { tensor, scales } = quantiseWeight(weights.get(weightName!)!);
  const weight = dequantised(weightName!, tensor, scales);
  if (!biasName) return weight;
  // The kernels accumulate in int32 units of input scale × weight scale.
  const biasScales = scales.map((each) => each * input.scale);
  const rounded = Int32Array.from(readFloats(weights.get(biasName)!), (value, channel) =>
    Math.round(value / biasScales[channel]!),
  );
  const bias = dequantised(biasName, constant(`${biasName}_q`, rounded, [rounded.length]), biasScales);
  return {
    inputs: [...weight.inputs, ...bias.inputs],
    nodes: [...weight.nodes, ...bias.nodes],
    constants: [...weight.constants, ...bias.constants],
  };
};

/** A constant stored as integers with a scale per channel. */
const dequantised = (name: string, stored: Tensor, scales: Float32Array): QuantisedConv => {
  const scale = constant(`${name}_scale`, scales, [scales.length]);
  const restore = node('DequantizeLinear', [stored.name!, scale.name!], [`${name}_dq`], [intAttribute('axis', 0)]);
  return { inputs: [`${name}_dq`], nodes: [restore], constants: [stored, scale] };
};

/**
 * Convolution weights as int8 with float32 arithmetic: a quarter of the size of float32, at its speed and nearly its
 * result.
 */
export const quantiseWeights = (model: Model): Model => {
  const { nodes, initializers } = model.graph;
  const kernels = new Set(nodes.filter((each) => each.op === 'Conv').map((each) => each.inputs[1]!));
  const stored = initializers.map((each) => {
    if (!kernels.has(each.name!)) return { inputs: [], nodes: [], constants: [widen(each)] };
    const { tensor, scales } = quantiseWeight(each);
    return dequantised(each.name!, tensor, scales);
  });
  const rename = (name: string) => (kernels.has(name) ? `${name}_dq` : name);
  const out = nodes.map((each) => ({ ...each, inputs: each.inputs.map(rename) }));
  return {
    ...model,
    graph: {
      ...model.graph,
      nodes: [...stored.flatMap((each) => each.nodes), ...out],
      initializers: stored.flatMap((each) => each.constants),
    },
  };
};

/** [out, …] floats → int8 with one scale per output channel, the largest weight of a channel becoming ±127. */
export const quantiseWeight = (weight: Tensor): { tensor: Tensor; scales: Float32Array } => {
  const floats = readFloats(weight);
  const channels = weight.dims[0]!;
  const perChannel = floats.length / channels;
  const scales = new Float32Array(channels);
  const rounded = new Int8Array(floats.length);
  for (let channel = 0; channel < channels; channel++) {
    const values = floats.subarray(channel * perChannel, (channel + 1) * perChannel);
    let largest = 0;
    for (const value of values) largest = Math.max(largest, Math.abs(value));
    const scale = Math.fround(largest / 127) || 1;
    scales[channel] = scale;
    for (let i = 0; i < perChannel; i++) rounded[channel * perChannel + i] = Math.round(values[i]! / scale);
  }
  return { tensor: constant(`${weight.name}_q`, rounded, weight.dims), scales };
};
