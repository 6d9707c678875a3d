/** What a change of entries means for the resources that clients follow. */
import type { SeenChange } from '../follow/entry-changes.ts'
import { followMemory } from '../follow/follow-memory.ts'
import type { Memory } from '../memory.ts'
import type { Watch } from '../ports/store.ts'
import { listedUri, urisOf } from './resource-uri.ts'

export interface ResourceChange {
  /** Each address of what came, went or changed. */
  readonly uris: readonly string[]
  /** Whether the list of resources is another one now. */
  readonly list: boolean
}

export function watchResources(memory: Memory, changed: (change: ResourceChange) => void): Promise<Watch> {
  return followMemory(memory, (changes) => changed(changeOf(changes)))
}

function changeOf(changes: readonly SeenChange[]): ResourceChange {
  const uris = new Set<string>()
  let list = false
  for (const { was, is } of changes) {
    for (const uri of [...(was ? urisOf(was) : []), ...(is ? urisOf(is) : [])]) uris.add(uri)
    list ||= (was && listedUri(was)) !== (is && listedUri(is))
  }
  return { uris: [...uris], list }
}
