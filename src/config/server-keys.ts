/**
 * The keys of a memory on a server, and the one address that they come to: `workspace` says all of it in one line, or `url`, `tenant` and
 * `database` do. Said twice, they must say the same. The token is in neither of the two.
 */
import { InvalidError } from '../errors.ts'
import { isPostgresAddress, POSTGRES_FORM } from '../model/postgres-address.ts'
import { addressOf, isServerAddress, parseAddress, type ServerPlace } from '../model/server-address.ts'
import type { Said } from './check-values.ts'
import { KEYS } from './keys.ts'

const SERVER_KEYS = ['url', 'tenant', 'database'] as const

type SaidKeys = ReadonlyMap<string, Said>

/** Where no line says `workspace`; `undefined`: it is on no server. */
export function serverSaid(said: SaidKeys): Said | undefined {
  const backend = said.get('backend')
  if (backend?.value === 'postgres') {
    const url = said.get('url')
    if (url) return url
    throw new InvalidError(
      'url',
      `${backend.source.where} says "backend: postgres", but no line names a server`,
      POSTGRES_FORM,
    )
  }
  if (backend?.value !== 'chroma') return undefined
  const value = (key: (typeof SERVER_KEYS)[number]): string => String(said.get(key)?.value ?? KEYS[key].fallback)
  const place: ServerPlace = { url: value('url'), tenant: value('tenant'), database: value('database') }
  const by = SERVER_KEYS.flatMap((key) => said.get(key) ?? [])[0] ?? backend
  return { value: addressOf(place), source: by.source }
}

/** Only one of them would be followed, and nobody would see which. */
export function refuseTwoServers(said: SaidKeys): void {
  const workspace = said.get('workspace')
  if (!workspace) return
  const place = parseServerKeys(String(workspace.value))
  for (const key of SERVER_KEYS) {
    const other = said.get(key)
    if (!place || !other || other.value === place[key]) continue
    const says = `${workspace.source.where} says "${workspace.value}"`
    const problem = `is "${place[key]}" where ${says}, but "${other.value}" in ${other.source.where}`
    throw new InvalidError(key, problem, 'one of the two lines, or both alike')
  }
}

/** Where no server is meant, who wrote these lines would read and write elsewhere without a word. */
export function refuseIdleServerKeys(said: SaidKeys, backend: Said): void {
  if (backend.value === 'chroma') return
  for (const key of SERVER_KEYS) {
    if (backend.value === 'postgres' && key === 'url') continue
    const idle = said.get(key)
    if (!idle) continue
    const problem = `${idle.source.where} names it, but the backend here is "${backend.value}", which has no server`
    throw new InvalidError(key, problem, 'with "backend: chroma", or not at all')
  }
}

/** What the address says, for the keys that nobody says themselves. */
export function setServerKeys(given: Map<string, Said>): void {
  const workspace = given.get('workspace')
  const place = workspace && parseServerKeys(String(workspace.value))
  if (!place) return
  for (const key of SERVER_KEYS) {
    if (place[key] !== undefined && !given.has(key)) given.set(key, { value: place[key], source: workspace.source })
  }
}

/** The keys that an address sets; `undefined`: it is not the address of a server. */
function parseServerKeys(workspace: string): Partial<Record<(typeof SERVER_KEYS)[number], string>> | undefined {
  if (isPostgresAddress(workspace)) return { url: workspace }
  return isServerAddress(workspace) ? parseAddress(workspace) : undefined
}
