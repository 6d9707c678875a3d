/** People in the files: what they write counts, and is never overwritten unseen. */
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../memory.ts'
import type { Entry } from '../../model/entry.ts'
import type { Store } from '../../ports/store.ts'
import { filesystemStore } from './store.ts'

let root: string
const stores: Store[] = []

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'keepsake-hands-')), 'ws')
})
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  rmSync(join(root, '..'), { recursive: true, force: true })
})

function open(options: { readonly layout?: 'agents' | 'flat' } = {}): Memory {
  const store = filesystemStore({ root, timezone: 'UTC', ...options })
  stores.push(store)
  return new Memory(store, 'main', Date.now)
}

function put(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

function text(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

async function origins(memory: Memory): Promise<string[]> {
  return (await memory.store.feed()).changes.map((change) => change.origin.by)
}

describe('files that a person made', () => {
  beforeEach(() => {
    put('world/people.md', 'Ada runs the lab.\n')
    put('agents/main/MEMORY.md', '---\nnot front matter\n')
    put('agents/main/entries/Deploy List.md', '---\nname: Deploy list\ncolour: red # mine\n---\nRun the tests.\n')
    put('agents/main/entries/bare.md', 'Just text.')
    put('agents/main/daily/2026-11-14.md', '# 2026-11-14\n\n## 09:00\n\nFirst.\n\n## 09:00\n\nSecond.\n')
    put('agents/main/HISTORY.md', '## 2026-02-27T14:30:00.000Z\n\nOld.\n')
  })

  it('are entries at once, and reading writes nothing', async () => {
    const memory = open()
    const names = (await memory.list()).map((entry) => [entry.kind, entry.name, entry.content])
    expect(names).toHaveLength(7)
    expect(names).toEqual(
      expect.arrayContaining([
        ['topic', 'people', 'Ada runs the lab.'],
        ['memory', 'MEMORY', '---\nnot front matter'],
        ['note', 'Deploy list', 'Run the tests.'],
        ['note', 'bare', 'Just text.'],
        ['experience', null, 'First.'],
        ['experience', null, 'Second.'],
        ['history', null, 'Old.'],
      ]),
    )
    expect(existsSync(join(root, '.state'))).toBe(false)
    expect(existsSync(join(root, 'keepsake.yaml'))).toBe(false)
  })

  it('have the same ids for every reader, and keep them when we write', async () => {
    const ids = (await open().list()).map((entry) => entry.id)
    const memory = open()
    await memory.remember('something')
    expect((await memory.list()).map((entry) => entry.id)).toEqual(expect.arrayContaining(ids))
  })

  it('keep their own keys and comments when we rewrite them', async () => {
    const memory = open()
    await memory.remember('Run the smoke tests.', { name: 'Deploy list' })
    expect(text('agents/main/entries/Deploy List.md')).toContain('colour: red # mine')
    expect(text('agents/main/entries/Deploy List.md')).toContain('Run the smoke tests.')
    expect(await origins(memory)).toContain('hand')
  })

  it('are not replaced by a page of the same name', async () => {
    const memory = open()
    const { replaced } = await memory.reflect('New memory')
    expect(replaced).toBeDefined()
    const base = (await memory.store.feed()).changes.flatMap((change) => change.operations)
    expect(base).toContainEqual(
      expect.objectContaining({ op: 'add', kind: 'memory', content: '---\nnot front matter' }),
    )
  })

  it('stand once, though the mirror holds them too', async () => {
    put('agents/main/HISTORY-2026-02.md', '## 2026-02-27T14:30:00.000Z\n\nOld.\n')
    expect((await open().list({ kinds: ['history'] })).map((entry) => entry.content)).toEqual(['Old.'])
  })
})

describe('an edit by hand', () => {
  it('is found by the next read, of this process and of another', async () => {
    const memory = open()
    const other = open()
    const { entry } = await memory.learnFact('deploys', 'We deploy on Tuesdays')
    await other.list()
    appendFileSync(join(root, 'world/deploys.md'), 'And on Fridays.\n')
    for (const reader of [memory, other]) {
      expect((await reader.get('deploys'))?.content).toBe('We deploy on Tuesdays\nAnd on Fridays.')
      expect((await reader.recall()).text).toContain('And on Fridays.')
    }
    expect((await memory.get('deploys'))?.id).toBe(entry.id)
    expect((await memory.get('deploys'))?.origin).toEqual({ by: 'hand' })
  })

  it('is kept as a change of its own before we rewrite the file', async () => {
    const memory = open()
    await memory.learnFact('deploys', 'We deploy on Tuesdays')
    writeFileSync(join(root, 'world/deploys.md'), 'We never deploy.\n')
    const { warnings } = await memory.learnFact('deploys', 'We deploy on Mondays')
    expect(warnings.join()).toContain('edited by hand')
    expect(await origins(memory)).toEqual(['agent', 'hand', 'agent'])
    const contents = (await memory.store.feed()).changes.map(
      (change) => (change.operations[0] as Entry | undefined)?.content,
    )
    expect(contents).toEqual(['We deploy on Tuesdays', 'We never deploy.', 'We deploy on Mondays'])
  })

  it('makes a writer who had read before it fail', async () => {
    const memory = open()
    const { entry } = await memory.learnFact('deploys', 'We deploy on Tuesdays')
    writeFileSync(join(root, 'world/deploys.md'), 'We never deploy.\n')
    const late = memory.learnFact('deploys', 'We deploy on Mondays', { expect: entry.revision })
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(text('world/deploys.md')).toBe('We never deploy.\n')
  })

  it('of the same size and in the same moment is seen too', async () => {
    const memory = open()
    await memory.learnFact('deploys', 'We deploy on Tuesdays')
    writeFileSync(join(root, 'world/deploys.md'), 'We deploy on Tuesdayz\n')
    expect((await memory.get('deploys'))?.content).toBe('We deploy on Tuesdayz')
  })

  it('in a log changes just that entry, and appending goes on', async () => {
    const memory = open()
    const first = await memory.remember('First')
    const second = await memory.remember('Second')
    const path = first.entry.path ?? ''
    writeFileSync(join(root, path), text(path).replace('First', 'Changed'))
    await memory.remember('Third')
    expect((await memory.list()).map((entry) => entry.content)).toEqual(['Changed', 'Second', 'Third'])
    expect((await memory.get(second.entry.id))?.revision).toBe(second.entry.revision)
  })

  it('that removes a file removes the entry; one that removes a block, only that one', async () => {
    const memory = open()
    await memory.remember('text', { name: 'A' })
    const { entry } = await memory.remember('First')
    await memory.remember('Second')
    unlinkSync(join(root, 'agents/main/entries/a.md'))
    const path = entry.path ?? ''
    writeFileSync(join(root, path), text(path).replace(/## \d\d:\d\d\n<!--[^\n]*\n\nFirst\n\n/, ''))
    expect((await memory.list()).map((each) => each.content)).toEqual(['Second'])
    expect(await memory.get('A')).toBeUndefined()
  })

  it('that moves a file is a rename: the id is in it', async () => {
    const memory = open()
    const { entry } = await memory.remember('text', { name: 'A' })
    renameSync(join(root, 'agents/main/entries/a.md'), join(root, 'agents/main/entries/b.md'))
    expect(await memory.get(entry.id)).toMatchObject({ name: 'A', path: 'agents/main/entries/b.md' })
    await memory.remember('new text', { name: 'A' })
    expect(text('agents/main/entries/b.md')).toContain('new text')
    expect(existsSync(join(root, 'agents/main/entries/a.md'))).toBe(false)
  })

  it('that copies a file makes a new entry', async () => {
    const memory = open()
    const { entry } = await memory.remember('text', { name: 'A' })
    cpSync(join(root, 'agents/main/entries/a.md'), join(root, 'agents/main/entries/copy.md'))
    const entries = await memory.list()
    expect(entries).toHaveLength(2)
    expect(new Set(entries.map((each) => each.id)).size).toBe(2)
    expect((await memory.get('A'))?.id).toBe(entry.id)
  })
})

describe('an edit right after our own write, seen by a process that starts then,', () => {
  async function afterwards(edit: (memory: Memory) => Promise<void> | void): Promise<Memory> {
    const memory = open()
    await memory.remember('one', { name: 'N' })
    copyFileSync(join(root, 'agents/main/entries/n.md'), join(root, '..', 'saved.md'))
    await memory.reflect('first line\nlast line')
    await memory.remember('two', { name: 'N' })
    await edit(memory)
    await memory.close()
    return open()
  }

  it('may put the earlier text back', async () => {
    const later = await afterwards(() =>
      copyFileSync(join(root, '..', 'saved.md'), join(root, 'agents/main/entries/n.md')),
    )
    expect((await later.get('N'))?.content).toBe('one')
    await later.remember('x')
    expect(text('agents/main/entries/n.md')).toContain('one')
  })

  it('may remove the file', async () => {
    const later = await afterwards(() => unlinkSync(join(root, 'agents/main/entries/n.md')))
    expect(await later.get('N')).toBeUndefined()
    await later.remember('x')
    expect(existsSync(join(root, 'agents/main/entries/n.md'))).toBe(false)
  })

  it('may cut its end off', async () => {
    const later = await afterwards(async (memory) => {
      await memory.reflect('first line\nlast line, again')
      writeFileSync(join(root, 'agents/main/MEMORY.md'), 'first line\n')
    })
    expect((await later.get('MEMORY'))?.content).toBe('first line')
    await later.remember('x')
    expect(text('agents/main/MEMORY.md')).toBe('first line\n')
  })

  it('may take the last entry out of a log', async () => {
    const later = await afterwards(async (memory) => {
      const { entry } = await memory.remember('First')
      const before = text(entry.path ?? '')
      await memory.remember('Second')
      writeFileSync(join(root, entry.path ?? ''), before)
    })
    await later.remember('Third')
    expect((await later.list({ kinds: ['experience'] })).map((entry) => entry.content)).toEqual(['First', 'Third'])
  })
})

describe('ids that files share', () => {
  it('belong to the first of two cards that nobody has seen yet, and each is written to by its own name', async () => {
    const id = '01a1e120-231d-7704-945f-8e3e403eda64'
    put('agents/main/entries/alpha.md', `---\nname: Alpha\nid: ${id}\n---\n\nalpha text\n`)
    put('agents/main/entries/beta.md', `---\nname: Beta\nid: ${id}\n---\n\nbeta text\n`)
    const memory = open()
    expect((await memory.list()).map((entry) => entry.name).sort()).toEqual(['Alpha', 'Beta'])
    expect((await memory.get('Alpha'))?.id).toBe(id)
    await memory.remember('new text', { name: 'Beta' })
    expect(text('agents/main/entries/alpha.md')).toContain('alpha text')
    expect(text('agents/main/entries/beta.md')).toContain('new text')
  })

  it('stay with a page that was renamed, when a hand makes one at its old path', async () => {
    const memory = open()
    await memory.learnFact('deploys', 'old')
    await memory.rename('deploys', 'Shipping')
    put('world/deploys.md', 'by hand\n')
    expect((await memory.list()).map((entry) => [entry.name, entry.content])).toEqual([
      ['Shipping', 'old'],
      ['deploys', 'by hand'],
    ])
  })
})

describe('blocks that a person wrote, several under one heading,', () => {
  beforeEach(() => {
    put(
      'agents/main/daily/2026-11-14.md',
      '# 2026-11-14\n\n## 09:00\n\nfirst\n\n## 09:00\n\nsecond\n\n## 09:00\n\nthird\n',
    )
  })

  it('are removed as they were meant, in one batch', async () => {
    const memory = open()
    const [first, second] = await memory.list()
    await memory.apply([
      { op: 'remove', id: first?.id ?? '' },
      { op: 'remove', id: second?.id ?? '' },
    ])
    expect((await memory.list()).map((entry) => entry.content)).toEqual(['third'])
    expect((await open().list()).map((entry) => entry.content)).toEqual(['third'])
  })

  it('keep their ids when one before them goes', async () => {
    const memory = open()
    const [first, second, third] = await memory.list()
    await memory.forget(first?.id ?? '')
    expect((await memory.get(second?.id ?? ''))?.content).toBe('second')
    expect((await memory.get(third?.id ?? ''))?.content).toBe('third')
    rmSync(join(root, '.state'), { recursive: true })
    expect((await open().get(third?.id ?? ''))?.content).toBe('third')
  })
})

describe.each(['after', 'before'] as const)(
  'a block under the heading of one that an agent has rewritten, %s it,',
  (where) => {
    it('is an entry of its own, and stays', async () => {
      const memory = open()
      const { entry } = await memory.remember('by an agent')
      const path = join(root, entry.path ?? '')
      appendFileSync(path, '\n## 10:00\n\nhand foo\n')
      const foo = (await memory.list()).find(({ content }) => content === 'hand foo')
      await memory.apply([{ op: 'write', id: foo?.id ?? '', content: 'foo, rewritten' }])
      const text = readFileSync(path, 'utf8')
      const added = '## 10:00\n\nhand bar\n'
      writeFileSync(path, where === 'after' ? `${text}\n${added}` : text.replace('## 10:00', `${added}\n## 10:00`))
      for (const reader of [memory, open()]) {
        expect((await reader.list()).map(({ content }) => content).sort()).toEqual([
          'by an agent',
          'foo, rewritten',
          'hand bar',
        ])
        expect((await reader.get(foo?.id ?? ''))?.content).toBe('foo, rewritten')
        await reader.absorb()
      }
      await memory.apply([{ op: 'write', id: foo?.id ?? '', content: 'foo, once more' }])
      expect((await open().list()).map(({ content }) => content).sort()).toEqual([
        'by an agent',
        'foo, once more',
        'hand bar',
      ])
      expect(readFileSync(path, 'utf8')).toContain('hand bar')
    })
  },
)

describe('what can not be read', () => {
  it('is reported, is not overwritten, and hurts nothing else', async () => {
    const memory = open()
    await memory.learnFact('deploys', 'We deploy on Tuesdays')
    put('agents/main/entries/broken.md', '---\nname: [unclosed\n---\ntext\n')
    writeFileSync(join(root, 'world/latin.md'), Buffer.from([0x66, 0xfc, 0x72]))
    const { text: recalled, warnings } = await memory.recall()
    expect(recalled).toContain('We deploy on Tuesdays')
    expect(warnings.join()).toContain('latin.md')
    const problems = (await memory.store.problems()).map((problem) => problem.path)
    expect(problems).toEqual(expect.arrayContaining(['agents/main/entries/broken.md', 'world/latin.md']))
    await memory.remember('x', { name: 'broken' })
    expect(text('agents/main/entries/broken.md')).toBe('---\nname: [unclosed\n---\ntext\n')
  })

  it('keeps a broken card as it is when its entry is written to', async () => {
    const memory = open()
    await memory.remember('text', { name: 'A' })
    writeFileSync(join(root, 'agents/main/entries/a.md'), '---\nname: [unclosed\n---\ntext\n')
    await expect(memory.remember('new', { name: 'A' })).rejects.toMatchObject({
      code: expect.stringMatching(/DAMAGED|NAME_TAKEN/),
    })
    expect(text('agents/main/entries/a.md')).toBe('---\nname: [unclosed\n---\ntext\n')
  })
})

describe('what nobody has seen and can not be read', () => {
  it.each([
    ['MEMORY.md', (memory: Memory) => memory.reflect('new')],
    [`daily/${new Date().toISOString().slice(0, 10)}.md`, (memory: Memory) => memory.remember('new')],
  ])('%s is not written over or into', async (path, write) => {
    put(`agents/main/${path}`, '')
    const bytes = Buffer.from([0x66, 0xfc, 0x72, 0x0a])
    writeFileSync(join(root, 'agents/main', path), bytes)
    await expect(write(open())).rejects.toMatchObject({ code: 'DAMAGED', hint: expect.any(String) })
    expect(readFileSync(join(root, 'agents/main', path))).toEqual(bytes)
  })
})

describe('a folder that can not be entered', () => {
  it('keeps nobody from reading the rest', async () => {
    const memory = open()
    await memory.remember('x', { name: 'N' })
    rmSync(join(root, 'world'), { recursive: true, force: true })
    symlinkSync('world', join(root, 'world'))
    expect((await memory.get('N'))?.content).toBe('x')
    expect(await memory.get('not there')).toBeUndefined()
    expect((await memory.context()).system).toContain('# Memory')
  })
})

describe('links', () => {
  it('are neither read nor written through', async () => {
    const outside = join(root, '..', 'outside')
    mkdirSync(outside, { recursive: true })
    writeFileSync(join(outside, 'secret.md'), 'secret\n')
    mkdirSync(join(root, 'agents/main/daily'), { recursive: true })
    symlinkSync(outside, join(root, 'world'))
    symlinkSync(join(outside, 'secret.md'), join(root, 'agents/main/daily/2026-11-15.md'))
    const memory = open()
    expect(await memory.list()).toEqual([])
    expect(await memory.store.problems()).toHaveLength(2)
    await expect(memory.learnFact('secret', 'mine')).rejects.toMatchObject({ code: 'FOREIGN' })
    expect(readFileSync(join(outside, 'secret.md'), 'utf8')).toBe('secret\n')
  })
})

describe('a flat workspace', () => {
  it('is recognised and opened in place', async () => {
    put('MEMORY.md', 'I like short answers.\n')
    put('entries/entry-name.md', '---\nname: Entry Name\ndescription: Short\n---\nLong-form content.\n')
    const memory = open()
    expect(await memory.get('Entry Name')).toMatchObject({
      kind: 'note',
      description: 'Short',
      path: 'entries/entry-name.md',
    })
    await memory.reflect('I like long answers.')
    expect(text('MEMORY.md')).toBe('I like long answers.\n')
    expect(text('keepsake.yaml')).toContain('layout: flat')
    expect(existsSync(join(root, 'agents'))).toBe(false)
  })

  it("never takes a hand's edit of its agent's files for another agent's", async () => {
    const memory = open({ layout: 'flat' })
    await memory.reflect('mine')
    put('MEMORY.md', 'mine, edited')
    const add = { op: 'add', scope: 'zoe', kind: 'memory', content: 'hers' } as const
    const refused = memory.store.apply({ operations: [add], origin: { by: 'agent' } })
    await expect(refused).rejects.toMatchObject({ code: 'INVALID' })
    expect((await memory.store.heads()).map(({ scope }) => scope)).toEqual(['main'])
    expect(await origins(memory)).toEqual(['agent'])
  })

  it('has one agent, and no other gets at it', async () => {
    await open({ layout: 'flat' }).reflect('mine')
    expect(() => filesystemStore({ root, agent: 'bob' })).toThrow(/agent/)
  })
})

describe('files that a hand has moved around before an agent writes on one of them', () => {
  const at = (name: string): string => join(root, 'agents/main/entries', `${name}.md`)

  it.each(['a', 'b', 'c'])('are all known where they are, three in a ring, and %s is written on', async (name) => {
    const memory = open()
    for (const one of ['a', 'b', 'c']) await memory.remember(`about ${one}`, { name: one })
    renameSync(at('a'), join(root, 'aside'))
    renameSync(at('b'), at('a'))
    renameSync(at('c'), at('b'))
    renameSync(join(root, 'aside'), at('c'))
    await memory.remember(`${name}, changed`, { name })
    for (const reader of [memory, open()]) {
      const said = new Map((await reader.list()).map((entry) => [entry.name, entry.content]))
      const expected = ['a', 'b', 'c'].map((one): [string, string] => [one, `about ${one}`])
      expect(said).toEqual(new Map(expected).set(name, `${name}, changed`))
      expect(await reader.store.problems()).toEqual([])
    }
  })

  it('are gone where another one was moved over them', async () => {
    const memory = open()
    for (const one of ['a', 'b']) await memory.remember(`about ${one}`, { name: one })
    renameSync(at('a'), at('b'))
    await memory.remember('a, changed', { name: 'a' })
    for (const reader of [memory, open()]) {
      expect((await reader.store.heads()).map(({ name }) => name)).toEqual(['a'])
      expect((await reader.list()).map(({ content }) => content)).toEqual(['a, changed'])
    }
  })
})
