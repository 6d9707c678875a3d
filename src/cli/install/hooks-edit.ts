/** What install and uninstall would make of a client's file with hooks: compare, edit. Nothing is written here. */
import { isDeepStrictEqual } from 'node:util'
import { checked } from './checked-edit.ts'
import { type ConfigFile, LEFT } from './config-file.ts'
import {
  hooksIn,
  hooksSnippet,
  mixedCommandsIn,
  othersBesideHooks,
  type WantedHooks,
  withHooks,
  withoutHooks,
} from './hooks-text.ts'

export interface HooksEdit {
  readonly was: 'absent' | 'same' | 'ours'
  /** The whole file; undefined: none. */
  readonly after: string | undefined
  /** Where a person's own commands call our hook among other things: they are left alone. */
  readonly mixed?: readonly string[]
}

export function installedHooks(file: ConfigFile, wanted: WantedHooks): HooksEdit {
  const hint = `${LEFT} To do it by hand, put this into it:\n${hooksSnippet(wanted)}`
  const areThere = (text: string): boolean => {
    const ours = hooksIn(text)
    return Object.entries(wanted).every(([event, { command }]) => {
      const commands = ours.filter((one) => one.event === event).map((one) => one.command)
      return commands.length > 0 && commands.every((one) => one === command)
    })
  }
  const isMeant = (before: string, after: string): boolean => areThere(after) && hasSameOthers(before, after)
  return checked({ file, hint, isMeant }, (text) => {
    if (text !== undefined && areThere(text)) return { was: 'same', after: text, ...mixedIn(text) }
    const was = text === undefined || hooksIn(text).length === 0 ? 'absent' : 'ours'
    return { was, after: withHooks(text, wanted), ...mixedIn(text) }
  })
}

export function uninstalledHooks(file: ConfigFile): HooksEdit {
  const hint = `${LEFT} Take the hooks that call "keepsake hook" out by hand.`
  const isMeant = (before: string, after: string): boolean =>
    hooksIn(after).length === 0 && hasSameOthers(before, after)
  return checked({ file, hint, isMeant }, (text) =>
    text === undefined || hooksIn(text).length === 0
      ? { was: 'absent', after: text, ...mixedIn(text) }
      : { was: 'ours', after: withoutHooks(text), ...mixedIn(text) },
  )
}

function mixedIn(text: string | undefined): Pick<HooksEdit, 'mixed'> {
  const mixed = text === undefined ? [] : mixedCommandsIn(text)
  return mixed.length === 0 ? {} : { mixed }
}

function hasSameOthers(before: string, after: string): boolean {
  return isDeepStrictEqual(othersBesideHooks(after) ?? [], othersBesideHooks(before) ?? [])
}
