/**
 * Markdown as a person reads it, as elements and never as HTML. The text is a stranger's: nothing is loaded from anywhere, only links to the
 * web and to mailboxes lead somewhere, and whatever a browser would hide (tags, comments, definitions) is shown as it is written.
 */
import { type Signal, signal } from '@preact/signals'
import type { MarkedToken } from 'marked'
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { drawBlocks } from './markdown-blocks.tsx'
import { finderIn } from './markdown-place.ts'
import type { Range } from './marked-ranges.ts'
import { Source } from './source.tsx'

export interface MarkdownProps {
  readonly text: string
  /** In UTF-16 units of `text`, in order. */
  readonly highlights?: readonly Range[]
}

export function Markdown({ text, highlights }: MarkdownProps): VNode {
  const lex = lexer.value
  const drawn = useMemo(() => lex && draw(lex, text, highlights ?? []), [lex, text, highlights])
  if (drawn === undefined) return <Source text={text} highlights={highlights ?? []} />
  return <div class="markdown">{drawn}</div>
}

type Lexer = (text: string) => MarkedToken[]

/** Not of the first sight, which shows none of it; until it is there the source is. */
const lexer: Signal<Lexer | undefined> = signal(undefined)

import('marked').then(
  ({ lexer: lex }) => {
    lexer.value = (text) => lex(text) as MarkedToken[] // no extension is installed that could bring other ones
  },
  // The server is gone, which the page says already; a text that is there can still be read.
  () => undefined,
)

/** None where the text is too much for the parser: what is only long, or made to be hard. */
function draw(lex: Lexer, text: string, highlights: readonly Range[]): ReturnType<typeof drawBlocks> | undefined {
  if (text.length > MOST_UNITS || effort(text) > MOST_EFFORT) return undefined
  // The parser reads every end of a line as this one, so the places are counted in the text as it reads it.
  const read = text.replace(LINE_END, '\n')
  const at = (offset: number): number => text.slice(0, offset).replace(LINE_END, '\n').length
  const ranges = read === text ? highlights : highlights.map(([from, to]): Range => [at(from), at(to)])
  try {
    return drawBlocks(lex(read), { ranges, finder: ranges.length === 0 ? undefined : finderIn(read), depth: 0 })
  } catch {
    // Nested deeper than the stack.
    return undefined
  }
}

const LINE_END = /\r\n?/g

const MOST_UNITS = 300_000

/** Under half a second on a slow machine. */
const MOST_EFFORT = 100_000_000

/** Looking for the other end of each mark of emphasis, the parser takes the square of a paragraph's length. */
function effort(text: string): number {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.length * (paragraph.match(/[*_~]/g)?.length ?? 0))
    .reduce((sum, one) => sum + one, 0)
}
