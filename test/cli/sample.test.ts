/** What `npm start` shows. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cleanEnvironment, freshFolder, type Ran, treeHash } from './keepsake.ts'

function start(cwd: string): Ran {
  const script = resolve(import.meta.dirname, '../../scripts/sample.mjs')
  return spawnSync(process.execPath, [script], { cwd, env: cleanEnvironment(cwd), encoding: 'utf8' })
}

describe('the sample', () => {
  it('shows commands, files and a first recall, afresh each time', () => {
    const folder = freshFolder()
    for (let time = 1; time <= 2; time++) {
      const { status, stdout, stderr } = start(folder)
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toContain('$ keepsake init --workspace sample')
      expect(stdout).toContain('sample/agents/main/entries/deploys.md')
      expect(stdout).toContain('# Recent Experiences')
      expect(stdout.match(/The staging server moved to the new rack\./g)).toHaveLength(3)
      expect(existsSync(join(folder, 'sample/keepsake.yaml'))).toBe(true)
    }
  })

  it("leaves a folder alone that is someone else's", () => {
    const folder = freshFolder()
    mkdirSync(join(folder, 'sample'))
    writeFileSync(join(folder, 'sample/data.txt'), 'precious')
    const before = treeHash(folder)
    const { status, stderr } = start(folder)
    expect(status).toBe(1)
    expect(stderr).toContain('move it away')
    expect(treeHash(folder)).toBe(before)
  })
})
