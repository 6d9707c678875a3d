/**
 * Where the parts of a frozen segment lie in its bytes. One list says it for writing and for reading: the head holds the
 * sizes, everything else follows from them. Each part begins at a multiple of 8, so that typed arrays can be laid over
 * the bytes without a copy. Numbers stand in the machine's order of bytes: a file from a machine of the other order
 * has another version number to this one, and is made anew.
 */
export interface Sizes {
  readonly documents: number
  readonly fields: number
  readonly columns: number
  /** The longest field of all documents. */
  readonly longest: number
  readonly grouped: number
  readonly terms: number
  readonly codes: number
  readonly postings: number
  readonly idBytes: number
  readonly termBytes: number
  readonly storedBytes: number
  readonly tokenBytes: number
}

export interface Parts {
  /** Of all documents, by field: how many tokens, and the sum of the squares of that. */
  readonly lengthSums: Float64Array
  readonly squareSums: Float64Array
  readonly columns: Float64Array
  readonly groups: Float64Array
  readonly positions: Float64Array
  readonly fieldLengths: Uint16Array | Uint32Array
  readonly groupOrder: Uint32Array
  readonly idOffsets: Uint32Array
  readonly idOrder: Uint32Array
  readonly storedOffsets: Uint32Array
  readonly tokenOffsets: Uint32Array
  readonly termOffsets: Uint32Array
  readonly termOrder: Uint32Array
  readonly postingOffsets: Uint32Array
  readonly counts: Uint32Array
  readonly postingDocuments: Uint32Array
  readonly postingCodes: Uint16Array | Uint32Array
  readonly ids: Uint8Array
  readonly terms: Uint8Array
  readonly stored: Uint8Array
  readonly tokens: Uint8Array
}

const SIZE_NAMES = [
  'documents',
  'fields',
  'columns',
  'longest',
  'grouped',
  'terms',
  'codes',
  'postings',
  'idBytes',
  'termBytes',
  'storedBytes',
  'tokenBytes',
] as const satisfies readonly (keyof Sizes)[]

const HEAD_BYTES = SIZE_NAMES.length * 8

/** Lays out a segment in new memory and writes its head. */
export function allocateSegment(sizes: Sizes): { readonly bytes: Uint8Array; readonly parts: Parts } {
  const bytes = new Uint8Array(segmentLength(sizes))
  const head = new Float64Array(bytes.buffer, 0, SIZE_NAMES.length)
  for (const [index, name] of SIZE_NAMES.entries()) head[index] = sizes[name]
  return { bytes, parts: partsOf(bytes, sizes) }
}

/** The sizes that the head tells, or undefined where they are no sizes or do not add up to the bytes that there are. */
export function readSizes(bytes: Uint8Array): Sizes | undefined {
  if (bytes.length < HEAD_BYTES) return undefined
  const head = new Float64Array(bytes.buffer, bytes.byteOffset, SIZE_NAMES.length)
  if (!head.every((size) => Number.isInteger(size) && size >= 0 && size <= bytes.length)) return undefined
  const entries = SIZE_NAMES.map((name, index) => [name, head[index]])
  const sizes = Object.fromEntries(entries) as Sizes // every name of Sizes is in the list
  return segmentLength(sizes) === bytes.length ? sizes : undefined
}

function segmentLength(sizes: Sizes): number {
  let length = HEAD_BYTES
  partsOf(undefined, sizes, (bytes) => {
    length += aligned(bytes)
  })
  return length
}

/** Typed arrays over the bytes; or, without bytes, only tells how long each would be. */
export function partsOf(bytes: Uint8Array | undefined, sizes: Sizes, measured?: (bytes: number) => void): Parts {
  const buffer = bytes?.buffer ?? new ArrayBuffer(0)
  let at = (bytes?.byteOffset ?? 0) + HEAD_BYTES
  const next = (length: number): number => {
    const start = at
    at += aligned(length)
    measured?.(length)
    return bytes === undefined ? 0 : start
  }
  const laid = (count: number): number => (bytes === undefined ? 0 : count)
  const floats = (count: number): Float64Array => new Float64Array(buffer, next(count * 8), laid(count))
  const numbers = (count: number): Uint32Array => new Uint32Array(buffer, next(count * 4), laid(count))
  const shorts = (count: number): Uint16Array => new Uint16Array(buffer, next(count * 2), laid(count))
  const octets = (count: number): Uint8Array => new Uint8Array(buffer, next(count), laid(count))
  const { documents, fields, terms, postings } = sizes
  return {
    lengthSums: floats(fields),
    squareSums: floats(fields),
    columns: floats(documents * sizes.columns),
    groups: floats(documents),
    positions: floats(documents),
    fieldLengths: sizes.longest <= 65_535 ? shorts(documents * fields) : numbers(documents * fields),
    groupOrder: numbers(sizes.grouped),
    idOffsets: numbers(documents + 1),
    idOrder: numbers(documents),
    storedOffsets: numbers(documents + 1),
    tokenOffsets: numbers(documents + 1),
    termOffsets: numbers(terms + 1),
    termOrder: numbers(terms),
    postingOffsets: numbers(terms + 1),
    counts: numbers(sizes.codes * fields),
    postingDocuments: numbers(postings),
    // Thousands of distinct vectors of counts are a lot; the wide form is for the texts that somebody makes up.
    postingCodes: sizes.codes <= 65_536 ? shorts(postings) : numbers(postings),
    ids: octets(sizes.idBytes),
    terms: octets(sizes.termBytes),
    stored: octets(sizes.storedBytes),
    tokens: octets(sizes.tokenBytes),
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}
