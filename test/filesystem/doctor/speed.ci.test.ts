import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isNightly } from '../../tier.ts'
import { Ward } from './ward.ts'

/** The nightly run checks ten thousand: work far from linear would run into the test's timeout. */
const FILES = isNightly ? 10_000 : 500

describe(`${FILES} files`, () => {
  it('are each read a few times, however many there are', { timeout: 120_000 }, async () => {
    const ward = await Ward.healthy()
    for (let n = 0; n < FILES; n++) {
      const id = `0197a1b2-c3d4-7e5f-8a9b-${n.toString(16).padStart(12, '0')}`
      ward.write(
        `agents/main/entries/n${n}.md`,
        `---\nname: note ${n}\nid: ${id}\n---\n\n${'The key of it. '.repeat(60)}\n`,
      )
    }
    const opens = vi.spyOn(fs, 'openSync')
    syncBuiltinESMExports()
    onTestFinished(() => {
      opens.mockRestore()
      syncBuiltinESMExports()
    })
    const { findings, checked } = await ward.examine()
    expect(findings).toEqual([])
    expect(checked.entries).toBeGreaterThan(FILES)
    expect(opens.mock.calls.length).toBeGreaterThan(FILES)
    expect(opens.mock.calls.length).toBeLessThan(5 * FILES)
  })
})
