/**
 * The parameters of a tool, said once: a table of them gives the JSON Schema that a model is shown and the check of what it
 * sends. Models send "3" where they mean 3, and null where they mean nothing: both are taken. All else that does not fit is an
 * error that names the field and what is allowed.
 */
import { InvalidError, KeepsakeError } from '../errors.ts'
import type { Metadata } from '../model/entry.ts'
import { normalizeMetadata } from '../model/json.ts'
import { wholeNumber } from '../model/number.ts'
import type { JsonSchema, PropertySchema } from './tool.ts'

export interface Parameter<Value, Must extends boolean = boolean> {
  readonly schema: PropertySchema
  /** Never called for what is left out. */
  readonly check: (value: unknown, field: string) => Value
  /** A call without it fails. */
  readonly must: Must
  /** The schema says that it is required. Of what may be left out too where a seed's schema says so. */
  readonly listed: boolean
  /** `null` says something, and is checked as a value; else it means that nothing was sent. */
  readonly takesNull?: true
}

export type ParameterTable = Readonly<Record<string, Parameter<unknown>>>

/** The checked arguments; what was left out is `undefined`. */
export type Given<Table extends ParameterTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Parameter<infer Value, infer Must>
    ? Must extends true
      ? Value
      : Value | undefined
    : never
}

/** In a message, of what was sent. */
const MOST_SHOWN = 80

/** Text that is not blank. */
export function text(description?: string): Parameter<string, false> {
  const schema: PropertySchema = { type: 'string', ...(description === undefined ? {} : { description }) }
  return optional(schema, (value, field) => {
    const given = requireText(value, field)
    if (given.trim() === '') throw new InvalidError(field, 'is empty', 'text that is not blank')
    return given
  })
}

export function mayBeBlank(description: string): Parameter<string, false> {
  return optional({ type: 'string', description }, requireText)
}

export function choice<const Value extends string>(
  values: readonly Value[],
  description?: string,
  byDefault?: Value,
): Parameter<Value, false> {
  const schema: PropertySchema = {
    type: 'string',
    enum: values,
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(description === undefined ? {} : { description }),
  }
  return optional(schema, (value, field) => {
    const known = values.find((one) => one === value)
    if (known === undefined) throw new InvalidError(field, `${shown(value)} is not allowed`, values.join(', '))
    return known
  })
}

export function whole(least: number, most: number, description?: string, byDefault?: number): Parameter<number, false> {
  const schema: PropertySchema = {
    type: 'integer',
    minimum: least,
    maximum: most,
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(description === undefined ? {} : { description }),
  }
  return optional(schema, (value, field) => {
    if (typeof value !== 'number' && typeof value !== 'string') {
      throw new InvalidError(field, `${shown(value)} is no number`, `a whole number from ${least} to ${most}`)
    }
    return wholeNumber(typeof value === 'string' ? value.slice(0, MOST_SHOWN) : value, field, least, most)
  })
}

/** Only a boolean: what it gates is not to be opened by a slip. */
export function flag(description: string): Parameter<boolean, false> {
  return optional({ type: 'boolean', description }, (value, field) => {
    if (typeof value !== 'boolean') throw new InvalidError(field, `${shown(value)} is not allowed`, 'true or false')
    return value
  })
}

export function list<Value>(of: Parameter<Value>, description?: string): Parameter<readonly Value[], false> {
  const schema: PropertySchema = {
    type: 'array',
    items: of.schema,
    ...(description === undefined ? {} : { description }),
  }
  return optional(schema, (value, field) => {
    if (!Array.isArray(value)) throw new InvalidError(field, `${shown(value)} is not a list`, 'a list in brackets')
    return Array.from(value, (item: unknown) => of.check(item, field))
  })
}

/** Any JSON object. */
export function json(description: string): Parameter<Metadata, false> {
  return optional({ type: 'object', description }, (value) => normalizeMetadata(value))
}

export function required<Value>(parameter: Parameter<Value>): Parameter<Value, true> {
  return { ...parameter, must: true, listed: true }
}

/** The schema asks for it, but a call without it has a meaning too. */
export function askedFor<Value>(parameter: Parameter<Value>): Parameter<Value, false> {
  return { ...parameter, must: false, listed: true }
}

export function schemaOf(table: ParameterTable): JsonSchema {
  const entries = Object.entries(table)
  const listed = entries.filter(([, parameter]) => parameter.listed).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    ...(listed.length === 0 ? {} : { required: listed }),
    additionalProperties: false,
  }
}

export function checkedArguments<Table extends ParameterTable>(args: unknown, table: Table): Given<Table> {
  const given = args ?? {}
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw new InvalidError('arguments', `${shown(args)} is no object`, allowedNames(table))
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(table, name)) continue
    throw new InvalidError('arguments', `${shown(name)} is not one of them`, allowedNames(table))
  }
  const checked = Object.entries(table).map(([name, parameter]) => {
    // Only what is its own: an object's "constructor" is nothing that anyone sent.
    const value: unknown = Object.hasOwn(given, name) ? (given as Record<string, unknown>)[name] : undefined
    if (value !== undefined && (value !== null || parameter.takesNull)) return [name, parameter.check(value, name)]
    if (parameter.must) throw missing(name, parameter.schema)
    return [name, undefined]
  })
  return Object.fromEntries(checked) as Given<Table> // each key of the table, checked by its own parameter
}

/** Without what is `undefined`, as options are handed on. */
export function said<Values extends object>(
  values: Values,
): { readonly [Key in keyof Values]?: Exclude<Values[Key], undefined> } {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(pairs) as { readonly [Key in keyof Values]?: Exclude<Values[Key], undefined> } // the same keys, fewer
}

function optional<Value>(
  schema: PropertySchema,
  check: (value: unknown, field: string) => Value,
): Parameter<Value, false> {
  return { schema, check, must: false, listed: false }
}

function requireText(value: unknown, field: string): string {
  if (typeof value !== 'string') throw new InvalidError(field, `${shown(value)} is not text`, 'text')
  return value
}

function missing(name: string, { description }: PropertySchema): KeepsakeError {
  return new KeepsakeError('INVALID', `${name}: is missing`, {
    hint: `Call it again with ${name}${description === undefined ? '' : `: ${description}`}`,
    data: { field: name },
  })
}

function allowedNames(table: ParameterTable): string {
  return Object.keys(table).join(', ') || 'none'
}

/** Short, and whatever it is: a caller may send anything. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`
}
