/** What is learned of a file holds no longer than the file stays as it was when it was read. */
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import type { Entry } from '../../model/entry.ts'
import { hashBytes, TICK_MS } from '../disk/reading.ts'
import { type Place, placeOf } from './layout.ts'
import { filesystemStore } from './store.ts'
import { Workspace } from './workspace.ts'
import { readSettings } from './workspace-settings.ts'

let base: string
let root: string
let workspace: Workspace
let place: Place
let id: string

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-file-reader-'))
  root = join(base, 'ws')
  const store = filesystemStore({ root, timezone: 'UTC' })
  const entries: Entry[] = []
  for (const content of ['We deploy on Tuesdays.', 'The gate opens at nine.']) {
    const operations = [{ op: 'add', scope: 'main', kind: 'experience', content } as const]
    entries.push(...(await store.apply({ operations, origin: { by: 'agent' } })).entries)
  }
  await store.close()
  const settings = readSettings(root, parse)
  if (!settings || !entries[0]) throw new Error('nothing was written')
  id = entries[0].id
  workspace = new Workspace({
    root,
    settings,
    pinned: true,
    readPinned: () => settings,
    agent: 'main',
    identityFile: undefined,
    yaml: parse,
  })
  workspace.catchUp()
  place = placeOf(workspace.layout, entries[0], entries[0].path ?? '')
  passTick()
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(base, { recursive: true, force: true })
})

/** Within a tick, two saves can have the same ctime. */
function passTick(): void {
  vi.setSystemTime(statSync(join(root, place.path)).ctimeMs + TICK_MS + 1)
}

function said(): string | undefined {
  workspace.catchUp()
  return workspace.files.view().get(id)?.content
}

function edited(): string {
  return readFileSync(join(root, place.path), 'utf8').replace('Tuesdays', 'Thursday')
}

describe('a log', () => {
  it('that was saved while it was compared, at the same length, is not taken for what was compared', async () => {
    const seen = workspace.files.see(place)
    writeFileSync(join(root, place.path), edited())
    passTick()
    expect(workspace.files.compare(place, seen).edits).toEqual([])
    expect(workspace.files.inspect(place).edits).toHaveLength(1)
  })

  it('is read anew for all of its entries once a change tells of one that a hand wrote', async () => {
    writeFileSync(join(root, place.path), `${readFileSync(join(root, place.path), 'utf8')}\n## 23:59\n\nBy hand.\n`)
    passTick()
    expect(said()).toBe('We deploy on Tuesdays.')
    const store = filesystemStore({ root })
    await store.absorb()
    await store.close()
    workspace.catchUp()
    const view = workspace.files.view()
    const seqs = [...workspace.catalog.idsAt(place.path)].map((one) => view.get(one)?.seq)
    expect(seqs.sort()).toEqual([1, 2, 3])
  })

  it('is read again after every save, though none changes its length', () => {
    expect(said()).toBe('We deploy on Tuesdays.')
    writeFileSync(join(root, place.path), edited())
    expect(said()).toBe('We deploy on Thursday.')
    writeFileSync(join(root, place.path), edited().replace('Thursday', 'Saturday'))
    expect(said()).toBe('We deploy on Saturday.')
  })

  it('has the same entries whether its hash is known or every entry is hashed, and those of a changed one differ', () => {
    const known = workspace.catalog.files.get(place.path)
    const bytes = readFileSync(join(root, place.path))
    if (!known) throw new Error('the log is not known')
    known.hash = undefined
    const byEntry = workspace.files.see(place)?.said.entries
    known.hash = hashBytes(bytes)
    expect(workspace.files.bytesOf(place.path).isAsKnown).toBe(true)
    expect(workspace.files.see(place)?.said.entries).toEqual(byEntry)
    writeFileSync(join(root, place.path), edited())
    expect(workspace.files.bytesOf(place.path).isAsKnown).toBe(false)
    const [first, second] = workspace.files.see(place)?.said.entries ?? []
    expect(first?.revision).not.toBe(byEntry?.[0]?.revision)
    expect(first?.origin).toEqual({ by: 'hand' })
    expect(second).toEqual(byEntry?.[1])
  })

  it('gives each entry alone as it gives them all, also one whose id stands in the text of another', async () => {
    const store = filesystemStore({ root })
    const add = { op: 'add', scope: 'main', kind: 'experience' } as const
    const operations = ['## 09:00', 'two\n\n## not a heading', 'three', 'four'].map((content) => ({ ...add, content }))
    const { entries } = await store.apply({ operations, origin: { by: 'agent' } })
    const quoting = { op: 'write', id, content: `as ${entries[3]?.id} says` } as const
    await store.apply({ operations: [quoting], origin: { by: 'agent' } })
    await store.close()
    passTick()
    workspace.catchUp()
    expect(workspace.files.bytesOf(place.path).isAsKnown).toBe(true)
    const all = workspace.files.see(place)?.said.entries ?? []
    expect(all).toHaveLength(6)
    for (const entry of all) {
      workspace.startOver()
      expect(workspace.files.view().get(entry.id)).toEqual(entry)
    }
    const view = workspace.files.view()
    expect(all.map((entry) => view.get(entry.id))).toEqual(all)
  })

  it('that could not be read is read again, though it has not changed since', () => {
    const folder = join(root, place.path, '..')
    renameSync(folder, join(base, 'elsewhere'))
    symlinkSync(join(base, 'elsewhere'), folder)
    expect(said(), 'through a link').toBeUndefined()
    rmSync(folder)
    renameSync(join(base, 'elsewhere'), folder)
    expect(said()).toBe('We deploy on Tuesdays.')
  })

  it('that was still to be written is read again once it is not', () => {
    const before = hashBytes(readFileSync(join(root, place.path)))
    workspace.catalog.unproved.set(place.path, { change: 1, earlier: new Set([before]), text: edited(), appends: [] })
    expect(workspace.files.view().get(id)?.content).toBe('We deploy on Thursday.')
    workspace.catalog.unproved.clear()
    expect(workspace.files.view().get(id)?.content).toBe('We deploy on Tuesdays.')
  })
})
