/** `purge` leaves no byte of an entry: in files, the journal and its bases, sessions, and derived data. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { type FilesystemStore, filesystemStore } from '../../src/stores/filesystem/store.ts'

const SECRET = 'the-password-is-hunter2-and-nobody-knows'

let base: string
let root: string
const stores: FilesystemStore[] = []
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-purge-'))
  root = join(base, 'ws')
})
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  rmSync(base, { recursive: true, force: true })
})

function open(): { readonly memory: Memory; readonly store: FilesystemStore } {
  const store = filesystemStore({ root, timezone: 'UTC' })
  stores.push(store)
  return { store, memory: new Memory(store, 'main', Date.now) }
}

/** Every file below the base that holds the text, archives opened. */
function holding(text: string): string[] {
  return readdirSync(base, { recursive: true, encoding: 'utf8' }).filter((file) => {
    const path = join(base, file)
    if (!lstatSync(path).isFile()) return false
    return readFileSync(path).includes(text)
  })
}

describe('purge', () => {
  it.each([
    ['a note', { name: 'Door' }],
    ['a line of the log', {}],
    ['a context', { key: 'door' }],
  ])('leaves nothing of %s, and everything else', async (_, options) => {
    const { memory, store } = open()
    await memory.remember('before')
    const { entry } = await memory.remember(`${SECRET} 1`, { ...options, metadata: { also: SECRET } })
    await memory.remember('after')
    await memory.remember('kept', { name: 'Kept' })
    await store.apply({ operations: [{ op: 'write', id: entry.id, content: `${SECRET} 2` }], origin: { by: 'agent' } })
    await store.sessions.append('main', 's', [{ role: 'user', content: `remember: ${SECRET} 2` }, { role: 'agent' }])
    await store.derived.write('index', Buffer.from(SECRET))
    expect(holding(SECRET).length).toBeGreaterThan(4)

    const { cleaned, outOfReach } = await memory.purge(entry.id)
    expect(holding(SECRET)).toEqual([])
    expect(cleaned.join('; ')).toMatch(/journal.*session/)
    expect(outOfReach.length).toBeGreaterThan(0)
    expect((await memory.list()).map(({ content }) => content)).toEqual(['before', 'after', 'kept'])
    expect((await store.sessions.read('main', 's'))?.records).toEqual([
      { role: 'user', content: 'remember: [purged]' },
      { role: 'agent' },
    ])

    const again = open()
    expect((await again.memory.list()).map(({ content }) => content)).toEqual(['before', 'after', 'kept'])
    // Everyone else's past is as it was.
    await again.memory.remember('kept no more', { name: 'Kept' })
    await again.memory.undo()
    expect((await again.memory.get('Kept'))?.content).toBe('kept')
    await again.memory.undo({ changes: [3, 4] })
    expect((await again.memory.list()).map(({ content }) => content)).toEqual(['before'])
    expect(await again.memory.store.problems()).toEqual([])
  })

  it('reaches what was forgotten long ago', async () => {
    const { memory, store } = open()
    const { entry } = await memory.remember(SECRET, { name: 'Door' })
    await memory.rename('Door', 'Gate')
    await memory.forget('Gate')
    expect(holding(SECRET).length).toBeGreaterThan(0)
    await store.purge([entry.id])
    expect(holding(SECRET)).toEqual([])
    expect(await memory.log()).toMatchObject([{ change: { purged: ['main'] }, touched: [] }])
  })

  it('removes what a hand wrote, and says where else the text stands', async () => {
    const { memory, store } = open()
    await memory.remember('one', { name: 'Door' })
    writeFileSync(join(root, 'agents/main/entries/door.md'), `${SECRET}\n`)
    await memory.absorb()
    await memory.learnFact('Copied', `${SECRET}\n`)
    writeFileSync(join(root, 'notes.txt'), `x ${SECRET}`)
    mkdirSync(join(base, '.ws.moving'))
    const door = (await memory.list({ kinds: ['note'] }))[0]
    const { occurrences, outOfReach } = await store.purge([door?.id ?? ''])
    expect(occurrences).toMatchObject([
      { in: 'entry', scope: 'world', name: 'Copied' },
      { in: 'file', path: 'notes.txt' },
    ])
    expect(outOfReach.join('\n')).toContain('.ws.moving, which a move')
    const left = holding(SECRET).filter((file) => !file.includes('.state'))
    expect(left.sort()).toEqual(['ws/notes.txt', 'ws/world/copied.md'])
  })

  it('of an entry whose file another one has by now leaves that one to be written on, also without a checkpoint', async () => {
    const { memory, store } = open()
    const { entry } = await memory.remember(SECRET, { name: 'Door' })
    await memory.remember('kept', { name: 'Kept' })
    const [door, kept, aside] = ['door.md', 'kept.md', 'aside'].map((name) => join(root, 'agents/main/entries', name))
    renameSync(door ?? '', aside ?? '')
    renameSync(kept ?? '', door ?? '')
    renameSync(aside ?? '', kept ?? '')
    await store.absorb()
    await memory.purge(entry.id)
    rmSync(join(root, '.state/checkpoint'))
    const again = open()
    await again.memory.remember('kept, and changed', { name: 'Kept' })
    expect(readFileSync(door ?? '', 'utf8')).toContain('kept, and changed')
    expect((await again.memory.list()).map(({ content }) => content)).toEqual(['kept, and changed'])
    expect(holding(SECRET)).toEqual([])
  })

  it.each([
    ['', { origin: { by: 'user' }, texts: [{ agent: 'main', text: SECRET }], scopes: ['main'] }],
    [' in 0.1', { needles: [SECRET] }],
  ])('is finished by the next writer when it was interrupted%s', async (_, note) => {
    const { memory } = open()
    const { entry } = await memory.remember(SECRET, { name: 'Door' })
    await memory.session('chat').append({ role: 'user', content: SECRET })
    await memory.forget('Door')
    writeFileSync(join(root, '.state/purge.json'), JSON.stringify({ ids: [entry.id], ...note }))
    await open().memory.remember('next')
    expect(holding(SECRET)).toEqual([])
    expect(readdirSync(join(root, '.state'))).not.toContain('purge.json')
  })
})

describe('the words of a purged entry', () => {
  it('stay in backups, which are named while they exist', async () => {
    const { memory, store } = open()
    await memory.remember(SECRET, { name: 'Door' })
    const [there, gone] = [join(base, 'it is.keepsake'), join(base, 'gone.keepsake')]
    writeFileSync(there, SECRET)
    for (const path of [there, gone]) await store.noteBackup(path)
    mkdirSync(`${root}.before-fix-2026-11-18T190000.000Z`)
    const { outOfReach } = await memory.purge('Door')
    expect(outOfReach.slice(0, 2)).toEqual([
      `the backup ${there}: delete it, or replace it with: keepsake backup '${there}' --force --workspace ${root}`,
      `${root}.before-fix-2026-11-18T190000.000Z, a copy that "keepsake doctor --fix" made: delete it`,
    ])
    expect(outOfReach.join()).not.toContain(gone)
    expect(readFileSync(there, 'utf8')).toBe(SECRET)
  })

  it('are removed from the transcript ends that a fix has cut off, if these are of the same agent', async () => {
    const { memory } = open()
    await memory.remember(SECRET, { name: 'Door' })
    for (const agent of ['main', 'bob']) {
      mkdirSync(join(root, '.state/aside/then/agents', agent, 'sessions'), { recursive: true })
      const torn = `{"type":"turn","content":"it is ${SECRET}", "x`
      writeFileSync(join(root, '.state/aside/then/agents', agent, 'sessions/k.jsonl'), torn)
    }
    const { occurrences } = await memory.purge('Door')
    expect(holding(SECRET)).toEqual(['ws/.state/aside/then/agents/bob/sessions/k.jsonl'])
    expect(occurrences).toEqual([{ in: 'file', path: '.state/aside/then/agents/bob/sessions/k.jsonl' }])
    const own = readFileSync(join(root, '.state/aside/then/agents/main/sessions/k.jsonl'), 'utf8')
    expect(own).toBe('{"type":"turn","content":"it is [purged]", "x')
  })

  it('stay in a file that is not a transcript, whatever its name', async () => {
    const { memory } = open()
    await memory.remember(SECRET, { name: 'Door' })
    mkdirSync(join(root, 'exports/sessions'), { recursive: true })
    const line = `{"content":${JSON.stringify(SECRET)}}\n`
    writeFileSync(join(root, 'exports/sessions/data.jsonl'), line)
    const { occurrences } = await memory.purge('Door')
    expect(occurrences).toEqual([{ in: 'file', path: 'exports/sessions/data.jsonl' }])
    expect(readFileSync(join(root, 'exports/sessions/data.jsonl'), 'utf8')).toBe(line)
  })

  it('are removed from the sessions of the one agent of a flat workspace', async () => {
    const store = filesystemStore({ root, timezone: 'UTC', layout: 'flat', agent: 'main' })
    stores.push(store)
    const memory = new Memory(store, 'main', Date.now)
    await memory.remember(SECRET, { name: 'Door' })
    await memory.session('k').append({ role: 'user', content: SECRET })
    await memory.purge('Door')
    expect(holding(SECRET)).toEqual([])
    expect(readFileSync(join(root, 'sessions/k.jsonl'), 'utf8')).toContain('[purged]')
  })
})

describe('a transcript that a purge has made shorter', () => {
  it('is read from its beginning by who had read further', async () => {
    const { memory, store } = open()
    const secret = 'swordfish is the word of the day '.repeat(40).trim()
    const { entry } = await memory.remember(secret, { name: 'secret' })
    const { sessions } = store
    await sessions.append('main', 'k', [{ text: secret }])
    const before = await sessions.read('main', 'k')
    expect(before?.restarted).toBeUndefined()
    await store.purge([entry.id])
    await sessions.append('main', 'k', [{ text: 'new' }])
    const after = await sessions.read('main', 'k', before?.next)
    expect([after?.restarted, after?.records.at(-1), after?.broken]).toEqual([true, { text: 'new' }, []])
    expect((await sessions.read('main', 'k', after?.next))?.records).toEqual([])
  })
})

it('a transcript is purged also where an editor has put a mark before a turn, which is its first line', async () => {
  const { memory, store } = open()
  const secret = 'a "quoted" word that nobody is to know'
  const { entry } = await memory.remember(secret, { name: 'secret' })
  await store.sessions.append('main', 'k', [{ text: 'x' }])
  writeFileSync(join(root, 'agents/main/sessions/k.jsonl'), `\ufeff${JSON.stringify({ text: secret })}\n`)
  await store.purge([entry.id])
  expect((await store.sessions.read('main', 'k'))?.records).toEqual([{ text: '[purged]' }])
})
