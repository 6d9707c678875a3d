/**
 * Logs: many entries in one file, each under a heading. Every bare heading is a boundary; nothing in a text can be taken
 * for one, because what looks like ours is escaped. Invariant: the head and the raw blocks, joined, are the text.
 * Nothing here throws on what it reads: one bad block has a problem, and the others are as if it were not there.
 */
import { stripFinalNewlines } from '../model/content.ts'
import type { FileEntry } from './file-entry.ts'
import { attributesComment, EMPTY_COMMENT, readComment } from './log-attributes.ts'
import {
  COMMENT_START,
  escapeContent,
  headingAt,
  isTitleAt,
  type Line,
  type LogFlavour,
  lineAt,
  unescapeContent,
} from './log-lines.ts'

export type { LogFlavour } from './log-lines.ts'

export interface LogFile {
  /** The title and blank lines before the first block. */
  readonly head: string
  readonly blocks: readonly LogBlock[]
}

export interface LogBlock {
  /** From its heading up to the next one. */
  readonly raw: string
  /** The time in the heading; empty for text before the first heading. */
  readonly heading: string
  readonly entry: FileEntry
  /** Why the attributes can't be trusted; the block must then stay as it is. */
  readonly problem?: string
}

const NOTHING_SAID: ReturnType<typeof readComment> = { attributes: { description: '', metadata: {} } }

export function parseLog(text: string, flavour: LogFlavour): LogFile {
  const blocks: LogBlock[] = []
  let start = endOfHead(text, flavour)
  const head = text.slice(0, start)
  for (let line = lineAt(text, start); line.start < text.length; line = lineAt(text, line.next)) {
    if (line.start === start || headingAt(text, line, flavour) === undefined) continue
    blocks.push(parseBlock(text.slice(start, line.start), flavour))
    start = line.start
  }
  if (start < text.length) blocks.push(parseBlock(text.slice(start), flavour))
  return { head, blocks }
}

/** Where a block begins, from 1. */
export function lineOfBlock({ head, blocks }: LogFile, index: number): number {
  const before = [head, ...blocks.slice(0, index).map(({ raw }) => raw)]
  return before.reduce((lines, text) => lines + text.split('\n').length - 1, 1)
}

/** The block in which a text first stands; `undefined` where it stands nowhere, or before the first heading. */
export function blockWith(text: string, sought: string, flavour: LogFlavour): LogBlock | undefined {
  const found = text.indexOf(sought)
  if (found === -1) return undefined
  let line = lineAt(text, startOfLine(text, found))
  while (headingAt(text, line, flavour) === undefined) {
    if (line.start === 0) return undefined
    line = lineAt(text, startOfLine(text, line.start - 1))
  }
  let next = lineAt(text, line.next)
  while (next.start < text.length && headingAt(text, next, flavour) === undefined) next = lineAt(text, next.next)
  return parseBlock(text.slice(line.start, next.start), flavour)
}

function startOfLine(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

/** Without a heading (text before the first one) the comment stands first, and is there also when it has nothing to say. */
export function serializeBlock(entry: FileEntry, heading: string, flavour: LogFlavour): string {
  const comment = attributesComment(entry) ?? (heading === '' ? EMPTY_COMMENT : '')
  const top = [heading === '' ? '' : `## ${heading}`, comment].filter((line) => line !== '')
  return `${top.join('\n')}\n\n${escapeContent(stripFinalNewlines(entry.content), flavour)}\n`
}

/**
 * What to append to a file so that the block stands apart. `endsWith` is the end of the file, two characters or what
 * there is; an empty file first gets its title, the day.
 */
export function textToAppend(endsWith: string, title: string | undefined, block: string): string {
  if (endsWith === '') return title === undefined ? block : `# ${title}\n\n${block}`
  if (endsWith.endsWith('\n\n')) return block
  return endsWith.endsWith('\n') ? `\n${block}` : `\n\n${block}`
}

/** The whole text with some blocks replaced or, where there is no new one, removed; every other byte stays. */
export function replaceBlocks(file: LogFile, replacements: ReadonlyMap<number, string | undefined>): string {
  const last = file.blocks.length - 1
  const texts = file.blocks.map(({ raw }, index) => {
    if (!replacements.has(index)) return raw
    const block = replacements.get(index)
    return block === undefined ? '' : index === last ? block : `${block}\n`
  })
  return file.head + texts.join('')
}

function endOfHead(text: string, flavour: LogFlavour): number {
  const bom = text.startsWith('\uFEFF') ? 1 : 0
  let line = lineAt(text, bom)
  while (line.start < text.length && (isBlank(line) || isTitleAt(text, line, flavour))) line = lineAt(text, line.next)
  return line.start
}

function parseBlock(raw: string, flavour: LogFlavour): LogBlock {
  let line = lineAt(raw, 0)
  const heading = headingAt(raw, line, flavour)
  if (heading !== undefined) line = lineAt(raw, line.next)
  const comment = commentLine(raw, line)
  if (comment) line = lineAt(raw, comment.next)
  const contentAt = (heading !== undefined || comment) && isBlank(line) ? line.next : line.start
  const content = unescapeContent(stripFinalNewlines(raw.slice(contentAt)), flavour)
  const { attributes, problem } = comment ? readComment(raw.slice(comment.start, comment.end)) : NOTHING_SAID
  const reason = problem ?? unstorable(raw)
  return {
    raw,
    heading: heading ?? '',
    entry: { aliases: [], ...attributes, content },
    ...(reason === undefined ? {} : { problem: reason }),
  }
}

/** Right below the heading, or after a blank line that a formatter put there: a bare comment of ours is never content. */
function commentLine(raw: string, line: Line): Line | undefined {
  const below = isBlank(line) ? lineAt(raw, line.next) : line
  return raw.startsWith(COMMENT_START, below.start) ? below : undefined
}

function unstorable(raw: string): string | undefined {
  if (raw.includes('\0')) return 'holds a NUL character'
  return raw.isWellFormed() ? undefined : 'holds broken Unicode'
}

function isBlank(line: Line): boolean {
  return line.end === line.start && line.next > line.start
}
