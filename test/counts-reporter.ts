/**
 * One plain closing line, `N passed, N failed, N skipped`, for programs to parse, and why tests were skipped. Writes the
 * same numbers to the file in KEEPSAKE_COUNTS, for scripts/stages.mjs.
 */
import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length
    const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
    const skipped = tests.filter((test) => test.result().state === 'skipped')
    for (const test of skipped) {
      console.log(`SKIPPED ${test.module.relativeModuleId}: ${test.fullName}${noteOf(test) ? `: ${noteOf(test)}` : ''}`)
    }
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
    const file = process.env['KEEPSAKE_COUNTS']
    // A test skipped at run time has a note: the machine does not let it mount, or switch users.
    if (file)
      writeFileSync(
        file,
        JSON.stringify({ ...counts, unexplainedSkips: skipped.filter((test) => !noteOf(test)).length }),
      )
  }
}

function noteOf(test: TestCase): string | undefined {
  const result = test.result()
  return result.state === 'skipped' ? result.note : undefined
}
