// The lock beside the one file is removed when nobody needs it. Processes that take it, let go of it and remove it are stopped at
// any point of that for longer than the others need to begin anew, and some are killed; no two of them ever hold it.
// KEEPSAKE_FAULTS=full does so for a minute.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removeLock } from '../../src/stores/disk/lock.ts'

const WORKER = resolve(import.meta.dirname, 'sidecar-worker.mjs')
const WORKERS = 5
const RUN_MS = process.env['KEEPSAKE_FAULTS'] === 'full' ? 60_000 : 800
const KILL_EVERY = 60

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-sidecar-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

it('is never held by two, however often its folder is removed and begun anew', {
  timeout: RUN_MS + 60_000,
}, async () => {
  const lines: string[] = []
  const problems: string[] = []
  const ended: Promise<void>[] = []
  const begin = (): ChildProcess => {
    const child = spawn(process.execPath, [WORKER, folder], { stdio: ['pipe', 'pipe', 'pipe'] })
    let told = ''
    child.stdout.on('data', (data: Buffer) => {
      told += data.toString()
    })
    child.stderr.on('data', (data: Buffer) => problems.push(data.toString()))
    ended.push(
      new Promise((done) => {
        child.on('close', () => {
          // Of one that was killed the last line may be cut.
          lines.push(...told.split('\n').slice(0, -1))
          done()
        })
      }),
    )
    return child
  }
  const children = Array.from({ length: WORKERS }, begin)
  await sleep(300)
  const started = performance.now()
  for (let round = 1; performance.now() - started < RUN_MS; round++) {
    const index = Math.floor(Math.random() * WORKERS)
    const child = children[index]
    if (round % KILL_EVERY === 0) {
      child?.kill('SIGKILL')
      children[index] = begin()
      continue
    }
    child?.kill('SIGSTOP')
    await sleep(Math.random() * 12)
    child?.kill('SIGCONT')
    await sleep(Math.random() * 2)
  }
  for (const child of children) child.stdin?.end()
  await Promise.all(ended)

  expect(problems.join('')).toBe('')
  expect(lines.filter((line) => line.startsWith('!'))).toEqual([])
  expect(lines.length).toBeGreaterThan(RUN_MS / 20)
  expect(new Set(lines).size).toBe(lines.length)
  expect(removeLock(join(folder, 'memory.keepsake.lock'))).toBe(true)
  expect(existsSync(join(folder, 'memory.keepsake.lock'))).toBe(false)
})
