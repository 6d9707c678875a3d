/** Transcripts as files: what damage, hands and a purge leave of them, read from either end and appended to. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Sessions, SessionTail } from '../../src/ports/store.ts'
import { readBackward } from '../../src/stores/disk/session-file.ts'
import { type FilesystemStore, filesystemStore } from '../../src/stores/filesystem/store.ts'
import { lookInto } from '../../src/stores/filesystem/transcript-file.ts'

const META = '{"key":"chat","createdAt":"2026-03-14T09:26:53.589Z"}\n'

let root: string
let store: FilesystemStore
let sessions: Sessions
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'keepsake-sessions-'))
  store = filesystemStore({ root, timezone: 'UTC' })
  sessions = store.sessions
})
afterEach(async () => {
  await store.close()
  rmSync(root, { recursive: true, force: true })
})

const pathOf = (key: string): string => join(root, 'agents/main/sessions', `${key}.jsonl`)
const textOf = (key: string): string => readFileSync(pathOf(key), 'utf8')

function put(key: string, text: string | Uint8Array): void {
  mkdirSync(dirname(pathOf(key)), { recursive: true })
  writeFileSync(pathOf(key), text)
}

async function pagesBack(key: string): Promise<SessionTail[]> {
  const pages: SessionTail[] = []
  for (let before: number | undefined; before !== 0; ) {
    const page = await sessions.readBefore('main', key, before)
    if (!page) throw new Error('no session')
    pages.unshift(page)
    before = page.start
  }
  return pages
}

const line = (n: number, bytes = 1000): string => `{"n":${n},"text":"${'x'.repeat(bytes)}"}\n`

describe('a last line without its end', () => {
  const whole = `${META}{"n":1}\n`

  it.each([
    ['cut in its text', '{"n":2,"text":"half a'],
    ['cut in a list', '[{"n":2},{"n":3}'],
    ['cut in a character', Buffer.from('{"text":"東').subarray(0, 11)],
    ['of zeros', Buffer.alloc(9000)],
    ['of a text and zeros', Buffer.concat([Buffer.from('{"n":2}'), Buffer.alloc(70_000)])],
    ['longer than a page', `{"text":"${'x'.repeat(200_000)}`],
  ])('%s is not there for readers, and cut by the next append', async (_, torn) => {
    put('chat', Buffer.concat([Buffer.from(whole), Buffer.from(torn)]))
    const page = await sessions.read('main', 'chat')
    expect(page).toMatchObject({ records: [{ n: 1 }], broken: [], next: whole.length })
    expect(await sessions.readBefore('main', 'chat')).toEqual({ ...page, start: 0 })
    const { end } = await sessions.append('main', 'chat', [{ n: 9 }], { expectEnd: whole.length })
    expect(textOf('chat')).toBe(`${whole}{"n":9}\n`)
    expect(end).toBe(textOf('chat').length)
  })

  it.each([
    ['a record', '{"n":2}', [{ n: 2 }]],
    ['a list of records', '[{"n":2}, {"n":3}]', [{ n: 2 }, { n: 3 }]],
    ['a record with a blank after it', '{"n":2} ', [{ n: 2 }]],
  ])('that is %s but for its end is ended, not cut', async (_, unended, records) => {
    put('chat', `${whole}${unended}`)
    expect((await sessions.read('main', 'chat'))?.records).toEqual([{ n: 1 }])
    const { end } = await sessions.append('main', 'chat', [{ n: 9 }])
    expect(textOf('chat')).toBe(`${whole}${unended}\n{"n":9}\n`)
    const page = await sessions.read('main', 'chat')
    expect(page).toMatchObject({ records: [{ n: 1 }, ...records, { n: 9 }], broken: [], next: end })
  })

  it('that someone else wrote becomes a line that can not be read, and is kept', async () => {
    put('chat', `${whole}a note by hand`)
    await sessions.append('main', 'chat', [{ n: 9 }])
    expect(textOf('chat')).toBe(`${whole}a note by hand\n{"n":9}\n`)
    expect(await sessions.read('main', 'chat')).toMatchObject({ records: [{ n: 1 }, { n: 9 }], broken: [{ line: 3 }] })
  })

  it('that is ended on the way is a conflict for who has not read it', async () => {
    put('chat', `${whole}{"n":2}`)
    const page = await sessions.readBefore('main', 'chat')
    await expect(sessions.append('main', 'chat', [{ n: 9 }], { expectEnd: page?.next ?? -1 })).rejects.toMatchObject({
      code: 'CONFLICT',
      data: { session: 'chat', expected: whole.length, actual: whole.length + 8 },
    })
    const again = await sessions.readBefore('main', 'chat')
    expect(again?.records).toEqual([{ n: 1 }, { n: 2 }])
    await sessions.append('main', 'chat', [{ n: 3 }], { expectEnd: again?.next ?? -1 })
    expect(textOf('chat')).toBe(`${whole}{"n":2}\n{"n":3}\n`)
  })

  it('is the first one too: ours is begun anew, and what a hand wrote is kept', async () => {
    put('begun', '{"key":"begun","crea')
    put('meta', META.trimEnd())
    put('words', 'a person wrote this')
    for (const key of ['begun', 'meta', 'words']) {
      expect([await sessions.read('main', key), await sessions.readBefore('main', key)]).toEqual([undefined, undefined])
      await sessions.append('main', key, [{ n: 1 }])
    }
    expect(textOf('begun')).toMatch(/^\{"key":"begun","createdAt":"[^"]+"\}\n\{"n":1\}\n$/)
    expect(textOf('meta')).toBe(`${META}{"n":1}\n`)
    expect(textOf('words')).toBe('a person wrote this\n{"n":1}\n')
    expect((await sessions.list('main')).map(({ key }) => key).sort()).toEqual(['begun', 'meta', 'words'])
  })
})

describe('a line that can not be read', () => {
  it('is told by its true number from both ends, on whatever page it is', async () => {
    const lines = Array.from({ length: 400 }, (_, n) => line(n))
    for (const n of [0, 130, 131, 200, 399]) lines[n] = n === 131 ? '[{"n":1},2]\n' : '{"cut in the middle"\n'
    lines[250] = `${'\0'.repeat(5000)}\n`
    put('chat', META + lines.join(''))
    const forward = await sessions.read('main', 'chat')
    expect(forward?.broken.map((broken) => broken.line)).toEqual([2, 132, 133, 202, 252, 401])
    const pages = await pagesBack('chat')
    expect(pages.length).toBeGreaterThan(4)
    expect(pages.flatMap(({ broken }) => broken)).toEqual(forward?.broken)
    expect(pages.flatMap(({ records }) => records)).toEqual(forward?.records)
    const from = pages[2]?.start
    const rest = await sessions.read('main', 'chat', from)
    expect(rest?.broken).toEqual(pages.slice(2).flatMap(({ broken }) => broken))
  })

  it('is told on every page when it is the first', async () => {
    put('chat', `not ours\n${Array.from({ length: 100 }, (_, n) => line(n)).join('')}`)
    const pages = await pagesBack('chat')
    expect(pages.length).toBeGreaterThan(1)
    for (const { meta, broken } of pages) expect([meta, broken.map((found) => found.line)]).toEqual([{}, [1]])
    expect(pages.flatMap(({ records }) => records).length).toBe(100)
    const problem = 'the metadata line can not be read'
    expect(await sessions.list('main')).toEqual([{ key: 'chat', createdAt: null, problem }])
  })

  it('is no metadata that is taken for what was said, and what was said is not taken for metadata', async () => {
    const mark = '\ufeff'
    const turns = '[{"type":"turn","n":1},{"n":2}]\n{"n":3}\n'
    const spoken = [{ type: 'turn', n: 1 }, { n: 2 }, { n: 3 }]
    put('whole', `${mark}{"key":"whole","createdAt":"2026-03-14T11:26:53.589+02:00"}\n${turns}`)
    put('soon', `{"key":"soon","createdAt":"soon"}\n${turns}`)
    put('headless', turns)
    put('marked', mark + turns)
    const found: Record<string, unknown> = {}
    for (const key of ['whole', 'soon', 'headless', 'marked']) {
      const page = await sessions.read('main', key)
      expect(page?.records).toEqual(spoken)
      expect(await sessions.readBefore('main', key)).toEqual({ ...page, start: 0 })
      expect((await sessions.read('main', key, page?.next))?.records).toEqual([])
      found[key] = [page?.meta, page?.broken]
      await sessions.append('main', key, [{ n: 4 }], { expectEnd: page?.next ?? -1 })
      expect((await pagesBack(key)).flatMap(({ records }) => records)).toEqual([...spoken, { n: 4 }])
    }
    const headless = [{}, [{ line: 1, problem: 'there is no metadata line before it' }]]
    expect(found).toEqual({
      whole: [{ key: 'whole', createdAt: '2026-03-14T09:26:53.589Z' }, []],
      soon: [{ key: 'soon' }, [{ line: 1, problem: 'createdAt: "soon" is not a time' }]],
      headless,
      marked: headless,
    })
  })
})

describe('a page from behind', () => {
  it('is a part of the file, however long that is', async () => {
    put('chat', META + line(1))
    const filler = line(2).repeat(1000)
    for (let n = 0; n < 30; n++) appendFileSync(pathOf('chat'), filler)
    appendFileSync(pathOf('chat'), line(3))
    const page = await sessions.readBefore('main', 'chat')
    expect(page?.records.at(-1)).toMatchObject({ n: 3 })
    expect(page?.records.length).toBeLessThan(70)
    expect((page?.next ?? 0) - (page?.start ?? 0)).toBeLessThanOrEqual(64 * 1024)
  })

  it('holds one line that is longer than a page, wherever its ends fall', () => {
    const page = 64 * 1024
    for (const size of [page - 1, page, page + 1, 2 * page, 5 * page]) {
      for (const after of ['', line(3, 10)]) {
        put('chat', `${META}${line(1, 10)}${line(2, size - '{"n":2,"text":""}\n'.length)}${after}`)
        const found: unknown[] = []
        for (let before: number | undefined; before !== 0; ) {
          const tail = lookInto(pathOf('chat'), (source) => readBackward(source, before))
          found.unshift(...(tail?.records.map(({ n }) => n) ?? []))
          before = tail?.start ?? 0
        }
        expect(found).toEqual(after ? [1, 2, 3] : [1, 2])
      }
    }
  })

  it('begins anew from the end when a purge has rewritten the transcript meanwhile', async () => {
    const secret = 'a secret of some length that is going to be purged'
    const { entries } = await store.apply({
      operations: [{ op: 'add', scope: 'main', kind: 'note', name: 'N', content: secret }],
      origin: { by: 'agent' },
    })
    for (let n = 0; n < 120; n++)
      await sessions.append('main', 'chat', [{ n, text: `${n} ${secret} ${'x'.repeat(900)}` }])
    const last = await sessions.readBefore('main', 'chat')
    await store.purge([entries[0]?.id ?? ''])
    const again = await sessions.readBefore('main', 'chat', last?.start)
    expect(again?.restarted).toBe(true)
    const { restarted: _, ...tail } = again ?? {}
    expect(tail).toEqual(await sessions.readBefore('main', 'chat'))
    expect(again?.records.at(-1)).toMatchObject({ n: 119 })
    expect((await pagesBack('chat')).flatMap(({ records }) => records.map(({ n }) => n))).toEqual([
      ...Array(120).keys(),
    ])
    const late = sessions.append('main', 'chat', [{ n: 120 }], { expectEnd: last?.next ?? -1 })
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('takes positions that are none for those of another text', async () => {
    put('chat', META + line(1, 5) + line(2, 5))
    for (const before of [META.length + 3, 1e9, META.length + line(1, 5).length + 0.5, Number.NaN]) {
      expect(await sessions.readBefore('main', 'chat', before)).toMatchObject({
        records: [{ n: 1 }, { n: 2 }],
        restarted: true,
      })
    }
    truncateSync(pathOf('chat'), META.length)
    const emptied = await sessions.readBefore('main', 'chat', META.length + line(1, 5).length)
    expect(emptied).toMatchObject({ records: [], start: 0, next: META.length, restarted: true })
  })
})

it('a session that is not there is not made by an append that expects it to be', async () => {
  await sessions.append('main', 'other', [{ n: 1 }])
  await expect(sessions.append('main', 'chat', [{ n: 1 }], { expectEnd: 80 })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'session "chat" is gone',
  })
  expect(existsSync(pathOf('chat'))).toBe(false)
})

describe('a list', () => {
  it('reads the first line of each file, and passes over what has none', async () => {
    put('chat', `${META}${line(1)}`)
    const long = 'k'.repeat(20_000)
    await sessions.append('main', long, [{ n: 1 }])
    put('empty', '')
    put('torn', '{"key":"torn","createdAt":"2026')
    put('endless', Buffer.alloc(3_000_000, 'x'))
    mkdirSync(join(root, 'agents/main/sessions/folder.jsonl'))
    symlinkSync(pathOf('chat'), pathOf('link'))
    expect((await sessions.list('main')).map(({ key }) => key)).toEqual(['chat', long])
  })

  it('tells a session by what leads to it, the name of its file, and what is wrong with its metadata', async () => {
    const long = 'K'.repeat(200)
    await sessions.append('main', long, [{ n: 1 }])
    const [cut = ''] = readdirSync(dirname(pathOf('chat')))
    put(cut.replace('.jsonl', ''), line(1))
    put('copy', META)
    put('%43hat', '{"key":"Cat","createdAt":"soon"}\n')
    put('a%3Ab', `${'x'.repeat(2_000_000)}\n`)
    put('By Hand', META)
    const broken = 'the metadata line can not be read'
    const astray = 'no key leads to a file of this name'
    expect(await sessions.list('main')).toEqual([
      { key: cut, createdAt: null, problem: `there is no metadata line before it; ${astray}` },
      {
        key: 'Chat',
        createdAt: null,
        problem: 'createdAt: "soon" is not a time; its metadata says the key "Cat", and its name "Chat", which counts',
      },
      { key: 'a:b', createdAt: null, problem: broken },
      { key: 'By Hand.jsonl', createdAt: '2026-03-14T09:26:53.589Z', problem: astray },
      {
        key: 'copy',
        createdAt: '2026-03-14T09:26:53.589Z',
        problem: 'its metadata says the key "chat", and its name "copy", which counts',
      },
    ])
  })
})
