/**
 * The few assertions that the contract needs, as plain errors, so that the suite runs under any test runner.
 * Equality is deep and strict: own keys (a key `__proto__` too), no property for a missing one, bytes by value.
 */
import { type ErrorCode, isKeepsakeError, type KeepsakeError } from '../errors.ts'

const MAX_SHOWN_CHARACTERS = 300

export function ok(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what)
}

export function equal(actual: unknown, expected: unknown, what: string): void {
  const found = difference(actual, expected)
  if (found !== undefined) throw new Error(`${what}: ${found}`)
}

export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what}: there is none`)
  return value
}

/** Waits for a rejection with one of our codes, and returns the error for a closer look. */
export async function rejects(work: Promise<unknown>, code: ErrorCode, what: string): Promise<KeepsakeError> {
  const error = await failure(work, what)
  if (!isKeepsakeError(error)) throw new Error(`${what}: expected ${code}, but it failed with ${show(error)}`)
  if (error.code !== code) throw new Error(`${what}: expected ${code}, but it was ${error.code}: ${error.message}`)
  return error
}

/** Waits for a rejection with just this reason, as an abort signal gives it. */
export async function rejectsWith(work: Promise<unknown>, reason: unknown, what: string): Promise<void> {
  const error = await failure(work, what)
  if (error !== reason) throw new Error(`${what}: expected the signal's own reason, but it failed with ${show(error)}`)
}

async function failure(work: Promise<unknown>, what: string): Promise<unknown> {
  let value: unknown
  try {
    value = await work
  } catch (error) {
    return error
  }
  throw new Error(`${what}: expected a failure, but it gave ${show(value)}`)
}

/** Where two values first differ, in words; `undefined` when they do not. */
export function difference(actual: unknown, expected: unknown, path = 'value'): string | undefined {
  if (Object.is(actual, expected)) return undefined
  if (actual instanceof Uint8Array && expected instanceof Uint8Array) {
    return differentItem([...actual], [...expected], path)
  }
  if (Array.isArray(actual) && Array.isArray(expected)) return differentItem(actual, expected, path)
  if (isRecord(actual) && isRecord(expected)) return differentKey(actual, expected, path)
  return `${path} is ${show(actual)}, not ${show(expected)}`
}

function differentItem(actual: readonly unknown[], expected: readonly unknown[], path: string): string | undefined {
  for (let i = 0; i < Math.min(actual.length, expected.length); i++) {
    const found = difference(actual[i], expected[i], `${path}[${i}]`)
    if (found !== undefined) return found
  }
  if (actual.length === expected.length) return undefined
  return `${path} has ${actual.length} items, not ${expected.length}: ${show(actual)}, not ${show(expected)}`
}

function differentKey(
  actual: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
  path: string,
): string | undefined {
  for (const key of new Set([...Object.keys(actual), ...Object.keys(expected)])) {
    if (!Object.hasOwn(actual, key)) return `${path}.${key} is missing, not ${show(expected[key])}`
    if (!Object.hasOwn(expected, key)) return `${path}.${key} is ${show(actual[key])}, not missing`
    const found = difference(actual[key], expected[key], `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`
  const text = JSON.stringify(value) ?? String(value)
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text
}
