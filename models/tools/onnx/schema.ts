/**
 * The part of the ONNX file format (onnx.proto, IR version 10) that inference models use, as types and as field tables
 * for `wire.ts`. Training information, sparse tensors and functions are left out: a file that has them is refused.
 */
import type { MessageType } from './wire.ts';

export type Model = {
  irVersion?: number;
  producerName?: string;
  producerVersion?: string;
  domain?: string;
  modelVersion?: number;
  docString?: string;
  graph: Graph;
  opsets: Opset[];
  metadata: Entry[];
};
type Opset = { domain?: string; version?: number };
type Entry = { key?: string; value?: string };
export type Graph = {
  nodes: Node[];
  name?: string;
  initializers: Tensor[];
  docString?: string;
  inputs: ValueInfo[];
  outputs: ValueInfo[];
  valueInfos: ValueInfo[];
  metadata: Entry[];
};
/** An empty name in `inputs` is an optional input left out. */
export type Node = {
  inputs: string[];
  outputs: string[];
  name?: string;
  op: string;
  attributes: Attribute[];
  docString?: string;
  domain?: string;
  metadata: Entry[];
};
export type Attribute = {
  name: string;
  f?: number;
  i?: number;
  s?: Uint8Array;
  t?: Tensor;
  g?: Graph;
  floats: number[];
  ints: number[];
  strings: Uint8Array[];
  docString?: string;
  type?: number;
};
/** Values lie in `raw` (little endian) or in one of the lists, never in both. */
export type Tensor = {
  dims: number[];
  dataType: number;
  floats: number[];
  int32s: number[];
  strings: Uint8Array[];
  int64s: number[];
  name?: string;
  raw?: Uint8Array;
  doubles: number[];
  docString?: string;
};
export type ValueInfo = { name: string; type?: ValueType; docString?: string; metadata: Entry[] };
type ValueType = { tensor?: { elemType?: number; shape?: { dims: Dim[] } }; denotation?: string };
/** A number, a symbol, or neither (unknown). */
type Dim = { value?: number; param?: string; denotation?: string };

/** TensorProto.DataType */
export const DATA_TYPE = { float: 1, uint8: 2, int8: 3, int32: 6, int64: 7, float16: 10 } as const;
/** AttributeProto.AttributeType */
export const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, tensor: 4, floats: 6, ints: 7 } as const;

const ENTRY: MessageType = {
  name: 'StringStringEntryProto',
  fields: { 1: { name: 'key', type: 'string' }, 2: { name: 'value', type: 'string' } },
};
const OPSET: MessageType = {
  name: 'OperatorSetIdProto',
  fields: { 1: { name: 'domain', type: 'string' }, 2: { name: 'version', type: 'int64' } },
};
const DIM: MessageType = {
  name: 'TensorShapeProto.Dimension',
  fields: {
    1: { name: 'value', type: 'int64' },
    2: { name: 'param', type: 'string' },
    3: { name: 'denotation', type: 'string' },
  },
};
const SHAPE: MessageType = { name: 'TensorShapeProto', fields: { 1: { name: 'dims', type: DIM, repeated: true } } };
const TENSOR_TYPE: MessageType = {
  name: 'TypeProto.Tensor',
  fields: { 1: { name: 'elemType', type: 'int64' }, 2: { name: 'shape', type: SHAPE } },
};
const VALUE_TYPE: MessageType = {
  name: 'TypeProto',
  fields: { 1: { name: 'tensor', type: TENSOR_TYPE }, 6: { name: 'denotation', type: 'string' } },
};
const VALUE_INFO: MessageType = {
  name: 'ValueInfoProto',
  fields: {
    1: { name: 'name', type: 'string' },
    2: { name: 'type', type: VALUE_TYPE },
    3: { name: 'docString', type: 'string' },
    4: { name: 'metadata', type: ENTRY, repeated: true },
  },
};
export const TENSOR: MessageType = {
  name: 'TensorProto',
  fields: {
    1: { name: 'dims', type: 'int64', repeated: true },
    2: { name: 'dataType', type: 'int64' },
    4: { name: 'floats', type: 'float', repeated: true },
    5: { name: 'int32s', type: 'int64', repeated: true },
    6: { name: 'strings', type: 'bytes', repeated: true },
    7: { name: 'int64s', type: 'int64', repeated: true },
    8: { name: 'name', type: 'string' },
    9: { name: 'raw', type: 'bytes' },
    10: { name: 'doubles', type: 'double', repeated: true },
    12: { name: 'docString', type: 'string' },
  },
};
const ATTRIBUTE: MessageType = {
  name: 'AttributeProto',
  fields: {
    1: { name: 'name', type: 'string' },
    2: { name: 'f', type: 'float' },
    3: { name: 'i', type: 'int64' },
    4: { name: 's', type: 'bytes' },
    5: { name: 't', type: TENSOR },
    7: { name: 'floats', type: 'float', repeated: true },
    8: { name: 'ints', type: 'int64', repeated: true },
    9: { name: 'strings', type: 'bytes', repeated: true },
    13: { name: 'docString', type: 'string' },
    20: { name: 'type', type: 'int64' },
  },
};
const NODE: MessageType = {
  name: 'NodeProto',
  fields: {
    1: { name: 'inputs', type: 'string', repeated: true },
    2: { name: 'outputs', type: 'string', repeated: true },
    3: { name: 'name', type: 'string' },
    4: { name: 'op', type: 'string' },
    5: { name: 'attributes', type: ATTRIBUTE, repeated: true },
    6: { name: 'docString', type: 'string' },
    7: { name: 'domain', type: 'string' },
    9: { name: 'metadata', type: ENTRY, repeated: true },
  },
};
const GRAPH: MessageType = {
  name: 'GraphProto',
  fields: {
    1: { name: 'nodes', type: NODE, repeated: true },
    2: { name: 'name', type: 'string' },
    5: { name: 'initializers', type: TENSOR, repeated: true },
    10: { name: 'docString', type: 'string' },
    11: { name: 'inputs', type: VALUE_INFO, repeated: true },
    12: { name: 'outputs', type: VALUE_INFO, repeated: true },
    13: { name: 'valueInfos', type: VALUE_INFO, repeated: true },
    16: { name: 'metadata', type: ENTRY, repeated: true },
  },
};
ATTRIBUTE.fields[6] = { name: 'g', type: GRAPH };
export const MODEL: MessageType = {
  name: 'ModelProto',
  fields: {
    1: { name: 'irVersion', type: 'int64' },
    2: { name: 'producerName', type: 'string' },
    3: { name: 'producerVersion', type: 'string' },
    4: { name: 'domain', type: 'string' },
    5: { name: 'modelVersion', type: 'int64' },
    6: { name: 'docString', type: 'string' },
    7: { name: 'graph', type: GRAPH },
    8: { name: 'opsets', type: OPSET, repeated: true },
    14: { name: 'metadata', type: ENTRY, repeated: true },
  },
};
