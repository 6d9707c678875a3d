/**
 * Many texts as one run of bytes, with a comma between two, so that a run of JSON is a list of them. One buffer of the right
 * size: a buffer or a longer string each would take longer than all the rest of a checkpoint.
 */
const COMMA = 44

export interface PackedTexts {
  readonly bytes: Buffer
  /** Where each begins, and one past the comma that would follow the last. */
  readonly offsets: Uint32Array
}

export function packTexts(texts: readonly string[]): PackedTexts {
  const offsets = new Uint32Array(texts.length + 1)
  let end = 0
  for (let n = 0; n < texts.length; n++) {
    end += Buffer.byteLength(texts[n] ?? '') + 1
    offsets[n + 1] = end
  }
  const bytes = Buffer.alloc(Math.max(0, end - 1), COMMA)
  for (let n = 0; n < texts.length; n++) bytes.write(texts[n] ?? '', offsets[n] ?? 0)
  return { bytes, offsets }
}

export function textAt({ bytes, offsets }: PackedTexts, row: number): string {
  return bytes.toString('utf8', offsets[row], (offsets[row + 1] ?? 1) - 1)
}

/** Of many that follow each other: where every character is a byte, one text and a piece of it for each. */
export function textsBetween(texts: PackedTexts, from: number, to: number): (row: number) => string {
  const { bytes, offsets } = texts
  const start = offsets[from] ?? 0
  const end = (offsets[to] ?? 1) - 1
  const all = bytes.toString('utf8', start, end)
  if (all.length !== end - start) return (row) => textAt(texts, row)
  return (row) => all.slice((offsets[row] ?? 0) - start, (offsets[row + 1] ?? 1) - 1 - start)
}
