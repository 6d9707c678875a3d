/** `keepsake import`: other programs' memories, taken in once, in one change, with nothing lost that is here. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/import/formats.ts'
import { fixture } from '../import/reading.ts'
import { jsonHere, makeAt, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'

let desk: Desk
beforeEach(async () => {
  desk = await Desk.empty()
  sitDownAt(desk)
  cpSync(fixture('.'), join(desk.folder, 'given'), { recursive: true })
})

const FATES = ['new', 'updated', 'known', 'kept', 'skipped'] as const

async function counts(...args: readonly string[]): Promise<number[]> {
  const printed = await jsonHere(['import', ...args])
  expect(printed.error).toBeUndefined()
  return FATES.map((fate) => printed[fate])
}

async function entries(): Promise<Printed[]> {
  return (await jsonHere(['list'])).entries
}

function here(path: string): string {
  return join(desk.folder, path)
}

describe('import', () => {
  it.each([
    ['server-memory', 'given/server-memory.jsonl', [4, 0, 0, 0, 3]],
    ['basic-memory', 'given/basic-memory', [4, 0, 0, 0, 0]],
    ['claude-code', 'given/claude-code', [4, 0, 0, 0, 0]],
    ['openclaw', 'given/openclaw', [8, 0, 0, 0, 0]],
    ['mem0', 'given/mem0.json', [4, 0, 1, 0, 3]],
  ])('takes %s in once, as its dry run says, and in one change', async (format, path, expected) => {
    const before = desk.hash()
    const { status, ...dry } = await jsonHere(['import', format, path, '--dry-run'])
    expect(FATES.map((fate) => dry[fate])).toEqual(expected)
    expect(desk.hash()).toBe(before)

    const { change, ...done } = await jsonHere(['import', format, path])
    expect({ ...done, dryRun: true }).toEqual({ ...dry, status })
    expect(change.origin).toEqual({ by: 'import', agent: 'main' })
    const [added = 0] = expected
    expect(await entries()).toHaveLength(added)

    const kept = desk.hash()
    const again = await jsonHere(['import', format, path])
    expect([again.new, again.updated, again.known, again.change]).toEqual([0, 0, added + (expected[2] ?? 0), undefined])
    expect(desk.hash()).toBe(kept)

    await makeAt(desk, ['undo'])
    expect(await entries()).toEqual([])
    expect((await counts(format, path))[0]).toBe(added)
  })

  it('puts each thing where it belongs: days, times, names and aliases', async () => {
    await counts('openclaw', 'given/openclaw')
    await counts('claude-code', 'given/claude-code')
    const daily = readFileSync(here('.keepsake/agents/main/daily/2026-01-15.md'), 'utf8')
    expect(daily.match(/^## \d\d:\d\d$/gm)).toEqual([
      '## 00:00',
      '## 09:05',
      '## 09:05',
      '## 14:30',
      '## 14:30',
      '## 16:45',
    ])
    expect(readFileSync(here('.keepsake/agents/main/MEMORY.md'), 'utf8')).toContain('Staging is called heron.')
    const { entry } = await jsonHere(['show', 'feedback_answers'])
    expect(entry).toMatchObject({ name: 'Answers are short', kind: 'note', updatedAt: '2026-07-29T13:16:34.420Z' })
    expect((await jsonHere(['show', 'MEMORY (claude-code)'])).entry.content).toContain('# Memory Index')
    expect((await jsonHere(['recall', 'harbour heron cores'])).hits.length).toBeGreaterThan(0)
  })

  it('takes of a source that has grown what is new, and leaves what was changed here', async () => {
    const file = here('memory.jsonl')
    const entity = (name: string, observation: string): string =>
      `${JSON.stringify({ type: 'entity', name, entityType: 'person', observations: [observation] })}\n`
    writeFileSync(file, entity('Ada', 'one') + entity('Bo', 'one') + entity('Cy', 'one'))
    expect(await counts('server-memory', file)).toEqual([3, 0, 0, 0, 0])
    await makeAt(desk, ['rename', 'Ada', 'Ada Lovelace'])
    await makeAt(desk, ['remember', 'mine', '--name', 'Bo'])
    writeFileSync(file, entity('Ada', 'two') + entity('Bo', 'two') + entity('Cy', 'one') + entity('Di', 'one'))
    expect(await counts('server-memory', file)).toEqual([1, 1, 1, 1, 0])
    expect((await jsonHere(['show', 'Ada'])).entry).toMatchObject({ name: 'Ada Lovelace', content: '- two' })
    expect((await jsonHere(['show', 'Bo'])).entry.content).toBe('mine')
  })

  it('leaves a name to the text that has it, and knows the same text again wherever it comes from', async () => {
    await makeAt(desk, ['remember', 'A brand of tea.', '--name', 'Ada', '--alias', 'Heron'])
    const { renamed, warnings } = await jsonHere(['import', 'server-memory', 'given/server-memory.jsonl'])
    expect(renamed).toEqual([
      { name: 'Ada', as: 'Ada (server-memory)' },
      { name: 'Heron', as: 'Heron (server-memory)' },
    ])
    expect(warnings.join('\n')).toContain('"Ada" belongs to another text here')
    expect((await jsonHere(['show', 'Ada'])).entry.content).toBe('A brand of tea.')
    cpSync(here('given/server-memory.jsonl'), here('copy.jsonl'))
    // At another place it is another source; only what has its own name here is known by that.
    expect(await counts('server-memory', 'copy.jsonl')).toEqual([2, 0, 2, 0, 3])
  })

  it.each([
    ['openclaw', 'given/openclaw', 'elsewhere/openclaw'],
    ['claude-code', 'given/claude-code', 'elsewhere/claude-code'],
    ['basic-memory', 'given/basic-memory', 'elsewhere/basic-memory'],
  ])('recognises %s after its folder was moved', async (format, from, to) => {
    const [added] = await counts(format, from)
    cpSync(here(from), here(to), { recursive: true, preserveTimestamps: true })
    const before = await entries()
    expect(await counts(format, to)).toEqual([0, 0, added, 0, 0])
    expect(await entries()).toEqual(before)
  })

  it('follows when a fact is to end', async () => {
    const fact = async (until: object): Promise<unknown> => {
      writeFileSync(here('mem0.json'), JSON.stringify([{ id: 'x', memory: 'Likes tea', ...until }]))
      const [added, updated] = await counts('mem0', 'mem0.json')
      const { entry } = await jsonHere(['show', 'Likes tea'])
      return [added, updated, entry.expiresAt?.slice(0, 4) ?? null]
    }
    expect(await fact({ expiration_date: '2031-05-01' })).toEqual([1, 0, '2031'])
    expect(await fact({ expiration_date: '2032-05-01' })).toEqual([0, 1, '2032'])
    expect(await fact({ expiration_date: 'who knows' })).toEqual([0, 0, '2032'])
    expect(await fact({})).toEqual([0, 1, null])
    expect(await fact({ expiration_date: null })).toEqual([0, 0, null])
  })

  it('updates MEMORY.md where it is what this source said before', async () => {
    const file = here('given/openclaw/MEMORY.md')
    const say = async (text: string, ...args: string[]): Promise<unknown> => {
      writeFileSync(file, text)
      const [added, updated] = await counts('openclaw', 'given/openclaw', ...args)
      return [added, updated, (await jsonHere(['reflect', ...args])).entry.content]
    }
    for (const args of [[], ['--workspace', here('memory.keepsake')]]) {
      expect(await say('One.\n', ...args)).toEqual([8, 0, 'One.'])
      expect(await say('Rewritten.\n', ...args)).toEqual([0, 1, 'Rewritten.'])
      expect(await say('One.\n', ...args)).toEqual([0, 1, 'One.'])
      // Another one's, of which nothing is known here, is a note.
      expect((await counts('claude-code', 'given/claude-code', ...args)).slice(0, 2)).toEqual([4, 0])
      expect(await say('Two.\n', ...args)).toEqual([0, 1, 'Two.'])
    }
  })

  it('updates a MEMORY.md that came alone where it has only grown', async () => {
    mkdirSync(here('alone'))
    const say = async (text: string): Promise<unknown> => {
      writeFileSync(here('alone/MEMORY.md'), text)
      const [added, updated] = await counts('claude-code', 'alone')
      return [added, updated, (await jsonHere(['reflect'])).entry.content]
    }
    expect(await say('One.\n\nTwo.\n')).toEqual([1, 0, 'One.\n\nTwo.'])
    expect(await say('One.\n\nAnd a half.\n\nTwo.\n')).toEqual([0, 1, 'One.\n\nAnd a half.\n\nTwo.'])
    expect(await say('Something else.\n')).toEqual([1, 0, 'One.\n\nAnd a half.\n\nTwo.'])
  })

  it('never replaces MEMORY.md, and does not bring back what was once in it', async () => {
    await counts('openclaw', 'given/openclaw')
    await makeAt(desk, ['reflect', 'Rewritten since.'])
    expect(await counts('openclaw', 'given/openclaw')).toEqual([0, 0, 8, 0, 0])
    writeFileSync(here('given/openclaw/MEMORY.md'), 'Grown there.')
    expect(await counts('openclaw', 'given/openclaw')).toEqual([1, 0, 7, 0, 0])
    expect((await jsonHere(['show', 'MEMORY (openclaw)'])).entry.content).toBe('Grown there.')
    expect((await jsonHere(['reflect'])).entry.content).toBe('Rewritten since.')
  })

  it('follows no link, reads nothing but Markdown, and tells what it could not read', async () => {
    const folder = here('strange')
    mkdirSync(join(folder, '.hidden'), { recursive: true })
    writeFileSync(join(folder, '.hidden/secret.md'), 'secret')
    writeFileSync(here('outside.md'), 'secret')
    symlinkSync(here('outside.md'), join(folder, 'link.md'))
    symlinkSync(here('.keepsake'), join(folder, 'folder-link'))
    writeFileSync(join(folder, 'latin.md'), Buffer.from([0x66, 0xfc, 0x72]))
    writeFileSync(join(folder, 'nul.md'), 'a\0b')
    writeFileSync(join(folder, 'huge.md'), 'x')
    truncateSync(join(folder, 'huge.md'), 5 * 1024 * 1024)
    writeFileSync(join(folder, 'script.js'), 'process.exit(1)')
    writeFileSync(join(folder, 'fine.md'), '---\n"__proto__": {"polluted": true}\n---\nfine')
    const { problems, new: added } = await jsonHere(['import', 'basic-memory', folder])
    expect(added).toBe(1)
    expect(problems.map(({ source, problem }: Printed) => `${source}: ${problem}`)).toEqual([
      'folder-link: is a link, and links are not followed',
      'huge.md: has 5242880 bytes; at most 4 MB are taken',
      'latin.md: is not UTF-8',
      'link.md: is a link, and links are not followed',
      'nul.md: content: holds a NUL character',
    ])
    expect('polluted' in {}).toBe(false)
    expect(JSON.stringify(await entries())).not.toContain('secret')
  })

  it('is settled anew where somebody else was faster', async () => {
    const both = await Promise.all([1, 2].map(() => jsonHere(['import', 'server-memory', 'given/server-memory.jsonl'])))
    expect(both.map(({ new: added }) => added).sort()).toEqual([0, 4])
    expect(both.map(({ known }) => known).sort()).toEqual([0, 4])
    expect(await entries()).toHaveLength(4)
  })

  it('takes a folder into a memory with nothing in it as it is, and into another one what has room', async () => {
    await makeAt(desk, ['remember', 'A brand of tea.', '--name', 'Ada', '--alias', 'tea'])
    await makeAt(desk, ['remember', 'Tasted it.'])
    const into = (place: string, ...args: string[]): Promise<Printed> =>
      jsonHere(['import', 'folder', '.keepsake', '--workspace', here(place), ...args])
    expect(await into('new', '--dry-run')).toMatchObject({ whole: true, new: 2, dryRun: true })
    expect(readdirSync(desk.folder)).not.toContain('new')
    expect(await into('new')).toMatchObject({ whole: true, new: 2 })
    const card = 'agents/main/entries/ada.md'
    expect(readFileSync(here(`new/${card}`))).toEqual(readFileSync(here(`.keepsake/${card}`)))
    expect(await into('memory.keepsake')).toMatchObject({ whole: true, new: 2 })
    expect(await into('memory.keepsake')).toMatchObject({ whole: false, new: 0, known: 2 })

    await jsonHere(['remember', 'A person.', '--name', 'tea', '--workspace', here('other')])
    const { leftOut, ...merged } = await into('other')
    expect(merged).toMatchObject({
      whole: false,
      new: 1,
      known: 0,
      changes: [{ origin: { by: 'import' }, agent: 'main' }],
    })
    expect(leftOut).toMatchObject([{ entry: 'the note "Ada" of main' }])
  })

  it('takes another program in where the memory is one file', async () => {
    const place = ['--workspace', here('memory.keepsake')]
    expect(await counts('openclaw', 'given/openclaw', ...place)).toEqual([8, 0, 0, 0, 0])
    expect(await counts('openclaw', 'given/openclaw', ...place)).toEqual([0, 0, 8, 0, 0])
    await jsonHere(['undo', ...place])
    expect((await jsonHere(['list', ...place])).entries).toEqual([])
  })

  it('looks where a program keeps its memory, and says where it looked', async () => {
    expect((await jsonHere(['import', 'openclaw'])).error).toMatchObject({
      code: 'NOT_FOUND',
      message: `there is no memory of openclaw at ${here('home/.openclaw/workspace')}`,
    })
    expect((await jsonHere(['import', 'mem0'])).error.message).toBe('mem0 has no usual place')
    const [project, home] = [here('app/src'), here('home')]
    mkdirSync(join(here('app'), '.git'), { recursive: true })
    mkdirSync(project)
    const folder = join(home, '.claude/projects', here('app').replace(/[^A-Za-z0-9]/g, '-'), 'memory')
    cpSync(here('given/claude-code'), folder, { recursive: true })
    process.chdir(project)
    expect(await jsonHere(['import', 'claude-code', '--dry-run', '--workspace', desk.workspace])).toMatchObject({
      new: 4,
      from: folder,
    })
  })

  it('says what is wrong with what it was given', async () => {
    writeFileSync(here('page.html'), '<p>no JSON</p>\n')
    const message = async (...args: string[]): Promise<string> => (await jsonHere(['import', ...args])).error.message
    expect(await message('notion', 'x')).toBe('FORMAT: "notion" is not a format that is known here')
    expect(await message('mem0', 'gone.json')).toBe('there is no gone.json')
    expect(await message('mem0', 'given')).toBe('PATH: given is not a file')
    expect(await message('openclaw', 'page.html')).toBe('PATH: page.html is not a folder')
    expect(await message('mem0', 'page.html')).toBe(
      'PATH: page.html holds no memory of mem0 (page.html, line 1: is not JSON)',
    )
    expect(await message('folder')).toBe('import folder needs PATH')
    expect(await message('folder', 'nowhere')).toBe('there is no folder nowhere')
    expect(await message('folder', 'given/basic-memory')).toBe(
      'PATH: given/basic-memory has nothing that keepsake wrote',
    )
  })

  it('has a page for every format', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/import.md'), 'utf8')
    for (const format of Object.keys(FORMATS)) expect(text).toContain(`## ${format}`)
  })

  it('tells a person in a few lines what was done', async () => {
    const { stdout, stderr, status } = await desk.run(['import', 'server-memory', 'given/server-memory.jsonl'])
    expect([status, stdout]).toEqual([
      0,
      [
        'Imported; to take it back: keepsake undo 1',
        '  new      4 notes',
        '  skipped  3',
        '  from     the MCP memory server, given/server-memory.jsonl',
        '  change   1',
        '',
      ].join('\n'),
    ])
    expect(stderr).toContain('server-memory.jsonl, line 10: is not JSON; it was skipped')
    expect(readdirSync(here('.keepsake/agents/main/entries')).sort()).toEqual([
      'ada.md',
      'billing.md',
      'heron.md',
      'old-rack.md',
    ])
  })
})
