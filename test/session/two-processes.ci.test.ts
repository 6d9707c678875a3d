/** Two processes at one session: what both do at once is done once, and what each says is there. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { isNightly } from '../tier.ts'
import { talk } from './places.ts'
import { Workspace } from './workspace.ts'

const ROUNDS = isNightly ? 40 : 5
const TURNS = isNightly ? 500 : 20

interface Done {
  readonly compacted: readonly boolean[]
  readonly added: number
  /** For each session, whether an archive was made. */
  readonly condensed: readonly boolean[]
}

describe('two processes', () => {
  let workspace: Workspace
  beforeEach(() => {
    workspace = new Workspace()
  })
  afterEach(() => workspace.remove())

  it('compact, import and speak at once', { timeout: 120_000 }, async () => {
    const memory = workspace.open()
    for (let n = 0; n < ROUNDS; n++) await talk(memory.session(`race ${n}`), 1, 2)
    for (let n = 0; n < ROUNDS; n++) await talk(memory.session(`condensed ${n}`), 1, 2)
    await memory.reflect('- a line')
    const body = (who: string): string => `
      const compacted = []
      for (let n = 0; n < ${ROUNDS}; n++) {
        compacted.push((await memory.session('race ' + n).compact({ summary: 'by ${who}' })).compacted)
      }
      const condensed = []
      for (let n = 0; n < ${ROUNDS}; n++) {
        const text = '${who} ' + n
        const beside = async ({ id }) => {
          const [{ id: main, revision, content }] = await memory.list({ kinds: ['memory'] })
          const history = { op: 'add', scope: 'main', kind: 'history', content: text, metadata: { archive: id } }
          return { operations: [history, { op: 'write', id: main, content: content + '\\n- ' + text }], expect: { [main]: revision } }
        }
        const isRaw = '${who}' === 'one' && n % 2 === 1
        const summary = () => ({ text, beside, ...(isRaw ? { raw: true } : {}) })
        condensed.push((await memory.session('condensed ' + n).compact({ summary })).compacted)
      }
      const turns = Array.from({ length: 300 }, (_, n) => ({ id: 'source:' + n, role: 'user', content: 'said ' + n }))
      const { added } = await memory.session('imported').import(turns)
      for (let n = 0; n < ${TURNS}; n++) {
        await memory.session('spoken').append({ role: 'user', content: '${who} ' + n })
      }
      return { compacted, added, condensed }`
    const [one, other] = (await workspace.elsewhereAtOnce(['one', 'other'].map(body))) as Done[] // what the body returns
    for (let n = 0; n < ROUNDS; n++) {
      expect([one?.compacted[n], other?.compacted[n]].filter(Boolean)).toHaveLength(1)
      const { archive, turns } = await memory.session(`race ${n}`).view()
      expect(archive?.content).toBe(one?.compacted[n] ? 'by one' : 'by other')
      expect(turns).toEqual([])
    }
    await checkCondensed(memory, one, other)
    const archives = (await memory.list({ kinds: ['archive'] })).filter(({ name }) => name?.startsWith('race'))
    expect(archives.map(({ name }) => name).sort()).toEqual(
      Array.from({ length: ROUNDS }, (_, n) => `race ${n}-1`).sort(),
    )
    expect((one?.added ?? 0) + (other?.added ?? 0)).toBe(300)
    const imported = await memory.session('imported').transcript()
    expect(imported.turns.map(({ id }) => id)).toEqual(Array.from({ length: 300 }, (_, n) => `source:${n}`))
    const { turns: spoken } = await memory.session('spoken').transcript()
    for (const who of ['one', 'other']) {
      const own = spoken.map(({ content }) => content).filter((text) => text.startsWith(`${who} `))
      expect(own).toEqual(Array.from({ length: TURNS }, (_, n) => `${who} ${n}`))
    }
    const conversation = (await memory.list({ kinds: ['conversation'] })).map(({ content }) => content)
    const slid = spoken.slice(0, -5).map(({ content }) => content)
    expect(conversation.filter((text) => /^(?:one|other) /.test(text)).sort()).toEqual(slid.sort())
    expect(conversation.filter((text) => text.startsWith('said '))).toHaveLength(295)
  })
})

/** One archive of each, the summary rather than what one process kept raw; and all that was written beside, once. */
async function checkCondensed(memory: Memory, one?: Done, other?: Done): Promise<void> {
  const written: string[] = []
  for (let n = 0; n < ROUNDS; n++) {
    const [isOnes, isOthers] = [one?.condensed[n] === true, other?.condensed[n] === true]
    if (isOnes) written.push(`one ${n}`)
    if (isOthers) written.push(`other ${n}`)
    expect(n % 2 === 1 ? isOthers : isOnes !== isOthers).toBe(true)
    const { archive, turns } = await memory.session(`condensed ${n}`).view()
    expect([archive?.content, turns]).toEqual([isOthers ? `other ${n}` : `one ${n}`, []])
  }
  const archives = await memory.list({ kinds: ['archive'], where: [{ key: 'raw', op: '=', value: true }] })
  expect(archives).toEqual([])
  const history = (await memory.list({ kinds: ['history'] })).map(({ content }) => content)
  expect(history.sort()).toEqual(written.toSorted())
  const lines = (await memory.list({ kinds: ['memory'] }))[0]?.content.split('\n') ?? []
  expect(lines.sort()).toEqual(['- a line', ...written.map((text) => `- ${text}`)].sort())
}
