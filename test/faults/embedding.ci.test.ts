// Embedding with a fault at any call it makes, killed, on a full disk, in two processes at once: no entry is lost, vectors are
// right or not there, and the next one goes on where it stopped.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Entry } from '../../src/model/entry.ts'
import { RecallIndex } from '../../src/recall/recall-index.ts'
import { KeptMeaning } from '../../src/recall/vectors/kept-meaning.ts'
import { loadAnalyzer } from '../../src/search/analyzer.ts'
import { stateDifference } from '../../src/testing/index.ts'
import { isNightly } from '../tier.ts'
import { bundled } from './bundled.mjs'
import { Letters, lettersOf } from './letters.mjs'
import { buildShim, cleanEnvironment, type FaultMode, runFaulty, smallTmpfs } from './tools.mjs'

const shim = buildShim()
const worker = bundled('embedding-worker')
/** The nightly run needs more than one block of vectors. */
const ENTRIES = isNightly ? 1100 : 200

let scratch: string
let template: string
let entries: readonly Entry[]

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'keepsake-embedding-faults-'))
  template = join(scratch, 'template')
  const memory = await open(template)
  const texts = Array.from(
    { length: ENTRIES },
    (_, n) => `${String.fromCharCode(97 + (n % 26)).repeat(1 + (n % 17))} ${n}`,
  )
  await memory.apply(texts.map((content) => ({ op: 'add', scope: 'main', kind: 'experience', content })))
  await memory.remember('a heron stands in the reeds', { name: 'heron' })
  await memory.search('heron', { mode: 'lexical' })
  entries = await memory.list()
  await memory.close()
})

afterAll(() => rmSync(scratch, { recursive: true, force: true }))

function open(folder: string): Promise<Memory> {
  return openMemory({ workspace: folder, timezone: 'UTC', embed: new Letters() })
}

function copy(name: string): string {
  const folder = join(scratch, name)
  rmSync(folder, { recursive: true, force: true })
  cpSync(template, folder, { recursive: true })
  return folder
}

/** Nothing is lost; what has a vector has the right one; the rest is embedded. Gives how many pieces that took. */
async function expectWhole(folder: string): Promise<number> {
  const memory = await open(folder)
  try {
    expect(stateDifference(await memory.list(), entries)).toBeUndefined()
    await expectRight(memory)
    const { embedded } = await memory.embed()
    expect(await memory.embeddings()).toMatchObject({ entries: entries.length, pending: 0 })
    expect(await expectRight(memory)).toBe(entries.length)
    return embedded
  } finally {
    await memory.close()
  }
}

/** The vectors that are in the files, each against its text. Gives how many there are. */
async function expectRight({ store }: Memory): Promise<number> {
  const scopes = ['world', 'main']
  const index = new RecallIndex(store, scopes, await loadAnalyzer('en'))
  const meaning = new KeptMeaning(store, scopes, new Letters())
  await index.inStep(() => undefined, { meaning })
  const cosines = entries.map(({ id, content }) => meaning.view(lettersOf(content)).cosines([id]).get(id))
  const found = cosines.filter((cosine) => cosine !== undefined)
  expect(found.filter((cosine) => Math.abs(cosine - 1) > 1e-5)).toEqual([])
  expect(meaning.pending).toBe(entries.length - found.length)
  return found.length
}

async function faults(folder: string, at: number, mode: FaultMode, sticky = false): Promise<number | null> {
  const { status } = await runFaulty({ args: [worker, folder], root: folder, at, mode, ...(sticky ? { sticky } : {}) })
  return status
}

describe.skipIf('missing' in shim)('a fault at any call', () => {
  let calls = 0
  beforeAll(async () => {
    const folder = copy('counted')
    const ended = await runFaulty({ args: [worker, folder], root: folder })
    calls = ended.calls.length
    expect(ended.status).toBe(0)
    expect(await expectWhole(folder)).toBe(0)
  })

  it.each(['kill', 'kill-half'] as const)(
    '%s loses no entry, and no vector is wrong',
    { timeout: 600_000 },
    async (mode) => {
      const step = isNightly ? 1 : Math.ceil(calls / (mode === 'kill' ? 4 : 2))
      for (let at = mode === 'kill' ? 1 : 2; at <= calls; at += step) {
        const folder = copy(mode)
        await faults(folder, at, mode)
        await expectWhole(folder)
      }
    },
  )

  it.each(['errno:EIO', 'errno:ENOSPC', 'errno:EROFS', 'short:ENOSPC'] as const)(
    '%s from there on is survived',
    { timeout: 600_000 },
    async (mode) => {
      for (let at = isNightly ? 1 : calls >> 1; at <= calls; at += isNightly ? 2 : calls) {
        const folder = copy(mode.replace(':', '-'))
        await faults(folder, at, mode, true)
        await expectWhole(folder)
      }
    },
  )
})

describe('two processes', () => {
  it('embed at once, and one is killed: nothing is lost, and most is not done twice', {
    timeout: 120_000,
  }, async () => {
    for (let round = 0; round < (isNightly ? 20 : 1); round++) {
      const folder = copy('two')
      const children = [start(folder, 20), start(folder, 20)]
      await Promise.all(children.map((child) => once(child.stdout ?? child, 'data')))
      await new Promise((resolve) => setTimeout(resolve, 30 + 20 * round))
      children[round % 2]?.kill('SIGKILL')
      await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
      await expectWhole(folder)
    }
  })
})

function start(folder: string, pauseMs: number): ChildProcess {
  return spawn(process.execPath, [worker, folder, String(pauseMs)], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

it('a full disk keeps vectors in RAM, and they are kept when there is room', async ({ skip }) => {
  const disk = smallTmpfs(4 * 1024 * 1024)
  if ('missing' in disk) {
    console.warn(`SKIPPED: ${disk.missing}`)
    return skip(disk.missing)
  }
  try {
    const folder = join(disk.folder, 'ws')
    cpSync(template, folder, { recursive: true })
    disk.fill(16 * 1024)
    const memory = await open(folder)
    expect(await memory.embed()).toMatchObject({ entries: entries.length, pending: 0 })
    expect(await expectRight(memory)).toBeLessThan(entries.length)
    const { hits } = await memory.search('a heron stands in the reeds', { mode: 'semantic' })
    expect(hits[0]?.entry.name).toBe('heron')
    disk.release()
    expect(await memory.embed()).toMatchObject({ embedded: 0, pending: 0 })
    await memory.close()
    expect(await expectWhole(folder)).toBe(0)
  } finally {
    disk.free()
  }
})
