/**
 * Every code: the situation that it stands for, how bad it is, that looking changes nothing, and what --fix makes of
 * it.
 */
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CODES, type Code } from '../../../src/stores/disk/doctor/codes.ts'
import { SITUATIONS } from './situations.ts'
import { Ward } from './ward.ts'

const ALL = Object.keys(CODES) as Code[]

describe.each(ALL)('%s', (code) => {
  const { make, path, problem, severity, options = () => ({}) } = SITUATIONS[code]

  it('is found where it is, and looking changes nothing', async () => {
    const ward = await Ward.healthy()
    await make(ward)
    const before = ward.hash()
    const { findings } = await ward.examine(options(ward))
    expect(ward.hash()).toBe(before)
    const found = findings.filter((finding) => finding.code === code)
    expect(found.length, JSON.stringify(findings)).toBeGreaterThan(0)
    for (const finding of found) {
      expect(finding.severity).toBe(severity)
      expect(finding.path).toMatch(typeof path === 'string' ? new RegExp(`^${escaped(path)}$`) : path)
      expect(finding.problem).toMatch(problem)
      expect(finding.hint).toMatch(/^\S.*\S$/)
    }
    expect(findings.filter((finding) => finding.code !== code)).toEqual([])
  })
})

describe.each(ALL.filter((code) => CODES[code].fixable))('%s with --fix', (code) => {
  const { make, options = () => ({}) } = SITUATIONS[code]

  it('is mended, and no text is lost', async () => {
    const ward = await Ward.healthy()
    await make(ward)
    const texts = await ward.texts()
    const { mended, examination, backup, warnings } = await ward.mend(options(ward))
    expect(warnings).toEqual([])
    expect(mended.map((finding) => finding.code)).toContain(code)
    expect(examination.findings.filter((finding) => finding.code === code)).toEqual([])
    expect(existsSync(backup ?? '')).toBe(true)
    expect(await ward.texts()).toEqual(expect.arrayContaining(texts))
    // What was mended stays mended, and the memory can be written to.
    const store = ward.open(options(ward))
    await store.apply({
      operations: [{ op: 'add', scope: 'main', kind: 'experience', content: 'Well again.' }],
      origin: { by: 'agent', agent: 'main' },
    })
    expect((await store.examine()).findings.filter((finding) => finding.fixable)).toEqual([])
    await store.close()
  })
})

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
