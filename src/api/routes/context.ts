/** What a model would be given now, part by part. Never writes; a POST, because a message may be too long for an address. */
import { mayBeBlank } from '../../tools/parameters.ts'
import type { ContextAnswer } from '../contract.ts'
import { AGENT, memoryOf } from '../parameters.ts'
import { defineRoute, type Route } from '../route.ts'

export const context: Route = defineRoute({
  method: 'POST',
  path: '/context',
  summary: 'What a model would be given now: each part with its text and its tokens, about',
  query: AGENT,
  body: { message: mayBeBlank('What the user just said; left out, nothing is recalled.') },
  answer: 'Context',
  run: async ({ agent, message = '' }, call): Promise<ContextAnswer> => {
    const memory = await memoryOf({ agent }, call)
    const { parts, warnings } = await memory.context({ message, uncounted: true, signal: call.signal })
    return { parts, tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0), warnings }
  },
})
