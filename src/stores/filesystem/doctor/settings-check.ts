/** `keepsake.yaml`: is it there, can it be read, and is it what the caller believes it to be? */

import type { ParseYaml } from '../../../codec/file-entry.ts'
import { isKeepsakeError, type KeepsakeError } from '../../../errors.ts'
import type { Settings } from '../../../ports/store.ts'
import { type Finding, finding, saidOf } from '../../disk/doctor/finding.ts'
import { otherSettings } from '../../disk/doctor/settings-differ.ts'
import { readSettings, SETTINGS_FILE } from '../workspace-settings.ts'
import type { Evidence } from './evidence.ts'

export interface PinnedSettings {
  readonly settings?: Settings
  readonly error?: KeepsakeError
}

export function lookAtSettings(root: string, yaml: ParseYaml): PinnedSettings {
  try {
    const settings = readSettings(root, yaml)
    return settings ? { settings } : {}
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return { error }
  }
}

export function checkSettings(evidence: Evidence): Finding[] {
  const { pinned, tree, journal } = evidence
  if (pinned.error) return [unusable(pinned.error)]
  if (pinned.settings) return differing(evidence, pinned.settings)
  if (tree.items.length === 0) {
    return [finding('no-workspace', '.', 'there is no workspace here yet', 'Create one with: keepsake init')]
  }
  if (journal.segments.length === 0) {
    const hint = 'The first write makes it, with the layout of the folder and the time zone of the system.'
    return [finding('settings-unpinned', SETTINGS_FILE, 'it is not there yet; nothing was written here so far', hint)]
  }
  return [finding('settings-missing', SETTINGS_FILE, 'it is gone, although there is a journal', byHand(evidence))]
}

/** A zone that is guessed would move entries to other days, so that nothing is mended before someone has said it. */
function byHand({ workspace }: Evidence): string {
  const { format, id, layout, agent, identityFile, retentionDays, retentionMb } = workspace.settings
  const fields = [
    `format: ${format}`,
    `id: ${id}`,
    `layout: ${layout}`,
    ...(agent === undefined ? [] : [`agent: ${agent}`]),
    'timezone: as it was, such as Europe/Berlin',
    `identity_file: ${identityFile}`,
    `retention_days: ${retentionDays}`,
    `retention_mb: ${retentionMb}`,
  ]
  return `Restore it from a backup, or write it by hand, a line each: ${fields.join('; ')}. The next write would guess the zone.`
}

function unusable(error: KeepsakeError): Finding {
  const code = error.code === 'NEWER' ? 'settings-newer' : 'settings-damaged'
  return finding(code, SETTINGS_FILE, saidOf(error), error.hint ?? '')
}

function differing({ wish }: Evidence, pinned: Settings): Finding[] {
  return otherSettings(wish, pinned).map(({ is, problem }) => {
    const hint = `Ask for "${is}", or change ${SETTINGS_FILE} while no program uses the workspace.`
    return finding('settings-differ', SETTINGS_FILE, problem, hint)
  })
}
