/** Transcripts that came from elsewhere, as odd as hands and crashes make them: kept to the byte, read as on a disk, purged in place. */
import { describe, expect, it } from 'vitest'
import { METADATA, ODD_TRANSCRIPTS } from '../../../../test/chroma/odd-transcripts.ts'
import { RamMemory } from '../../../../test/chroma/ram-memory.ts'
import { type Troubles, unreachable } from '../../../../test/chroma/ram-shelf.ts'
import { seeded } from '../../../../test/chroma/seeded.ts'
import type { SessionTail, SessionText } from '../../../ports/store.ts'
import { type LineSource, readBackward, readForward } from '../../disk/session-file.ts'
import { SessionLog } from './session-log.ts'
import { purgeSessions } from './session-purge.ts'
import { adoptSessions } from './session-texts.ts'
import { type ChromaSessions, chromaSessions } from './sessions.ts'

const PARTS: readonly (string | Uint8Array)[] = [
  METADATA,
  '{"n":1}\n',
  '[{"n":2},{"n":3}]\n',
  '{ "n" : 4 }\r\n',
  'not JSON\n',
  '\n',
  '{"key":"not metadata","n":5}\n',
  `{"text":"${'語'.repeat(4000)}"}\n`,
  `{"text":"${'long '.repeat(9000)}"}\n`,
  Uint8Array.of(0xff, 0xfe, 0x0a),
  Uint8Array.of(0xef, 0xbb, 0xbf),
  Uint8Array.of(0x7b, 0, 0x0a),
  '{"type":"turn","text":"before any metadata"}\n',
  '{"torn":',
  'base64:',
]

const UNENDED = Buffer.from(`${METADATA}{"n":1}\n{"n":2}`)

function sessionsOn(memory: RamMemory): ChromaSessions {
  return chromaSessions(
    memory.machine(),
    () => Date.parse('2026-11-17T00:00:00.000Z'),
    () => undefined,
  )
}

async function moved(...texts: readonly SessionText[]): Promise<{ memory: RamMemory; sessions: ChromaSessions }> {
  const memory = new RamMemory()
  await adoptSessions(memory.shelf, 'g', each(texts))
  memory.make()
  return { memory, sessions: sessionsOn(memory) }
}

/** As appends one by one would have left it. */
async function inPieces(pieces: readonly string[]): Promise<{ sessions: ChromaSessions }> {
  const { memory, sessions } = await moved()
  const log = new SessionLog(memory.shelf, 'g', { scope: 'main', key: 's' })
  await log.fill(
    pieces.map((piece) => Buffer.from(piece)),
    {},
  )
  return { sessions }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

async function textsOf(sessions: ChromaSessions): Promise<SessionText[]> {
  const found: SessionText[] = []
  for await (const text of (await sessions.texts())()) found.push(text)
  return found
}

/** The runner takes a second to compare a hundred thousand bytes one by one. */
function shown(text: Uint8Array | undefined): string {
  return Buffer.from(text ?? '').toString('latin1')
}

function onDisk(text: Uint8Array): LineSource {
  return { size: text.length, bytes: (from, to) => text.subarray(from, to) }
}

/** Every page from the end on, in the order of the transcript. */
async function pagesBack(sessions: ChromaSessions): Promise<SessionTail[]> {
  const pages: SessionTail[] = []
  for (let before: number | undefined; before !== 0; before = pages[0]?.start ?? 0) {
    const page = await sessions.readBefore('main', 's', before)
    if (!page) break
    pages.unshift(page)
  }
  return pages
}

/** As on a disk, but for the positions. */
async function expectAsOnDisk(sessions: ChromaSessions, text: Uint8Array): Promise<void> {
  const expected = readForward(onDisk(text), 0)
  const page = await sessions.read('main', 's')
  expect(page && { ...page, next: 0 }).toEqual(expected && { ...expected, next: 0 })
  if (!page || !expected) return
  expect(await sessions.read('main', 's', page.next)).toMatchObject({ records: [], next: page.next })
  const pages = await pagesBack(sessions)
  expect(pages.flatMap(({ records }) => records)).toEqual(expected.records)
  const lines = pages.flatMap(({ broken }) => broken.map(({ line }) => line))
  expect(new Set(lines)).toEqual(new Set(expected.broken.map(({ line }) => line)))
  for (const { start, records } of pages) {
    const from = expected.records.length - ((await sessions.read('main', 's', start))?.records.length ?? 0)
    expect(expected.records.slice(from, from + records.length)).toEqual(records)
  }
  expect(pages.some(({ restarted }) => restarted)).toBe(false)
  expect(readBackward(onDisk(text), undefined)?.meta).toEqual(pages[0]?.meta)
}

describe('a transcript that was moved here', () => {
  for (const [name, text] of Object.entries(ODD_TRANSCRIPTS)) {
    it(`is kept to the byte and read as on a disk: ${name}`, async () => {
      const { memory, sessions } = await moved({ scope: 'main', key: 's', text })
      expect([...memory.shelf.records.values()].filter((record) => record.text.includes('\0'))).toEqual([])
      const [only, ...others] = await textsOf(sessions)
      expect([only?.scope, only?.key, others]).toEqual(['main', 's', []])
      expect(shown(only?.text)).toBe(shown(text))
      await expectAsOnDisk(sessions, text)
    })

    it(`goes on, with what was there before it: ${name}`, async () => {
      const { sessions } = await moved({ scope: 'main', key: 's', text })
      const before = (await sessions.read('main', 's'))?.records ?? []
      const { end } = await sessions.append('main', 's', [{ later: 1 }])
      await sessions.append('main', 's', [{ later: 2 }])
      const [now] = await textsOf(sessions)
      expect(shown(now?.text.subarray(0, text.length))).toBe(shown(text))
      await expectAsOnDisk(sessions, now?.text ?? new Uint8Array())
      const records = (await sessions.read('main', 's'))?.records ?? []
      expect(records.slice(0, before.length)).toEqual(before)
      expect(records.slice(-2)).toEqual([{ later: 1 }, { later: 2 }])
      expect((await sessions.read('main', 's', end))?.records).toEqual([{ later: 2 }])
      expect(await sessions.list('main')).toHaveLength(1)
    })
  }

  it('is any text at all', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = seeded(seed)
      const pick = (): string | Uint8Array => PARTS[Math.floor(random() * PARTS.length)] ?? ''
      const begin = random() < 0.7 ? [METADATA] : []
      const all = [...begin, ...Array.from({ length: Math.floor(random() * 12) }, pick)]
      const text = Buffer.concat(all.map((part) => Buffer.from(part)))
      const { sessions } = await moved({ scope: 'main', key: 's', text })
      expect(shown((await textsOf(sessions))[0]?.text), `seed ${seed}`).toBe(shown(text))
      await expectAsOnDisk(sessions, text)
      await sessions.append('main', 's', [{ later: seed }])
      const now = (await textsOf(sessions))[0]?.text ?? new Uint8Array()
      expect(shown(now.subarray(0, text.length)), `seed ${seed}`).toBe(shown(text))
      await expectAsOnDisk(sessions, now)
    }
  })

  it('has nothing before a page that holds all but the metadata', async () => {
    const lines = Array.from({ length: 256 }, (_, n) => `{"n":${n}}\n`)
    const { sessions } = await inPieces([METADATA, ...lines])
    expect(await sessions.readBefore('main', 's')).toMatchObject({ records: { length: 256 }, start: 0 })
  })

  it('is not parted where a line has no end yet', async () => {
    const lines = Array.from({ length: 255 }, (_, n) => `{"n":${n}}\n`)
    const { sessions } = await inPieces([METADATA, '{"first":1}\n', '{"second":2}', '\n', ...lines])
    const [first, last] = await pagesBack(sessions)
    expect([first?.records, first?.broken]).toEqual([[{ first: 1 }], []])
    expect([last?.records[0], last?.records.length, last?.broken]).toEqual([{ second: 2 }, 256, []])
  })

  it('is told once its last line has an end, by who expects the end before it', async () => {
    const { sessions } = await moved({
      scope: 'main',
      key: 's',
      text: UNENDED,
    })
    const page = await sessions.read('main', 's')
    const append = sessions.append('main', 's', [{ n: 3 }], { expectEnd: page?.next ?? 0 })
    await expect(append).rejects.toMatchObject({ code: 'CONFLICT' })
    const since = await sessions.read('main', 's', page?.next)
    expect(since?.records).toEqual([{ n: 2 }])
    await sessions.append('main', 's', [{ n: 3 }], { expectEnd: since?.next ?? 0 })
    expect((await sessions.read('main', 's'))?.records).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('is ended once by two machines that append at once', async () => {
    const { memory } = await moved({ scope: 'main', key: 's', text: UNENDED })
    await Promise.all([1, 2, 3].map((n) => sessionsOn(memory).append('main', 's', [{ later: n }])))
    const page = await sessionsOn(memory).read('main', 's')
    expect(page?.records).toHaveLength(5)
    expect(page?.broken).toEqual([])
  })
})

describe('all texts', () => {
  it('are those of one moment, by scope and key, whatever is appended later', async () => {
    const { sessions } = await moved()
    for (const [scope, key] of [
      ['main', 'b'],
      ['ada', 'z'],
      ['main', 'B'],
      ['main', 'a'],
    ] as const) {
      await sessions.append(scope, key, [{ n: 1 }])
    }
    const texts = await sessions.texts()
    await sessions.append('main', 'a', [{ n: 2 }])
    await sessions.append('main', 'later', [{ n: 1 }])
    for (let time = 0; time < 2; time++) {
      const found: string[] = []
      for await (const { scope, key, text } of texts()) {
        found.push(`${scope} ${key}`)
        expect(Buffer.from(text).toString()).not.toContain('"n":2')
      }
      expect(found).toEqual(['ada z', 'main B', 'main a', 'main b'])
    }
  })

  it('are none where there is no memory', async () => {
    expect(await textsOf(sessionsOn(new RamMemory()))).toEqual([])
  })
})

describe('purging', () => {
  const secret = 'the secret of the house'

  async function filled(): Promise<{ memory: RamMemory; sessions: ChromaSessions }> {
    const text = Buffer.from(`{"key":"s","createdAt":"2026-01-01T00:00:00.000Z","note":"${secret}"}\n{"n":1}\n`)
    const { memory, sessions } = await moved({ scope: 'main', key: 's', text })
    await sessions.append('main', 's', [{ key: 'a record with a key', said: `it is ${secret}, yes` }])
    await sessions.append('main', 's', [{ n: 3, text: 'x'.repeat(40_000), said: secret }])
    await sessions.append('main', 's', [{ n: 4 }])
    await sessions.append('main', 'other', [{ n: 1 }])
    return { memory, sessions }
  }

  it('takes the words out of every piece, keeps the records, and lets readers begin anew', async () => {
    const { memory, sessions } = await filled()
    const before = await sessions.read('main', 's')
    const other = await sessions.read('main', 'other')
    expect(await purgeSessions(memory.shelf, 'g', [secret])).toBe(1)
    expect(memory.everything).not.toContain(secret)
    const after = await sessions.read('main', 's', before?.next)
    expect(after?.restarted).toBe(true)
    expect(after?.records).toHaveLength(4)
    expect(after?.records[1]).toMatchObject({ key: 'a record with a key' })
    expect(Object.keys(after?.records[1] ?? {})).toEqual(['key', 'said'])
    expect(await sessions.read('main', 'other', other?.next)).toEqual({ ...other, records: [] })
    const { end } = await sessions.append('main', 's', [{ n: 5 }], { expectEnd: after?.next ?? 0 })
    expect((await sessions.readBefore('main', 's', end))?.records.at(-1)).toEqual({ n: 5 })
    expect(await purgeSessions(memory.shelf, 'g', [secret])).toBe(0)
  })

  it('lets who has read while it was at work begin anew, too', async () => {
    const { memory, sessions } = await filled()
    const places: number[] = []
    const troubles: Troubles = {
      before: async ({ name }) => {
        if (name === 'put') places.push((await sessions.read('main', 's'))?.next ?? 0)
      },
    }
    await purgeSessions(memory.shelf.another(troubles), 'g', [secret])
    expect(new Set(places).size).toBe(2)
    for (const place of places) expect(await sessions.read('main', 's', place)).toMatchObject({ restarted: true })
  })

  it('is finished by purging again, wherever it was cut short', async () => {
    for (let calls = 0; ; calls++) {
      const { memory, sessions } = await filled()
      const before = await sessions.read('main', 's')
      let left = calls
      const troubles: Troubles = {
        before: (request) => {
          if (left-- <= 0) throw unreachable(request)
        },
      }
      const first = await purgeSessions(memory.shelf.another(troubles), 'g', [secret]).catch(() => 'cut short')
      await purgeSessions(memory.shelf, 'g', [secret])
      const records = [...memory.shelf.records.values()].filter(({ labels }) => labels['kind'] === 's')
      expect(JSON.stringify(records), `after ${calls} calls`).not.toContain(secret)
      expect(await sessions.read('main', 's', before?.next)).toMatchObject({ restarted: true })
      expect((await sessions.read('main', 's'))?.records).toHaveLength(4)
      if (first !== 'cut short') break
    }
  })
})
