/**
 * What cards and pages share: front matter, one blank line, the text. Reading takes what it knows; rewriting changes only
 * the keys whose values differ and keeps all else as a person left it. Invariant: writing what was read changes no byte.
 */
import { stripFinalNewlines } from '../model/content.ts'
import type { Kind } from '../model/kinds.ts'
import { opensFence, splitFences } from './fences.ts'
import { BrokenText, type FileEntry, type ParseYaml } from './file-entry.ts'
import { FrontMatter } from './front-matter.ts'
import { readKeys, writeKeys } from './front-matter-keys.ts'

export interface Shape {
  /** The kinds its front matter may name. None: kind, times and origin are not ours to read there. */
  readonly kinds: readonly Kind[]
  /** What a first line `---` is that nothing closes: damage, or a horizontal rule. */
  readonly unclosed: 'broken' | 'content'
}

const EMPTY: FileEntry = { aliases: [], description: '', metadata: {}, content: '' }

export function parseDescribed(text: string, yaml: ParseYaml, shape: Shape): FileEntry {
  refuseUnstorable(text)
  const fenced = splitFences(text)
  if (!fenced && shape.unclosed === 'broken' && opensFence(text)) {
    throw new BrokenText('the front matter is never closed: a line of three dashes is missing', 1)
  }
  const frontMatter = new FrontMatter(fenced?.block ?? '', yaml)
  return { ...readKeys(frontMatter, shape.kinds), content: stripFinalNewlines(fenced?.body ?? text) }
}

/** `previous` is the text to be replaced; one that does not parse is not built on. */
export function serializeDescribed(
  entry: FileEntry,
  previous: string | undefined,
  yaml: ParseYaml,
  shape: Shape,
): string {
  const before = previous === undefined ? undefined : parsed(previous, yaml, shape)
  if (previous === undefined || before === undefined) return compose(entry, EMPTY, '', yaml, shape)
  return compose(entry, before, previous, yaml, shape)
}

function compose(entry: FileEntry, before: FileEntry, previous: string, yaml: ParseYaml, shape: Shape): string {
  const fenced = splitFences(previous)
  const eol = /^[^\n]*\r\n/.test(previous) ? '\r\n' : '\n'
  const frontMatter = new FrontMatter(fenced?.block ?? '', yaml, eol)
  writeKeys(frontMatter, entry, before, shape.kinds)
  const block = frontMatter.toString()

  const content = stripFinalNewlines(entry.content)
  const sameContent = content === before.content
  if (sameContent && block === (fenced?.block ?? '')) return previous

  const text = sameContent ? (fenced?.body ?? previous) : content === '' ? '' : content + eol
  if (block === '' && !needsFence(text, shape)) return text
  const tight = fenced !== undefined && fenced.gap === '' && fenced.body !== '' && !/^\r?\n/.test(text)
  const gap = sameContent && fenced ? fenced.gap : tight || text === '' ? '' : eol
  const closing = fenced?.closing ?? `---${eol}`
  const closed = gap + text === '' || closing.endsWith('\n') ? closing : closing + eol
  return (fenced?.opening ?? `---${eol}`) + block + closed + gap + text
}

/** Whether a text on its own would be taken for one with front matter. */
function needsFence(text: string, shape: Shape): boolean {
  return shape.unclosed === 'broken' ? opensFence(text) : splitFences(text) !== undefined
}

function parsed(text: string, yaml: ParseYaml, shape: Shape): FileEntry | undefined {
  try {
    return parseDescribed(text, yaml, shape)
  } catch (error) {
    if (error instanceof BrokenText) return undefined
    throw error
  }
}

/** What no store keeps: a file with NUL characters is most often one that a crash left half written. */
export function refuseUnstorable(text: string): void {
  const at = text.indexOf('\0')
  if (at !== -1) throw new BrokenText('holds a NUL character', text.slice(0, at).split('\n').length)
  if (!text.isWellFormed()) throw new BrokenText('holds broken Unicode')
}
