/** The examples as a newcomer runs them: the built package, no model configured, no network. agent.mjs has a test of its own. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { freshFolder } from './cli/keepsake.ts'

const EXAMPLES = resolve(import.meta.dirname, '../examples')
const MOST_LINES = 60

async function printedBy(example: string): Promise<string> {
  const folder = freshFolder()
  const { PATH } = process.env
  const env = { PATH, HOME: folder, TMPDIR: folder, KEEPSAKE_EMBEDDING_MODEL: 'none' }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(EXAMPLES, example)], {
    env,
    timeout: 50_000,
  })
  expect(stderr).toBe('')
  return stdout
}

describe.concurrent('an example', () => {
  it('with a loop of its own is given in the second conversation what the first was told', async () => {
    const printed = await printedBy('own-loop.mjs')
    expect(printed.match(/\(calls \w+/g)).toEqual(['(calls remember', '(calls recall'])
    expect(printed).toMatch(/\(given \d+ characters of what is remembered\)/)
    expect(printed.split('What is the staging server called?').at(-1)).toContain('heron')
  })

  it('of a client of the API finds an entry, and is told of a change by another process', async () => {
    const printed = await printedBy('api-client.mjs')
    expect(printed).toBe(
      'found: Deploy checklist - Run the smoke tests first.\ntold of: topic Staging - Its name is heron.\n',
    )
  })

  it.each(readdirSync(EXAMPLES).filter((name) => name.endsWith('.mjs') && name !== 'scripted-model.mjs'))(
    'is short: %s',
    (name) => {
      expect(readFileSync(join(EXAMPLES, name), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(MOST_LINES)
    },
  )
})
