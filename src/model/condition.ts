/**
 * Conditions on metadata, the same for every interface: `priority>=3`, `tags=deploy`, `owner.team!=web`. Metadata is whatever
 * its author wrote, so a number and its text are equal, and a list holds when one of its elements does.
 */
import { InvalidError } from '../errors.ts'
import type { JsonValue, Metadata } from './entry.ts'
import { requireList } from './options.ts'

export interface Condition {
  /** A key of the metadata, or where no key is spelled so, a path with dots. */
  readonly key: string
  readonly op: '=' | '!=' | '>' | '>=' | '<' | '<='
  readonly value: string | number | boolean | null
}

type Operator = Condition['op']
type Primitive = Condition['value']

// Those of two characters first: `>=` begins with one that is an operator too.
const OPERATORS: readonly Operator[] = ['!=', '>=', '<=', '=', '>', '<']

const ALLOWED = 'KEY=VALUE, KEY!=VALUE, or a range with >, >=, < or <=, such as priority>=3'

/** Blanks around key and value do not count. */
export function parseCondition(text: string): Condition {
  const at = text.search(/[=!<>]/)
  const op = OPERATORS.find((operator) => text.startsWith(operator, at))
  if (at === -1 || op === undefined) throw new InvalidError('where', `"${text}" has no operator`, ALLOWED)
  const [key, value] = [text.slice(0, at).trim(), text.slice(at + op.length).trim()]
  if (key === '') throw new InvalidError('where', `"${text}" names no key`, ALLOWED)
  // Other languages' spellings (==, <>, :=) would be read as odd keys and values, and quietly find nothing.
  if (key.endsWith(':') || /^(==|<>)/.test(text.slice(at))) {
    throw new InvalidError('where', `"${text}" has an unknown operator`, ALLOWED)
  }
  if (value === '' && isRange(op)) throw new InvalidError('where', `"${text}" has nothing to compare with`, ALLOWED)
  return { key, op, value }
}

/** Checks what a program gave. */
export function requireConditions(value: unknown): readonly Condition[] {
  requireList(value, 'where')
  return ((value ?? []) as readonly unknown[]).map(requireCondition) // the line above has proved that it is a list
}

function requireCondition(value: unknown): Condition {
  const given: Partial<Record<keyof Condition, unknown>> = typeof value === 'object' && value !== null ? value : {}
  const { key, op, value: wanted } = given
  const known = OPERATORS.find((operator) => operator === op)
  if (typeof key !== 'string' || key === '' || known === undefined || !isPrimitive(wanted)) {
    throw new InvalidError(
      'where',
      `${JSON.stringify(value) ?? String(value)} is no condition`,
      `{key, op, value} with op one of ${OPERATORS.join(' ')} and value a text, a finite number, a boolean or null`,
    )
  }
  return { key, op: known, value: wanted }
}

/** `!=` is the opposite of `=`, so it holds for what is missing, and for a list that has no such element. */
export function holds(metadata: Metadata, { key, op, value }: Condition): boolean {
  const found = valuesAt(metadata, key)
  if (op === '=') return found.some((item) => isEqual(item, value))
  if (op === '!=') return !found.some((item) => isEqual(item, value))
  return found.some((item) => isInRange(item, op, value))
}

export function holdAll(metadata: Metadata, conditions: readonly Condition[]): boolean {
  return conditions.every((condition) => holds(metadata, condition))
}

export function conditionText({ key, op, value }: Condition): string {
  return `${key}${op}${value}`
}

/** Every primitive that stands at a path; lists on the way, and at its end, count element by element. */
function valuesAt(value: JsonValue | Metadata, path: string): Primitive[] {
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => valuesAt(item, path))
  if (value === null || typeof value !== 'object') return []
  const fields = value as Metadata // neither a list nor a primitive
  if (Object.hasOwn(fields, path)) return primitives(fields[path] ?? null)
  const dot = path.indexOf('.')
  const head = path.slice(0, dot)
  return dot > 0 && Object.hasOwn(fields, head) ? valuesAt(fields[head] ?? null, path.slice(dot + 1)) : []
}

function primitives(value: JsonValue): Primitive[] {
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => primitives(item))
  return isPrimitive(value) ? [value] : []
}

function isPrimitive(value: unknown): value is Primitive {
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
}

function isEqual(item: Primitive, wanted: Primitive): boolean {
  if (String(item) === String(wanted)) return true
  // 3.0 is 3, but of two texts "1.10" is not "1.1": it may be a version.
  const [a, b] = typeof item === 'number' || typeof wanted === 'number' ? [numberOf(item), numberOf(wanted)] : []
  return a !== undefined && a === b
}

function isInRange(item: Primitive, op: Operator, wanted: Primitive): boolean {
  const [a, b] = [numberOf(item), numberOf(wanted)]
  if (a !== undefined && b !== undefined) return compares(a, op, b)
  return typeof item === 'string' && typeof wanted === 'string' && compares(item, op, wanted)
}

function compares<T extends number | string>(a: T, op: Operator, b: T): boolean {
  if (op === '>') return a > b
  if (op === '>=') return a >= b
  return op === '<' ? a < b : a <= b
}

function numberOf(value: Primitive): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : undefined
}

function isRange(op: Operator): boolean {
  return op !== '=' && op !== '!='
}
