/**
 * What stands for a span of turns: a text, or a function that is given the span and makes one. The function may give more than a
 * text: what is written in the same change, and that it is no summary but all that was said.
 */
import { normalizeText } from '../model/content.ts'
import type { Metadata, Origin } from '../model/entry.ts'
import { withoutInjected } from '../model/injected.ts'
import type { Expect, Operation } from '../model/operation.ts'
import { isOwnResult } from '../model/own-results.ts'
import type { CallOptions } from '../ports/store.ts'
import type { Message, Turn } from './records.ts'
import type { KnownEcho } from './sliding.ts'
import type { SessionState } from './transcript.ts'

export interface SummaryInput {
  /** What is to be summed up: what is new in each turn, as `Session.fresh` tells it. */
  readonly messages: readonly Message[]
  /** The same as it is kept. */
  readonly turns: readonly Turn[]
  /** The archive that stood before these, which the new one replaces. */
  readonly previous?: string
}

/** A summary with what is to be written in the same change. */
export interface Summed {
  readonly text: string
  /**
   * The full messages rather than a summary. Such an archive stands for nothing unless the reason is `new`: the turns stay where
   * they are, and the next archive of turns among which is its first replaces it.
   */
  readonly raw?: true
  /** Of the change and the archive; default: the agent, in this session. */
  readonly origin?: Origin
  /** More of the archive's, beside ours. */
  readonly metadata?: Metadata
  /** More operations of the same batch, asked for anew at each try: others may have written since. */
  readonly beside?: (archive: { readonly id: string; readonly name: string }) => Promise<Beside>
}

export interface Beside {
  readonly operations: readonly Operation[]
  readonly expect: Expect
}

/** `undefined`: leave it. */
type Given = string | Summed | undefined

export type Summary = string | ((input: SummaryInput, call: CallOptions) => Given | Promise<Given>)

/** `undefined` where it says nothing. */
export async function summedBy(
  summary: Summary,
  { archive }: SessionState,
  turns: readonly Turn[],
  echo: Pick<KnownEcho, 'fresh'>,
  call: CallOptions,
): Promise<Summed | undefined> {
  if (typeof summary !== 'function') return checked(summary)
  const previous = archive?.missing ? undefined : archive?.content
  const messages = await freshMessages(turns, echo, call)
  return checked(await summary({ messages, turns, ...(previous === undefined ? {} : { previous }) }, call))
}

async function freshMessages(
  turns: readonly Turn[],
  echo: Pick<KnownEcho, 'fresh'>,
  call: CallOptions,
): Promise<Message[]> {
  const fresh = await echo.fresh(
    turns.map(({ id, content }) => ({ text: content, turn: id })),
    call,
  )
  return turns.flatMap((turn, index) => {
    const { role, at } = turn
    const content = fresh[index]
    return content === undefined || isOwnResult(turn) ? [] : [{ role, content, at }]
  })
}

function checked(given: unknown): Summed | undefined {
  if (given === undefined) return undefined
  const summed: Partial<Summed> = typeof given === 'object' && given !== null ? given : {}
  const text = normalizeText(typeof given === 'object' ? summed.text : given, 'summary')
  // A model may hand back the recap that it was given. What is raw is kept to the letter.
  const own = summed.raw ? text : withoutInjected(text)
  return own.trim() === '' ? undefined : { ...summed, text: own }
}
