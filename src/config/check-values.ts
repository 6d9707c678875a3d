/** What is written against the table of keys. What is wrong is said with its file, line and column, and what would be right. */
import { basename, dirname } from 'node:path'
import { InvalidError, KeepsakeError } from '../errors.ts'
import { nearest } from '../model/nearest.ts'
import type { Pair } from './agent-yaml.ts'
import type { Key, MappingType } from './keys.ts'
import { type Position, placeText, refuseDoubled } from './parse-yaml.ts'
import type { TextType } from './value-types.ts'

/** Where a value comes from. */
export interface Source {
  readonly from: 'default' | 'preset' | 'file' | 'asked'
  /** For a table: `agent.yaml:7`, `--agent`. */
  readonly label: string
  /** For an error: the same with the whole path. */
  readonly where: string
}

export interface Said {
  readonly value: unknown
  readonly source: Source
}

type Keys = Readonly<Record<string, Key<unknown>>>

/** The pairs of a mapping in a file, by key. */
export function checkPairs(pairs: readonly Pair[], keys: Keys, within = ''): Map<string, Said> {
  refuseDoubled(pairs)
  return new Map(
    pairs.map((pair) => {
      const { file, line } = pair.at
      const source: Source = { from: 'file', label: `${basename(file)}:${line}`, where: `${file}:${line}` }
      return [pair.key, { value: checkPair(pair, keyOf(pair, keys, within), within + pair.key), source }]
    }),
  )
}

/** A value that an option or a variable gives. */
export function checkText<T>(text: string, type: TextType<T>, folder: string, field: string): T {
  const value = type.read(text, folder)
  if (value !== undefined) return value
  throw new InvalidError(field, problemOf(text, type), type.allowed)
}

function keyOf({ key, at }: Pair, keys: Keys, within: string): Key<unknown> {
  const found = Object.hasOwn(keys, key) ? keys[key] : undefined
  if (found) return found
  throw unknownKey(key, Object.keys(keys), {
    place: `${placeText(at)}: `,
    of: within === '' ? 'spec.memory' : `spec.memory.${within.slice(0, -1)}`,
    at,
  })
}

interface Where {
  readonly place: string
  readonly of: string
  readonly at?: Position
}

export function unknownKey(key: string, known: readonly string[], { place, of, at }: Where): KeepsakeError {
  const near = nearest(key, known)
  return new KeepsakeError('INVALID', `${place}there is no key "${key}" in ${of}`, {
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Allowed: ${known.join(', ')}.`,
    data: { field: key, near, ...at },
  })
}

function checkPair(pair: Pair, { type }: Key<unknown>, name: string): unknown {
  const { value, at } = pair
  const refuse = (problem: string): InvalidError =>
    new InvalidError(`${placeText(at)}: ${name}`, problem, type.allowed, { field: name, ...at })
  if (value.is === 'nothing') throw refuse('nothing is said; leave the line out for the default')
  if (isMapping(type) && value.is === 'a mapping') return mappingOf(value.pairs(), type, name, refuse)
  const inOneWord = textTypeOf(type)
  if (value.is !== 'text' || !inOneWord) throw refuse(`${value.is} is not ${type.what}`)
  const read = inOneWord.read(value.text, dirname(at.file))
  if (read === undefined) throw refuse(problemOf(value.text, inOneWord))
  return read
}

function mappingOf(
  pairs: readonly Pair[],
  type: MappingType<object>,
  name: string,
  refuse: (problem: string) => InvalidError,
): object {
  const keys = type.keys as Keys // what the table holds
  const said = checkPairs(pairs, keys, `${name}.`)
  const missing = Object.keys(keys).find((key) => keys[key]?.required && !said.has(key))
  if (missing !== undefined) throw refuse(`"${missing}" is missing`)
  return Object.fromEntries(Object.entries(keys).map(([key, { fallback }]) => [key, said.get(key)?.value ?? fallback]))
}

/** How a key is read where one word is said; `undefined`: it must be a mapping. */
export function textTypeOf(type: Key<unknown>['type']): TextType<unknown> | undefined {
  return isMapping(type) ? type.word : type
}

function isMapping(type: Key<unknown>['type']): type is MappingType<object> {
  return 'keys' in type
}

function problemOf(text: string, { what, problem, mayHoldSecret }: TextType<unknown>): string {
  return problem?.(text) ?? `${mayHoldSecret ? 'this' : JSON.stringify(text)} is not ${what}`
}
