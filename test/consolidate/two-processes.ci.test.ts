/** Many sessions that are condensed at once, by two processes: every history entry once, and no update of the memory lost. */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { talk } from '../session/places.ts'
import { Workspace } from '../session/workspace.ts'
import { isNightly } from '../tier.ts'
import { memoryText } from './models.ts'

const CONSOLIDATE = pathToFileURL(join(import.meta.dirname, '../../dist/consolidate/consolidate.js')).href
const SESSIONS = isNightly ? 64 : 8

describe('two processes', () => {
  let workspace: Workspace
  beforeEach(() => {
    workspace = new Workspace()
  })
  afterEach(() => workspace.remove())

  it('condense all sessions at once', { timeout: 120_000 }, async () => {
    const memory = workspace.open()
    await memory.reflect('# Facts')
    const keys = Array.from({ length: SESSIONS }, (_, n) => `session-${n}`)
    for (const key of keys) await talk(memory.session(key), 1)
    // The model adds a line to the memory that it is shown, and takes a while for it.
    const body = `
      const { consolidate } = await import(${JSON.stringify(CONSOLIDATE)})
      const model = (key) => async (prompt) => {
        await new Promise((resolve) => setTimeout(resolve, 10))
        const facts = prompt.match(/^# Facts$|^- fact of \\S+$/gm) ?? []
        return { content: JSON.stringify({ history_entry: 'About ' + key, memory_update: [...facts, '- fact of ' + key].join('\\n') }) }
      }
      const keys = ${JSON.stringify(keys)}
      const done = await Promise.all(keys.map((key) => consolidate(memory, key, { model: model(key) })))
      return done.map(({ outcome, memory }) => [outcome, memory])`
    const outcomes = (await workspace.elsewhereAtOnce([body, body])) as string[][][] // what the body returns
    for (const [n, key] of keys.entries()) {
      const both = outcomes.map((done) => done[n]?.[0]).sort()
      expect([key, ...both]).toEqual([key, 'condensed', 'nothing'])
    }
    expect(outcomes.flat().filter(([, became]) => became === 'for review')).toEqual([])
    expect((await memoryText(memory))?.split('\n').sort()).toEqual(
      ['# Facts', ...keys.map((key) => `- fact of ${key}`)].sort(),
    )
    const history = await memory.list({ kinds: ['history'] })
    expect(history.map(({ metadata }) => metadata['session']).sort()).toEqual([...keys].sort())
    expect(await memory.list({ kinds: ['archive'] })).toHaveLength(SESSIONS)
    for (const key of keys) expect((await memory.session(key).view()).turns).toEqual([])
  })
})
