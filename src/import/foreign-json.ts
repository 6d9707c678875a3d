/**
 * JSON that another program wrote, looked at without trust: a document, or a line a record. A line that can't be read is told
 * with its number and passed over.
 */
import type { JsonValue } from '../model/entry.ts'
import type { ImportProblem, SourceFile } from './plan.ts'

export type ForeignRecord = { readonly [key: string]: unknown }

export interface JsonLines {
  readonly records: readonly { readonly record: ForeignRecord; readonly source: string }[]
  readonly problems: readonly ImportProblem[]
}

const BOM = '\ufeff'

export function isRecord(value: unknown): value is ForeignRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** What is no list is one item, and what is missing none. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}

/** What `JSON.parse` gave is JSON; what is missing is not there. */
export function jsonOf(value: unknown): JsonValue | undefined {
  return value as JsonValue | undefined
}

/** The whole text as one value; `undefined` where it is not one. */
export function jsonDocument({ text }: SourceFile): unknown {
  return parsed(withoutMark(text))
}

/** How JSON begins that is no object. */
const OTHER_JSON = /^\s*(?:["[]|-?\d|(?:true|false|null)\s*$)/

export function jsonLines({ text, path }: SourceFile): JsonLines {
  const records: { record: ForeignRecord; source: string }[] = []
  const problems: ImportProblem[] = []
  for (const [index, line] of withoutMark(text).split('\n').entries()) {
    if (line.trim() === '') continue
    const source = `${path}, line ${index + 1}`
    // A failed try costs more than a thousand looks, and a file of something else is all failures.
    const value = line.trimStart().startsWith('{') ? parsed(line) : undefined
    if (isRecord(value)) records.push({ record: value, source })
    else problems.push({ source, problem: OTHER_JSON.test(line) ? 'is not a JSON object' : 'is not JSON' })
  }
  return { records, problems }
}

function withoutMark(text: string): string {
  return text.startsWith(BOM) ? text.slice(BOM.length) : text
}

/** `undefined` is no JSON value. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
