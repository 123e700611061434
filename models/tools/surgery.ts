/**
 * Graph surgery: turns an exported matting network into one that computes a single output at any size. Pure: models in,
 * models out; the given model is not changed.
 */
import { DATA_TYPE, type Graph, type Model, type Node, type Tensor, type ValueInfo } from './onnx/schema.ts';
import { constant, intAttribute, node, readIntegers, widen } from './onnx/tensor.ts';

/**
 * Keeps what `output` needs, in topological order, without casts and with relative instead of absolute resize sizes;
 * batch, height and width of input and output become symbols. Weights keep their type: follow with `toFloat32` or
 * `toFloat16`. Throws if the model has no such output or a Resize whose factor its recorded shapes do not tell.
 */
export const simplify = (model: Model, output: string): Model => {
  const graph = model.graph;
  const kept = graph.outputs.find((each) => each.name === output);
  if (!kept) throw new Error(`the model has no output named ${output}`);
  const scales = new Map<string, Tensor>();
  const resized = graph.nodes.map((each) => (each.op === 'Resize' ? withScales(each, graph, scales) : each));
  const nodes = sortFrom(output, bypassCasts(resized, output));
  const used = new Set(nodes.flatMap((each) => each.inputs));
  const initializers = [...graph.initializers, ...scales.values()].filter((each) => used.has(each.name!));
  const inputs = graph.inputs.filter((each) => used.has(each.name)).map(withSymbolicSize);
  return {
    ...model,
    graph: { ...graph, nodes, initializers, inputs, outputs: [withSymbolicSize(kept)], valueInfos: [], metadata: [] },
  };
};

/**
 * `Resize(x, roi, scales, sizes)` by sizes → by constant scales. PyTorch exports sizes as Concat([N, C], [height,
 * width]); the input's height and width are those recorded for it.
 */
const withScales = (resize: Node, graph: Graph, scales: Map<string, Tensor>): Node => {
  const sizes = resize.inputs[3];
  if (!sizes) return resize;
  const from = graph.valueInfos.find((each) => each.name === resize.inputs[0])?.type?.tensor?.shape?.dims.slice(2);
  const concat = graph.nodes.find((each) => each.outputs.includes(sizes));
  const to = graph.nodes.find((each) => each.op === 'Constant' && each.outputs[0] === concat?.inputs[1]);
  const target = to?.attributes[0]?.t;
  if (from?.length !== 2 || !target) throw new Error(`${resize.name}: its scale is not recorded`);
  const factors = readIntegers(target).map((length, axis) => length / (from[axis]?.value ?? NaN));
  if (!factors.every(Number.isInteger)) throw new Error(`${resize.name}: scales by ${factors}, expected whole numbers`);
  const name = `scales_${factors.join('x')}`;
  if (!scales.has(name)) scales.set(name, constant(name, Float32Array.of(1, 1, ...factors), [4]));
  return { ...resize, inputs: [resize.inputs[0]!, '', name] };
};

/** Removes Cast nodes; a cast that makes the graph's output hands that name to the node before it. */
const bypassCasts = (nodes: Node[], output: string): Node[] => {
  const sources = new Map(
    nodes.filter((each) => each.op === 'Cast').map((each) => [each.outputs[0]!, each.inputs[0]!]),
  );
  const sourceOf = (name: string): string => {
    const source = sources.get(name);
    return source === undefined ? name : sourceOf(source);
  };
  const last = sourceOf(output);
  const rename = (name: string) => (sourceOf(name) === last ? output : sourceOf(name));
  return nodes
    .filter((each) => each.op !== 'Cast')
    .map((each) => ({ ...each, inputs: each.inputs.map(rename), outputs: each.outputs.map(rename) }));
};

/** The nodes `output` depends on, each after the nodes it depends on (depth first, so the order is reproducible). */
const sortFrom = (output: string, nodes: Node[]): Node[] => {
  const producers = new Map(nodes.flatMap((each) => each.outputs.map((name) => [name, each] as const)));
  const sorted = new Set<Node>();
  const visit = (name: string) => {
    const producer = producers.get(name);
    if (!producer || sorted.has(producer)) return;
    producer.inputs.forEach(visit);
    sorted.add(producer);
  };
  visit(output);
  return [...sorted];
};

/** [N, C, H, W] with N, H and W free and float elements. */
const withSymbolicSize = (info: ValueInfo): ValueInfo => {
  const dims = info.type?.tensor?.shape?.dims;
  if (dims?.length !== 4) throw new Error(`${info.name}: expected four dimensions`);
  const symbolic = [{ param: 'N' }, dims[1]!, { param: 'H' }, { param: 'W' }];
  return { ...info, type: { tensor: { elemType: DATA_TYPE.float, shape: { dims: symbolic } } } };
};

/** All float16 constants as float32: the network computes in single precision. */
export const toFloat32 = (model: Model): Model => {
  return { ...model, graph: { ...model.graph, initializers: model.graph.initializers.map(widen) } };
};

/**
 * For a simplified model whose weights are float16: the network computes in half precision between a cast of its
 * float32 input and a cast to its float32 output.
 */
export const toFloat16 = (model: Model): Model => {
  const { nodes, inputs, outputs } = model.graph;
  const inside = new Map([...inputs, ...outputs].map((each) => [each.name, `${each.name}_float16`]));
  const rename = (name: string) => inside.get(name) ?? name;
  const body = nodes.map((each) => ({ ...each, inputs: each.inputs.map(rename), outputs: each.outputs.map(rename) }));
  const narrow = inputs.map((each) => cast(each.name, rename(each.name), DATA_TYPE.float16));
  const restore = outputs.map((each) => cast(rename(each.name), each.name, DATA_TYPE.float));
  return { ...model, graph: { ...model.graph, nodes: [...narrow, ...body, ...restore] } };
};

const cast = (from: string, to: string, elemType: number): Node => {
  return node('Cast', [from], [to], [intAttribute('to', elemType)]);
};
