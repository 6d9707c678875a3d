/** Finding: as an agent would, with every part of each score; and why an entry is not among the hits. */
import type { Memory } from '../../memory.ts'
import type { SearchOptions } from '../../recall/found.ts'
import { SEARCH_MODES } from '../../recall/search-modes.ts'
import { choice, flag, type Given, required, said, text } from '../../tools/parameters.ts'
import type { SearchAnswer, WhyNotAnswer } from '../contract.ts'
import { AGENT, AS_OF, DATES, datesOf, KINDS_ASKED, limit, memoryOf, WHERE } from '../parameters.ts'
import { defineRoute, type Route } from '../route.ts'

const ASKED = {
  ...AGENT,
  ...AS_OF,
  ...DATES,
  q: required(text('What is looked for; see docs/recall.md.')),
  kinds: KINDS_ASKED,
  where: WHERE,
  mode: choice(SEARCH_MODES, 'Left out: by words and meaning where that can be had, else by words.'),
  limit: limit(20, 100),
}

const search: Route = defineRoute({
  method: 'GET',
  path: '/search',
  summary: 'Searches what an agent sees',
  query: { ...ASKED, explain: flag('Whether each hit says why it is there.') },
  answer: 'Found',
  run: async ({ explain = false, ...asked }, call): Promise<SearchAnswer> => {
    const memory = await memoryOf(asked, call)
    const found = await memory.search(asked.q, { ...(await optionsOf(asked, memory)), explain, signal: call.signal })
    if ((found.searched.vectors?.pending ?? 0) > 0) call.served.memories.embedBehind(memory)
    return found
  },
})

const whyNot: Route = defineRoute({
  method: 'GET',
  path: '/why-not',
  summary: 'Why an entry is not among the hits of such a search',
  query: { ...ASKED, ref: required(text('Its id, name or alias.')) },
  answer: 'WhyNot',
  run: async ({ ref, ...asked }, call): Promise<WhyNotAnswer> => {
    const memory = await memoryOf(asked, call)
    return memory.whyNot(asked.q, ref, { ...(await optionsOf(asked, memory)), signal: call.signal })
  },
})

async function optionsOf(asked: Given<typeof ASKED>, memory: Memory): Promise<SearchOptions> {
  const { kinds, where, mode, limit: most = 20 } = asked
  return { ...said({ kinds, where, mode }), limit: most, ...(await datesOf(asked, memory)) }
}

export const SEARCH: readonly Route[] = [search, whyNot]
