/** Two agents on one workspace: no tool of any preset shows one what is the other's, or lets it change that. */
import { describe, expect, it } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { PRESET_NAMES } from '../../src/model/preset.ts'
import type { ChangeQuery, Store } from '../../src/ports/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { itOn } from '../one-row.ts'
import { Bench, newFolder, STORES } from './bench.ts'

/** Words that stand in the other's texts, names, aliases, descriptions and metadata, and nowhere else. */
const SECRETS = ['quagga', 'okapi', 'numbat', 'pangolin', 'dugong', 'kakapo', 'axolotl', 'tuatara']

async function fill(memory: Memory): Promise<string[]> {
  const written = [
    await memory.remember('The quagga is paid.', {
      name: 'Okapi plan',
      aliases: ['Numbat'],
      description: 'pangolin budget',
      metadata: { dugong: 'kakapo' },
    }),
    await memory.remember('quagga fact', { kind: 'fact', name: 'Axolotl' }),
    await memory.remember('quagga called', {
      kind: 'fact',
      name: 'user profile: name',
      metadata: { category: 'user_profile', field: 'name', dugong: 1 },
    }),
    await memory.remember('quagga logged'),
    await memory.remember('quagga talk', { kind: 'conversation' }),
    await memory.remember('quagga now', { kind: 'context', key: 'tuatara' }),
    await memory.remember('quagga archive', { kind: 'archive', name: 'Okapi-1' }),
    await memory.remember('quagga past', { kind: 'history' }),
    await memory.reflect('quagga memory'),
    await memory.remember('I am the quagga.', { kind: 'identity' }),
  ]
  return written.map(({ entry }) => entry.id)
}

describe.each(STORES)('on the %s store', (store) => {
  const it = itOn(store, 'nothing of the other agent is shown or changed, whatever it is called')
  it('nothing of the other agent is shown or changed, whatever it is called', async () => {
    const folder = newFolder()
    const bench = await Bench.open(store, {
      soulEditable: true,
      ...(store === 'filesystem' ? { workspace: folder } : {}),
    })
    const other = bench.memory.as('other')
    const ids = await fill(other)
    await bench.memory.remember('My own plan.', { name: 'Plan' })
    await bench.memory.learnFact('People', 'Ada leads.')
    const before = await bench.own('other')
    const entries = JSON.parse(before) as readonly { revision: string; path?: string }[]
    const refs = [
      ...ids,
      ...['Okapi plan', 'okapi-plan', 'OKAPI PLAN', 'Okapi plam', 'Numbat', 'numbat', 'Axolotl', 'Axolotls', 'tuatara'],
      ...['Okapi-1', 'user profile: name', 'MEMORY', 'IDENTITY', '../other/MEMORY', 'agents/other/MEMORY.md'],
      ...['agents/other/entries/okapi-plan', '../../agents/other/entries/okapi-plan.md', 'other/okapi-plan', 'other'],
      ...['world/../agents/other/MEMORY', '/agents/other/MEMORY.md', 'agents%2Fother%2FMEMORY', 'other:Okapi plan'],
      ...entries.flatMap(({ path }) => (path === undefined ? [] : [path, `${folder}/${path}`])),
      ...entries.slice(0, 2).map(({ revision }) => revision),
    ]
    const changes = Array.from({ length: 10 }, (_, index) => index + 1)
    /** Every call that takes a name, an id or words; what is written stays small and of the agent's own. */
    const calls: (readonly [string, object])[] = [
      ...refs.flatMap((ref): (readonly [string, object])[] => [
        ['default.forget', { ref, confirm: true }],
        ['default.recall', { query: ref, limit: 100 }],
        ['default.learn_fact', { topic: ref }],
        ['agnx.learn_fact', { topic: ref }],
        ['reachy.forget_memory', { memory_id: ref }],
        ['crabtalk.forget', { name: ref }],
        ['crabtalk.recall', { query: ref, limit: 100 }],
      ]),
      ...SECRETS.flatMap((word): (readonly [string, object])[] => [
        ['default.recall', { query: word, limit: 100, kinds: ['identity', 'memory', 'history', 'archive', 'note'] }],
        ['default.recall', { query: `${word.slice(0, 3)}* ${word.slice(0, -1)}`, limit: 100 }],
        ['reachy.search_memories', { query: word, limit: 100 }],
      ]),
      ...changes.map((change): readonly [string, object] => ['default.undo', { change }]),
      ['default.recall', { query: 'paid', kinds: ['note'], where: ['dugong=kakapo'] }],
      ['default.recall', {}],
      ['default.recall', { days: 3660 }],
      ['agnx.recall', { days: 3660 }],
      ['default.reflect', {}],
      ['default.soul', {}],
      ['agnx.reflect', {}],
      ['crabtalk.memory', {}],
      ['crabtalk.soul', {}],
      ['default.remember', { content: 'mine', name: 'Okapi plan' }],
      ['default.remember', { content: 'mine', name: 'Numbat', aliases: ['Axolotl'] }],
      ['default.remember', { content: 'mine', kind: 'context', name: 'tuatara' }],
      ['default.remember', { content: 'mine', name: 'Okapi-1' }],
      ['default.remember', { content: 'mine', name: '../other/MEMORY' }],
      ['default.remember', { content: 'mine', name: 'agents/other/entries/okapi-plan.md' }],
      ['default.learn_fact', { topic: 'agents/other/MEMORY', content: 'mine' }],
      ['agnx.learn_fact', { topic: '../agents/other/MEMORY.md', content: 'mine' }],
      ['default.reflect', { content: 'mine', expect: 'new' }],
      ['default.soul', { content: 'mine', expect: 'new' }],
      ['agnx.reflect', { content: 'mine' }],
      ['crabtalk.memory', { content: 'mine' }],
      ['crabtalk.soul', { content: 'mine' }],
      ['agnx.remember', { content: 'mine' }],
      ['crabtalk.remember', { name: 'Axolotl', description: 'mine', content: 'mine' }],
      ['reachy.store_memory', { content: 'mine', metadata: { category: 'user_profile', field: 'name' } }],
      ['reachy.store_memory', { content: 'mine', memory_type: 'context', metadata: { context_key: 'tuatara' } }],
      ['reachy.store_memory', { content: 'mine', memory_type: 'conversation' }],
      ['default.forget', { ref: 'MEMORY', confirm: true }],
      ['default.forget', { ref: 'IDENTITY', confirm: true }],
      ['default.undo', {}],
    ]
    const called = new Set(calls.map(([which]) => which))
    const tools = PRESET_NAMES.flatMap((preset) => bench.tools(preset).map(({ name }) => `${preset}.${name}`))
    expect(tools.filter((which) => !called.has(which))).toEqual([])

    let written = ''
    for (const [which, args] of calls) {
      const { text, structured } = await bench.call(which, args)
      // What was sent may come back, and later what was written; nothing else that is the other's may.
      if ('content' in args) written += JSON.stringify(args).toLowerCase()
      const sent = JSON.stringify(args).toLowerCase() + written
      const answer = `${text}\n${JSON.stringify(structured)}`.toLowerCase()
      const leaked = SECRETS.filter((word) => answer.includes(word) && !sent.includes(word))
      expect(leaked, `${which} ${sent}: ${answer}`).toEqual([])
      expect(ids.filter((id) => answer.includes(id) && !sent.includes(id))).toEqual([])
      expect(answer, `${which} ${sent}`).not.toMatch(/the quagga|quagga (fact|called|logged|talk|now|past|memory)/)
    }
    expect(await bench.own('other')).toBe(before)
  })

  it("an own change that another's builds on is not undone, and that one is told by its number alone", async () => {
    const bench = await Bench.open(store)
    const own = await bench.done('default.learn_fact', { topic: 'People', content: 'Ada.' })
    const later = await bench.done('default.learn_fact', { topic: 'People', content: 'quagga' }, { agent: 'other' })
    for (const args of [{ change: own.change }, {}]) {
      const { isError, text } = await bench.call('default.undo', args)
      expect(isError).toBe(true)
      expect(text).toContain(`change ${later.change} came later`)
      expect(text).not.toMatch(/quagga|other/)
    }
    expect((await bench.memory.find('People')).content).toBe('quagga')
    await bench.done('default.undo', {}, { agent: 'other' })
    expect((await bench.memory.find('People')).content).toBe('Ada.')
  })

  it('writes at once of two agents answer each with its own', async () => {
    const bench = await Bench.open(store)
    const names = ['main', 'other']
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        bench.call(
          'default.remember',
          { content: `of ${names[n % 2]} ${n}`, name: `N${n}` },
          { agent: names[n % 2] ?? '' },
        ),
      ),
    )
    for (const [n, { text }] of answers.entries()) {
      expect(text).toContain(`"N${n}"`)
      expect(text).not.toContain(`agents/${names[(n + 1) % 2]}`)
    }
    expect(await bench.memory.as('other').list()).toHaveLength(10)
    expect(await bench.memory.list()).toHaveLength(10)
  })
})

describe('an undo by number', () => {
  it("of another agent's change is refused like one that never existed, and reads only changes of the touched entries", async () => {
    const inner = memoryStore()
    const queries: ChangeQuery[] = []
    const store: Store = {
      ...inner,
      changes: (query = {}, options) => {
        queries.push(query)
        return inner.changes(query, options)
      },
    }
    const bench = await Bench.open('memory', { store })
    const other = bench.memory.as('other')
    const { change: theirs } = await other.learnFact('People', 'Ada.')
    const { change: own, entry: mine } = await bench.memory.remember('mine', { name: 'Mine' })
    for (const number of [theirs?.number, 99]) {
      const { isError, text } = await bench.call('default.undo', { change: number })
      expect([isError, text]).toEqual([
        true,
        `change ${number} is not one of yours\nAllowed: the number that one of your own writes gave, or none for your newest.`,
      ])
      const asked = { changes: [number ?? 0], agent: 'main' }
      await expect(bench.memory.undo(asked)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: `change ${number} is none of those that are meant`,
      })
    }
    queries.length = 0
    await bench.done('default.undo', { change: own?.number })
    expect(queries.map(({ numbers, entries }) => numbers ?? entries)).toEqual([[own?.number], [mine.id]])
    expect(await bench.memory.get('Mine')).toBeUndefined()
    expect((await bench.memory.find('People')).content).toBe('Ada.')
  })
})

describe('writers of one process that share a turn', () => {
  it("are not told what went wrong with another agent's file", async () => {
    // What the filesystem store says of a turn is about every file that was written in it.
    const warnings = ['main', 'other'].map((agent) => `agents/${agent}/entries/okapi.md was saved by hand`)
    const inner = memoryStore()
    const store: Store = {
      ...inner,
      apply: async (batch, options) => ({ ...(await inner.apply(batch, options)), warnings }),
    }
    const bench = await Bench.open('memory', { store })
    for (const [which, args] of [
      ['default.remember', { content: 'mine', name: 'Mine' }],
      ['default.reflect', { content: 'mine' }],
      ['default.undo', {}],
      ['default.forget', { ref: 'Mine' }],
      ['agnx.remember', { content: 'mine' }],
      ['reachy.store_memory', { content: 'mine' }],
      ['crabtalk.memory', { content: 'mine' }],
    ] as const) {
      const { text, structured } = await bench.call(which, args)
      for (const form of [text, JSON.stringify(structured)]) {
        expect(form, which).toContain('agents/main/entries/okapi.md was saved by hand')
        expect(form, which).not.toContain('agents/other')
      }
    }
    const { memory } = bench
    for (const { warnings: told } of [
      await memory.remember('logged'),
      await memory.remember('one', { name: 'One' }),
      await memory.learnFact('People', 'Ada.'),
      await memory.rename('One', 'Two'),
      await memory.apply([{ op: 'add', scope: 'main', kind: 'note', name: 'Three', content: 'three' }]),
      await memory.undo(),
      await memory.forget('Two'),
    ]) {
      expect(told).toEqual(['agents/main/entries/okapi.md was saved by hand'])
    }
  })
})
