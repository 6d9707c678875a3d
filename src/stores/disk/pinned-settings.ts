/** What a memory was made with can't be changed by asking for something else: both would be right for someone. */
import { InvalidError } from '../../errors.ts'
import { WORLD } from '../../model/entry.ts'
import type { Settings } from '../../ports/store.ts'
import type { SettingsWish } from './new-settings.ts'

/** `said`: where they stand and the verb for it, such as "keepsake.yaml says". */
export function refuseOtherWish(pinned: Settings, wish: SettingsWish, said: string): void {
  for (const key of ['layout', 'timezone', 'identityFile', 'retentionDays', 'retentionMb'] as const) {
    if (wish[key] !== undefined && wish[key] !== pinned[key]) {
      throw new InvalidError(key, `is "${wish[key]}", but ${said} "${pinned[key]}"`, String(pinned[key]))
    }
  }
}

export function refuseOtherAgent({ layout, agent: pinned }: Settings, agent: string, place: string): void {
  if (layout !== 'flat' || pinned === undefined || pinned === agent) return
  throw new InvalidError('agent', `"${agent}" is not the agent of the flat workspace ${place}`, pinned)
}

/** A flat memory belongs to one agent: in a folder, entries of another agent would be read as its own. */
export function refuseOtherScope({ layout, agent }: Settings, scope: string): void {
  if (layout !== 'flat' || scope === WORLD || scope === agent) return
  throw new InvalidError('agent', `"${scope}" has no place in a flat workspace`, `"${agent}", which it holds`)
}
