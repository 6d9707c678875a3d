import { describe, expect, it } from 'vitest'
import { Ward } from './ward.ts'

/** KEEPSAKE_FAULTS=full, as .ci/run sets it, looks at ten thousand. */
const FILES = process.env['KEEPSAKE_FAULTS'] === 'full' ? 10_000 : 1_500

describe(`${FILES} files`, () => {
  it('are looked at within seconds', { timeout: 120_000 }, async () => {
    const ward = await Ward.healthy()
    for (let n = 0; n < FILES; n++) {
      const id = `0197a1b2-c3d4-7e5f-8a9b-${n.toString(16).padStart(12, '0')}`
      ward.write(
        `agents/main/entries/n${n}.md`,
        `---\nname: note ${n}\nid: ${id}\n---\n\n${'The key of it. '.repeat(60)}\n`,
      )
    }
    const started = process.cpuUsage()
    const { findings, checked } = await ward.examine()
    // Not by the clock on the wall: other tests run beside this one.
    const { user, system } = process.cpuUsage(started)
    const seconds = (user + system) / 1e6
    expect(findings).toEqual([])
    expect(checked.entries).toBeGreaterThan(FILES)
    expect(seconds).toBeLessThan(1 + FILES / 2000)
  })
})
