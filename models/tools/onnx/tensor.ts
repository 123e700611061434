/** Reading and making ONNX tensors. Pure. */
import { ATTRIBUTE_TYPE, type Attribute, DATA_TYPE, type Node, type Tensor } from './schema.ts';

/** Values of a float or float16 tensor as 32-bit floats (exact), row-major. Throws on any other type. */
export const readFloats = (tensor: Tensor): Float32Array => {
  const raw = tensor.raw;
  if (tensor.dataType === DATA_TYPE.float) {
    return raw ? new Float32Array(copyOf(raw)) : Float32Array.from(tensor.floats);
  }
  if (tensor.dataType !== DATA_TYPE.float16) throw new Error(`${tensor.name}: not a float tensor`);
  const halves = raw ? new Uint16Array(copyOf(raw)) : Uint16Array.from(tensor.int32s);
  const table = halfTable();
  const floats = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) floats[i] = table[halves[i]!]!;
  return floats;
};

/** A float16 constant as float32; any other as it is. */
export const widen = (tensor: Tensor): Tensor => {
  return tensor.dataType === DATA_TYPE.float16 ? constant(tensor.name!, readFloats(tensor), tensor.dims) : tensor;
};

/** Values of an int64 tensor. Throws on any other type. */
export const readIntegers = (tensor: Tensor): number[] => {
  if (tensor.dataType !== DATA_TYPE.int64) throw new Error(`${tensor.name}: not an int64 tensor`);
  return tensor.raw ? Array.from(new BigInt64Array(copyOf(tensor.raw)), Number) : tensor.int64s;
};

/** A copy that starts on an aligned address, as typed arrays need. */
const copyOf = (bytes: Uint8Array): ArrayBuffer => {
  return new Uint8Array(bytes).buffer;
};

let halves: Float32Array | undefined;

/** Every 16-bit float as a 32-bit float, indexed by its bits (IEEE 754 binary16). */
const halfTable = (): Float32Array => {
  halves ??= Float32Array.from({ length: 0x10000 }, (_, bits) => {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 0x1f;
    const fraction = (bits & 0x3ff) / 1024;
    if (exponent === 0) return sign * fraction * 2 ** -14;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (1 + fraction) * 2 ** (exponent - 15);
  });
  return halves;
};

type Values = Float32Array | Int8Array | Uint8Array | Int32Array;

/** A named constant; no `dims` makes a scalar. */
export const constant = (name: string, values: Values, dims: number[] = []): Tensor => {
  return {
    name,
    dims,
    dataType: dataTypeOf(values),
    raw: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
    floats: [],
    int32s: [],
    int64s: [],
    strings: [],
    doubles: [],
  };
};

const dataTypeOf = (values: Values): number => {
  if (values instanceof Float32Array) return DATA_TYPE.float;
  if (values instanceof Int8Array) return DATA_TYPE.int8;
  if (values instanceof Uint8Array) return DATA_TYPE.uint8;
  return DATA_TYPE.int32;
};

/** A node named after its first output. */
export const node = (op: string, inputs: string[], outputs: string[], attributes: Attribute[] = []): Node => {
  return { op, name: outputs[0]!, inputs, outputs, attributes, metadata: [] };
};

/** An integer attribute. */
export const intAttribute = (name: string, i: number): Attribute => {
  return { name, i, type: ATTRIBUTE_TYPE.int, floats: [], ints: [], strings: [] };
};
