/**
 * All that a model is given for a turn: the owner's instructions, who it is, how to use its memory, MEMORY.md, what stands for the
 * conversation so far, its last exchanges, and what is found for this message.
 */
import type { Session } from '../memory.ts'
import type { CallOptions } from '../ports/store.ts'
import type { Turn } from '../session/records.ts'
import { windowStart } from '../session/window.ts'
import type { Telling } from './events.ts'
import { recapOfEarlier, shownInRecap } from './recap.ts'

export interface Prompted {
  readonly system: string
  readonly recall: string
  /** The window up to what the user just said, which is the last of them. */
  readonly turns: readonly Turn[]
}

/** As in the memory's own part: nothing that a text begins goes on over a line of dashes. */
const SEPARATOR = '\n\n---\n\n'

export async function prompted(
  {
    session,
    asked,
    instructions,
    windowSize,
    telling,
  }: {
    readonly session: Session
    /** What the user just said. */
    readonly asked: Turn
    readonly instructions: string
    /** How many exchanges a model is given as messages. */
    readonly windowSize: number
    readonly telling: Telling
  },
  call: CallOptions,
): Promise<Prompted> {
  const { turns: live, archive } = await session.view(call)
  // What another program has said in this session since is for the next turn. It may even have begun anew: then nothing is before.
  const before = live.slice(
    0,
    Math.max(
      0,
      live.findIndex(({ id }) => id === asked.id),
    ),
  )
  const start = Math.min(windowStart(live, windowSize), before.length)
  const earlier = before.slice(0, start)
  const recap = archive?.content ?? ''
  const sinceThen = recapOfEarlier(earlier, recap)
  const shown = shownInRecap(earlier, sinceThen)
  const context = await session.context({ message: asked.content, recap, shown, ...call })
  telling.warn(...context.warnings)
  const system = [instructions.trim(), context.system, sinceThen]
  return {
    system: system.filter((part) => part !== '').join(SEPARATOR),
    recall: context.recall,
    turns: [...before.slice(start), asked],
  }
}
