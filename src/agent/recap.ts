/**
 * What was said in a session before its window, for the system prompt: one line a turn, the newest that fit. It is a block like the
 * session's other ones, but no fingerprint is kept of it: these turns still wait to be condensed, and must not be taken for an
 * echo of themselves then. Pure.
 */
import { block, withoutInjected } from '../model/injected.ts'
import { shownWithin, tokensOf } from '../prompt/budget.ts'
import { neutral } from '../prompt/neutral.ts'
import { BUDGETS } from '../prompt/system-prompt.ts'
import type { Turn } from '../session/records.ts'

/** A line tells what it was about; the transcript and `recall` have the rest. */
const LONGEST_LINE = 400
const NOTE = '(What was said before that does not fit here.)'

/** `archive`: what stands for what is older still, which has its share of the same budget. Empty where there is nothing. */
export function recapOfEarlier(earlier: readonly Turn[], archive: string): string {
  const lines = earlier.map(lineOf).filter((line) => line !== '')
  if (lines.length === 0) return ''
  // A long archive leaves no less than a third: the newest is what the next turn follows.
  const budget = Math.max(BUDGETS.recap - tokensOf(archive), Math.floor(BUDGETS.recap / 3))
  const show = (text: string, isCut: boolean): string => block('recap', neutral(isCut ? `${NOTE}\n${text}` : text))
  return shownWithin(lines.join('\n'), budget, show, 'end').text
}

/** The ids of those that stand whole in such a recap. */
export function shownInRecap(earlier: readonly Turn[], recap: string): string[] {
  const isShown = (turn: Turn): boolean => {
    const line = lineOf(turn)
    return line !== '' && saidBy(turn).length <= LONGEST_LINE && recap.includes(neutral(line))
  }
  return earlier.filter(isShown).map(({ id }) => id)
}

/** What a tool answered is left out: the assistant said what came of it. */
function lineOf(turn: Turn): string {
  const { role, tools } = turn
  if (role !== 'user' && role !== 'assistant') return ''
  const said = saidBy(turn)
  const used = role === 'assistant' && tools.length > 0 ? `(used ${[...new Set(tools)].join(', ')})` : ''
  const text = [said.length > LONGEST_LINE ? `${said.slice(0, LONGEST_LINE).toWellFormed()}…` : said, used]
  const line = text.filter((part) => part !== '').join(' ')
  return line === '' ? '' : `- ${role}: ${line}`
}

function saidBy({ content }: Turn): string {
  return withoutInjected(content).replace(/\s+/g, ' ').trim()
}
