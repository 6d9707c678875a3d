/**
 * Questions with known answers, as files hold them: scopes, each a memory of its own, with docs and queries. Two forms are
 * read, one JSON object or a JSON object a line; docs/eval.md describes both. What is broken is an error that names the file and
 * the place; a relevant doc that is not there can never be found and counts as missed, for that is what it would be.
 */
import { KeepsakeError } from '../errors.ts'

export interface EvalDoc {
  readonly id: string
  readonly text: string
  /** Where there is one, the text begins with it. */
  readonly title?: string
  readonly session?: string
  /** As people write it. */
  readonly time?: string
}

export interface EvalQuery {
  readonly id: string
  readonly text: string
  /** The relevant docs and what each is worth. */
  readonly gains: ReadonlyMap<string, number>
  readonly category?: string
}

export interface EvalScope {
  readonly id: string
  readonly docs: readonly EvalDoc[]
  readonly queries: readonly EvalQuery[]
}

export interface EvalSet {
  readonly name: string
  readonly scopes: readonly EvalScope[]
}

/** `file` is for messages; its name without folder and ending is the set's, where the text gives none. */
export function parseDataset(text: string, file: string): EvalSet {
  const nameOfFile = (file.split(/[\\/]/).at(-1) ?? file).replace(/\.[^.]+$/, '')
  const set = /\.jsonl$|\.ndjson$/i.test(file) ? fromLines(text, file, nameOfFile) : fromObject(text, file, nameOfFile)
  const isAnswerable = set.scopes.some(({ queries }) => queries.some(({ gains }) => gains.size > 0))
  if (!isAnswerable) throw broken(file, 'has no query with a relevant doc')
  return set
}

function fromObject(text: string, file: string, nameOfFile: string): EvalSet {
  const whole = parsed(text, file)
  const scopes = whole['scopes']
  if (!Array.isArray(scopes)) throw broken(file, 'has no list "scopes"')
  return {
    name: typeof whole['name'] === 'string' ? whole['name'] : nameOfFile,
    scopes: scopes.map((given, index) => {
      const place = `${file}: scope ${index + 1}`
      const scope = requireObject(given, place)
      const list = (key: 'docs' | 'queries'): unknown[] => {
        const value = scope[key]
        if (!Array.isArray(value)) throw broken(place, `has no list "${key}"`)
        return value
      }
      const docs = list('docs').map((doc, at) => docOf(doc, `${place}, doc ${at + 1}`))
      refuseTwins(docs, place)
      return {
        id: scope['id'] === undefined ? String(index + 1) : textOf(scope, 'id', place),
        docs,
        queries: list('queries').map((query, at) => queryOf(query, `${place}, query ${at + 1}`)),
      }
    }),
  }
}

/** Docs and queries in any order; those without a scope share one. */
function fromLines(text: string, file: string, name: string): EvalSet {
  const scopes = new Map<string, { id: string; docs: EvalDoc[]; queries: EvalQuery[] }>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const place = `${file}:${index + 1}`
    const given = parsed(line, place)
    const id = given['scope'] === undefined ? 'all' : textOf(given, 'scope', place)
    const scope = scopes.get(id) ?? { id, docs: [], queries: [] }
    scopes.set(id, scope)
    if (given['type'] === 'doc') scope.docs.push(docOf(given, place))
    else if (given['type'] === 'query') scope.queries.push(queryOf(given, place))
    else throw broken(place, '"type" is neither "doc" nor "query"')
  }
  for (const { id, docs } of scopes.values()) refuseTwins(docs, `${file}: scope "${id}"`)
  return { name, scopes: [...scopes.values()] }
}

function docOf(value: unknown, place: string): EvalDoc {
  const given = requireObject(value, place)
  const text = given['text']
  if (typeof text !== 'string') throw broken(place, 'has no "text"')
  const [title, session, time] = [optional(given, 'title', place), optional(given, 'session', place), given['time']]
  return {
    id: textOf(given, 'id', place),
    text,
    ...(title === undefined ? {} : { title }),
    ...(session === undefined ? {} : { session }),
    ...(typeof time === 'string' ? { time } : {}),
  }
}

function queryOf(value: unknown, place: string): EvalQuery {
  const given = requireObject(value, place)
  const [text, relevant, category] = [given['text'], given['relevant'], optional(given, 'category', place)]
  if (typeof text !== 'string' || text.trim() === '') throw broken(place, 'has no "text"')
  if (!Array.isArray(relevant)) throw broken(place, 'has no list "relevant"')
  const grades = given['grades'] === undefined ? {} : requireObject(given['grades'], `${place}, grades`)
  const ids = relevant.map((id) => textOf({ relevant: id }, 'relevant', place))
  return {
    id: textOf(given, 'id', place),
    text,
    gains: new Map(ids.map((id) => [id, gainOf(grades[id], `${place}, grade of "${id}"`)])),
    ...(category === undefined ? {} : { category }),
  }
}

function gainOf(grade: unknown, place: string): number {
  if (grade === undefined) return 1
  if (typeof grade === 'number' && grade > 0 && Number.isFinite(grade)) return grade
  throw broken(place, 'is not a number above 0')
}

/** A relevant doc is named by its id, so two of one id can't be told apart. */
function refuseTwins(docs: readonly EvalDoc[], place: string): void {
  const seen = new Set<string>()
  for (const { id } of docs) {
    if (seen.has(id)) throw broken(place, `has two docs with the id "${id}"`)
    seen.add(id)
  }
}

type Given = Readonly<Record<string, unknown>>

function parsed(text: string, place: string): Given {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw broken(place, `is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  return requireObject(value, place)
}

function requireObject(value: unknown, place: string): Given {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Given // just checked
  throw broken(place, 'is not a JSON object')
}

/** Text that is not blank; a number, as ids often are, counts as its digits. */
function textOf(given: Given, key: string, place: string): string {
  const value = given[key]
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'string' && value.trim() !== '') return value
  throw broken(place, `"${key}" is not text`)
}

function optional(given: Given, key: string, place: string): string | undefined {
  const value = given[key]
  return value === undefined || value === null || value === '' ? undefined : textOf(given, key, place)
}

function broken(place: string, problem: string): KeepsakeError {
  return new KeepsakeError('INVALID', `${place} ${problem}`, {
    hint: 'docs/eval.md shows what such a file looks like.',
    data: { place },
  })
}
