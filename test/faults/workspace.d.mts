import type { Entry, SessionRecord } from '../../src/index.ts'
import type { MemorySettings } from '../../src/memory/settings.ts'
import type { Store } from '../../src/ports/store.ts'
import type { FilesystemStoreOptions } from '../../src/stores/filesystem/store.ts'
import type { Opened } from './scenarios.mjs'

export const AGENTS: readonly string[]
/** `file`: the whole memory in one file. */
export type StoreName = 'folder' | 'file'
export const STORES: readonly StoreName[]
/** The path of a workspace, in a folder for it alone. */
export function rootIn(folder: string, store: StoreName): string
export function isOneFile(root: string): boolean
/** What faults strike: the workspace, or the folder that the file is in. */
export function folderOf(root: string): string
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
