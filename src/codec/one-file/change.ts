/**
 * `chng`, one change: a line of JSON that tells it, and behind it the texts that it brought, raw and in the order of the
 * operations, so that people can search the file and one text is read without the rest.
 */
import type { EntryHead } from '../../model/entry.ts'
import type { Change, Operation } from '../../model/operation.ts'
import {
  type Crc,
  decodeLine,
  decodeText,
  encodeLine,
  encodeText,
  type Measure,
  measure,
  type TextPlace,
} from './bytes.ts'

export interface FileChange extends Change {
  /** For each operation what it changed beyond what it says: revision, times, names that moved. */
  readonly set: readonly Partial<EntryHead>[]
}

export interface DecodedChange {
  readonly change: FileChange
  /** Of the text of each operation; `undefined` for one that brought none. */
  readonly places: readonly (TextPlace | undefined)[]
}

/** The parts of a payload. */
export function encodeChange(change: FileChange, crc: Crc): Uint8Array[] {
  const texts: Uint8Array[] = []
  const operations = change.operations.map((operation) => {
    const content = contentOf(operation)
    if (content === undefined) return operation
    const text = encodeText(content)
    texts.push(text)
    return { ...operation, content: measure(text, crc) }
  })
  return [encodeLine({ ...change, operations }), ...texts]
}

/**
 * `payload`: one whose checksum is right. `at`: where it begins in the file. Without `texts` the operations come without their
 * contents: enough for who keeps heads and reads texts by their places.
 */
export function decodeChange(
  payload: Uint8Array,
  at: number,
  options: { readonly texts?: boolean } = {},
): DecodedChange {
  const { value, end } = decodeLine(payload)
  const told = value as MeasuredChange // encodeChange wrote it
  let next = end
  const places: (TextPlace | undefined)[] = []
  const operations = told.operations.map((operation) => {
    const { content, ...rest } = operation
    if (content === undefined) {
      places.push(undefined)
      return operation
    }
    const [length, crc] = content
    const text = payload.subarray(next, next + length)
    places.push({ offset: at + next, length, crc })
    next += length
    return options.texts ? { ...rest, content: decodeText(text) } : rest
  })
  return { change: { ...told, operations: operations as Operation[] }, places } // as encodeChange was given them
}

type MeasuredChange = Omit<FileChange, 'operations'> & { readonly operations: readonly MeasuredOperation[] }
type MeasuredOperation = Omit<Operation, 'content'> & { readonly content?: Measure }

function contentOf(operation: Operation): string | undefined {
  return operation.op === 'add' || operation.op === 'write' ? operation.content : undefined
}
