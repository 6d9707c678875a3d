/** examples/agent.mjs as a newcomer runs it: the built package, no model configured. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const EXAMPLE = join(import.meta.dirname, '../../examples/agent.mjs')

it('the example remembers, uses its own tool and shows the files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-example-'))
  try {
    const env = { PATH: process.env['PATH'], TMPDIR: folder }
    const { stdout } = await run(process.execPath, [EXAMPLE], { env, timeout: 50_000 })
    expect(stdout.match(/\(calls \w+\)/g)).toEqual(['(calls remember)', '(calls clock)', '(calls recall)'])
    expect(stdout).toContain('agent: Session cleared.')
    expect(stdout).toMatch(/MEMORY\.md\n[\s\S]*heron/)
    expect(stdout).toMatch(/HISTORY-\d{4}-\d\d\.md\n/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
