/**
 * Markdown as a person reads it, as elements and never as HTML. The text is a stranger's: nothing is loaded from anywhere, only links to the
 * web and to mailboxes lead somewhere, and whatever a browser would hide (tags, comments, definitions) is shown as it is written.
 */
import { type Signal, signal } from '@preact/signals'
import type { Lexer, MarkedToken } from 'marked'
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
  if (drawn !== undefined) return <div class="markdown">{drawn}</div>
  return (
    <>
      {lex !== undefined && <p class="hint">Too long to be rendered; this is the source.</p>}
      <Source text={text} highlights={highlights ?? []} />
    </>
  )
}

/** `undefined`: it would take too long. */
type Lex = (text: string) => MarkedToken[] | undefined

/** Not of the first sight, which shows none of it; until it is there the source is. */
const lexer: Signal<Lex | undefined> = signal(undefined)

import('marked').then(
  ({ Lexer }) => {
    lexer.value = (text) => lexWith(new Lexer(), text)
  },
  // The server is gone, which the page says already; a text that is there can still be read.
  () => undefined,
)

/** The blocks first, which is quick; then what stands in each, where that is not too hard. */
function lexWith(parser: Lexer, text: string): MarkedToken[] | undefined {
  const blocks = parser.blockTokens(text, [])
  const effort = parser.inlineQueue.reduce((sum, { src }) => sum + effortOf(src), 0)
  if (effort > MOST_EFFORT) return undefined
  for (const { src, tokens } of parser.inlineQueue) parser.inlineTokens(src, tokens)
  return blocks as MarkedToken[] // no extension is installed that could bring other ones
}

/** None where the text is too much for the parser: what is only long, or made to be hard. */
function draw(lex: Lex, text: string, highlights: readonly Range[]): ReturnType<typeof drawBlocks> | undefined {
  if (text.length > MOST_UNITS) return undefined
  // The parser reads every end of a line as this one, so the places are counted in the text as it reads it.
  const read = text.replace(LINE_END, '\n')
  const at = (offset: number): number => text.slice(0, offset).replace(LINE_END, '\n').length
  const ranges = read === text ? highlights : highlights.map(([from, to]): Range => [at(from), at(to)])
  try {
    const blocks = lex(read)
    return blocks && drawBlocks(blocks, { ranges, finder: ranges.length === 0 ? undefined : finderIn(read), depth: 0 })
  } catch {
    // Nested deeper than the stack.
    return undefined
  }
}

const LINE_END = /\r\n?/g

const MOST_UNITS = 300_000

/** Under half a second on a slow machine. */
const MOST_EFFORT = 100_000_000

/**
 * Of one paragraph, item or cell. Looking for the other end of each mark of emphasis, the parser takes the square of its length; and looking
 * for an @, that of what could be the name of a mailbox, twice.
 */
function effortOf(text: string): number {
  const marks = text.match(/[*_~]/g)?.length ?? 0
  // With the @ as a choice: asked for, it would be looked for from every letter here too.
  const names = text.match(/[\w.!#$%&'*+/=?`{|}~-]+@?/g)?.filter((run) => run.endsWith('@')) ?? []
  return names.reduce((sum, { length }) => sum + 2 * length ** 2, marks * text.length)
}
