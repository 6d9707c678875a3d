/**
 * What was said in a span of turns, for a model or a raw archive: what is new in each turn, and which tools were used. A turn that only
 * held what we injected, or is a result of our own tools, was said by nobody; of one that was purged nothing is left. Pure.
 */
import type { SummaryInput } from '../memory.ts'
import { isOwnResult } from '../model/own-results.ts'
import { isPurged } from '../model/redaction.ts'
import type { Said } from '../prompt/said.ts'

type Spoken = Pick<SummaryInput, 'turns' | 'messages'>

export function conversationOf(spoken: Spoken): readonly Said[] {
  return newInEach(spoken).filter(({ content, tools = [] }) => content !== '' || tools.length > 0)
}

/** The same for every turn; one of which nothing is new has an empty content. */
export function newInEach({ turns, messages }: Spoken): readonly Said[] {
  let next = 0
  return turns.map((turn) => {
    const { role, at, tools } = turn
    const message = isOwnResult(turn) ? undefined : messages[next]
    // The messages are those of the turns, in their order, without those of which nothing is left.
    const content = message?.role === role && message.at === at ? message.content : ''
    if (content !== '') next++
    return { role, content: isPurged(content) ? '' : content, at, ...(tools.length > 0 ? { tools } : {}) }
  })
}
