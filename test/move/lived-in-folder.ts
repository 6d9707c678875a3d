/** A folder as one looks after a while: written by programs, and by hands that do not write as programs do. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Operation } from '../../src/model/operation.ts'
import type { Store } from '../../src/ports/store.ts'
import { type FilesystemStore, filesystemStore } from '../../src/stores/filesystem/store.ts'
import { seededRandom } from '../../src/testing/random.ts'
import { context, experience, note, topic } from '../../src/testing/requests.ts'

export interface LivedIn {
  readonly root: string
  readonly entries: number
  readonly layout?: 'agents' | 'flat'
}

/** Open, with nothing left to absorb. */
export async function livedInFolder({ root, entries, layout = 'agents' }: LivedIn): Promise<FilesystemStore> {
  let ms = Date.parse('2025-11-03T07:00:00.000Z')
  const store = filesystemStore({ root, layout, timezone: 'Europe/Berlin', clock: () => ms })
  await writeMuch(store, entries, () => {
    ms += 3_700_000
  })
  await workByHand(root, layout === 'flat' ? '' : 'agents/main/')
  await store.absorb()
  ms += 1000
  await write(store, [note('written last', { content: 'after the hands' })])
  return store
}

async function writeMuch(store: Store, entries: number, pass: () => void): Promise<void> {
  const random = seededRandom(9)
  const perBatch = Math.max(12, Math.floor(entries / 60))
  for (let made = 0; made < entries; made += perBatch) {
    pass()
    const count = Math.min(perBatch, entries - made)
    await write(
      store,
      Array.from({ length: count }, (_, n) => someEntry(made + n)),
    )
    const heads = (await store.heads()).filter(({ kind }) => kind === 'note')
    const [gone, renamed, rewritten] = [random.pick(heads), random.pick(heads), random.pick(heads)]
    if (renamed && gone && rewritten && renamed.id !== gone.id && rewritten.id !== gone.id) {
      await write(store, [
        { op: 'remove', id: gone.id },
        { op: 'rename', id: renamed.id, name: `Renamed ${made}: "${renamed.name}"` },
        { op: 'alias', id: renamed.id, alias: `alias ${made}` },
        { op: 'write', id: rewritten.id, content: `written again\n\n# heading ${made}` },
        // The name that has just become free, and another that makes the same file name.
        note(gone.name ?? '', { content: 'in the place of another' }),
        note(`${gone.name} ${'!'.repeat(1 + made / perBatch)}`, { content: 'nearly the same name' }),
      ])
    }
    for (let n = 0; n < 3; n++) {
      const key = `chat/${(made / perBatch) % 7}: ${n}`
      await store.sessions.append('main', key, [
        { type: 'turn', text: `turn ${made} ü` },
        { type: 'turn', n },
      ])
    }
  }
}

function someEntry(n: number): Operation {
  const content = `Text ${n}: ${'what was said, '.repeat(n % 12)}\n\n- item ${n}\n## 12:30\nümlaut`
  switch (n % 8) {
    case 0:
      return topic(`Topic ${n} / Ünïcode`, { content, aliases: [`t${n}`] })
    case 1:
      return { op: 'add', scope: 'main', kind: 'fact', content }
    case 2:
      return experience(content)
    case 3:
      return { op: 'add', scope: 'main', kind: 'history', content }
    case 4:
      return { op: 'add', scope: 'main', kind: 'conversation', content, metadata: { role: 'user', n } }
    case 5:
      return context(`key ${n}`, content, { expiresAt: '2031-01-01T00:00:00.000Z' })
    case 6:
      return { op: 'add', scope: 'main', kind: 'archive', name: `session-${n}`, content, description: 'a: "d"' }
    default:
      return note(`Note ${n}`, {
        content,
        aliases: [`n${n}`],
        metadata: { tags: ['a', `b${n}`], deep: { x: [1, null] } },
      })
  }
}

/** `own`: where the files of the agent are. */
async function workByHand(root: string, own: string): Promise<void> {
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  put('directives/memory.md', 'Keep what matters.\n')
  put('world/by hand.md', 'no front matter, no newline at the end')
  put('world/windows.md', '# Title\r\n\r\nlines\r\n')
  put(`${own}MEMORY.md`, '---\nnot: front matter\n---\n\n\nMany empty lines.\n\n\n')
  put(`${own}entries/own-keys.md`, '---\n# a comment\nmood:   good\nname: Own keys\n---\n\ntext\n\n')
  put(`${own}daily/2024-01-02.md`, 'A preface.\n\n## 09:15\n\nby hand\n\n## 10:00\nwithout a blank line\n')
  const cards = readdirSync(join(root, `${own}entries`)).sort()
  const [first, second] = cards.filter((name) => name.startsWith('note-'))
  if (!first || !second) throw new Error('too few notes for hands to work on')
  const card = join(root, `${own}entries/${first}`)
  writeFileSync(card, readFileSync(card, 'utf8').replace('\n---\n', '\n# why: a hand was here\n---\n'))
  renameSync(join(root, `${own}entries/${second}`), join(root, `${own}entries/Moved by a hand.md`))
  const log = readdirSync(join(root, `${own}daily`))
    .sort()
    .at(-1)
  appendFileSync(join(root, `${own}daily/${log}`), '\n## 23:59\n\nadded at the end, without a newline')
  const session = readdirSync(join(root, `${own}sessions`)).sort()[0]
  appendFileSync(join(root, `${own}sessions/${session}`), '{ "type": "turn", "text": "by hand" }\nnot JSON\n')
}

async function write(store: Store, operations: readonly Operation[]): Promise<void> {
  await store.apply({ operations, origin: { by: 'agent', agent: 'main' } })
}

/** The paths of files that only one of two folders has, or that are not the same there; `.state` is ours alone. */
export function differentFiles(a: string, b: string): string[] {
  const [first, second] = [filesOf(a), filesOf(b)]
  const paths = [...new Set([...first.keys(), ...second.keys()])]
  return paths.filter((path) => first.get(path) !== second.get(path))
}

function filesOf(root: string): Map<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('.state'))
  const files = names.filter((name) => statSync(join(root, name)).isFile())
  return new Map(files.map((name) => [name, readFileSync(join(root, name), 'latin1')]))
}
