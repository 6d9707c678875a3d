/**
 * Keys and passwords in plain sight. What was found is never printed: its first four characters and its length will
 * do.
 */
import { isKeepsakeError } from '../../../errors.ts'
import { type Scope, WORLD } from '../../../model/entry.ts'
import { decodeText } from '../../disk/reading.ts'
import type { Place } from '../layout.ts'
import type { Workspace } from '../workspace.ts'
import type { Scene } from './evidence.ts'
import { type Finding, finding } from './finding.ts'
import { findSecrets, type Secret } from './secret-patterns.ts'
import type { SeenText } from './texts.ts'

const SHOWN_CHARACTERS = 4
const MOST_A_FILE = 20

export function secretsIn(seen: SeenText, scene: Scene): Finding[] {
  const { place, text } = seen
  return findSecrets(text)
    .slice(0, MOST_A_FILE)
    .map((secret) => {
      const id = idAt(seen, secret.start, scene)
      const how =
        id === undefined ? ' in an editor' : `: keepsake forget ${id} --purge${agentOption(place.scope, scene)}`
      const hint = `Change it where it is used, then remove it here${how}`
      return finding('secret', place.path, describe(text, secret), hint)
    })
}

export function secretsInSession(path: string, bytes: Uint8Array): Finding[] {
  const text = decodeText(bytes)
  if (text === undefined) return []
  const hint = 'Change it where it is used. What was kept of this transcript: keepsake forget REF --purge'
  return findSecrets(text)
    .slice(0, MOST_A_FILE)
    .map((secret) => finding('secret', path, describe(text, secret), hint))
}

function describe(text: string, { what, start, text: secret }: Secret): string {
  const line = text.slice(0, start).split('\n').length
  return `line ${line}: what looks like ${what} (${secret.slice(0, SHOWN_CHARACTERS)}…, ${secret.length} characters)`
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
