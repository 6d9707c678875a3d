/** The promises of a shelf and of the vectors on a real server, and what is told when it fails or refuses. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import type { ServerPlace } from '../../src/model/server-address.ts'
import { type Connection, connect } from '../../src/stores/chroma/server/connection.ts'
import { RECORD_BYTES, type ShelfRecord } from '../../src/stores/chroma/server/shelf.ts'
import { meddler, sendJson } from './meddler.ts'
import { RamVectors } from './ram-vectors.ts'
import { seeded } from './seeded.ts'
import { describeOnServer } from './server.ts'

const open: Connection[] = []

afterEach(() => {
  for (const connection of open.splice(0)) connection.close()
})

function connected(place: ServerPlace, requestMs = 20_000): Connection {
  const connection = connect(place, { requestMs })
  open.push(connection)
  return connection
}

function record(id: string, text = id, labels: ShelfRecord['labels'] = { kind: 'c', n: 1 }): ShelfRecord {
  return { id, text, labels }
}

const DIMENSIONS = 16

const TEXTS = [
  'plain',
  'Ünïcödé ångström ß ſ İ ı',
  '漢字かなカナ한글',
  'العربية עברית ‏rtl‏',
  'हिन्दी தமிழ் ไทย ကမ္ဘာ',
  '👩‍👩‍👧‍👦🏳️‍🌈🧠🇩🇪',
  '\u0000\u0001\u0007\b\t\n\v\f\r\u001b\u007f\u0085\u2028\u2029\ufeff\ufffd\uffff',
  '{"json":"\\ud83d \\"quoted\\" \\u0000"}',
  "'; drop table embeddings; --",
  ' blanks  at both ends \n',
  '',
]

describeOnServer('on a real server, a shelf', (server) => {
  it('gives back every text as it was, also where every cut falls into a letter of four bytes', async () => {
    const { log } = connected(await server.place())
    const long = Array.from({ length: 4 }, (_, shift) => `${'x'.repeat(shift)}${'🧠'.repeat((RECORD_BYTES - 4) / 4)}`)
    const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, index) => 1 + (index % 255))).toString('latin1')
    const records = [...TEXTS, ...long, bytes].map((text, index) => record(`r/${index}`, text, { kind: 't', n: index }))
    await log.add(records)
    const got = await log.get(records.map(({ id }) => id))
    expect([...got.values()].sort((a, b) => Number(a.labels['n']) - Number(b.labels['n']))).toEqual(records)
    await log.put(records.map(({ id, labels }) => ({ id, labels, text: 'short' })))
    expect((await log.find({ kind: 't' })).every(({ text }) => text === 'short')).toBe(true)
  })

  it('lets the first add of an id win, within one batch of others too', async () => {
    const { log } = connected(await server.place())
    await log.add([record('taken', 'first')])
    await log.add([record('before'), record('taken', 'second', { kind: 'z' }), record('behind')])
    const got = await log.get(['before', 'taken', 'behind', 'none'])
    expect([...got.keys()].sort()).toEqual(['before', 'behind', 'taken'])
    expect(got.get('taken')).toEqual(record('taken', 'first'))
  })

  it("tells the server's time", async () => {
    const connection = connected(await server.place())
    const before = Date.now()
    const told = await connection.time()
    // It runs on this machine.
    expect(told).toBeGreaterThanOrEqual(before - 1)
    expect(told).toBeLessThanOrEqual(Date.now() + 1)
  })

  it('has one winner where several clients add at once, and all read the same at once', async () => {
    const place = await server.place()
    // Making the place is raced for, too.
    const clients = Array.from({ length: 8 }, () => connected({ ...place, database: `${place.database}-new` }))
    const ids = Array.from({ length: 20 }, (_, index) => `n/${index}`)
    const seen = await Promise.all(
      clients.map(async ({ log }, who) => {
        await log.add(ids.map((id) => record(id, `${who}`)))
        return [...(await log.get(ids)).values()].map(({ id, text }) => `${id} ${text}`).sort()
      }),
    )
    expect(seen[0]).toHaveLength(ids.length)
    for (const one of seen) expect(one).toEqual(seen[0])
  })

  it('reads nothing, and makes nothing, where there is no database yet', async () => {
    const { url, tenant } = await server.place()
    const { log, memories } = connected({ url, tenant, database: 'not-there-yet' })
    expect((await log.get(['a'])).size).toBe(0)
    expect(await log.find({ kind: 'c' })).toEqual([])
    await log.remove(['a'])
    expect(await memories.metadata()).toBeUndefined()
    expect(await memories.nearest(new Float32Array([1]), 3, undefined)).toEqual([])
    expect((await fetch(`${url}/api/v2/tenants/${tenant}/databases/not-there-yet`)).status).toBe(404)
    await log.add([record('a')])
    expect((await log.get(['a'])).size).toBe(1)
  })

  it('finds all of more than one page, while others come and go', async () => {
    const { log } = connected(await server.place())
    const some = (kind: string, count: number): ShelfRecord[] =>
      Array.from({ length: count }, (_, index) => record(`${kind}/${index}`, 'x', { kind, n: index % 2 }))
    await log.add([...some('gone', 40), ...some('kept', 950)])
    const [found] = await Promise.all([log.findIds({ kind: 'kept' }), log.remove(some('gone', 40).map(({ id }) => id))])
    expect(new Set(found).size).toBe(950)
    expect(await log.findIds({ kind: 'kept', n: 1 })).toHaveLength(475)
    const all = log.find({ kind: 'kept' })
    await log.remove(['kept/0', 'kept/1', 'kept/2'])
    const ids = new Set((await all).map(({ id }) => id))
    for (let index = 3; index < 950; index++) expect(ids.has(`kept/${index}`)).toBe(true)
  })

  it.each(['a text', undefined])('leaves the collections of others as they are (%s in them): FOREIGN', async (text) => {
    for (const name of ['keepsake-log', 'memories']) {
      const place = await server.place()
      const collections = `${place.url}/api/v2/tenants/${place.tenant}/databases/${place.database}/collections`
      const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(`${collections}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        return answer.json() as Promise<Record<string, unknown>>
      }
      const { id } = await post('', { name })
      const theirs = text === undefined ? { ids: [], documents: [] } : { ids: ['theirs'], documents: [text] }
      if (text !== undefined) await post(`/${id}/add`, { ...theirs, embeddings: [[1, 2]] })
      const { log, memories } = connected(place)
      await expect(log.add([record('a')])).rejects.toMatchObject({ code: 'FOREIGN', data: { collection: name } })
      await expect(memories.begin({ keepsake: 'g' })).rejects.toMatchObject({ code: 'FOREIGN' })
      expect(await post(`/${id}/get`, {})).toMatchObject(theirs)
    }
  })

  it('lets a memory be written to beside a "memories" of others that turned up later', async () => {
    const place = await server.place()
    await connected(place).log.add([record('a')])
    const collections = `${place.url}/api/v2/tenants/${place.tenant}/databases/${place.database}/collections`
    const send = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
      const headers = { 'content-type': 'application/json' }
      return (
        await fetch(`${collections}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      ).json() as never
    }
    const { id } = await send('', { name: 'memories' })
    await send(`/${id}/add`, { ids: ['theirs'], embeddings: [[1, 2]], documents: ['text'] })
    const { log, memories } = connected(place)
    await log.add([record('b')])
    expect([...(await log.get(['a', 'b'])).keys()].sort()).toEqual(['a', 'b'])
    await expect(memories.begin({ keepsake: 'g' })).rejects.toMatchObject({ code: 'FOREIGN' })
    expect(await send(`/${id}/get`, {})).toMatchObject({ ids: ['theirs'] })
  })

  it('says so when the collection was removed, and goes on when it is there again', async () => {
    const place = await server.place()
    const { log } = connected(place)
    await log.add([record('a')])
    const url = `${place.url}/api/v2/tenants/${place.tenant}/databases/${place.database}/collections/keepsake-log`
    await fetch(url, { method: 'DELETE' })
    await expect(log.add([record('b')])).rejects.toMatchObject({ code: 'IO', data: { collection: 'keepsake-log' } })
    expect((await log.get(['a', 'b'])).size).toBe(0)
    await log.add([record('c')])
    expect([...(await log.get(['a', 'b', 'c'])).keys()]).toEqual(['c'])
  })

  it('refuses an unknown tenant, and a token that what stands before the server does not take', async () => {
    const place = await server.place()
    await expect(connected({ ...place, tenant: 'nobody' }).log.add([record('a')])).rejects.toMatchObject({
      code: 'INVALID',
      data: { field: 'tenant' },
    })
    const guard = await meddler((asked, answer) => {
      return asked.headers.authorization !== 'Bearer right' && sendJson(answer, 401, { error: 'Unauthorized' })
    }, place.url)
    const wrong = connected({ ...place, url: guard.url, token: 'wrong' })
    await expect(wrong.log.add([record('a')])).rejects.toMatchObject({ code: 'INVALID', data: { field: 'token' } })
    const right = connected({ ...place, url: guard.url, token: 'right' })
    await right.log.add([record('a')])
    expect((await right.log.get(['a'])).size).toBe(1)
    await guard.close()
  })

  it('says what the server says to what it does not take', async () => {
    const place = await server.place()
    const { log } = connected({ ...place, database: 'x' })
    const notTaken = { code: 'INVALID', data: { field: 'database' } }
    await expect(log.get(['a'])).rejects.toMatchObject(notTaken)
    await expect(log.add([record('a')])).rejects.toMatchObject(notTaken)
    const { memories } = connected(place)
    await memories.begin({ keepsake: 'g' })
    const huge = { id: 'a', vector: new Float32Array(1), metadata: { text: 'x'.repeat(45_000_000) } }
    await expect(memories.put([huge])).rejects.toMatchObject({ code: 'IO', data: { status: 413 } })
  })

  it('tells within the limit that the server was killed in the midst of a write, and goes on when it is back', async () => {
    const connection = connected(await server.place(), 5_000)
    const { log } = connection
    await log.add([record('before')])
    const heavy = Array.from({ length: 300 }, (_, index) => record(`h/${index}`, 'y'.repeat(20_000)))
    const write = log.add(heavy).catch((error: unknown) => error)
    await sleep(40)
    await server.kill()
    expect(await write).toMatchObject({ code: 'IO', data: { unknown: true } })
    await expect(log.get(['before'])).rejects.toMatchObject({
      code: 'IO',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    await server.restart()
    expect((await log.get(['before'])).size).toBe(1)
    const { size } = await log.get(heavy.map(({ id }) => id))
    expect([0, heavy.length]).toContain(size)
    await log.add(heavy)
    expect((await log.get(heavy.map(({ id }) => id))).size).toBe(heavy.length)
  })

  it('finds vectors as exactly as one in RAM, with and without a filter', async () => {
    const { memories } = connected(await server.place())
    const random = seeded(11)
    const vector = (): Float32Array => Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)
    const ram = new RamVectors()
    const records = Array.from({ length: 700 }, (_, index) => ({
      id: `e${index}`,
      vector: vector(),
      metadata: { entry: `e${index}`, scope: index % 2 ? 'agent/a' : 'shared', seq: index },
      ...(index % 3 === 0 ? { document: `text ${index}` } : {}),
    }))
    for (const shelf of [memories, ram]) {
      await shelf.begin({ keepsake: 'g' })
      await shelf.put(records)
      await shelf.put(
        records.slice(0, 50).map((one, index) => ({ ...one, vector: records[index + 50]?.vector ?? one.vector })),
      )
      await shelf.remove(['e60', 'e61', 'nobody'])
    }
    expect(await memories.count()).toBe(await ram.count())
    expect(await memories.dimensions()).toBe(DIMENSIONS)
    for (let turn = 0; turn < 20; turn++) {
      const query = vector()
      const where = [undefined, { scope: 'shared' }, { scope: ['shared', 'agent/a'], seq: [1, 2, 3] }, { seq: [] }][
        turn % 4
      ]
      const [near, exact] = [await memories.nearest(query, 10, where), await ram.nearest(query, 10, where)]
      expect(near.map(({ cosine }) => cosine.toFixed(4))).toEqual(exact.map(({ cosine }) => cosine.toFixed(4)))
    }
    const [got, same] = [await memories.get(['e1', 'e60', 'e99']), await ram.get(['e1', 'e60', 'e99'])]
    expect([...got.keys()].sort()).toEqual([...same.keys()].sort())
    for (const [id, { vector: there, metadata }] of got) {
      expect(metadata).toEqual(same.get(id)?.metadata)
      // The server keeps them normed, and reckons back: the last bit may differ.
      for (const [index, value] of there.entries()) expect(value).toBeCloseTo(same.get(id)?.vector[index] ?? 9, 6)
    }
    expect([...(await memories.ids({ scope: 'shared' }))].sort()).toEqual(
      [...(await ram.ids({ scope: 'shared' }))].sort(),
    )
  })

  it('keeps nothing of what a vector was before, and vectors are begun anew for every client', async () => {
    const place = await server.place()
    const [{ memories: one }, { memories: other }] = [connected(place), connected(place)]
    await one.begin({ keepsake: 'g', model: 'small' })
    const vector = new Float32Array([1, 0])
    await one.put([{ id: 'a', vector, document: 'old', metadata: { entry: 'a', expires: 5, m_gone: true } }])
    await other.put([{ id: 'a', vector, document: 'new', metadata: { entry: 'a', hash: 'h' } }])
    expect((await one.get(['a'])).get('a')).toEqual({ vector, metadata: { entry: 'a', hash: 'h' } })
    await expect(other.put([{ id: 'b', vector: new Float32Array(3), metadata: { entry: 'b' } }])).rejects.toMatchObject(
      {
        code: 'INVALID',
        hint: expect.stringMatching(/ keepsake embed --anew$/),
        data: { field: 'vector', dimensions: 3, there: 2 },
      },
    )
    await expect(other.nearest(new Float32Array(3), 1, undefined)).rejects.toMatchObject({ code: 'INVALID' })
    await one.begin({ keepsake: 'g', model: 'large' })
    expect(await other.count()).toBe(0)
    expect(await other.metadata()).toEqual({ keepsake: 'g', model: 'large' })
    await other.put([{ id: 'b', vector: new Float32Array([0, 0, 1]), metadata: { entry: 'b' } }])
    expect(await one.nearest(new Float32Array([0, 0, 2]), 5, undefined)).toEqual([{ id: 'b', cosine: 1 }])
  })
})
