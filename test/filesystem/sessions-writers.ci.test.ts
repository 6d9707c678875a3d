/** Processes that append to one session at once, and one that reads meanwhile: all is there, whole, in each writer's order. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SessionRecord } from '../../src/ports/store.ts'
import { type FilesystemStore, filesystemStore } from '../../src/stores/filesystem/store.ts'
import { isNightly } from '../tier.ts'

const WRITERS = 8
const TURNS = isNightly ? 500 : 40
const SWAPS = isNightly ? 20 : 4
const PROGRAM = join(import.meta.dirname, 'session-writer.mjs')

let root: string
let store: FilesystemStore
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'keepsake-writers-'))
  store = filesystemStore({ root, timezone: 'UTC' })
})
afterEach(async () => {
  await store.close()
  rmSync(root, { recursive: true, force: true })
})

interface Told {
  readonly longestMs: number
  readonly tookMs: number
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams
  readonly ready: Promise<void>
  readonly ended: Promise<Told>
}

function start(writer: string): Started {
  const child = spawn(process.execPath, [PROGRAM, root, writer, String(TURNS), String(SWAPS)], { stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ready = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (stdout.startsWith('ready\n')) resolve()
    })
    child.on('close', () => resolve())
  })
  const ended = new Promise<Told>((resolve, reject) => {
    child.on('close', (status) => {
      if (status === 0)
        resolve(JSON.parse(stdout.slice('ready\n'.length)) as Told) // by our own program
      else reject(new Error(`${writer} ended with ${status}: ${stderr}`))
    })
  })
  return { child, ready, ended }
}

/** The turns of each writer, checked to be whole, once each and in its order. */
function countOf(records: readonly SessionRecord[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (let at = 0; at < records.length; at++) {
    const { writer, n, part, text } = records[at] ?? {}
    const expected = counts.get(String(writer)) ?? 0
    expect([n, part, text]).toEqual([expected, 0, `${writer} ${n} `.repeat(1 + ((expected * 31) % 90))])
    if (expected % 5 === 0) expect(records[++at]).toEqual({ writer, n, part: 1, text })
    counts.set(String(writer), expected + 1)
  }
  return counts
}

async function readBack(): Promise<SessionRecord[]> {
  const pages: (readonly SessionRecord[])[] = []
  for (let before: number | undefined; before !== 0; ) {
    const page = await store.sessions.readBefore('main', 'chat', before)
    if (!page) return []
    expect([page.broken, page.restarted]).toEqual([[], undefined])
    pages.unshift(page.records)
    before = page.start
  }
  return pages.flat()
}

const timeout = isNightly ? 300_000 : 60_000
it(`${WRITERS} processes append ${TURNS} turns each to one session, and none is lost`, { timeout }, async () => {
  const writers = Array.from({ length: WRITERS }, (_, n) => start(`w${n}`))
  await Promise.all(writers.map(({ ready }) => ready))
  for (const { child } of writers) child.stdin.end()
  const told = Promise.all(writers.map(({ ended }) => ended))
  let running = true
  const stop = (): void => {
    running = false
  }
  told.then(stop, stop)
  for (let pages = 0; running; pages++) {
    // Whole appends in each writer's order, at every moment; in full every tenth look is enough.
    if (!isNightly || pages % 10 === 0) countOf(await readBack())
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const longest = await told
  const counts = countOf(await readBack())
  expect([...counts.values()]).toEqual(Array(WRITERS).fill(TURNS))
  const forward = await store.sessions.read('main', 'chat')
  expect(forward?.records).toEqual(await readBack())
  expect(readFileSync(join(root, 'agents/main/sessions/chat.jsonl'), 'utf8').split('\n').length).toBe(
    WRITERS * TURNS + 2,
  )
  // Compare-and-swap across processes: no step of the counter was made twice, or lost.
  const counter = await store.sessions.read('main', 'counter')
  expect(counter?.records.map(({ value }) => value)).toEqual(Array.from({ length: WRITERS * SWAPS }, (_, n) => n + 1))
  if (isNightly) console.log(`appends by process, in ms: ${JSON.stringify(longest)}`)
})
