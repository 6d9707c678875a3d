/** Where the text of a section ends, and the words to the reader begin that models put behind it. Pure. */
import { DOUBTS, type Doubt } from './reply-fields.ts'

const FENCE = /^[ \t]{0,8}```/gm
const OPENING = /^```(\w*)[ \t]*\r?\n/
/** What models call a fence that is only there to hold the text. */
const HOLDS_TEXT = /^(?:|markdown|md|text|txt)$/i
const RULE = /^[ \t]{0,8}(?:-{3,}|\*{3,}|_{3,})[ \t]*\r?$/m
const LIST_ITEM = /^[ \t]{0,8}(?:[-*+]|\d{1,3}[.)])[ \t]/m
/** A list, a heading, a table, a quote, a fence, or what is indented. */
const MARKDOWN_LINE = /^(?:[ \t]|[-*+][ \t]|#|\||>|`|~|\d{1,3}[.)][ \t])/

/** What a fence at its beginning holds. One that is not closed was cut; more of the memory may stand behind one that is. */
export function withoutFence(section: string): { readonly text: string; readonly doubt?: Doubt } {
  const [opening, language = ''] = OPENING.exec(section) ?? []
  if (opening === undefined) return { text: section }
  const fences = fencesIn(section)
  if (fences % 2 === 1) return { text: section.slice(opening.length), doubt: DOUBTS.unclosed }
  const end = section.lastIndexOf('\n```')
  const behind = section.slice(end + '\n```'.length)
  const isEmptyBehind = behind.trim() === ''
  // More fences than two may be two blocks, and no fence around them.
  const isOne = fences === 2 || /^(?:markdown|md)$/i.test(language)
  if (!isOne || end < opening.length - 1)
    return isEmptyBehind ? { text: section } : { text: section, doubt: DOUBTS.goesOn }
  const text = section.slice(opening.length, Math.max(end, opening.length))
  if (isEmptyBehind) return { text }
  if (!HOLDS_TEXT.test(language)) return { text: section, doubt: DOUBTS.goesOn }
  const areWords = fences === 2 && !/^``/.test(behind) && !behind.trim().split('\n').some(isMarkdown)
  return areWords ? { text } : { text, doubt: DOUBTS.goesOn }
}

/** A line across, or a paragraph below a list: the model may have said there what is no part of the memory. */
export function hasWordsBehind(text: string): boolean {
  if (RULE.test(text)) return true
  const paragraphs = text.split(/\n[ \t]*\r?\n/)
  const last = paragraphs.pop() ?? ''
  return paragraphs.some((one) => LIST_ITEM.test(one)) && !isMarkdown(last.replace(/^[\r\n]+/, ''))
}

export function fencesIn(text: string): number {
  return text.match(FENCE)?.length ?? 0
}

function isMarkdown(line: string): boolean {
  return MARKDOWN_LINE.test(line)
}
