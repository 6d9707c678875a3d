/** The tiers of the tests: every file is in exactly one project, every project in one stage, and the budgets add up. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, matchesGlob, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { STAGES } from '../scripts/stages.mjs'
import { PROJECTS } from '../vitest.config.ts'

const ROOT = resolve(import.meta.dirname, '..')
const FILES = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `${folder}/${file}`),
)

function findProjects(file: string): string[] {
  return Object.entries(PROJECTS).flatMap(([name, { include, exclude = [] }]) => {
    const isIn = (globs: readonly string[]): boolean => globs.some((glob) => matchesGlob(file, glob))
    return isIn(include) && !isIn(exclude) ? name : []
  })
}

const sumBudgets = (stages: readonly { readonly budgetSeconds?: number }[]): number =>
  stages.reduce((sum, { budgetSeconds = 0 }) => sum + budgetSeconds, 0)

describe('the tiers', () => {
  it('put every test file in exactly one project', () => {
    expect(FILES.length).toBeGreaterThan(300)
    expect(FILES.filter((file) => findProjects(file).length !== 1)).toEqual([])
  })

  it('run every project but the nightly one in exactly one stage', () => {
    const names = [...STAGES.test, ...STAGES.ci].map(({ name }) => name)
    const notInOneStage = Object.keys(PROJECTS).filter((name) => names.filter((each) => each === name).length !== 1)
    expect(notInOneStage).toEqual(['nightly'])
  })

  it('have budgets of at most 100, 350 and 2,600 CPU seconds', () => {
    expect(sumBudgets(STAGES.unit)).toBeLessThanOrEqual(100)
    expect(sumBudgets(STAGES.test)).toBeLessThanOrEqual(350)
    expect(sumBudgets([...STAGES.test, ...STAGES.ci])).toBeLessThanOrEqual(2600)
    expect([...STAGES.test, ...STAGES.ci].filter(({ budgetSeconds }) => budgetSeconds === undefined)).toEqual([])
  })

  it('let no unit test measure time or sleep', () => {
    const unit = FILES.filter((file) => findProjects(file).includes('unit'))
    const clocks =
      /\bperformance\.now\(|\bprocess\.(?:hrtime|cpuUsage)\b|timers\/promises|\bDate\.now\(\) -|[^.]setTimeout\(/
    expect(unit.filter((file) => clocks.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([])
  })
})
