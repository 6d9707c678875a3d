/** Every command, for people and as JSON. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { jsonAt, makeAt, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'

beforeAll(() => sitDownAt(new Desk()))

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/
const REVISION = /^[0-9a-f]{16}$/

const ENTRY_KEYS =
  'id seq revision scope kind name aliases description content metadata createdAt updatedAt expiresAt origin path'

function keysOf(entry: Printed): string {
  return Object.keys(entry).join(' ')
}

describe.concurrent('init', () => {
  it('makes .keepsake here, and says what to try next', async () => {
    const desk = new Desk()
    const { status, stdout, stderr } = await desk.run(['init', '--timezone', 'Europe/Berlin'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Made a workspace in .keepsake\n')
    expect(stdout).toContain('Europe/Berlin')
    expect(stdout).toContain('Try next:\n  keepsake remember "')
    expect(existsSync(join(desk.workspace, 'keepsake.yaml'))).toBe(true)
  })

  it('tells as JSON where it is, whether it is new, and what is pinned', async () => {
    const desk = new Desk()
    const made = await desk.json(['init', '--layout', 'flat', '--timezone', 'UTC'])
    expect(Object.keys(made)).toEqual(['workspace', 'created', 'own', 'settings', 'status'])
    expect(made).toMatchObject({
      workspace: desk.workspace,
      created: true,
      settings: { format: 1, layout: 'flat', timezone: 'UTC', identityFile: 'IDENTITY.md', retentionDays: 90 },
    })
  })

  it('is harmless when run again', async () => {
    const desk = await Desk.furnished()
    const before = desk.hash()
    expect((await desk.run(['init'])).stdout).toContain(
      'There is a workspace in .keepsake already; nothing was changed',
    )
    expect(await desk.json(['init', '--timezone', 'Europe/Berlin', '--layout', 'agents'])).toMatchObject({
      created: false,
    })
    expect(desk.hash()).toBe(before)
  })

  it.each([
    ['--layout', 'flat', 'agents'],
    ['--timezone', 'UTC', 'Europe/Berlin'],
  ])('refuses %s %s where %s is pinned', async (option, other, pinned) => {
    const desk = await Desk.furnished()
    const before = desk.hash()
    const { status, error } = await desk.json(['init', option, other])
    expect(status).toBe(2)
    expect(error.message).toContain(`but ${join(desk.workspace, 'keepsake.yaml')} says "${pinned}"`)
    expect(desk.hash()).toBe(before)
  })

  it('makes another folder when told so, and then says how to name it', async () => {
    const desk = new Desk()
    const { stdout } = await desk.run(['init', '--workspace', 'notes'])
    expect(stdout).toContain('Made a workspace in notes\n')
    expect(stdout).toContain('--workspace notes')
    expect(existsSync(join(desk.folder, 'notes/keepsake.yaml'))).toBe(true)
    expect(existsSync(desk.workspace)).toBe(false)
  })

  it('makes one here also where a folder above has one', async () => {
    const desk = await Desk.furnished()
    const below = join(desk.workspace, 'world')
    expect(await desk.json(['init'], { cwd: below })).toMatchObject({
      workspace: join(below, '.keepsake'),
      created: true,
    })
  })
})

describe.concurrent('remember', () => {
  it('appends to the log of today, and says where', async () => {
    const desk = await Desk.furnished()
    const { status, stdout } = await desk.run(['remember', 'It rained.'])
    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Remembered the experience ${ID.source}\n`))
    expect(stdout).toMatch(/^ {2}file {6}\.keepsake\/agents\/main\/daily\/\d{4}-\d\d-\d\d\.md$/m)
    expect(stdout).toMatch(/^ {2}revision {2}[0-9a-f]{16}$/m)
    expect(stdout).toMatch(/^ {2}change {4}5$/m)
  })

  it('gives the entry and the change as JSON, keys in one order', async () => {
    const desk = await Desk.furnished()
    const { status, ...printed } = await jsonAt(desk, ['remember', 'It rained.', '--session', 's1'])
    expect(status).toBe(0)
    expect(Object.keys(printed)).toEqual(['entry', 'change'])
    expect(keysOf(printed.entry)).toBe(ENTRY_KEYS)
    expect(printed.entry).toMatchObject({
      id: expect.stringMatching(ID),
      revision: expect.stringMatching(REVISION),
      scope: 'main',
      kind: 'experience',
      name: null,
      content: 'It rained.',
      expiresAt: null,
      origin: { by: 'agent', agent: 'main', session: 's1' },
    })
    expect(printed.change).toMatchObject({ number: 5, at: printed.entry.createdAt, origin: printed.entry.origin })
    expect(printed.change.operations).toMatchObject([{ op: 'add', id: printed.entry.id }])
  })

  it('makes a note with all that belongs to it', async () => {
    const desk = await Desk.furnished()
    const { entry } = await jsonAt(desk, [
      ...['remember', 'Löwen & 猫 🦁', '--name', 'Größe', '--description', 'Über Tiere', '--kind', 'fact'],
      ...['--alias', 'cats', '--alias', '猫', '--meta', 'source=the zoo=west', '--meta', 'sure:=0.9'],
      ...['--meta', 'tags:=["a",{"b":null}]', '--meta', '__proto__=own', '--ttl', '30d'],
    ])
    expect(entry).toMatchObject({
      kind: 'fact',
      name: 'Größe',
      aliases: ['cats', '猫'],
      description: 'Über Tiere',
      content: 'Löwen & 猫 🦁',
      path: 'agents/main/entries/größe.md',
    })
    expect(Object.entries(entry.metadata)).toEqual(
      expect.arrayContaining([
        ['source', 'the zoo=west'],
        ['sure', 0.9],
        ['tags', ['a', { b: null }]],
        ['__proto__', 'own'],
      ]),
    )
    expect(Math.abs(Date.parse(entry.expiresAt) - Date.parse(entry.createdAt) - 30 * 86_400_000)).toBeLessThan(60_000)
    expect((await jsonAt(desk, ['show', '猫'])).entry).toEqual(entry)
    expect(readFileSync(join(desk.workspace, entry.path), 'utf8')).toContain('Löwen & 猫 🦁')
  })

  it('overwrites the note of that name, and says what it replaced', async () => {
    const desk = await Desk.furnished()
    const { entry: old } = await jsonAt(desk, ['show', 'Deploys'])
    const { stdout } = await desk.run(['remember', 'Run make ship twice.', '--name', 'Deploys'])
    expect(stdout).toContain('Rewrote the note "Deploys"\n')
    expect(stdout).toMatch(new RegExp(`revision {2}[0-9a-f]{16}, was ${old.revision}\n`))
    const again = await jsonAt(desk, [
      'remember',
      'Thrice.',
      '--name',
      'Deploys',
      '--expect',
      stdout.match(/revision {2}(\w+)/)?.[1] ?? '',
    ])
    expect(again).toMatchObject({
      entry: { id: old.id, content: 'Thrice.' },
      replaced: expect.stringMatching(REVISION),
    })
  })

  it('says that nothing changed if the note is already like this, and does not write its file', async () => {
    const desk = await Desk.furnished()
    const before = desk.hash()
    const { stdout } = await desk.run(['remember', 'Run make ship.', '--name', 'Deploys'])
    expect(stdout).toMatch(/^Unchanged: the note "Deploys" is already like this\n {2}file .+\n {2}revision .+\n$/)
    const printed = await jsonAt(desk, ['remember', 'Run make ship.', '--name', 'Deploys'])
    expect([Object.keys(printed), printed.unchanged]).toEqual([['entry', 'unchanged', 'status'], true])
    expect(desk.hash()).toBe(before)
  })

  it('sets a context by its key, until the end of the day', async () => {
    const desk = await Desk.furnished()
    const { entry } = await jsonAt(desk, ['remember', 'writing tests', '--key', 'task'])
    expect(keysOf(entry)).toBe(ENTRY_KEYS.replace('name', 'name key'))
    expect(entry).toMatchObject({ kind: 'context', key: 'task', name: null })
    expect(entry.expiresAt > entry.createdAt).toBe(true)
    const { stdout } = await desk.run(['remember', 'reading tests', '--key', 'task'])
    expect(stdout).toContain('Rewrote the context "task"\n')
  })

  it('takes the text from standard input, as it is', async () => {
    const desk = await Desk.furnished()
    const text = '\ufeff---\n## 12:00\r\n  zwei\ttabs 🦁\n</memory>'
    expect((await desk.json(['remember', '-', '--name', 'raw'], { input: `${text}\n\n` })).entry.content).toBe(text)
    expect((await desk.run(['show', 'raw', '--raw'])).stdout).toBe(`${text}\n`)
  })

  it('takes a text that begins with a dash and has blanks, and any text after "--"', async () => {
    const desk = await Desk.furnished()
    expect((await jsonAt(desk, ['remember', '- buy milk\n- and bread'])).entry.content).toBe('- buy milk\n- and bread')
    expect(JSON.parse((await desk.run(['remember', '--json', '--', '--json'])).stdout).entry.content).toBe('--json')
  })

  it('brings a note back that had expired, with the life it is given now', async () => {
    const desk = await Desk.furnished()
    const anHourAgo = Date.now() - 3_600_000
    const memory = await openMemory({ workspace: desk.workspace, clock: () => anHourAgo })
    await memory.remember('old', { name: 'brief', ttl: '1s' })
    await memory.close()
    expect((await desk.run(['show', 'brief'])).status).toBe(3)
    expect(await jsonAt(desk, ['remember', 'new', '--name', 'brief', '--expect', 'new'])).toMatchObject({
      entry: { content: 'new', expiresAt: null },
    })
    expect((await desk.run(['show', 'brief', '--quiet'])).stdout).toBe('new\n')
  })

  it('prints nothing when it is to be quiet', async () => {
    expect(await (await Desk.furnished()).run(['remember', 'x', '--quiet'])).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    })
  })

  it('tells of a hand edit that it found, on standard error or in the JSON', async () => {
    const desk = await Desk.furnished()
    const path = join(desk.workspace, 'agents/main/entries/deploys.md')
    const edited = `${readFileSync(path, 'utf8')}By hand.\n`
    desk.edit('agents/main/entries/deploys.md', edited)
    const { status, stderr } = await desk.run(['remember', 'x', '--name', 'Deploys', '--quiet'])
    expect(status).toBe(0)
    expect(stderr).toMatch(/^keepsake: warning: agents\/main\/entries\/deploys\.md had been edited by hand/)
    desk.edit('agents/main/entries/deploys.md', edited.replace('By hand.', 'By hand again.'))
    const { warnings } = await jsonAt(desk, ['remember', 'y', '--name', 'Deploys'])
    expect(warnings).toEqual([expect.stringContaining('had been edited by hand')])
  })
})

describe.concurrent('recall', () => {
  it('prints the world, the memory and the last days', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['reflect', 'Be brief.'])
    const { status, stdout, stderr } = await desk.run(['recall'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout.replace(/\d{4}-\d\d-\d\d/, 'DAY').replace(/\d\d:\d\d/, 'TIME')).toBe(`# World Knowledge

## Staging server

Its name is heron.

---

# Your Memory

Be brief.

---

# Recent Experiences

## DAY

### TIME

The staging server moved.
`)
    expect(await jsonAt(desk, ['recall'])).toEqual({ text: stdout.slice(0, -1), status: 0 })
  })

  it('says that there is nothing, as a success', async () => {
    const desk = await Desk.empty()
    expect(await desk.run(['recall'])).toEqual({ status: 0, stdout: 'Nothing is remembered yet.\n', stderr: '' })
  })

  it('heeds days and budget', async () => {
    const desk = await Desk.furnished()
    expect((await desk.run(['recall', '--days', '0'])).stdout).not.toContain('Recent Experiences')
    expect((await desk.run(['recall', '--budget', '20'])).stdout).toMatch(/\(1 more did not fit and was left out\.\)/)
  })

  it('warns of a file that it can not read, and gives the rest', async () => {
    const desk = await Desk.furnished()
    desk.edit('world/broken.md', new Uint8Array([0xff, 0xfe]))
    const { status, stdout, stderr } = await desk.run(['recall'])
    expect(status).toBe(0)
    expect(stdout).toContain('Its name is heron.')
    expect(stderr).toMatch(/^keepsake: warning: world\/broken\.md: it is not UTF-8 text\n$/)
    expect((await jsonAt(desk, ['recall'])).warnings).toEqual(['world/broken.md: it is not UTF-8 text'])
  })
})

describe.concurrent('learn', () => {
  it('writes a topic, and rewrites it under another spelling of its name', async () => {
    const desk = await Desk.empty()
    expect((await desk.run(['learn', 'Staging server', 'heron'])).stdout).toContain(
      'Learned the topic "Staging server"\n',
    )
    expect((await desk.run(['learn', 'staging-server', 'crane'])).stdout).toContain(
      'Rewrote the topic "Staging server"\n',
    )
    const written = await desk.json(['learn', 'Staging server', '-'], { input: 'ibis\n' })
    expect(written).toMatchObject({
      entry: { scope: 'world', kind: 'topic', content: 'ibis', path: 'world/staging-server.md' },
      change: { number: 3 },
      replaced: expect.stringMatching(REVISION),
    })
  })

  it('without a text reads the topic, also where the agent has a note of that name', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'my own', '--name', 'Staging server'])
    expect(await jsonAt(desk, ['learn', 'Staging server'])).toMatchObject({
      entry: { kind: 'topic', content: 'Its name is heron.' },
    })
    expect((await jsonAt(desk, ['show', 'Staging server'])).entry.content).toBe('my own')
    expect((await desk.run(['learn', 'STAGING SERVER', '--quiet'])).stdout).toBe('Its name is heron.\n')
    const shown = (await desk.run(['learn', 'staging-server'])).stdout
    expect(shown).toMatch(/^Staging server \(topic\)\n {2}created .*\n(.*\n)*\nIts name is heron\.\n$/)
  })

  it('keeps C++, C# and "C!" apart', async () => {
    const desk = await Desk.empty()
    for (const topic of ['C++', 'C#', 'C!']) await makeAt(desk, ['learn', topic, `about ${topic}`])
    for (const topic of ['C++', 'C#', 'C!'])
      expect((await jsonAt(desk, ['learn', topic])).entry.content).toBe(`about ${topic}`)
    expect(await jsonAt(desk, ['learn', 'c'])).toMatchObject({ status: 3, error: { code: 'NOT_FOUND' } })
  })

  it('is seen by every agent', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'x', '--agent', 'scout'])
    expect((await jsonAt(desk, ['learn', 'Staging server', '--agent', 'scout'])).entry.content).toBe(
      'Its name is heron.',
    )
  })

  it('does not find a topic that is not there, and suggests one', async () => {
    const { status, stderr } = await (await Desk.furnished()).run(['learn', 'Stagin server'])
    expect(status).toBe(3)
    expect(stderr).toBe('keepsake: nothing here is called "Stagin server"\nDid you mean "Staging server"?\n')
  })
})

describe.concurrent('reflect', () => {
  it('reads nothing at first, as a success', async () => {
    const desk = await Desk.furnished()
    expect(await jsonAt(desk, ['reflect'])).toEqual({ entry: null, status: 0 })
    expect((await desk.run(['reflect'])).stdout).toContain('The memory of main is still empty.')
  })

  it('writes, rewrites and reads the memory', async () => {
    const desk = await Desk.furnished()
    expect((await desk.run(['reflect', 'Be brief.'])).stdout).toContain('Wrote the memory of main\n')
    const { entry } = await jsonAt(desk, ['reflect'])
    expect(entry).toMatchObject({ kind: 'memory', name: 'MEMORY', content: 'Be brief.', path: 'agents/main/MEMORY.md' })
    const written = await jsonAt(desk, ['reflect', 'Be kind.', '--expect', entry.revision])
    expect(written).toMatchObject({ entry: { content: 'Be kind.' }, replaced: entry.revision })
    expect(readFileSync(join(desk.workspace, 'agents/main/MEMORY.md'), 'utf8')).toBe('Be kind.\n')
    expect(await jsonAt(desk, ['reflect', 'Too late.', '--expect', entry.revision])).toMatchObject({
      status: 4,
      error: { code: 'CONFLICT' },
    })
    expect((await desk.run(['reflect', '--quiet'])).stdout).toBe('Be kind.\n')
  })

  it('empties it only when asked in so many words', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['reflect', 'Be brief.'])
    expect((await desk.run(['reflect', ''])).status).toBe(2)
    expect((await desk.run(['reflect', '-'], { input: ' \n' })).status).toBe(2)
    expect((await desk.run(['reflect'])).stdout).toContain('Be brief.')
    expect((await desk.run(['reflect', '--erase'])).stdout).toContain('Emptied the memory of main\n')
    expect((await jsonAt(desk, ['reflect'])).entry.content).toBe('')
    expect(statSync(join(desk.workspace, 'agents/main/MEMORY.md')).size).toBeLessThanOrEqual(1)
  })
})

describe.concurrent('forget', () => {
  it('removes an entry by name, alias, another spelling or id', async () => {
    const desk = await Desk.furnished()
    const { entry: deploys } = await jsonAt(desk, ['show', 'Deploys'])
    const gone = await jsonAt(desk, ['forget', 'RELEASES', '--yes'])
    expect(gone).toMatchObject({ entry: deploys, change: { operations: [{ op: 'remove', id: deploys.id }] } })
    expect(existsSync(join(desk.workspace, deploys.path))).toBe(false)
    const [experience] = (await jsonAt(desk, ['list', '--kind', 'experience'])).entries
    expect((await desk.run(['forget', experience.id, '--yes'])).stdout).toMatch(
      /^Forgot the experience .*\n {2}file .*\n/,
    )
    expect((await jsonAt(desk, ['list', '--kind', 'experience'])).entries).toEqual([])
  })

  it('without --yes only tells what it would remove', async () => {
    const desk = await Desk.furnished()
    const before = desk.hash()
    expect(await desk.run(['forget', 'Deploys'])).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'keepsake: this would remove the note "Deploys" in .keepsake/agents/main/entries/deploys.md: "Run make ship."\n' +
        'Nothing was removed. Say --yes to remove it.\n',
    })
    expect(await jsonAt(desk, ['forget', 'Deploys'])).toMatchObject({ status: 2, error: { code: 'INVALID' } })
    expect(desk.hash()).toBe(before)
  })
})

describe.concurrent('rename', () => {
  it('moves the file and keeps the old name as an alias', async () => {
    const desk = await Desk.furnished()
    expect((await desk.run(['rename', 'releases', 'How we ship'])).stdout).toContain(
      'Renamed the note "Deploys" to "How we ship"; the old name is an alias\n  file      .keepsake/agents/main/entries/how-we-ship.md\n',
    )
    const { entry, change } = await jsonAt(desk, ['rename', 'Deploys', 'Shipping'])
    expect(entry).toMatchObject({ name: 'Shipping', aliases: ['releases', 'Deploys', 'How we ship'] })
    expect(change.operations).toEqual([{ op: 'rename', id: entry.id, name: 'Shipping' }])
  })

  it('to its own name changes nothing, and says so', async () => {
    const desk = await Desk.furnished()
    const printed = await jsonAt(desk, ['rename', 'Deploys', 'Deploys'])
    expect(Object.keys(printed)).toEqual(['entry', 'unchanged', 'status'])
    expect((await desk.run(['rename', 'Deploys', 'Deploys'])).stdout).toContain(
      'Unchanged: the note "Deploys" is already like this\n',
    )
  })
})

describe.concurrent('alias', () => {
  it('gives a name, takes it from another entry, and gives it up', async () => {
    const desk = await Desk.furnished()
    expect((await desk.run(['alias', 'Posters', 'prints'])).stdout).toContain(
      '"prints" is now an alias of the note "Posters"\n',
    )
    expect((await desk.run(['alias', 'Posters', 'releases', '--take'])).stdout).toContain(
      '"releases" is now an alias of the note "Posters", taken from the note "Deploys"\n',
    )
    expect((await jsonAt(desk, ['show', 'Deploys'])).entry.aliases).toEqual([])
    expect((await desk.run(['alias', 'Posters', 'prints', '--drop'])).stdout).toContain(
      '"prints" is no longer an alias of the note "Posters"\n',
    )
    expect(await jsonAt(desk, ['alias', 'Posters', 'placards'])).toMatchObject({
      entry: { aliases: ['releases', 'placards'] },
    })
  })

  it('to a name it has already changes nothing', async () => {
    expect(Object.keys(await (await Desk.furnished()).json(['alias', 'Deploys', 'releases']))).toEqual([
      'entry',
      'unchanged',
      'status',
    ])
  })
})

describe.concurrent('show', () => {
  it('prints name, kind, dates and path, then the text', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, [
      'remember',
      'Two\nlines',
      '--name',
      'Plan',
      '--description',
      'What to do',
      '--meta',
      'n:=1',
      '--ttl',
      '1d',
    ])
    const { stdout } = await desk.run(['show', 'plan'])
    expect(
      stdout
        .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
        .replace(ID, 'ID')
        .replace(/[0-9a-f]{16}/, 'REV'),
    ).toBe(
      `Plan (note)
What to do
  created     TIME
  expires     TIME
  file        .keepsake/agents/main/entries/plan.md
  metadata    {"n":1}
  written by  agent main
  revision    REV
  id          ID

Two
lines
`,
    )
  })

  it('gives the entry alone as JSON', async () => {
    const printed = await (await Desk.furnished()).json(['show', 'Deploys'])
    expect(Object.keys(printed)).toEqual(['entry', 'status'])
    expect(keysOf(printed.entry)).toBe(ENTRY_KEYS)
  })

  it("does not show another agent's entry", async () => {
    const desk = await Desk.furnished()
    const { entry } = await jsonAt(desk, ['show', 'Deploys'])
    for (const ref of ['Deploys', entry.id]) {
      expect(await jsonAt(desk, ['show', ref, '--agent', 'scout'])).toMatchObject({
        status: 3,
        error: { code: 'NOT_FOUND' },
      })
    }
  })
})

describe.concurrent('list', () => {
  it('prints a line an entry, in the order they came', async () => {
    const { stdout } = await (await Desk.furnished()).run(['list'])
    expect(
      stdout
        .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
        .replace(/\d{4}-\d\d-\d\d/, 'DAY')
        .replace(ID, 'ID'),
    ).toBe(
      `TIME  experience  The staging server moved.  .keepsake/agents/main/daily/DAY.md  ID
TIME  note        Deploys                    .keepsake/agents/main/entries/deploys.md
TIME  note        Posters                    .keepsake/agents/main/entries/posters.md
TIME  topic       Staging server             .keepsake/world/staging-server.md
`,
    )
  })

  it('prints only a reference to each entry with --quiet', async () => {
    const desk = await Desk.furnished()
    const { stdout } = await desk.run(['list', '--quiet'])
    expect(stdout.replace(ID, 'ID')).toBe('ID\nDeploys\nPosters\nStaging server\n')
    expect((await desk.run(['list', '--quiet', '--kind', 'fact'])).stdout).toBe('')
  })

  it('addresses a topic by its id where an entry of the agent has its name', async () => {
    const desk = await Desk.furnished()
    await desk.make(['alias', 'Deploys', 'Staging server'])
    for (const args of [['list'], ['recall', 'heron']]) {
      const { stdout } = await desk.run([...args, '--quiet', '--kind', 'topic'])
      const { entry } = await desk.json(['show', stdout.trim()])
      expect(entry).toMatchObject({ kind: 'topic', name: 'Staging server' })
    }
  })

  it('gives whole entries as JSON, by kind', async () => {
    const { entries, ...rest } = await (await Desk.furnished()).json([
      'list',
      '--kind',
      'topic',
      '--kind',
      'experience',
    ])
    expect(rest).toEqual({ status: 0 })
    expect(entries.map((entry: Printed) => entry.kind)).toEqual(['experience', 'topic'])
    for (const entry of entries) expect(keysOf(entry)).toBe(ENTRY_KEYS)
  })

  it("takes a bare date for a day of the workspace's zone, from its start or to its end", async () => {
    const desk = await Desk.empty('Asia/Tokyo')
    desk.edit('agents/main/daily/2026-03-01.md', '# 2026-03-01\n\n## 00:00\n\nfirst\n\n## 23:59\n\nlast\n')
    desk.edit('agents/main/daily/2026-03-02.md', '# 2026-03-02\n\n## 00:00\n\nnext\n')
    const found = async (...args: string[]): Promise<string[]> =>
      (await jsonAt(desk, ['list', ...args])).entries.map((entry: Printed) => entry.content)
    expect(await found('--since', '2026-03-02')).toEqual(['next'])
    expect(await found('--until', '2026-03-01')).toEqual(['first', 'last'])
    expect(await found('--since', '2026-03-01', '--until', '2026-03-01')).toEqual(['first', 'last'])
    expect(await found('--since', '2026-02-28T15:00:00Z', '--until', '2026-03-01T23:59+09:00')).toEqual(['first'])
    expect(await found('--since', '1000-01-01', '--until', '9999-12-31')).toEqual(['first', 'last', 'next'])
  })

  it('says that there is nothing', async () => {
    const desk = await Desk.empty()
    expect(await desk.run(['list'])).toEqual({ status: 0, stdout: 'Nothing is there.\n', stderr: '' })
    expect(await jsonAt(desk, ['list'])).toEqual({ entries: [], status: 0 })
  })

  it("warns of a file that it can not read, unless it is another agent's", async () => {
    const desk = await Desk.furnished()
    desk.edit('agents/main/entries/broken.md', '---\nname: [\n---\nx\n')
    desk.edit('agents/scout/entries/broken.md', '---\nname: [\n---\nx\n')
    expect((await desk.run(['list'])).stderr).toMatch(/^keepsake: warning: agents\/main\/entries\/broken\.md: .*\n$/)
    expect((await jsonAt(desk, ['list'])).warnings).toHaveLength(1)
    expect((await jsonAt(desk, ['list', '--kind', 'topic'])).warnings).toBeUndefined()
  })
})
