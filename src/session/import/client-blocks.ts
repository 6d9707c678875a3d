/**
 * What a client itself writes into a person's message: text between tags, one block behind the other, each at the beginning of a
 * line. A person may write such a tag, too: in a code fence, within a line, or with words behind it and no end, it is theirs.
 * Time is proportional to the length of the text.
 */
import { CLIENT_TAGS } from '../../model/client-tags.ts'

// A bound on the attributes keeps a text of nothing but beginnings from taking forever.
const OPENING = new RegExp(`[ \\t]*<(${CLIENT_TAGS.join('|')})(?:\\s[^<>]{0,300})?>`, 'y')
// Of few different forms, so that there are few to look for the end of.
const FENCE = /(?: {0,12}|\t{0,3})(?:`{3,8}|~{3,8})/y

export function withoutClientBlocks(text: string): string {
  let kept = ''
  let from = 0
  let isSomethingSaid = false
  const neverClosed = new Set<string>()
  const endOf = (closing: string, begin: number): number => {
    if (neverClosed.has(closing)) return -1
    const at = text.indexOf(closing, begin)
    if (at === -1) neverClosed.add(closing)
    return at
  }
  // At the beginning of a line, or right behind a block.
  for (let at = 0; at < text.length; ) {
    const { 0: opening = '', 1: tag = '' } = matchAt(OPENING, text, at) ?? []
    if (tag !== '') {
      const closing = `</${tag}>`
      const closes = endOf(closing, at + opening.length)
      if (closes !== -1) {
        kept += text.slice(from, at)
        from = closes + closing.length
        at = from
        continue
      }
      // It was cut: there is nothing else. Words on the line of the tag are somebody's, and so is a tag further on.
      if (!isSomethingSaid && lineAt(text, at + opening.length).trim() === '') return ''
    }
    isSomethingSaid ||= lineAt(text, at).trim() !== ''
    const [fence = ''] = matchAt(FENCE, text, at) ?? []
    const closes = fence === '' ? -1 : endOf(`\n${fence}`, at + fence.length)
    at = nextLine(text, closes === -1 ? at : closes + 1)
  }
  return from === 0 ? text : kept + text.slice(from)
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function lineAt(text: string, at: number): string {
  return text.slice(at, nextLine(text, at))
}

function nextLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline === -1 ? text.length : newline + 1
}
