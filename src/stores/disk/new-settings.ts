/** What a new memory on a disk is made with: what was asked for, checked, and else what is usual. */
import { isAbsolute } from 'node:path'
import { InvalidError } from '../../errors.ts'
import { parseZone, systemZone } from '../../model/time.ts'
import type { Settings } from '../../ports/store.ts'

export const FORMAT = 1
const RETENTION_DAYS = 90
const FEWEST_RETENTION_DAYS = 30
export const RETENTION_MB = 512

export type SettingsWish = Partial<
  Pick<Settings, 'layout' | 'timezone' | 'identityFile' | 'retentionDays' | 'retentionMb'>
>

export function settingsFor(id: string, agent: string, wish: SettingsWish): Settings {
  const layout = wish.layout ?? 'agents'
  const settings = {
    format: FORMAT,
    id,
    layout,
    ...(layout === 'flat' ? { agent } : {}),
    timezone: parseZone(wish.timezone ?? systemZone()),
    identityFile: wish.identityFile ?? 'IDENTITY.md',
    retentionDays: wish.retentionDays ?? RETENTION_DAYS,
    retentionMb: wish.retentionMb ?? RETENTION_MB,
  }
  if (!isLayout(settings.layout)) throw new InvalidError('layout', `"${settings.layout}"`, 'agents, flat')
  if (!isFileName(settings.identityFile)) {
    throw new InvalidError('identity_file', `"${settings.identityFile}"`, 'a file name ending in .md')
  }
  if (!isRetention(settings.retentionDays)) {
    throw new InvalidError('retention_days', String(settings.retentionDays), '30 or more')
  }
  if (!isSize(settings.retentionMb)) throw new InvalidError('retention_mb', String(settings.retentionMb), '1 or more')
  return settings
}

export function isLayout(value: unknown): value is Settings['layout'] {
  return value === 'agents' || value === 'flat'
}

/** Only a plain name: a path that leaves the workspace may come from configuration, never from a file inside it. */
export function isFileName(value: unknown): value is string {
  return typeof value === 'string' && /^[^\\/:\0]+\.md$/.test(value) && !value.startsWith('.') && !isAbsolute(value)
}

export function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 1
}

export function isRetention(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= FEWEST_RETENTION_DAYS
}
