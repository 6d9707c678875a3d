/** `doctor` of a memory on a server, on one in RAM: every code by the situation that it stands for, that looking changes nothing, and --fix. */
import { describe, expect, it } from 'vitest'
import { KeepsakeError } from '../../src/errors.ts'
import { changesLog, encodeLog } from '../../src/stores/chroma/changes-log.ts'
import { examineServer } from '../../src/stores/chroma/doctor/examine.ts'
import { mendServer } from '../../src/stores/chroma/doctor/mend.ts'
import { cutParts } from '../../src/stores/chroma/log/parts.ts'
import { newRoot, readRoot } from '../../src/stores/chroma/root.ts'
import type { ShelfRecord } from '../../src/stores/chroma/server/shelf.ts'
import { removeSnapshots, snapshotNotes, writeSnapshot } from '../../src/stores/chroma/snapshots.ts'
import { type ChromaStore, storeOn } from '../../src/stores/chroma/store.ts'
import { SERVER_CODES, type ServerCode } from '../../src/stores/disk/doctor/codes.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { ramConnection } from './ram-connection.ts'
import { RamShelf } from './ram-shelf.ts'
import { RamVectors } from './ram-vectors.ts'

/** A memory with entries, a transcript and a snapshot that is not at its end. */
class Ward {
  readonly shelf = new RamShelf()
  readonly vectors = new RamVectors()
  generation = ''

  static async healthy(): Promise<Ward> {
    const ward = new Ward()
    const store = ward.open()
    await add(store, 'one', 'The first text.')
    await add(store, 'long', 'Longer than a record may be. '.repeat(2000))
    await store.sessions.append('main', 'chat', [{ role: 'user', content: 'Hi.' }])
    ward.generation = (await readRoot(ward.shelf))?.generation ?? ''
    const { number, epoch } = (await store.feed('now')).cursor
    const entries = []
    for await (const entry of store.scan()) entries.push(entry)
    await writeSnapshot(ward.shelf, ward.generation, 'z', { position: 2, number, nextSeq: 3, epoch, entries })
    await add(store, 'two', 'The last text.')
    await store.close()
    return ward
  }

  open(): ChromaStore {
    return storeOn(this.#connection, { timezone: 'UTC' })
  }

  get #connection(): ReturnType<typeof ramConnection> {
    return ramConnection(this.shelf.another(), this.vectors)
  }

  examine(wish = {}): ReturnType<typeof examineServer> {
    return examineServer(this.#connection, { wish })
  }

  mend(): ReturnType<typeof mendServer> {
    return mendServer(this.#connection)
  }

  record(id: string): ShelfRecord {
    const found = this.shelf.records.get(id)
    if (!found) throw new Error(`there is no ${id}: ${[...this.shelf.records.keys()].join(', ')}`)
    return found
  }

  /** What somebody else did on the server. */
  meddle(id: string, text: string): void {
    this.shelf.records.set(id, { ...this.record(id), text })
  }

  everything(): string {
    return JSON.stringify([...this.shelf.records])
  }

  async texts(): Promise<readonly string[]> {
    const store = this.open()
    const texts: string[] = []
    for await (const { content } of store.scan()) texts.push(content)
    await store.close()
    return texts
  }
}

async function add(store: ChromaStore, name: string, content: string): Promise<void> {
  const origin = { by: 'agent', agent: 'main' } as const
  await store.apply({ operations: [{ op: 'add', scope: 'main', kind: 'note', name, content }], origin })
}

const SITUATIONS: Readonly<
  Record<
    Exclude<ServerCode, 'unreachable-server' | 'foreign-collection' | 'lost-file' | 'lost-session'>,
    (ward: Ward) => unknown
  >
> = {
  'newer-server': (ward) =>
    ward.meddle('root', JSON.stringify({ ...JSON.parse(ward.record('root').text), format: 99 })),
  'damaged-root': (ward) => ward.meddle('root', '{}'),
  'log-gap': (ward) => ward.shelf.records.delete(`${ward.generation}/c/1`),
  'damaged-log': (ward) => ward.meddle(`${ward.generation}/c/1`, '{"changes":7}'),
  'damaged-base': async (ward) => {
    const root = newRoot(await ward.open().settings(), 0)
    const base = { ...root.at, epoch: root.epoch, since: '2026-01-01T00:00:00.000Z', entries: [] }
    const { parts } = await writeSnapshot(ward.shelf, ward.generation, 'b', base)
    ward.meddle(`${ward.generation}/p/${parts.tag}/0`, '[ ]')
  },
  'damaged-snapshot': async (ward) => {
    const [note] = await snapshotNotes(ward.shelf, ward.generation, 'z')
    ward.shelf.records.delete(`${ward.generation}/p/${note?.parts.tag}/0`)
  },
  'snapshot-differs': async (ward) => {
    const [note] = await snapshotNotes(ward.shelf, ward.generation, 'z')
    if (!note) return
    await removeSnapshots(ward.shelf, ward.generation, [note])
    await writeSnapshot(ward.shelf, ward.generation, 'z', { ...note, entries: [] })
  },
  'foreign-vectors': (ward) => ward.vectors.begin({ keepsake: 'another' }),
  'stray-parts': async (ward) => {
    const { records } = cutParts({ generation: ward.generation, of: `${ward.generation}/d/index` }, Buffer.from('left'))
    await ward.shelf.add(records)
  },
  'unfinished-purge': async (ward) => {
    await add(ward.open(), 'secret', 'It was to go.')
    const id = (await ward.open().resolve('main', 'secret'))?.id ?? ''
    const log = changesLog(ward.shelf, ward.generation)
    const last = (await log.read(0))?.at(-1)
    const gone = { after: last?.tag ?? '', changes: [], epoch: 'after the purge', gone: [id] }
    await log.append((last?.position ?? 0) + 1, encodeLog(gone))
  },
  'unfinished-move': async (ward) => {
    const note = { by: 'nobody', until: 0, generation: 'half', leftOver: ['older'] }
    await ward.shelf.add([
      { id: 'adopting', text: JSON.stringify(note), labels: { kind: 'adopting' } },
      { id: 'half/c/1', text: 'half of a memory', labels: { g: 'half', kind: 'c', n: 1 } },
    ])
  },
}

const CODES = Object.entries(SITUATIONS)

describe('a memory on a server that is well', () => {
  it('has nothing wrong, and all of it was looked at', async () => {
    const ward = await Ward.healthy()
    const { findings, checked } = await ward.examine()
    expect(findings).toEqual([])
    expect(checked).toEqual({ files: 0, entries: 3, changes: 3, sessions: 1 })
  })

  it('that is not there yet is no damage', async () => {
    const { findings } = await examineServer(ramConnection())
    expect(findings).toMatchObject([{ code: 'no-workspace', severity: 'note' }])
  })

  it('says what is asked for otherwise, and what should not stand there', async () => {
    const ward = await Ward.healthy()
    const store = ward.open()
    await add(store, 'key', `The key is AKIA${'ABCDEFGHIJ234567'}.`)
    await store.sessions.append('main', 'chat', [{ role: 'user', content: `Take AKIA${'QWERTYUIOP234567'}.` }])
    await store.close()
    const { findings } = await ward.examine({ timezone: 'Europe/Berlin' })
    expect(findings.map(({ code }) => code).sort()).toEqual(['secret', 'secret', 'settings-differ'])
    expect(JSON.stringify(findings)).not.toMatch(/ABCDEFGHIJ|QWERTYUIOP/)
  })

  it('is well after every write and a purge', async () => {
    const ward = await Ward.healthy()
    const store = ward.open()
    await store.purge([(await store.resolve('main', 'long'))?.id ?? ''])
    await store.close()
    expect((await ward.examine()).findings).toEqual([])
  })
})

describe.each(CODES)('%s', (code, make) => {
  it('is found, is as bad as the table says, and looking changes nothing', async () => {
    const ward = await Ward.healthy()
    await make(ward)
    const before = ward.everything()
    const { findings } = await ward.examine()
    expect(findings.map((one) => one.code)).toEqual([code])
    expect(findings[0]).toMatchObject(SERVER_CODES[code as ServerCode])
    expect(findings[0]?.hint).toMatch(/^\S.*\S$/)
    expect(ward.everything()).toBe(before)
  })

  it('is mended by --fix where the table says so, and no text is lost', async () => {
    const ward = await Ward.healthy()
    const texts = await ward.texts()
    await make(ward)
    const before = ward.everything()
    const { mended, examination } = await ward.mend()
    if (!SERVER_CODES[code as ServerCode].fixable) {
      expect(mended).toEqual([])
      expect(ward.everything()).toBe(before)
      return
    }
    expect(mended.map((one) => one.code)).toEqual([code])
    expect(examination.findings).toEqual([])
    expect(await ward.texts()).toEqual(texts)
    expect(ward.everything()).not.toContain('half of a memory')
  })
})

describe('a log that lost a record which was acknowledged', () => {
  it('is damage where another took its place: the one behind it does not follow', async () => {
    const ward = await Ward.healthy()
    const id = `${ward.generation}/c/2`
    const { labels, ...record } = ward.record(id)
    ward.shelf.records.set(id, { ...record, labels: { ...labels, tag: 'of another' } })
    const { findings } = await ward.examine()
    expect(findings.map(({ code, path }) => [code, path])).toEqual([['damaged-log', `${ward.generation}/c/3`]])
    expect(findings[0]?.problem).toContain('does not follow')
  })
})

describe('a server that can not be asked', () => {
  it.each([
    ['IO', 'unreachable-server'],
    ['TIMEOUT', 'unreachable-server'],
    ['INVALID', 'unreachable-server'],
    ['UNSUPPORTED', 'unreachable-server'],
    ['FOREIGN', 'foreign-collection'],
  ] as const)('%s is %s, and is not mended', async (code, told) => {
    const check = (): Promise<void> =>
      Promise.reject(new KeepsakeError(code, 'chroma://ram does not answer', { hint: 'Start it.' }))
    const connection = { ...ramConnection(), check }
    const found = {
      code: told,
      severity: 'damage',
      path: '.',
      problem: 'it does not answer',
      hint: 'Start it.',
      fixable: false,
    }
    expect((await examineServer(connection)).findings).toEqual([found])
    expect(await mendServer(connection)).toMatchObject({ mended: [], examination: { findings: [found] } })
  })

  it('is told where the first write would be refused', async () => {
    const refuseForeign = (): Promise<void> =>
      Promise.reject(
        new KeepsakeError('FOREIGN', "chroma://ram has a collection that is not Keepsake's", { hint: 'Name another.' }),
      )
    const { findings } = await examineServer({ ...ramConnection(), refuseForeign })
    expect(findings).toMatchObject([{ code: 'foreign-collection', severity: 'damage' }])
  })

  it('is told also when it ends in the middle', async () => {
    const ward = await Ward.healthy()
    let calls = 0
    const before = (): void => {
      if (++calls > 4) throw new KeepsakeError('IO', 'chroma://ram is gone', { hint: 'Start it.' })
    }
    const { findings } = await examineServer(ramConnection(ward.shelf.another({ before }), ward.vectors))
    expect(findings).toMatchObject([{ code: 'unreachable-server' }])
  })
})

describe('a transcript and a kept file', () => {
  it('that can not be read are damage, and are left as they are', async () => {
    const ward = new Ward()
    const from = memoryStore()
    const store = ward.open()
    await from.sessions.append('main', 'chat', [{ role: 'user', content: 'Hi.' }])
    const image = await from.image()
    const files = async function* (): AsyncGenerator<{ path: string; bytes: Uint8Array; entries: [] }> {
      yield { path: 'directives/memory.md', bytes: Buffer.from('Be kind.'), entries: [] }
    }
    await store.adopt({ ...image, files })
    await store.close()
    ward.generation = (await readRoot(ward.shelf))?.generation ?? ''
    expect((await ward.examine()).findings).toEqual([])
    for (const [id, record] of ward.shelf.records) {
      const isOfFile = String(record.labels['of']).startsWith(`${ward.generation}/f/`)
      if (isOfFile || id.startsWith(`${ward.generation}/s/`)) ward.meddle(id, 'something else')
    }
    const { findings } = await ward.examine()
    expect(findings.map(({ code, fixable }) => [code, fixable]).sort()).toEqual([
      ['lost-file', false],
      ['lost-session', false],
    ])
  })
})
