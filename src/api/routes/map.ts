/** Entries by meaning, in the plane: what lies together is about the same. What has no vectors can't be drawn, and the answer says why. */
import { isKeepsakeError } from '../../errors.ts'
import type { Embeddings, Memory } from '../../memory.ts'
import type { EntryHead } from '../../model/entry.ts'
import { digest32 } from '../../model/revision.ts'
import type { MapAnswer } from '../contract.ts'
import { labelOf } from '../entry-rows.ts'
import { AGENT, memoryOf } from '../parameters.ts'
import { defineRoute, type Route } from '../route.ts'

const MOST_POINTS = 5000
/** Less than a pixel of any screen. */
const DIGITS = 5

export const map: Route = defineRoute({
  method: 'GET',
  path: '/map',
  summary: `Entries by meaning, in the plane: the newest ${MOST_POINTS} that have vectors`,
  query: AGENT,
  answer: 'Map',
  run: async (asked, call): Promise<MapAnswer> => {
    const memory = await memoryOf(asked, call)
    const heads = await memory.heads({}, { signal: call.signal })
    const embeddings = await memory.embeddings()
    const none = (unsupported: string): MapAnswer => ({ points: [], missing: heads.length, unsupported })
    const why = whyNone(embeddings, memory.agent)
    if (why !== undefined) return none(why)
    try {
      return await call.served.maps.of(whatItShows(memory, heads, embeddings), () => drawn(memory, call.signal))
    } catch (error) {
      if (isKeepsakeError(error) && OTHERS.includes(error.code)) return none(`${error.message}. ${error.hint ?? ''}`)
      throw error
    }
  },
})

/** On a server: the vectors are of another model, or somebody else's stand in their place. */
const OTHERS: readonly string[] = ['CONFLICT', 'FOREIGN']

const NO_MODEL =
  'This memory has no embedding model, so nothing tells what its entries mean. Set embedding_model in agent.yaml; "keepsake setup embeddings" installs the model that runs on this machine.'

/** `undefined`: there is something to draw, or nothing that could ever have a place. */
function whyNone({ model, entries, pending, problem }: Embeddings, agent: string): string | undefined {
  if (model === undefined) return NO_MODEL
  if (entries > 0 || pending === 0) return undefined
  if (problem === undefined) return `No entry has a vector yet. "keepsake embed --agent ${agent}" makes them.`
  return `No entry has a vector yet: ${problem}. "keepsake setup embeddings" installs the model that runs on this machine, "keepsake embed --agent ${agent}" makes the vectors.`
}

/** What a hand changed may not be in the feed yet, and what expires never is: so it goes by what there is, not by a cursor. */
function whatItShows(memory: Memory, heads: readonly EntryHead[], { model, entries, pending }: Embeddings): string {
  const seen = digest32(heads.map(({ id, revision }) => `${id} ${revision}`).join('\n'))
  return JSON.stringify([memory.agent, model, entries, pending, seen])
}

async function drawn(memory: Memory, signal: AbortSignal): Promise<MapAnswer> {
  const { entries, missing } = await memory.places({ limit: MOST_POINTS, signal })
  const texts = await textsOf(
    memory,
    entries.map(({ entry }) => entry),
    signal,
  )
  const points = entries.map(({ entry, x, y }) => ({
    ...{ id: entry.id, x: rounded(x), y: rounded(y) },
    ...{ kind: entry.kind, scope: entry.scope, label: labelOf(entry, texts.get(entry.id)) },
  }))
  return { points, missing }
}

/** Of those that are called by how they begin. */
async function textsOf(
  memory: Memory,
  heads: readonly EntryHead[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(heads.filter(({ name, key }) => name === null && key === undefined).map(({ id }) => id))
  const texts = new Map<string, string>()
  if (ids.size === 0) return texts
  for await (const { id, content } of memory.store.scan({ ids }, { signal })) texts.set(id, content)
  return texts
}

function rounded(value: number): number {
  return Number(value.toFixed(DIGITS))
}
