/**
 * A Markdown file of another program: what its front matter says, and the text below. Front matter that can't be read is no
 * reason to lose a text: then all of the file is the text, and that is told.
 */
import { firstValue } from '../codec/chunks.ts'
import { splitFences } from '../codec/fences.ts'
import { BrokenText } from '../codec/file-entry.ts'
import { jsonOf } from '../codec/json-of.ts'
import { type Mapping, readMapping } from '../codec/mapping.ts'
import type { JsonValue, Metadata } from '../model/entry.ts'
import type { ImportProblem, ReadOptions, SourceFile } from './plan.ts'

export interface MarkdownFile {
  readonly keys: ForeignKeys
  readonly content: string
  readonly problems: readonly ImportProblem[]
}

/** The front matter starts below its first fence. */
const FIRST_LINE = 2
const BOM = '\ufeff'

export function readMarkdown({ path, text }: SourceFile, { yaml }: ReadOptions): MarkdownFile {
  const fenced = splitFences(text)
  const whole = text.startsWith(BOM) ? text.slice(BOM.length) : text
  if (!fenced) return { keys: new ForeignKeys(undefined), content: whole, problems: [] }
  try {
    const keys = new ForeignKeys(readMapping(fenced.block, yaml, FIRST_LINE))
    return { keys, content: fenced.body, problems: [] }
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error
    const problem = `its front matter can't be read (${error.message}) and was taken as text`
    return { keys: new ForeignKeys(undefined), content: whole, problems: [{ source: path, problem, taken: true }] }
  }
}

/** The keys of a front matter, each of which may hold anything. */
export class ForeignKeys {
  readonly #mapping: Mapping | undefined

  constructor(mapping: Mapping | undefined) {
    this.#mapping = mapping
  }

  get(key: string): unknown {
    return this.#mapping?.values.get(key)
  }

  /** A scalar as it is written (`1.10`, where the value is 1.1), a list as its items; `undefined` where nothing is said. */
  text(key: string): string | undefined {
    const value = this.get(key)
    if (Array.isArray(value)) return value.map(String).join(', ').trim() || undefined
    if (typeof value === 'string') return value.trim() || undefined
    const chunk = this.#mapping?.chunks.find((one) => one.key === key)
    return typeof value === 'number' && chunk ? firstValue(chunk).value : undefined
  }

  /** All others, as metadata. A value that JSON can't hold is left out and told. */
  others(
    known: readonly string[],
    source: string,
  ): { readonly metadata: Metadata; readonly problems: ImportProblem[] } {
    const pairs: [string, JsonValue][] = []
    const problems: ImportProblem[] = []
    for (const [key, value] of this.#mapping?.values ?? []) {
      if (known.includes(key) || value === null || value === '') continue
      try {
        pairs.push([key, jsonOf(value, key)])
      } catch (error) {
        if (!(error instanceof BrokenText)) throw error
        problems.push({ source, problem: `${error.message}; that key was left out`, taken: true })
      }
    }
    return { metadata: Object.fromEntries(pairs), problems }
  }
}

/** `notes/Deploy.md` is called `Deploy`. */
export function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '')
}

/** `a, b`, `[a, b]` and `#a #b` are all tags. With commas, one may be of several words. */
export function tagsOf(value: unknown): readonly string[] {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const items = Array.isArray(value) ? value.map(String) : text.split(text.includes(',') ? ',' : /\s+/)
  return [...new Set(items.map((tag) => tag.trim().replace(/^#/, '')).filter((tag) => tag !== ''))]
}
