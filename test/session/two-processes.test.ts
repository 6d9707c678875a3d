/** Two processes at one session: what both do at once is done once, and what each says is there. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { talk } from './places.ts'
import { Workspace } from './workspace.ts'

const ROUNDS = process.env['KEEPSAKE_FAULTS'] === 'full' ? 40 : 5
const TURNS = process.env['KEEPSAKE_FAULTS'] === 'full' ? 500 : 20

interface Done {
  readonly compacted: readonly boolean[]
  readonly added: number
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
    const startAt = Date.now() + 1000
    const body = (who: string): string => `
      while (Date.now() < ${startAt}) await new Promise((resolve) => setTimeout(resolve, 1))
      const compacted = []
      for (let n = 0; n < ${ROUNDS}; n++) {
        compacted.push((await memory.session('race ' + n).compact({ summary: 'by ${who}' })).compacted)
      }
      const turns = Array.from({ length: 300 }, (_, n) => ({ id: 'source:' + n, role: 'user', content: 'said ' + n }))
      const { added } = await memory.session('imported').import(turns)
      for (let n = 0; n < ${TURNS}; n++) {
        await memory.session('spoken').append({ role: 'user', content: '${who} ' + n })
      }
      return { compacted, added }`
    const [one, other] = (await Promise.all(['one', 'other'].map((who) => workspace.elsewhere(body(who))))) as Done[] // what the body returns
    for (let n = 0; n < ROUNDS; n++) {
      expect([one?.compacted[n], other?.compacted[n]].filter(Boolean)).toHaveLength(1)
      const { archive, turns } = await memory.session(`race ${n}`).view()
      expect(archive?.content).toBe(one?.compacted[n] ? 'by one' : 'by other')
      expect(turns).toEqual([])
    }
    const archives = await memory.list({ kinds: ['archive'] })
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
