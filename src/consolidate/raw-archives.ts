/** What fell back and was not condensed since: the raw archives of an agent, oldest first; and those among others. */
import type { Memory } from '../memory.ts'
import type { Entry, EntryHead } from '../model/entry.ts'
import type { CallOptions } from '../ports/store.ts'
import type { Consolidated } from './consolidated.ts'

export async function rawArchives(memory: Memory, call: CallOptions): Promise<readonly EntryHead[]> {
  return (await memory.heads({ scopes: [memory.agent], kinds: ['archive'] }, call)).filter(isRaw)
}

export function isRaw({ kind, metadata }: EntryHead): boolean {
  return kind === 'archive' && metadata['raw'] === true && typeof metadata['session'] === 'string'
}

/** Of a conversation in pieces the first may be condensed though the model failed then: only what is raw is kept as it was said. */
export function partedByRaw({ archives }: Pick<Consolidated, 'archives'>): {
  readonly summaries: readonly Entry[]
  readonly raw: readonly Entry[]
} {
  return { summaries: archives.filter((archive) => !isRaw(archive)), raw: archives.filter(isRaw) }
}
