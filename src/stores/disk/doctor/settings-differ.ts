/** What a caller asks for and the memory was not made with: every other command refuses that. */
import type { Settings } from '../../../ports/store.ts'
import type { SettingsWish } from '../new-settings.ts'

export interface AskedSettings extends SettingsWish {
  readonly agent?: string
}

export interface OtherSetting {
  readonly is: string
  /** As a sentence. */
  readonly problem: string
}

export function otherSettings(wish: AskedSettings, pinned: Settings): OtherSetting[] {
  const asked: readonly (readonly [string, unknown, unknown])[] = [
    ['layout', wish.layout, pinned.layout],
    ['timezone', wish.timezone, pinned.timezone],
    ['identity_file', wish.identityFile, pinned.identityFile],
    ['retention_days', wish.retentionDays, pinned.retentionDays],
    ['retention_mb', wish.retentionMb, pinned.retentionMb],
    ['agent', pinned.layout === 'flat' ? wish.agent : undefined, pinned.agent],
  ]
  return asked.flatMap(([key, wanted, is]) => {
    if (wanted === undefined || is === undefined || wanted === is) return []
    return { is: String(is), problem: `${key} is "${String(is)}", asked for is "${String(wanted)}"` }
  })
}
