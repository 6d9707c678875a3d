/**
 * A graph for ONNX Runtime, built step by step: each step has a name that its output goes by. The numbers are the fields and
 * values of the format (onnx.proto); only what our model needs is here.
 */
import { ProtobufMessage } from './protobuf.ts'

export type Attribute = { readonly int: number } | { readonly float: number }

export interface Step {
  /** What its output is called; several: one each. */
  readonly name: string | readonly string[]
  readonly operator: string
  readonly inputs: readonly string[]
  readonly attributes?: Readonly<Record<string, Attribute>>
  /** One of ONNX Runtime's own operators, which do several steps at once. */
  readonly isFused?: boolean
}

export const FLOAT = 1
export const INT32 = 6
const INT64 = 7
const FLOAT16 = 10

const IR_VERSION = 8
const OPERATORS_VERSION = 17
const FUSED_OPERATORS = 'com.microsoft'
const FUSED_OPERATORS_VERSION = 1

const MODEL = { irVersion: 1, producer: 2, graph: 7, operators: 8 }
const OPERATOR_SET = { domain: 1, version: 2 }
const GRAPH = { node: 1, name: 2, constant: 5, input: 11, output: 12 }
const NODE = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 }
const ATTRIBUTE = { name: 1, float: 2, int: 3, type: 20 }
const ATTRIBUTE_TYPE = { float: 1, int: 2 }
const TENSOR = { dimension: 1, type: 2, name: 8, bytes: 9 }
const VALUE = { name: 1, type: 2 }
const TYPE = { tensor: 1 }
const TENSOR_TYPE = { element: 1, shape: 2 }
const SHAPE = { dimension: 1 }
const DIMENSION = { size: 1, name: 2 }

export class OnnxGraph {
  readonly #graph = new ProtobufMessage()

  constructor(name: string) {
    this.#graph.text(GRAPH.name, name)
  }

  /** Gives back its name, for the next step to take. */
  step({ name, operator, inputs, attributes = {}, isFused = false }: Step): string {
    const outputs = typeof name === 'string' ? [name] : name
    const node = new ProtobufMessage()
    for (const input of inputs) node.text(NODE.input, input)
    for (const output of outputs) node.text(NODE.output, output)
    node.text(NODE.operator, operator)
    for (const [key, value] of Object.entries(attributes)) node.message(NODE.attribute, attributeMessage(key, value))
    if (isFused) node.text(NODE.domain, FUSED_OPERATORS)
    this.#graph.message(GRAPH.node, node)
    return outputs[0] as string // a step has an output
  }

  floats(name: string, shape: readonly number[], values: Float32Array): string {
    return this.#constant(name, shape, FLOAT, values)
  }

  halves(name: string, shape: readonly number[], bytes: Uint8Array): string {
    return this.#constant(name, shape, FLOAT16, bytes)
  }

  integers(name: string, values: readonly number[]): string {
    return this.#constant(name, [values.length], INT64, BigInt64Array.from(values, BigInt))
  }

  /** Dimensions that are not numbers may be of any size. */
  integerInput(name: string, dimensions: readonly (number | string)[]): string {
    this.#graph.message(GRAPH.input, valueMessage(name, INT64, dimensions))
    return name
  }

  floatOutput(name: string, dimensions: readonly (number | string)[]): void {
    this.#graph.message(GRAPH.output, valueMessage(name, FLOAT, dimensions))
  }

  encode(): Uint8Array<ArrayBuffer> {
    return new ProtobufMessage()
      .int(MODEL.irVersion, IR_VERSION)
      .text(MODEL.producer, 'keepsake')
      .message(MODEL.graph, this.#graph)
      .message(MODEL.operators, operatorSet('', OPERATORS_VERSION))
      .message(MODEL.operators, operatorSet(FUSED_OPERATORS, FUSED_OPERATORS_VERSION))
      .encode()
  }

  #constant(name: string, shape: readonly number[], type: number, values: ArrayBufferView): string {
    const tensor = new ProtobufMessage()
    for (const size of shape) tensor.int(TENSOR.dimension, size)
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    tensor.int(TENSOR.type, type).text(TENSOR.name, name).bytes(TENSOR.bytes, bytes)
    this.#graph.message(GRAPH.constant, tensor)
    return name
  }
}

function attributeMessage(name: string, value: Attribute): ProtobufMessage {
  const message = new ProtobufMessage().text(ATTRIBUTE.name, name)
  return 'int' in value
    ? message.int(ATTRIBUTE.int, value.int).int(ATTRIBUTE.type, ATTRIBUTE_TYPE.int)
    : message.float(ATTRIBUTE.float, value.float).int(ATTRIBUTE.type, ATTRIBUTE_TYPE.float)
}

function valueMessage(name: string, element: number, dimensions: readonly (number | string)[]): ProtobufMessage {
  const shape = new ProtobufMessage()
  for (const dimension of dimensions) {
    const message = new ProtobufMessage()
    if (typeof dimension === 'number') message.int(DIMENSION.size, dimension)
    else message.text(DIMENSION.name, dimension)
    shape.message(SHAPE.dimension, message)
  }
  const tensorType = new ProtobufMessage().int(TENSOR_TYPE.element, element).message(TENSOR_TYPE.shape, shape)
  return new ProtobufMessage()
    .text(VALUE.name, name)
    .message(VALUE.type, new ProtobufMessage().message(TYPE.tensor, tensorType))
}

function operatorSet(domain: string, version: number): ProtobufMessage {
  return new ProtobufMessage().text(OPERATOR_SET.domain, domain).int(OPERATOR_SET.version, version)
}
