/** MEMORY.md as it is at this moment, and the operation that makes it say something else. There may be none yet. */
import type { Memory } from '../memory.ts'
import type { Entry } from '../model/entry.ts'
import type { Expect, Operation } from '../model/operation.ts'
import type { CallOptions } from '../ports/store.ts'

export interface LongTermMemory {
  readonly entry?: Entry
  readonly text: string
  /** Empty where there is none. */
  readonly revision: string
}

const NAME = 'MEMORY'

export async function longTermMemory(
  { store, agent }: Pick<Memory, 'store' | 'agent'>,
  call: CallOptions,
): Promise<LongTermMemory> {
  const entry = await store.resolve(agent, NAME, call)
  return entry ? { entry, text: entry.content, revision: entry.revision } : { text: '', revision: '' }
}

/** Refused where somebody has written it since: another revision, or a name that is taken by now. */
export function rewriteOf(
  agent: string,
  { entry }: LongTermMemory,
  content: string,
): { readonly operations: readonly Operation[]; readonly expect: Expect } {
  return entry
    ? { operations: [{ op: 'write', id: entry.id, content }], expect: { [entry.id]: entry.revision } }
    : { operations: [{ op: 'add', scope: agent, kind: 'memory', name: NAME, content }], expect: {} }
}
