/** A stage fails for what its command does, for CPU time above its budget, and in CI for tests that were skipped without a reason. */
import { afterEach, expect, it, vi } from 'vitest'
import { runStage } from '../scripts/stages.mjs'

afterEach(() => {
  vi.unstubAllEnvs()
})

const countsWith = (unexplainedSkips: number): string =>
  `echo '${JSON.stringify({ passed: 1, failed: 0, skipped: 1, unexplainedSkips })}' > "$KEEPSAKE_COUNTS"`

const BUSY = "node -e 'for (let n = 0; n < 3e8; n++);'"

it.each([
  ['passes within its budget', 'node -e 0', 60, undefined],
  // Short processes can count as no time at all.
  ['fails over its budget, child processes included', BUSY, 0, 'more than its 0 s'],
  ['fails with its command', 'exit 3', 60, 'failed with 3'],
  ['fails when its shell is killed', 'kill -9 $$; sleep 60', 60, 'failed with'],
  ['passes when every skipped test gave a reason', countsWith(0), 60, undefined],
  ['fails when a test was skipped without one', countsWith(1), 60, 'skipped 1 tests'],
])('%s', async (_, command, budgetSeconds, problem) => {
  vi.stubEnv('KEEPSAKE_NO_SKIPS', '1')
  const result = await runStage({ name: 'stage', command, budgetSeconds }, 'test')
  expect(result.problem).toEqual(problem === undefined ? undefined : expect.stringContaining(problem))
})

it('lets tests be skipped outside CI', async () => {
  vi.stubEnv('KEEPSAKE_NO_SKIPS', '')
  const { problem } = await runStage({ name: 'stage', command: countsWith(1), budgetSeconds: 60 }, 'test')
  expect(problem).toBeUndefined()
})
