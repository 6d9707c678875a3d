/** Keys and passwords in plain sight, and which entry each is in. */
import { isKeepsakeError } from '../../../errors.ts'
import { type Scope, WORLD } from '../../../model/entry.ts'
import { type Finding, finding } from '../../disk/doctor/finding.ts'
import { toldSecrets } from '../../disk/doctor/secret-text.ts'
import { decodeText } from '../../disk/reading.ts'
import type { Place } from '../layout.ts'
import type { Workspace } from '../workspace.ts'
import type { Scene } from './evidence.ts'
import type { SeenText } from './texts.ts'

export function secretsIn(seen: SeenText, scene: Scene): Finding[] {
  const { place, text } = seen
  return toldSecrets(text).map(({ secret, problem }) => {
    const id = idAt(seen, secret.start, scene)
    const how = id === undefined ? ' in an editor' : `: keepsake forget ${id} --purge${agentOption(place.scope, scene)}`
    const hint = `Change it where it is used, then remove it here${how}`
    return finding('secret', place.path, problem, hint)
  })
}

export function secretsInSession(path: string, bytes: Uint8Array): Finding[] {
  const text = decodeText(bytes)
  if (text === undefined) return []
  const hint = 'Change it where it is used. What was kept of this transcript: keepsake forget REF --purge'
  return toldSecrets(text).map(({ problem }) => finding('secret', path, problem, hint))
}

/** The entry around a place in the file, by its id: a name may mean another one, the id never does. */
function idAt({ place, said }: SeenText, start: number, { workspace, followed }: Scene): string | undefined {
  let end = said.log?.head.length ?? 0
  const index = said.log?.blocks.findIndex(({ raw }) => {
    end += raw.length
    return start < end
  })
  // A copy says its original's id, but the store knows it by another.
  const known = followed ? knownTo(workspace, place) : undefined
  return (known ?? said).entries[index ?? 0]?.id
}

function knownTo(workspace: Workspace, place: Place): SeenText['said'] | undefined {
  try {
    return workspace.files.see(place)?.said
  } catch (error) {
    if (isKeepsakeError(error)) return undefined // what the text itself says will do
    throw error
  }
}

/** Commands look at one agent. Which, when nobody says, may differ from shell to shell: only `main` goes without saying. */
function agentOption(scope: Scope, { workspace, wish }: Scene): string {
  const goesWithoutSaying = scope === 'main' && (wish.agent ?? scope) === scope
  return scope === WORLD || workspace.layout.layout === 'flat' || goesWithoutSaying ? '' : ` --agent ${scope}`
}
