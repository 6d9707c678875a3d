/** Looking needs no right to write, and says what it may not read. Run as another user where the tests are root. */
import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Ward } from './ward.ts'

const NOBODY = 65_534

async function asNobody<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run()
  process.seteuid?.(NOBODY)
  try {
    return await run()
  } finally {
    process.seteuid?.(0)
  }
}

describe('a folder that can only be read', () => {
  it('is looked at without a complaint about that', async () => {
    const ward = await Ward.healthy()
    // What is loaded on the way is read with the right to.
    await ward.examine()
    chmodSync(ward.folder, 0o755)
    execFileSync('chmod', ['-R', 'a+rX,a-w', ward.root])
    const before = ward.hash()
    const { findings, checked } = await asNobody(() => ward.examine())
    expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(['readable-by-others', 'state-readable']))
    expect(checked.entries).toBeGreaterThan(10)
    expect(ward.hash()).toBe(before)
    execFileSync('chmod', ['-R', 'u+w', ward.root])
  })

  it('is told about where it may not be read', async () => {
    const ward = await Ward.healthy()
    await ward.examine()
    chmodSync(ward.folder, 0o755)
    execFileSync('chmod', ['-R', 'a+rX', ward.root])
    for (const path of ['agents/main/entries/deploys.md', 'agents/main/sessions/chat.jsonl', 'world']) {
      chmodSync(ward.path(path), 0o000)
    }
    const { findings } = await asNobody(() => ward.examine())
    const unreadable = findings.filter(({ code }) => code === 'unreadable')
    expect(unreadable.map(({ path }) => path)).toEqual([
      'agents/main/entries/deploys.md',
      'agents/main/sessions/chat.jsonl',
      'world',
    ])
    chmodSync(ward.path('world'), 0o700)
  })
})
