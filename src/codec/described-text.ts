/**
 * What cards and pages share: front matter, one blank line, the text. Reading takes what it knows; rewriting changes only
 * the keys whose values differ and keeps all else as a person left it. Invariant: writing what was read changes no byte.
 */
import { stripFinalNewlines } from '../model/content.ts'
import type { Kind } from '../model/kinds.ts'
import { type Fenced, opensFence, splitFences } from './fences.ts'
import { BrokenText, type FileEntry, type ParseYaml } from './file-entry.ts'
import { FrontMatter } from './front-matter.ts'
import { readKeys, writeKeys } from './front-matter-keys.ts'

export interface Shape {
  /** The kinds its front matter may name. None: kind, times and origin are not ours to read there. */
  readonly kinds: readonly Kind[]
  /** What a first line `---` is that nothing closes: damage, or a horizontal rule. */
  readonly unclosed: 'broken' | 'content'
}

const FIRST_LINE_CRLF = /^[^\n]*\r\n/
const LINE_BREAK_FIRST = /^\r?\n/

export function parseDescribed(text: string, yaml: ParseYaml, shape: Shape): FileEntry {
  return read(text, yaml, shape).entry
}

/** `previous` is the text to be replaced; one that does not parse is not built on. */
export function serializeDescribed(
  entry: FileEntry,
  previous: string | undefined,
  yaml: ParseYaml,
  shape: Shape,
): string {
  const before = readOrEmpty(previous ?? '', yaml, shape)
  writeKeys(before.frontMatter, entry, before.entry, shape.kinds)
  return compose(before, stripFinalNewlines(entry.content), shape)
}

interface Read {
  readonly text: string
  readonly fenced: Fenced | undefined
  readonly frontMatter: FrontMatter
  readonly entry: FileEntry
  readonly eol: '\n' | '\r\n'
}

function read(text: string, yaml: ParseYaml, shape: Shape): Read {
  refuseUnstorable(text)
  const fenced = splitFences(text)
  if (!fenced && shape.unclosed === 'broken' && opensFence(text)) {
    throw new BrokenText('the front matter is never closed: a line of three dashes is missing', 1)
  }
  const eol = FIRST_LINE_CRLF.test(text) ? '\r\n' : '\n'
  const frontMatter = new FrontMatter(fenced?.block ?? '', yaml, eol)
  const content = stripFinalNewlines(fenced?.body ?? text)
  return { text, fenced, frontMatter, entry: { ...readKeys(frontMatter, shape.kinds), content }, eol }
}

function readOrEmpty(text: string, yaml: ParseYaml, shape: Shape): Read {
  try {
    return read(text, yaml, shape)
  } catch (error) {
    if (error instanceof BrokenText) return read('', yaml, shape)
    throw error
  }
}

/** The text that was read, with the front matter as it is now and this content. */
function compose({ text, fenced, frontMatter, entry, eol }: Read, content: string, shape: Shape): string {
  const block = frontMatter.toString()
  const sameContent = content === entry.content
  if (sameContent && block === (fenced?.block ?? '')) return text

  const body = sameContent ? (fenced?.body ?? text) : content === '' ? '' : content + eol
  if (block === '' && !needsFence(body, shape)) return body
  const tight = fenced !== undefined && fenced.gap === '' && fenced.body !== '' && !LINE_BREAK_FIRST.test(body)
  const gap = sameContent && fenced ? fenced.gap : tight || body === '' ? '' : eol
  const closing = fenced?.closing ?? `---${eol}`
  const closed = gap + body === '' || closing.endsWith('\n') ? closing : closing + eol
  return (fenced?.opening ?? `---${eol}`) + block + closed + gap + body
}

/** Whether a text on its own would be taken for one with front matter. */
function needsFence(text: string, shape: Shape): boolean {
  return shape.unclosed === 'broken' ? opensFence(text) : splitFences(text) !== undefined
}

/** What no store keeps: a file with NUL characters is most often one that a crash left half written. */
export function refuseUnstorable(text: string): void {
  const at = text.indexOf('\0')
  if (at !== -1) throw new BrokenText('holds a NUL character', text.slice(0, at).split('\n').length)
  if (!text.isWellFormed()) throw new BrokenText('holds broken Unicode')
}
