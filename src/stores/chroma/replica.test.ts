import { describe, expect, it } from 'vitest'
import { addNote, addNotes, entriesOf, namesOf, RamServer } from '../../../test/chroma/ram-server.ts'
import { unreachable } from '../../../test/chroma/ram-shelf.ts'
import { oneQuestion } from '../../model/one-question.ts'
import type { ChromaStore } from './store.ts'

/** A machine that has seen three notes, and another one that writes. */
async function twoMachines(): Promise<{
  server: RamServer
  reader: ChromaStore
  writer: ChromaStore
  asked: string[]
}> {
  const server = new RamServer()
  const asked: string[] = []
  const [writer, reader] = [server.store(), server.store({}, ({ name, ids }) => asked.push(`${name} ${ids.length}`))]
  await addNotes(writer, 1, 3)
  expect(await namesOf(reader)).toEqual(['note 1', 'note 2', 'note 3'])
  asked.length = 0
  return { server, reader, writer, asked }
}

/** The record of the log at a position. */
function recordAt(server: RamServer, position: number): { readonly id: string; readonly text: string } {
  const found = [...server.shelf.records.values()].find(({ id }) => id.endsWith(`/c/${position}`))
  if (!found) throw new Error(`no record ${position}`)
  return found
}

function overwrite(server: RamServer, position: number, text: string): string {
  const record = recordAt(server, position)
  server.shelf.records.set(record.id, { ...record, labels: {}, ...server.shelf.records.get(record.id), text })
  return record.id
}

describe('a replica', () => {
  it('comes up to date with one request, and sees what others wrote before it asked', async () => {
    const { reader, writer, asked } = await twoMachines()
    await addNote(writer, 'note 4')
    expect(await namesOf(reader)).toHaveLength(4)
    expect(asked).toEqual(['get 33'])
  })

  it('makes one look for all who ask meanwhile, and never answers from one that began before the question', async () => {
    const { server, writer } = await twoMachines()
    let release = (): void => undefined
    let looks = 0
    const reader = server.store({
      before: async () => {
        if (++looks === 1) await new Promise<void>((resolve) => (release = resolve))
      },
    })
    const early = reader.heads()
    await addNote(writer, 'note 4')
    const late = Array.from({ length: 20 }, () => namesOf(reader))
    release()
    await early
    for (const names of await Promise.all(late)) expect(names).toContain('note 4')
    // The root, two sorts of snapshots and the log, twice at most.
    expect(looks).toBeLessThanOrEqual(10)
  })

  it('gets an entry as another machine left it a moment ago, though it has just looked', async () => {
    const { reader, writer } = await twoMachines()
    const [id = ''] = (await entriesOf(reader)).map((entry) => entry.id)
    await writer.apply({ operations: [{ op: 'write', id, content: 'anew' }], origin: { by: 'hand' } })
    expect((await reader.get(id))?.content).toBe('anew')
    await writer.purge([id])
    expect(await reader.get(id)).toBeUndefined()
  })

  it('gets any number of entries by one look where it is told that they are one question', async () => {
    const { reader, asked } = await twoMachines()
    const [id = ''] = (await entriesOf(reader)).map((entry) => entry.id)
    asked.length = 0
    const call = oneQuestion({})
    for (let n = 0; n < 100; n++) expect((await reader.get(id, call))?.name).toBe('note 1')
    expect(await reader.get('of nobody', call)).toBeUndefined()
    expect(asked).toHaveLength(1)
  })

  it('is what it was after a look that failed, and goes on from there', async () => {
    const { server, writer } = await twoMachines()
    let failAt = Number.POSITIVE_INFINITY
    let asked = 0
    const reader = server.store({
      before: (request) => {
        if (++asked >= failAt) throw unreachable(request)
      },
    })
    expect(await namesOf(reader)).toHaveLength(3)
    await addNotes(writer, 4, 150)
    // Each of the requests that it takes to read on is the first that fails, once.
    for (let n = 1; ; n++) {
      asked = 0
      failAt = n
      const outcome = await namesOf(reader).catch((error: { code: string }) => error.code)
      if (outcome !== 'IO') {
        expect(outcome).toHaveLength(150)
        expect(n).toBeGreaterThan(1)
        return
      }
    }
  })

  it('stops at a damaged record and names it, as often as it is asked; nothing is written behind it', async () => {
    for (const text of ['{"changes":[{"number":5}]}', '{', '[]', '{"changes":[],"gone":[1]}']) {
      const { server, reader, writer } = await twoMachines()
      await addNotes(writer, 4, 6)
      const id = overwrite(server, 5, text)
      const before = server.idsOf('c').length
      for (let n = 0; n < 2; n++) {
        await expect(reader.heads()).rejects.toMatchObject({ code: 'DAMAGED', message: expect.stringContaining(id) })
        await expect(addNote(reader, 'more')).rejects.toMatchObject({ code: 'DAMAGED' })
      }
      expect(server.idsOf('c')).toHaveLength(before)
    }
  })

  it('takes no record that tells changes out of order', async () => {
    const { server, reader, writer } = await twoMachines()
    await addNote(writer, 'note 4')
    overwrite(server, 4, recordAt(server, 2).text)
    await expect(reader.heads()).rejects.toMatchObject({
      code: 'DAMAGED',
      message: expect.stringContaining('change 2'),
    })
  })

  it('leaves what a newer version wrote as it is', async () => {
    const { server, reader, writer } = await twoMachines()
    await addNote(writer, 'note 4')
    overwrite(server, 4, '{"format":2,"changes":"in another form"}')
    await expect(reader.heads()).rejects.toMatchObject({ code: 'NEWER' })
    await expect(addNote(reader, 'more')).rejects.toMatchObject({ code: 'NEWER' })
  })

  it.each([
    ['NEWER', '{"format":2}'],
    ['DAMAGED', '{"format":1}'],
    ['DAMAGED', 'root'],
  ])('says %s of such a root', async (code, text) => {
    const { server } = await twoMachines()
    const root = server.shelf.records.get('root')
    if (!root) throw new Error('no root')
    server.shelf.records.set('root', { ...root, text })
    await expect(server.store().heads()).rejects.toMatchObject({ code })
    await expect(addNote(server.store(), 'more')).rejects.toMatchObject({ code })
  })

  it('notices that the server was put back to an earlier state, and so does who follows the feed', async () => {
    const { server, reader, writer } = await twoMachines()
    const kept = new Map(server.shelf.records)
    await addNotes(writer, 4, 5)
    expect(await namesOf(reader)).toHaveLength(5)
    const { cursor } = await reader.changes('now')
    server.shelf.records.clear()
    for (const [id, record] of kept) server.shelf.records.set(id, record)
    expect(await namesOf(reader)).toHaveLength(3)
    await addNotes(writer, 14, 16)
    expect(await namesOf(reader)).toEqual(['note 1', 'note 2', 'note 3', 'note 14', 'note 15', 'note 16'])
    const feed = await reader.changes(cursor)
    expect([feed.restarted, feed.changes.length]).toEqual([true, 6])
  })

  it('never reads as empty where somebody removed what it has seen; who opens it anew begins a new one', async () => {
    const { server, reader } = await twoMachines()
    server.shelf.records.clear()
    for (const call of [() => reader.heads(), () => addNote(reader, 'more'), () => reader.isMade()]) {
      await expect(call()).rejects.toMatchObject({ code: 'IO', message: expect.stringContaining('not there any more') })
    }
    expect(server.shelf.records.size).toBe(0)
    await addNote(server.store(), 'anew')
    expect(await namesOf(reader)).toEqual(['anew'])
  })

  it('notices that the server lost what was acknowledged, once something else took its place', async () => {
    const { server, reader, writer } = await twoMachines()
    await addNotes(writer, 4, 5)
    const behind = server.store()
    const lost = recordAt(server, 4)
    server.shelf.records.delete(lost.id)
    expect(await namesOf(behind)).toHaveLength(3)
    const told = addNote(behind, 'in its place')
    await expect(told).resolves.toMatchObject({ change: { number: 4 } })
    for (const store of [behind, reader, server.store()]) {
      await expect(store.heads()).rejects.toMatchObject({
        code: 'DAMAGED',
        message: expect.stringContaining('/c/5 of keepsake-log: does not follow the one before it'),
      })
    }
    await expect(addNote(behind, 'more')).rejects.toMatchObject({ code: 'DAMAGED' })
  })

  it('refuses another wish than the memory was made with, at the first call', async () => {
    const { server } = await twoMachines()
    const { storeOn } = await import('./store.ts')
    const { ramConnection } = await import('../../../test/chroma/ram-connection.ts')
    const store = storeOn(ramConnection(server.shelf), { timezone: 'Asia/Tokyo' })
    await expect(store.heads()).rejects.toMatchObject({ code: 'INVALID', data: { field: 'timezone' } })
  })

  it('lets who gives up go at once, while others wait on', async () => {
    const { server } = await twoMachines()
    const held: (() => void)[] = []
    const reader = server.store({ before: () => new Promise<void>((resolve) => held.push(resolve)) })
    const control = new AbortController()
    const given = reader.heads({}, { signal: control.signal })
    const waiting = reader.heads()
    control.abort(new Error('called off'))
    await expect(given).rejects.toThrow('called off')
    const freeing = setInterval(() => {
      for (const release of held.splice(0)) release()
    }, 1)
    expect(await waiting).toHaveLength(3)
    clearInterval(freeing)
  })
})
