/**
 * Keys and passwords in plain sight. What was found is never printed: its first four characters and its length will
 * do.
 */
import { decodeText } from '../system.ts'
import { type Finding, finding } from './finding.ts'
import { findSecrets, type Secret } from './secret-patterns.ts'
import type { SeenText } from './texts.ts'

const SHOWN_CHARACTERS = 4
const MOST_A_FILE = 20

export function secretsIn({ place, text, said }: SeenText): Finding[] {
  return findSecrets(text)
    .slice(0, MOST_A_FILE)
    .map((secret) => {
      const ref = refAt(said, secret.start)
      const hint = `Change it where it is used, then remove it here: keepsake forget ${ref} --purge`
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

/** How the entry around a place in the file is addressed: by its name, or a log's by its id. */
function refAt(said: SeenText['said'], start: number): string {
  let end = said.log?.head.length ?? 0
  const index = said.log?.blocks.findIndex(({ raw }) => {
    end += raw.length
    return start < end
  })
  const entry = said.entries[index ?? 0]
  if (entry?.name === null || entry === undefined) return entry?.id ?? 'REF'
  return /^[\w.-]+$/.test(entry.name) ? entry.name : `"${entry.name}"`
}
