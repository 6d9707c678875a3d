/**
 * Reads weights from a safetensors file: the length of a header, the header as JSON, then the numbers of every tensor. The file's hash is
 * checked before (model-files.ts), so what it says is believed.
 */
export interface Tensor {
  readonly shape: readonly number[]
  readonly values: Float32Array
}

interface HeaderRow {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [number, number]
}

const LENGTH_BYTES = 8

export class Safetensors {
  readonly #header: Readonly<Record<string, HeaderRow>>
  readonly #data: Uint8Array

  constructor(file: Uint8Array) {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
    const dataStart = LENGTH_BYTES + Number(view.getBigUint64(0, true))
    this.#header = JSON.parse(new TextDecoder().decode(file.subarray(LENGTH_BYTES, dataStart)))
    this.#data = file.subarray(dataStart)
  }

  shape(name: string): readonly number[] {
    return this.#row(name).shape
  }

  /** As they are in the file, in half precision. */
  halves(name: string): Uint8Array {
    const { data_offsets } = this.#row(name)
    return this.#data.subarray(...data_offsets)
  }

  tensor(name: string): Tensor {
    return { shape: this.shape(name), values: fromHalves(this.halves(name)) }
  }

  #row(name: string): HeaderRow {
    const row = this.#header[name]
    if (row?.dtype !== 'F16') throw new Error(`the weights have no tensor ${name} in half precision`)
    return row
  }
}

let singles: Float32Array | undefined

function fromHalves(bytes: Uint8Array): Float32Array {
  // 22 million numbers: a table of all 65,536 is a fraction of working each out.
  singles ??= Float32Array.from({ length: 0x10000 }, (_, bits) => singleOf(bits))
  const values = new Float32Array(bytes.length / 2)
  for (let i = 0; i < values.length; i++) {
    values[i] = singles[(bytes[2 * i] as number) | ((bytes[2 * i + 1] as number) << 8)] as number // both are inside
  }
  return values
}

/** A number in half precision: a sign, five bits of exponent, ten of fraction. */
function singleOf(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
