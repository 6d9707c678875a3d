/** A batch of operations as text: a line of JSON each, or one JSON list. Each knows the place it stands at, for errors. */
import { InvalidError, isKeepsakeError, type KeepsakeError } from '../errors.ts'
import { placed } from '../memory/operations/at-operation.ts'
import type { OperationInput } from '../memory.ts'

export interface OperationsFile {
  readonly operations: readonly OperationInput[]
  /** By the place in the list: `line 3`, or `operation 3` of a JSON list. */
  readonly places: readonly string[]
}

const ALLOWED = 'a JSON object a line, or one JSON list of them; see docs/operations.md'

/** What stands in the objects is for the memory to judge. */
export function parseOperations(text: string): OperationsFile {
  const given = text.startsWith('\uFEFF') ? text.slice(1) : text
  return given.trimStart().startsWith('[') ? fromList(given) : fromLines(given)
}

function fromList(text: string): OperationsFile {
  const operations = parsed(text, 'operations') as OperationInput[] // it begins as a list does
  return { operations, places: operations.map((_, index) => `operation ${index + 1}`) }
}

function fromLines(text: string): OperationsFile {
  const lines = text.split('\n').map((line, index) => ({ line, place: `line ${index + 1}` }))
  const told = lines.filter(({ line }) => line.trim() !== '')
  return {
    operations: told.map(({ line, place }) => parsed(line, place) as OperationInput),
    places: told.map(({ place }) => place),
  }
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new InvalidError(place, `is not JSON: ${reason}`, ALLOWED)
  }
}

/** An error of the memory, with the line in place of the number of the operation. */
export function atPlace(error: unknown, { operations, places }: OperationsFile, called: string): unknown {
  if (!isKeepsakeError(error) || isOfExpectation(error, operations)) return error
  const told = error.data['operation']
  // One alone is told without a number.
  const index = typeof told === 'number' ? told : places.length === 1 ? 0 : undefined
  const place = index === undefined ? undefined : places[index]
  const { cause } = error
  const bare = typeof told === 'number' && isKeepsakeError(cause) ? cause : error
  return index === undefined || place === undefined ? error : placed(bare, `${called}, ${place}`, index)
}

/** What the caller expects of an entry stands in no line; of the operations only an addition finds its id taken. */
function isOfExpectation({ code, data }: KeepsakeError, operations: readonly OperationInput[]): boolean {
  if (code !== 'CONFLICT' || data['operation'] !== undefined) return false
  return !operations.some((input) => input.op === 'add' && input.id !== undefined && input.id === data['id'])
}
