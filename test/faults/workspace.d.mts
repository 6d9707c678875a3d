import type { Entry, SessionRecord } from '../../src/index.ts'
import type { MemorySettings } from '../../src/memory/settings.ts'
import type { Store } from '../../src/ports/store.ts'
import type { FilesystemStoreOptions } from '../../src/stores/filesystem/store.ts'
import type { Opened } from './scenarios.mjs'

export const AGENTS: readonly string[]
export function scratchFolder(name: string, options?: { readonly onDisk?: boolean }): string
export function openAs(
  n: number,
  root: string,
  options?: Partial<FilesystemStoreOptions>,
  settings?: MemorySettings,
): Promise<Opened>
export function entriesOf(store: Store): Promise<Entry[]>
export function sessionsOf(store: Store): Promise<{ scope: string; key: string; records: SessionRecord[] }[]>
export function stateOf(store: Store): Promise<string>
