/** What there is: the workspace, its agents, and how many entries of each kind. */
import { WORLD } from '../../model/entry.ts'
import { isExpired } from '../../model/expiry.ts'
import type { Kind } from '../../model/kinds.ts'
import { instant } from '../../model/time.ts'
import type { Workspace } from '../contract.ts'
import { NoSampleError } from '../failures.ts'
import { memoryRevision } from '../memory-revision.ts'
import { defineRoute, type Route } from '../route.ts'

type Counts = Partial<Record<Kind, number>>

export const workspace: Route = defineRoute({
  method: 'GET',
  path: '/workspace',
  summary: 'The workspace: where it is, its agents, and how many entries of each kind they have',
  answer: 'Workspace',
  run: async (_, { served, signal }): Promise<Workspace> => {
    const { memory, around } = served
    const { id, timezone: zone } = await memory.store.settings()
    const now = instant(memory.clock())
    const counts = new Map<string, Counts>([[memory.agent, {}]])
    const heads = await memory.store.heads({}, { signal })
    for (const head of heads) {
      if (isExpired(head, now)) continue
      const kinds = counts.get(head.scope) ?? {}
      kinds[head.kind] = (kinds[head.kind] ?? 0) + 1
      counts.set(head.scope, kinds)
    }
    const world = counts.get(WORLD) ?? {}
    counts.delete(WORLD)
    return {
      version: around.version,
      id,
      root: around.root,
      store: around.store,
      zone,
      revision: await memoryRevision(memory.store, heads),
      agent: memory.agent,
      world,
      agents: [...counts].map(([agent, kinds]) => ({ agent, kinds })).sort((a, b) => (a.agent < b.agent ? -1 : 1)),
      ...(around.mcpUrl === undefined ? {} : { mcpUrl: around.mcpUrl }),
      needsToken: around.needsToken,
      isSample: around.removeSample !== undefined,
      soulEditable: memory.settings.soulEditable,
    }
  },
})

export const removeSample: Route = defineRoute({
  method: 'POST',
  path: '/sample/remove',
  summary: 'Removes the sample workspace with all that is in it, and ends the server; UNSUPPORTED for any other',
  body: {},
  answer: 'Done',
  run: async (_, { served }) => {
    const { removeSample: remove } = served.around
    if (!remove) throw new NoSampleError()
    await remove()
    return { done: true }
  },
})
