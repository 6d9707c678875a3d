/**
 * Settings that stand in a file, checked before anybody believes them: the file may come from anybody, and they say where things
 * are written. The one place for both stores on a disk; the names are those of keepsake.yaml.
 */
import { NewerError } from '../../errors.ts'
import { isId } from '../../model/id.ts'
import { normalizeAgentId } from '../../model/name.ts'
import { isZoneShaped } from '../../model/time.ts'
import type { Settings } from '../../ports/store.ts'
import { FORMAT, isFileName, isLayout, isRetention, isSize } from './new-settings.ts'

export type FoundSettings = { readonly [Key in keyof Settings]?: unknown }

/** What is thrown of a value that is not allowed. */
export type RefuseSetting = (problem: string, allowed: string) => Error

export function checkedSettings(path: string, found: FoundSettings, refuse: RefuseSetting): Settings {
  const checked = <T>(name: string, value: unknown, test: (value: unknown) => value is T, allowed: string): T => {
    if (test(value)) return value
    throw refuse(`"${name}" is ${JSON.stringify(value) ?? 'missing'}`, allowed)
  }
  const { format, agent } = found
  if (typeof format === 'number' && format > FORMAT) throw new NewerError(path, format, FORMAT)
  return {
    format: checked('format', format, isFormat, String(FORMAT)),
    id: checked('id', found.id, isId, 'the id it was made with'),
    layout: checked('layout', found.layout, isLayout, 'agents, flat'),
    ...(agent === undefined ? {} : { agent: checked('agent', agent, isAgent, 'an agent id') }),
    timezone: checked('timezone', found.timezone, isZoneShaped, 'an IANA name such as Europe/Berlin, or UTC'),
    // A path that leaves the memory may come from configuration, never from the memory itself.
    identityFile: checked('identity_file', found.identityFile, isFileName, 'a file name ending in .md'),
    retentionDays: checked('retention_days', found.retentionDays, isRetention, '30 or more'),
    retentionMb: checked('retention_mb', found.retentionMb, isSize, '1 or more'),
  }
}

function isFormat(value: unknown): value is number {
  return value === FORMAT
}

function isAgent(value: unknown): value is string {
  try {
    return normalizeAgentId(value) === value
  } catch {
    return false
  }
}
