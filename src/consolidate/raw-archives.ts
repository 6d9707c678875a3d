/** What fell back and was not condensed since: the raw archives of an agent, oldest first. */
import type { Memory } from '../memory.ts'
import type { EntryHead } from '../model/entry.ts'
import type { CallOptions } from '../ports/store.ts'

export async function rawArchives(memory: Memory, call: CallOptions): Promise<readonly EntryHead[]> {
  return (await memory.heads({ scopes: [memory.agent], kinds: ['archive'] }, call)).filter(isRaw)
}

export function isRaw({ kind, metadata }: EntryHead): boolean {
  return kind === 'archive' && metadata['raw'] === true && typeof metadata['session'] === 'string'
}
