/**
 * The part of ONNX's file format that the encoder needs: protocol buffers of onnx.proto3 (ONNX IR version 10), of which
 * weights are read out of one model and a small graph is written into another.
 */

/** Element types of tensors, by TensorProto.DataType. */
export const ELEMENTS = { float: 1, int8: 3, int32: 6, int64: 7 } as const;
export type Elements = keyof typeof ELEMENTS;

export interface Weights {
  elements: Elements;
  shape: number[];
  /** Little-endian. */
  bytes: Uint8Array;
}

/** One operation: attributes are whole numbers, or floats where they have a fraction or `isFloat` names them. */
export interface OnnxNode {
  type: string;
  /** "" is ONNX's own. */
  domain?: "com.microsoft";
  inputs: string[];
  output: string;
  integers?: Record<string, number>;
  floats?: Record<string, number>;
}

export interface Graph {
  weights: ReadonlyMap<string, Weights>;
  operations: OnnxNode[];
  /** A name for a size that differs from call to call. */
  inputs: Record<string, { elements: Elements; shape: (number | string)[] }>;
  outputs: Record<string, { elements: Elements; shape: (number | string)[] }>;
}

const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;
const FIXED_64 = 1;

export type Field = [number: number, value: number | Uint8Array];

const GRAPH = 7;
const INITIALIZER = 5;

const ATTRIBUTE_FLOAT = 1;
const ATTRIBUTE_INTEGER = 2;

const IR_VERSION = 8;
/** Versions of the operations, by their domain. */
const OPERATIONS = { "": 17, "com.microsoft": 1 } as const;

/** The fields of a message in their order; what is nested stays bytes. @throws for what is none */
export function* fieldsOf(bytes: Uint8Array): Generator<Field, undefined> {
  for (let at = 0; at < bytes.length; ) {
    const [tag, start] = readVarint(bytes, at);
    const wire = tag & 7;
    const [size, begin] = wire === LENGTH_DELIMITED || wire === 0 ? readVarint(bytes, start) : [0, start];
    if (wire === 0) yield [tag >>> 3, size];
    const length = wire === LENGTH_DELIMITED ? size : wire === FIXED_32 ? 4 : wire === FIXED_64 ? 8 : 0;
    if (begin + length > bytes.length) throw new Error("The file is no ONNX model: a field does not end.");
    if (wire !== 0) yield [tag >>> 3, bytes.subarray(begin, begin + length)];
    at = begin + length;
  }
}

/** A varint of up to 53 bits. @returns its value and where it ends */
function readVarint(bytes: Uint8Array, from: number): [value: number, end: number] {
  let value = 0;
  for (let at = from, scale = 1; at < from + 10; at++, scale *= 128) {
    const byte = bytes[at];
    if (byte === undefined) break;
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at + 1];
  }
  throw new Error("The file is no ONNX model: a number does not end.");
}

/** The weights of a model by name, in the file's order; those of other element types are left out. @throws for no model */
export function readWeights(model: Uint8Array): Map<string, Weights> {
  const found = new Map<string, Weights>();
  for (const graph of only(model, GRAPH))
    for (const tensor of only(graph, INITIALIZER)) {
      const [name, weights] = weightsOf(tensor);
      if (weights) found.set(name, weights);
    }
  return found;
}

function only(bytes: Uint8Array, number: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const [field, value] of fieldsOf(bytes))
    if (field === number && value instanceof Uint8Array) found.push(value);
  return found;
}

function weightsOf(tensor: Uint8Array): [name: string, weights: Weights | undefined] {
  const shape: number[] = [];
  let [name, type, raw]: [string, number, Uint8Array | undefined] = ["", 0, undefined];
  for (const [field, value] of fieldsOf(tensor)) {
    if (field === 1 && typeof value === "number") shape.push(value);
    else if (field === 1)
      for (let at = 0; at < (value as Uint8Array).length; ) {
        const [size, end] = readVarint(value as Uint8Array, at);
        shape.push(size);
        at = end;
      }
    else if (field === 2) type = Number(value);
    else if (field === 8) name = Buffer.from(value as Uint8Array).toString();
    else if (field === 9) raw = value as Uint8Array;
  }
  const elements = (Object.keys(ELEMENTS) as Elements[]).find((known) => ELEMENTS[known] === type);
  return [name, elements && raw && { elements, shape, bytes: raw }];
}

/** The bytes of a model. Weights are not copied until then. */
export function writeModel({ weights, operations, inputs, outputs }: Graph): Uint8Array {
  const tensors = [...weights].flatMap(([name, { elements, shape, bytes }]) =>
    nested(INITIALIZER, [
      ...shape.flatMap((size) => integer(1, size)),
      ...integer(2, ELEMENTS[elements]),
      ...text(8, name),
      ...nested(9, [bytes]),
    ]),
  );
  const graph = [
    ...operations.flatMap((operation) => nested(1, nodeOf(operation))),
    ...text(2, "encoder"),
    ...tensors,
    ...Object.entries(inputs).flatMap(([name, value]) => nested(11, declare(name, value))),
    ...Object.entries(outputs).flatMap(([name, value]) => nested(12, declare(name, value))),
  ];
  const versions = Object.entries(OPERATIONS).flatMap(([domain, version]) =>
    nested(8, [...text(1, domain), ...integer(2, version)]),
  );
  return Buffer.concat([...integer(1, IR_VERSION), ...nested(GRAPH, graph), ...versions]);
}

const nested = (field: number, parts: readonly Uint8Array[]): Uint8Array[] => [
  varint(field * 8 + LENGTH_DELIMITED),
  varint(parts.reduce((sum, { length }) => sum + length, 0)),
  ...parts,
];

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
const integer = (field: number, value: number): Buffer[] => [varint(field * 8), varint(value)];
const text = (field: number, value: string): Uint8Array[] => nested(field, [Buffer.from(value)]);

const nodeOf = ({ type, domain, inputs, output, integers = {}, floats = {} }: OnnxNode): Uint8Array[] => [
  ...inputs.flatMap((name) => text(1, name)),
  ...text(2, output),
  ...text(4, type),
  ...Object.entries(integers).flatMap(([name, value]) =>
    nested(5, [...text(1, name), ...integer(3, value), ...integer(20, ATTRIBUTE_INTEGER)]),
  ),
  ...Object.entries(floats).flatMap(([name, value]) =>
    nested(5, [...text(1, name), ...float(2, value), ...integer(20, ATTRIBUTE_FLOAT)]),
  ),
  ...(domain ? text(7, domain) : []),
];

function float(field: number, value: number): Uint8Array[] {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return [varint(field * 8 + FIXED_32), bytes];
}

function declare(name: string, { elements, shape }: Graph["inputs"][string]): Uint8Array[] {
  const sizes = shape.flatMap((size) =>
    nested(1, typeof size === "number" ? integer(1, size) : text(2, size)),
  );
  const tensor = [...integer(1, ELEMENTS[elements]), ...nested(2, sizes)];
  return [...text(1, name), ...nested(2, nested(1, tensor))];
}
