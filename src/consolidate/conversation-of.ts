/**
 * What was said in a span of turns, for a model or a raw archive: what is new in each turn, and which tools were used. A turn that only
 * held what we injected was said by nobody. Pure.
 */
import type { SummaryInput } from '../memory.ts'
import type { Said } from '../prompt/said.ts'

export function conversationOf({ turns, messages }: Pick<SummaryInput, 'turns' | 'messages'>): readonly Said[] {
  let next = 0
  return turns.flatMap(({ role, at, tools }): Said[] => {
    const message = messages[next]
    // The messages are those of the turns, in their order, without those of which nothing is left.
    const content = message?.role === role && message.at === at ? message.content : ''
    if (content !== '') next++
    return content === '' && tools.length === 0 ? [] : [{ role, content, at, ...(tools.length > 0 ? { tools } : {}) }]
  })
}
