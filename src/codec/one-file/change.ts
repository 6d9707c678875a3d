/**
 * `chng`, one change: a line of JSON that tells it, and behind it the texts that it brought, raw and in the order of the
 * operations, so that people can search the file and one text is read without the rest.
 */
import type { Operation } from '../../model/operation.ts'
import type { ChangeRecord } from '../change-record.ts'
import { type Crc, encodeLine, encodeText, type Measure, measure, type TextPlace } from './bytes.ts'
import { decodedText, decodeLine, malformed, type PayloadPlace } from './malformed.ts'
import { isChange } from './shapes.ts'

export interface DecodedChange {
  readonly change: ChangeRecord
  /** Of the text of each operation; `undefined` for one that brought none. */
  readonly places: readonly (TextPlace | undefined)[]
}

/** The parts of a payload. */
export function encodeChange(change: ChangeRecord, crc: Crc): Uint8Array[] {
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
 * `payload`: one whose checksum is right. Without `texts` the operations come without their
 * contents: enough for who keeps heads and reads texts by their places.
 */
export function decodeChange(
  payload: Uint8Array,
  place: PayloadPlace,
  options: { readonly texts?: boolean } = {},
): DecodedChange {
  const { at } = place
  const { value: told, end } = decodeLine(payload, place, isChange)
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
    if (!options.texts) return rest
    if (text.length !== length) throw malformed(place)
    return { ...rest, content: decodedText(text, place) }
  })
  return { change: { ...told, operations: operations as Operation[] }, places } // as encodeChange was given them
}

export type MeasuredChange = Omit<ChangeRecord, 'operations'> & { readonly operations: readonly MeasuredOperation[] }
export type MeasuredOperation = Omit<Operation, 'content'> & { readonly content?: Measure }

function contentOf(operation: Operation): string | undefined {
  return operation.op === 'add' || operation.op === 'write' ? operation.content : undefined
}
