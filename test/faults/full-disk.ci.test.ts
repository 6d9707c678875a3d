// A disk that fills up: a clear error, nothing promised falsely, the old state as it was, and all well again when there is
// room. A small tmpfs is the disk. A folder has files to write behind what makes a write durable, and may do that later; one
// file has not.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { examineFile } from '../../src/stores/doctor/file.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { stateDifference } from '../../src/testing/index.ts'
import { checkWorkspace } from './invariants.mjs'
import { type SmallTmpfs, smallTmpfs } from './tools.mjs'
import { rootIn, STORES, type StoreName, scratchFolder } from './workspace.mjs'

const DISK_BYTES = 2 * 1024 * 1024

function withDisk(
  run: (disk: SmallTmpfs) => Promise<void>,
): (context: { skip(reason: string): void }) => Promise<void> {
  return async ({ skip }) => {
    const disk = smallTmpfs(DISK_BYTES)
    if ('missing' in disk) {
      console.warn(`SKIPPED: ${disk.missing}`)
      return skip(disk.missing)
    }
    try {
      await run(disk)
    } finally {
      disk.free()
    }
  }
}

function open(root: string, name: StoreName): Memory {
  const store =
    name === 'file' ? fileStore({ path: root, timezone: 'UTC' }) : filesystemStore({ root, timezone: 'UTC' })
  return new Memory(store, 'main', Date.now)
}

function rootOn({ folder }: SmallTmpfs, store: StoreName): string {
  mkdirSync(join(folder, 'ws'), { mode: 0o700 })
  return rootIn(join(folder, 'ws'), store)
}

it(
  'with no room at all: a memory in one file is read, reported as intact, and written again when there is room',
  withDisk(async (disk) => {
    const path = join(disk.folder, 'memory.keepsake')
    const before = open(path, 'file')
    await before.remember('before')
    await before.close()
    disk.fill(0)
    expect((await examineFile(path)).findings).toEqual([])
    const memory = open(path, 'file')
    expect((await memory.list()).map(({ content }) => content)).toEqual(['before'])
    await expect(memory.remember('lost')).rejects.toMatchObject({ code: 'IO', hint: expect.stringContaining('full') })
    disk.release()
    await memory.remember('room again')
    expect((await memory.list()).map(({ content }) => content)).toEqual(['before', 'room again'])
    await memory.close()
    expect(readdirSync(disk.folder)).toEqual(['memory.keepsake'])
  }),
)

it(
  'with no room at all: the -wal of a killed process stays, and the disk is named as the reason',
  withDisk(async (disk) => {
    const folder = scratchFolder('full-disk')
    const [away, path] = [join(folder, 'memory.keepsake'), join(disk.folder, 'memory.keepsake')]
    const killed = open(away, 'file')
    await killed.remember('acknowledged')
    for (const end of ['', '-wal']) copyFileSync(away + end, path + end)
    await killed.close()
    rmSync(folder, { recursive: true })
    disk.fill(0)
    const memory = open(path, 'file')
    await expect(memory.list()).rejects.toMatchObject({ code: 'IO', hint: expect.stringContaining('full') })
    const { findings } = await examineFile(path)
    expect(findings.map(({ code }) => code)).toEqual(['unreadable'])
    disk.release()
    expect((await memory.list()).map(({ content }) => content)).toEqual(['acknowledged'])
    await memory.close()
  }),
)

describe.each(STORES)('a full disk (%s)', (store) => {
  it(
    'says so, loses nothing, and works again when there is room',
    withDisk(async (disk) => {
      const root = rootOn(disk, store)
      let memory = open(root, store)
      await memory.learnFact('deploys', 'We deploy on Tuesdays')
      disk.fill(64 * 1024)
      const kept: string[] = []
      let failure: unknown
      for (let n = 0; n < 500 && failure === undefined; n++) {
        const text = `${n} ${'x'.repeat(1500)}`
        try {
          await memory.remember(text, n % 2 === 0 ? {} : { name: `Note ${n}` })
          kept.push(text)
        } catch (error) {
          failure = error
        }
      }
      expect(failure).toMatchObject({ code: 'IO', hint: expect.stringContaining('full') })
      const contents = async (): Promise<string[]> => (await memory.list()).map((entry) => entry.content).sort()
      const expected = ['We deploy on Tuesdays', ...kept].sort()
      expect(await contents()).toEqual(expected)
      await expect(memory.learnFact('deploys', 'y'.repeat(20_000))).rejects.toMatchObject({ code: 'IO' })
      await memory.close()
      memory = open(root, store)
      expect(await contents()).toEqual(expected)
      disk.release()
      await memory.remember('room again')
      expect(await contents()).toEqual([...expected, 'room again'].sort())
      const before = await memory.list()
      await memory.close()
      memory = open(root, store)
      expect(stateDifference(await memory.list(), before)).toBeUndefined()
      await memory.close()
    }),
  )

  it(
    'promises all or nothing of eight that come at once',
    withDisk(async (disk) => {
      const root = rootOn(disk, store)
      let memory = open(root, store)
      await memory.remember('before')
      disk.fill(24 * 1024)
      const writes = Array.from({ length: 8 }, (_, n) =>
        memory.remember(`${n} ${'z'.repeat(2500)}`, { name: `Note ${n}` }),
      )
      const outcomes = await Promise.allSettled(writes)
      const promised = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.entry.id] : []))
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
      for (const error of refused) expect(error).toMatchObject({ code: 'IO', hint: expect.any(String) })
      await memory.close()
      memory = open(root, store)
      const ids = (await memory.list({ kinds: ['note'] })).map((entry) => entry.id)
      expect(ids.sort()).toEqual(promised.sort())
      disk.release()
      await memory.remember('after')
      expect((await memory.list({ kinds: ['note'] })).map((entry) => entry.id).sort()).toEqual(promised)
      await memory.close()
    }),
  )

  it(
    'takes a batch of eight files whole or not at all, wherever in it the disk fills',
    withDisk(async (disk) => {
      const root = rootOn(disk, store)
      let memory = open(root, store)
      await memory.remember('before')
      const outcomes = new Set<string>()
      for (let leave = 0; leave <= 160 * 1024; leave += 16 * 1024) {
        const batch = Array.from({ length: 8 }, (_, n) => `${leave} ${n} ${'z'.repeat(4000)}`)
        const before = await memory.list()
        disk.fill(leave)
        const wanted = batch.map((content, n) => {
          return { op: 'add', scope: 'main', kind: 'note', name: `Note ${leave} ${n}`, content } as const
        })
        const outcome = await memory.apply(wanted).then(
          ({ warnings }) => (warnings.length === 0 ? 'done' : 'done, files later'),
          (error) => error.code,
        )
        outcomes.add(outcome)
        const there = (await memory.list()).filter(({ content }) => batch.includes(content))
        expect(there).toHaveLength(outcome === 'IO' ? 0 : 8)
        disk.release()
        if (outcome === 'IO') expect(stateDifference(await memory.list(), before)).toBeUndefined()
        await memory.remember(`room again ${leave}`)
      }
      expect([...outcomes].sort()).toEqual(store === 'file' ? ['IO', 'done'] : ['IO', 'done', 'done, files later'])
      const after = await memory.list()
      await memory.close()
      memory = open(root, store)
      expect(stateDifference(await memory.list(), after)).toBeUndefined()
      await memory.close()
      await checkWorkspace(root)
    }),
  )
})
