/**
 * A conversation as a model reads it that condenses it. A message begins at the start of a line, with its time and role, and its
 * other lines are indented: nothing that was said can look like another message or a heading of ours. What is too long is cut in its
 * middle and says so, results of tools first, so that the whole keeps within bounds.
 */
import { withoutInjected } from '../model/injected.ts'
import { localTime, parseInstant } from '../model/time.ts'
import { isBeyond, partWithin, tokensOf } from './budget.ts'
import { neutral } from './neutral.ts'
import type { Said } from './said.ts'

/** In tokens, of one message. */
interface Limits {
  readonly result: number
  readonly other: number
}

/** What a result was is enough to know; what people and models say is read whole, as a rule. */
const USUAL: Limits = { result: 1000, other: 4000 }
/** Tried in this order where the usual ones let too much through. */
const STRICTER: readonly Limits[] = [
  { result: 200, other: 4000 },
  { result: 50, other: 1000 },
  { result: 20, other: 200 },
]

/** Twice what one piece of a conversation is meant to have: one exchange may be longer than that. */
const MOST_TOKENS = 40_000

/** Time, role and tools. */
const HEAD_TOKENS = 16

const LINE_ENDS = /\r\n?|[\n\v\f\u0085\u2028\u2029]/
const INDENT = '    '

/** What was said, and is not shown. */
export interface LeftOut {
  readonly characters: number
  /** Whole ones. */
  readonly messages: number
}

/** About what a message takes up. */
export function saidTokens(said: Said): number {
  return tokensWithin(said, USUAL)
}

export function conversationText(conversation: readonly Said[], zone: string): string {
  const { first, omitted, last, limits } = shownOf(conversation)
  const text = (said: Said): string => messageText(said, zone, limits)
  const note = omitted.length > 0 ? [`(${omitted.length} messages are left out here.)`] : []
  return neutral([...first.map(text), ...note, ...last.map(text)].join('\n'))
}

/** Of a result of a tool its two ends are enough: what is cut there does not count. */
export function leftOutOf(conversation: readonly Said[]): LeftOut {
  const { first, omitted, last, limits } = shownOf(conversation)
  const cut = [...first, ...last].filter(({ role }) => !isResult(role))
  const characters = [
    ...cut.map(({ content }) => endsOf(content, limits.other).omitted),
    ...omitted.map(({ content }) => content.length),
  ]
  return { characters: characters.reduce((sum, count) => sum + count, 0), messages: omitted.length }
}

interface Shown {
  readonly first: readonly Said[]
  readonly omitted: readonly Said[]
  readonly last: readonly Said[]
  readonly limits: Limits
}

/** All of them where that can be, each cut as little as possible. */
function shownOf(conversation: readonly Said[]): Shown {
  const own = conversation.flatMap((said) => {
    const content = withoutInjected(said.content).trim()
    return content === '' && !said.tools?.length
      ? []
      : [{ ...said, content, tokens: tokensWithin({ ...said, content }, USUAL) }]
  })
  for (const limits of [USUAL, ...STRICTER]) {
    const tokens = own.reduce((sum, said) => sum + Math.min(said.tokens, limitOf(said.role, limits) + HEAD_TOKENS), 0)
    if (tokens <= MOST_TOKENS) return { first: own, omitted: [], last: [], limits }
  }
  return bothEnds(own)
}

/** Messages without number: the first ones, which say what it is about, and the last. */
function bothEnds(conversation: readonly Said[]): Shown {
  const limits = STRICTER.at(-1) ?? USUAL
  const first = countWithin(conversation, MOST_TOKENS / 4, limits)
  const last = conversation.length - countWithin(conversation.slice(first).reverse(), (MOST_TOKENS * 3) / 4, limits)
  return {
    first: conversation.slice(0, first),
    omitted: conversation.slice(first, last),
    last: conversation.slice(last),
    limits,
  }
}

function countWithin(conversation: readonly Said[], most: number, limits: Limits): number {
  let tokens = 0
  const end = conversation.findIndex((said) => {
    tokens += tokensWithin(said, limits)
    return tokens > most
  })
  return end < 0 ? conversation.length : end
}

function tokensWithin({ role, content }: Said, limits: Limits): number {
  const most = limitOf(role, limits)
  return HEAD_TOKENS + (isBeyond(content.length, most) ? most : Math.min(most, tokensOf(content)))
}

function limitOf(role: string, { result, other }: Limits): number {
  return isResult(role) ? result : other
}

function isResult(role: string): boolean {
  return role === 'tool' || role === 'function'
}

function messageText(said: Said, zone: string, limits: Limits): string {
  const content = cutInTheMiddle(said.content, limitOf(said.role, limits))
  const [first = '', ...lines] = content.split(LINE_ENDS)
  return [
    `${headOf(said, zone)} ${first}`.trimEnd(),
    ...lines.map((line) => (isBlank(line) ? '' : INDENT + line)),
  ].join('\n')
}

function isBlank(line: string): boolean {
  return line.trim() === ''
}

function headOf({ role, at, tools = [] }: Said, zone: string): string {
  const time = parseInstant(at)
  const local = time === undefined ? undefined : localTime(time, zone)
  const stamp = local ? `${local.day} ${local.time}` : 'time unknown'
  const names = tools.length === 0 ? '' : ` (${fewOf(tools)})`
  return `[${stamp}] ${inOneWord(role).toUpperCase() || 'UNKNOWN'}${names}:`
}

const MOST_NAMES = 10
const LONGEST_NAME = 60

function fewOf(tools: readonly string[]): string {
  const more = tools.length > MOST_NAMES ? [`${tools.length - MOST_NAMES} more`] : []
  return [...tools.slice(0, MOST_NAMES).map(inOneWord), ...more].join(', ')
}

/** Names and roles come from outside, too. */
function inOneWord(name: string): string {
  return name
    .slice(0, LONGEST_NAME)
    .replace(/[^\p{L}\p{N}_.-]+/gu, ' ')
    .trim()
}

function cutInTheMiddle(text: string, mostTokens: number): string {
  const { beginning, omitted, end } = endsOf(text, mostTokens)
  return omitted === 0 ? text : `${beginning}\n… (${omitted} characters left out) …\n${end}`
}

function endsOf(text: string, mostTokens: number): { beginning: string; omitted: number; end: string } {
  if (!isBeyond(text.length, mostTokens) && tokensOf(text) <= mostTokens)
    return { beginning: text, omitted: 0, end: '' }
  const beginning = partWithin(text, Math.ceil((mostTokens * 2) / 3), 'beginning')
  const end = partWithin(text.slice(beginning.length), Math.floor(mostTokens / 3), 'end')
  return { beginning, omitted: text.length - beginning.length - end.length, end }
}
