/** Auto-recall on real files: what a turn is given, and what never is. */
import { unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory, type MemorySettings } from '../../src/memory.ts'
import { block } from '../../src/model/injected.ts'
import type { Store } from '../../src/ports/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Workspace } from './workspace.ts'

let workspace: Workspace
beforeEach(() => {
  workspace = new Workspace()
})
afterEach(() => workspace.remove())

async function recalled(memory: Memory, message: string): Promise<string | undefined> {
  return (await memory.session('chat').autoRecall(message))?.text
}

describe('auto-recall', () => {
  it('gives a marked block of what the message is about, and nothing where nothing is found', async () => {
    const memory = workspace.open()
    await memory.remember('The boiler was serviced in May.', { name: 'Boiler' })
    await memory.learnFact('Lighthouse', 'The lighthouse is open on Sundays.')
    const text = await recalled(memory, 'Hi, good morning! When was the boiler serviced?')
    expect(text).toMatch(
      /^<recall>\nFrom your memory,[\s\S]*## Boiler\n\nThe boiler was serviced in May\.\n<\/recall>$/,
    )
    expect(text).not.toContain('Lighthouse')
    expect(await recalled(memory, 'is the lighthouse open?')).toContain('open on Sundays')
    for (const message of ['Hi, good morning!', '', '   ', 'Who are you?', 'what about the violin?', '🎉']) {
      expect(await recalled(memory, message)).toBeUndefined()
    }
  })

  it.each([
    ['Will', ['Will']],
    ['  "Will"? ', ['Will']],
    ['Who is Will?', ['Will']],
    ['Hi, Will', ['Will']],
    ['Tell me about Will', ['Will', 'Lighthouse']],
    ['The Who', ['The Who']],
    ['Is it The Who, or Will?', ['The Who', 'Will']],
    ['IT', ['IT']],
    ['what is IT', ['IT']],
    ['again', ['again']],
    ['Thanks', ['Thanks']],
    ['Will you do it again?', []],
    ['Hi. Will you? Thanks', []],
    ['who will', []],
    ['Hi, good morning', []],
  ] as const)('finds entries whose names are common words where they are meant: %j', async (message, names) => {
    const memory = new Memory(memoryStore(), 'main', Date.now)
    for (const name of ['Will', 'The Who', 'IT', 'again', 'Thanks']) await memory.remember('Something.', { name })
    await memory.remember('Guides tell stories.', { name: 'Lighthouse' })
    await memory.as('other').remember('Of another agent.', { name: 'Who' })
    const { recall } = await memory.context({ message })
    expect([...recall.matchAll(/^## (.*)/gm)].map(([, name]) => name)).toEqual(names)
  })

  it('never gives MEMORY.md, the identity or history, which a search finds', async () => {
    const memory = workspace.open({ soulEditable: true })
    await memory.reflect('The boiler is in the cellar.')
    await memory.apply([
      { op: 'add', scope: 'main', kind: 'identity', content: 'I am the boiler man.' },
      { op: 'add', scope: 'main', kind: 'history', content: 'We talked about the boiler.' },
    ])
    expect((await memory.search('boiler')).hits.map(({ entry }) => entry.kind).sort()).toEqual(['history', 'memory'])
    expect(await recalled(memory, 'Where is the boiler?')).toBeUndefined()
    await memory.remember('The boiler hums.')
    expect(await recalled(memory, 'Where is the boiler?')).toMatch(/hums/)
    expect(await recalled(memory, 'Where is the boiler?')).not.toMatch(/cellar|talked|boiler man/)
  })

  it('is refreshed every turn: writes of other processes, edits and removals by hand', async () => {
    const memory = workspace.open()
    await memory.remember('about the boiler', { name: 'One' })
    expect(await recalled(memory, 'the boiler?')).toContain('about the boiler')
    await workspace.elsewhere(`await memory.remember('the lantern is in the shed', { name: 'Two' })`)
    expect(await recalled(memory, 'the lantern?')).toContain('in the shed')
    const one = join(workspace.root, 'agents/main/entries/one.md')
    writeFileSync(one, '---\nname: One\n---\n\nabout the violin\n')
    expect(await recalled(memory, 'the boiler?')).toBeUndefined()
    expect(await recalled(memory, 'the violin?')).toContain('about the violin')
    unlinkSync(one)
    expect(await recalled(memory, 'the violin?')).toBeUndefined()
    await memory.forget('Two')
    expect(await recalled(memory, 'the lantern?')).toBeUndefined()
  })

  it('does as the settings say: the limit, how many words, to the letter, all, and off', async () => {
    const writer = workspace.open()
    for (let n = 0; n < 8; n++) await writer.remember(`Boiler number ${n} of street ${n * 7}`, { name: `Boiler ${n}` })
    await writer.remember('The plumber is called Anton.', { name: 'Plumber' })
    const count = (text: string | undefined): number => text?.match(/^## /gm)?.length ?? 0
    expect(count(await recalled(workspace.open({ recallLimit: 3 }), 'the boilers'))).toBe(3)
    const late = 'Hello! I was thinking, one two three four: what is the name of the plumber?'
    expect(await recalled(workspace.open(), late)).toContain('Anton')
    expect(await recalled(workspace.open({ recallWords: 2 }), late)).toBeUndefined()
    expect(await recalled(workspace.open({ tools: 'crabtalk' }), late)).toBeUndefined()
    expect(await recalled(workspace.open({ tools: 'crabtalk' }), 'plumber')).toContain('Anton')
    const long = `${'Nothing of this stands anywhere. '.repeat(50)} boiler boilers. The plumber again.`
    expect(await recalled(workspace.open({ recallWords: 'all', recallLimit: 1 }), long)).toContain('Anton')
    expect(await recalled(workspace.open({ autoRecall: false }), 'the plumber')).toBeUndefined()
    expect(await recalled(workspace.open({ tools: 'agnx' }), 'the plumber')).toBeUndefined()
  })

  it('looks at the files once, also where it goes by the rarest words', async () => {
    const looks = async (settings: MemorySettings): Promise<number> => {
      const store = memoryStore()
      let count = 0
      const counting: Store = new Proxy(store, {
        get: (target, name) => {
          if (name === 'feed') count++
          const value: unknown = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      const memory = new Memory(counting, 'main', Date.now, settings)
      await memory.remember('The boiler was serviced in May.', { name: 'Boiler' })
      expect(await recalled(memory, 'the boiler?')).toContain('in May')
      return count
    }
    const [first, all] = [await looks({}), await looks({ recallWords: 'all' })]
    expect(first).toBeGreaterThan(0)
    expect(all).toBe(first)
  })

  it('takes a message for what a person says, not for a query', async () => {
    const memory = workspace.open()
    await memory.remember('The boiler was serviced in May.', { name: 'Boiler' })
    for (const message of ['"boiler house"', 'lantern -boiler', 'boil* -"boiler"', '--boiler', '**boiler**']) {
      expect(await recalled(memory, message)).toContain('serviced in May')
    }
  })

  it('sees only the world and its own agent', async () => {
    const memory = workspace.open()
    await memory.as('other').remember('The boiler is a secret.', { name: 'Secret' })
    expect(await recalled(memory, 'the boiler?')).toBeUndefined()
    expect(await recalled(memory.as('other'), 'the boiler?')).toContain('secret')
  })
})

describe('a block that got into an entry', () => {
  const pasted = block('recall', '## Lantern\n\nThe lantern is in the shed 🎉.')
  const content = `Été: my violin.\n\n> ${pasted.replaceAll('\n', '\n> ')}\n\nThe violin needs strings.`

  it('is kept byte for byte, and is not found by its words', async () => {
    const memory = workspace.open()
    await memory.remember(content, { name: 'Pasted' })
    await memory.remember(pasted)
    expect((await memory.get('Pasted'))?.content).toBe(content)
    expect((await memory.search('lantern shed')).hits).toEqual([])
    const [hit] = (await memory.search('violin strings data')).hits
    expect(hit?.entry.content).toBe(content)
    expect(hit?.highlights.map(([start, end]) => content.slice(start, end))).toEqual(['violin', 'violin', 'strings'])
    expect((await workspace.open().search('lantern')).hits).toEqual([])
  })

  it('is not injected again with that entry', async () => {
    const memory = workspace.open()
    await memory.remember(content, { name: 'Pasted' })
    await memory.remember(pasted, { name: 'Bow' })
    const text = await recalled(memory, 'what about my violin and the bow?')
    expect(text).toContain('The violin needs strings.')
    expect(text).not.toMatch(/antern|## Bow/)
  })

  it('is found again by its words once a person takes the marks off', async () => {
    const memory = workspace.open()
    await memory.remember(pasted, { name: 'Pasted' })
    expect((await memory.search('lantern')).hits).toEqual([])
    await memory.remember('The lantern is in the shed.', { name: 'Pasted' })
    expect((await memory.search('lantern')).hits).toHaveLength(1)
  })
})
