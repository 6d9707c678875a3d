/** `keepsake.yaml`: is it there, can it be read, and is it what the caller believes it to be? */

import type { ParseYaml } from '../../../codec/file-entry.ts'
import { isKeepsakeError, type KeepsakeError } from '../../../errors.ts'
import type { Settings } from '../../../ports/store.ts'
import { readSettings, SETTINGS_FILE } from '../workspace-settings.ts'
import type { Evidence } from './evidence.ts'
import { type Finding, finding, saidOf } from './finding.ts'

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
    return [finding('no-workspace', '.', 'there is no workspace here yet', 'Make one with: keepsake init')]
  }
  if (journal.segments.length === 0) {
    const hint = 'The first write makes it, with the layout of the folder and the time zone of the system.'
    return [finding('settings-unpinned', SETTINGS_FILE, 'it is not there yet; nothing was written here so far', hint)]
  }
  const hint = 'Restore it from a backup. Else the next write makes it anew; check its time zone then.'
  return [finding('settings-missing', SETTINGS_FILE, 'it is gone, although there is a journal', hint)]
}

function unusable(error: KeepsakeError): Finding {
  const code = error.code === 'NEWER' ? 'settings-newer' : 'settings-damaged'
  return finding(code, SETTINGS_FILE, saidOf(error), error.hint ?? '')
}

/** What a caller asks for and the workspace does not have is refused by every other command. */
function differing({ wish }: Evidence, pinned: Settings): Finding[] {
  const asked: readonly (readonly [string, unknown, unknown])[] = [
    ['layout', wish.layout, pinned.layout],
    ['timezone', wish.timezone, pinned.timezone],
    ['identity_file', wish.identityFile, pinned.identityFile],
    ['retention_days', wish.retentionDays, pinned.retentionDays],
    ['agent', pinned.layout === 'flat' ? wish.agent : undefined, pinned.agent],
  ]
  return asked.flatMap(([key, wanted, is]) => {
    if (wanted === undefined || is === undefined || wanted === is) return []
    const hint = `Ask for "${String(is)}", or change ${SETTINGS_FILE} while no program uses the workspace.`
    return finding(
      'settings-differ',
      SETTINGS_FILE,
      `${key} is "${String(is)}", asked for is "${String(wanted)}"`,
      hint,
    )
  })
}
