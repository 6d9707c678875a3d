/**
 * all-MiniLM-L6-v2 as a graph: from the tokens of a batch of texts to one vector each, the mean over the tokens and the norm included.
 * The same weights always give the same bytes (graph-file.ts knows their hash).
 */
import { FLOAT, INT32, OnnxGraph } from './onnx-graph.ts'
import type { Safetensors, Tensor } from './safetensors.ts'

export const DIMENSIONS = 384
export const TOKENS_INPUT = 'tokens'
export const MASK_INPUT = 'mask'
export const VECTORS_OUTPUT = 'vectors'

const LAYERS = 6
const HEADS = 12
const LAYER_NORM_EPSILON = 1e-12
const LAST_AXIS = { axis: { int: -1 } }

export function sentenceGraph(weights: Safetensors): Uint8Array<ArrayBuffer> {
  const bert = new BertGraph(weights)
  let states = bert.embedded()
  for (let layer = 0; layer < LAYERS; layer++) states = bert.layer(layer, states)
  return bert.pooled(states)
}

class BertGraph {
  readonly #graph = new OnnxGraph('all-MiniLM-L6-v2')
  readonly #weights: Safetensors
  readonly #tokens: string
  readonly #mask: string
  readonly #attentionMask: string
  readonly #zero: string
  readonly #one: string
  readonly #two: string
  readonly #thirds: string

  constructor(weights: Safetensors) {
    const graph = this.#graph
    this.#weights = weights
    this.#tokens = graph.integerInput(TOKENS_INPUT, ['texts', 'length'])
    this.#mask = graph.integerInput(MASK_INPUT, ['texts', 'length'])
    this.#zero = graph.integers('zero', [0])
    this.#one = graph.integers('one', [1])
    this.#two = graph.integers('two', [2])
    this.#thirds = graph.integers('thirds', [DIMENSIONS, DIMENSIONS, DIMENSIONS])
    this.#attentionMask = this.#cast('attention_mask', this.#mask, INT32)
  }

  /** What each token is, plus where it stands. */
  embedded(): string {
    const graph = this.#graph
    const WORDS = 'embeddings.word_embeddings.weight'
    // Half of the model is this table. It stays in half precision, and only the rows that are looked up are widened.
    const table = graph.halves('words', this.#weights.shape(WORDS), this.#weights.halves(WORDS))
    const rows = graph.step({ name: 'word_rows', operator: 'Gather', inputs: [table, this.#tokens] })
    const words = this.#cast('word_states', rows, FLOAT)

    const { shape: tableShape, values } = this.#positions()
    const positions = graph.floats('positions', tableShape, values)
    const shape = graph.step({ name: 'shape', operator: 'Shape', inputs: [this.#tokens] })
    const length = graph.step({ name: 'length', operator: 'Slice', inputs: [shape, this.#one, this.#two] })
    const places = graph.step({
      name: 'places',
      operator: 'Slice',
      inputs: [positions, this.#zero, length, this.#zero],
    })

    const sum = graph.step({ name: 'placed_words', operator: 'Add', inputs: [words, places] })
    return graph.step({
      name: 'embedded',
      operator: 'LayerNormalization',
      inputs: [sum, this.#constant('embeddings.LayerNorm.weight'), this.#constant('embeddings.LayerNorm.bias')],
      attributes: { ...LAST_AXIS, epsilon: { float: LAYER_NORM_EPSILON } },
    })
  }

  layer(number: number, states: string): string {
    const prefix = `encoder.layer.${number}`
    const attended = this.#attention(prefix, states)
    const mixed = this.#residual(`${prefix}.attention.output`, attended, states)
    const widened = this.#linear(`${prefix}.intermediate.dense`, mixed)
    const activated = this.#graph.step({
      name: `${prefix}.activated`,
      operator: 'BiasGelu',
      inputs: [widened, this.#constant(`${prefix}.intermediate.dense.bias`)],
      isFused: true,
    })
    return this.#residual(`${prefix}.output`, activated, mixed)
  }

  /** The mean over the tokens that are no padding, at length 1. */
  pooled(states: string): Uint8Array<ArrayBuffer> {
    const graph = this.#graph
    const weights = this.#cast('mask_weights', this.#mask, FLOAT)
    const column = graph.step({ name: 'mask_column', operator: 'Unsqueeze', inputs: [weights, this.#two] })
    const kept = graph.step({ name: 'kept', operator: 'Mul', inputs: [states, column] })
    const sum = this.#sumOverTokens('sum', kept, false)
    const count = this.#sumOverTokens('count', weights, true)
    const mean = graph.step({ name: 'mean', operator: 'Div', inputs: [sum, count] })
    graph.step({
      name: VECTORS_OUTPUT,
      operator: 'LpNormalization',
      inputs: [mean],
      attributes: { axis: { int: 1 }, p: { int: 2 } },
    })
    graph.floatOutput(VECTORS_OUTPUT, ['texts', DIMENSIONS])
    return graph.encode()
  }

  #attention(prefix: string, states: string): string {
    const parts = ['query', 'key', 'value'].map((part) => `${prefix}.attention.self.${part}`)
    // One multiplication of three matrices side by side, which is faster than three.
    const matrix = joined(parts.map((part) => this.#weights.tensor(`${part}.weight`)))
    const all = this.#multiplied(`${prefix}.attention.self`, states, matrix)
    const bias = joined(parts.map((part) => this.#weights.tensor(`${part}.bias`)))
    this.#graph.step({
      name: parts,
      operator: 'Split',
      inputs: [all, this.#thirds],
      attributes: LAST_AXIS,
    })
    return this.#graph.step({
      name: `${prefix}.attended`,
      operator: 'MultiHeadAttention',
      inputs: [
        ...parts,
        this.#graph.floats(`${prefix}.attention.self.bias`, bias.shape, bias.values),
        this.#attentionMask,
      ],
      attributes: { num_heads: { int: HEADS } },
      isFused: true,
    })
  }

  /** A linear map, its bias, what there was before, and the norm. */
  #residual(prefix: string, input: string, before: string): string {
    const mapped = this.#linear(`${prefix}.dense`, input)
    return this.#graph.step({
      name: `${prefix}.states`,
      operator: 'SkipLayerNormalization',
      inputs: [
        mapped,
        before,
        this.#constant(`${prefix}.LayerNorm.weight`),
        this.#constant(`${prefix}.LayerNorm.bias`),
        this.#constant(`${prefix}.dense.bias`),
      ],
      attributes: { epsilon: { float: LAYER_NORM_EPSILON } },
      isFused: true,
    })
  }

  #linear(name: string, input: string): string {
    return this.#multiplied(name, input, this.#weights.tensor(`${name}.weight`))
  }

  #multiplied(name: string, input: string, matrix: Tensor): string {
    const { shape, values } = transposed(matrix)
    const constant = this.#graph.floats(`${name}.matrix`, shape, values)
    return this.#graph.step({ name: `${name}.product`, operator: 'MatMul', inputs: [input, constant] })
  }

  #sumOverTokens(name: string, input: string, keepsAxis: boolean): string {
    const attributes = { keepdims: { int: keepsAxis ? 1 : 0 } }
    return this.#graph.step({ name, operator: 'ReduceSum', inputs: [input, this.#one], attributes })
  }

  #cast(name: string, input: string, type: number): string {
    return this.#graph.step({ name, operator: 'Cast', inputs: [input], attributes: { to: { int: type } } })
  }

  #constant(name: string): string {
    const { shape, values } = this.#weights.tensor(name)
    return this.#graph.floats(name, shape, values)
  }

  /** Every token is of the first type (there is no second text), so that is added here, once. */
  #positions(): Tensor {
    const { shape, values } = this.#weights.tensor('embeddings.position_embeddings.weight')
    const types = this.#weights.tensor('embeddings.token_type_embeddings.weight').values
    return { shape, values: values.map((value, i) => value + (types[i % DIMENSIONS] as number)) } // its first row
  }
}

function joined(tensors: readonly Tensor[]): Tensor {
  const rows = tensors.reduce((sum, { shape }) => sum + (shape[0] ?? 0), 0)
  const values = new Float32Array(tensors.reduce((sum, tensor) => sum + tensor.values.length, 0))
  let at = 0
  for (const tensor of tensors) {
    values.set(tensor.values, at)
    at += tensor.values.length
  }
  return { shape: [rows, ...(tensors[0]?.shape.slice(1) ?? [])], values }
}

/** The file has a row for each output, the product wants a row for each input. */
function transposed({ shape, values }: Tensor): Tensor {
  const [rows = 0, columns = 0] = shape
  const turned = new Float32Array(values.length)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      turned[column * rows + row] = values[row * columns + column] as number // inside
    }
  }
  return { shape: [columns, rows], values: turned }
}
