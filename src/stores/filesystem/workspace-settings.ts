/**
 * `keepsake.yaml`: what every process that opens a workspace must agree on. Written once, by `init` or at the first write;
 * read without the YAML library, whose loading would cost every command more than all the rest.
 */
import { join } from 'node:path'
import type { ParseYaml } from '../../codec/file-entry.ts'
import { parseMapping } from '../../codec/mapping.ts'
import { DamagedError, ForeignError } from '../../errors.ts'
import type { Settings } from '../../ports/store.ts'
import { checkedSettings } from '../disk/checked-settings.ts'
import { RETENTION_MB, type SettingsWish, settingsFor } from '../disk/new-settings.ts'
import { decodeText, readFileAt, statFile } from '../disk/reading.ts'

export type { SettingsWish }

export const SETTINGS_FILE = 'keepsake.yaml'

/** The settings that are pinned; `undefined` when the workspace has none yet. */
export function readSettings(root: string, yaml: ParseYaml): Settings | undefined {
  const path = join(root, SETTINGS_FILE)
  const file = readFileAt(path)
  if (!file) return undefined
  const text = decodeText(file.bytes)
  if (text === undefined) throw new ForeignError(path, 'this is not a text file')
  let values: Readonly<Record<string, unknown>>
  try {
    values = parseMapping(text, yaml)
  } catch (error) {
    throw new DamagedError(
      path,
      error instanceof Error ? error.message : String(error),
      'Mend it by hand, or restore it from a backup.',
    )
  }
  const { format } = values
  if (typeof format !== 'number')
    throw new ForeignError(path, 'it has no "format": this is not a workspace of Keepsake')
  const found = {
    ...values,
    identityFile: values['identity_file'],
    retentionDays: values['retention_days'],
    retentionMb: values['retention_mb'] ?? RETENTION_MB,
  }
  return checkedSettings(path, found, (problem, allowed) => new DamagedError(path, problem, `Allowed: ${allowed}.`))
}

/** What a new workspace is pinned to: what was asked for, and what the folder looks like already. */
export function newSettings(root: string, id: string, agent: string, wish: SettingsWish): Settings {
  return settingsFor(id, agent, { ...wish, layout: wish.layout ?? (looksFlat(root) ? 'flat' : 'agents') })
}

export function formatSettings(settings: Settings): string {
  return `# A Keepsake workspace. Every program that opens this folder agrees on these values.
format: ${settings.format}
id: ${settings.id}
layout: ${settings.layout}
${settings.agent === undefined ? '' : `agent: ${JSON.stringify(settings.agent)}\n`}timezone: ${settings.timezone}
identity_file: ${JSON.stringify(settings.identityFile)}
retention_days: ${settings.retentionDays}
retention_mb: ${settings.retentionMb}
`
}

/** Folders that other programs made (seeds 2 and 4): the agent's files lie at the root. */
function looksFlat(root: string): boolean {
  const has = (name: string): boolean => statFile(join(root, name)) !== undefined
  return !has('agents') && !has('world') && (has('MEMORY.md') || has('entries') || has('HISTORY.md'))
}
