/** A session that was asked for and is not there: the failure names those that may have been meant, of other agents too. */
import { KeepsakeError } from '../errors.ts'
import type { Memory } from '../memory.ts'
import { distance } from '../model/find.ts'
import { agentsIn } from './named-place.ts'

const MOST_SUGGESTIONS = 3

/** For commands whose answer would be the same for a session without turns and for none. `root`: of the workspace. */
export async function requireSession(memory: Memory, key: string, root: string): Promise<void> {
  const { store, agent } = memory
  if (await store.sessions.readBefore(agent, key)) return
  throw notFound(key, await keysOf(memory), await agentWith(memory, key, root))
}

/** Another agent of the workspace that has a session of exactly this key. */
async function agentWith(memory: Memory, key: string, root: string): Promise<string | undefined> {
  const { store, agent } = memory
  for (const other of await agentsIn(memory, root)) {
    if (other !== agent && (await store.sessions.readBefore(other, key).catch(() => undefined))) return other
  }
  return undefined
}

async function keysOf({ store, agent }: Memory): Promise<string[]> {
  return (await store.sessions.list(agent)).map((info) => info.key)
}

function notFound(key: string, keys: readonly string[], agent: string | undefined): KeepsakeError {
  const near = nearKeys(key, keys)
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((one) => JSON.stringify(one)).join(' or ')}?`
      : 'See which there are: keepsake session list'
  return new KeepsakeError('NOT_FOUND', `there is no session ${JSON.stringify(key)}`, {
    hint: agent === undefined ? hint : `Another agent has it: --agent ${agent}`,
    data: { session: key, near },
  })
}

function nearKeys(key: string, keys: readonly string[]): string[] {
  const wanted = key.toLowerCase()
  const far = Math.max(1, Math.floor(wanted.length / 3))
  return keys
    .map((known) => ({ known, steps: distance(known.toLowerCase().slice(0, 200), wanted.slice(0, 200)) }))
    .filter(({ known, steps }) => steps <= far || (wanted !== '' && known.toLowerCase().includes(wanted)))
    .sort((a, b) => a.steps - b.steps || (a.known < b.known ? -1 : 1))
    .slice(0, MOST_SUGGESTIONS)
    .map(({ known }) => known)
}
