/** What is reported if the server is down, is not Chroma, refuses, or does not answer; and that no acknowledged write is lost. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import type { ServerPlace } from '../../src/model/server-address.ts'
import { type ChromaStore, chromaStore } from '../../src/stores/chroma/store.ts'
import { apply, applyOne, note, scanned } from '../../src/testing/requests.ts'
import { type Meddler, meddler, sendJson } from './meddler.ts'
import { SeedProgram } from './seed-program.ts'
import { describeOnServer } from './server.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

function opened(place: ServerPlace, requestMs = 5000): ChromaStore {
  const store = chromaStore({ place, requestMs, timezone: 'UTC' })
  open.push(store)
  return store
}

async function inFront(...args: Parameters<typeof meddler>): Promise<Meddler> {
  const made = await meddler(...args)
  open.push(made)
  return made
}

describeOnServer('a Chroma server', (server) => {
  it('is not changed before the first write, which creates the database too', async () => {
    const { url, tenant } = await server.place()
    const store = opened({ url, tenant, database: 'not-there-yet' })
    expect([await scanned(store), await store.isMade()]).toEqual([[], false])
    await expect(apply(store, [note('')])).rejects.toMatchObject({ code: 'INVALID' })
    expect(await store.isMade()).toBe(false)
    await apply(store, [note('a')])
    expect(await store.isMade()).toBe(true)
    expect(await scanned(opened({ url, tenant, database: 'not-there-yet' }))).toHaveLength(1)
  })

  it('that is down is an error within the limit, and has everything when it is back', async () => {
    const place = await server.place()
    const store = opened(place)
    const before = await applyOne(store, note('before'))
    const many = Array.from({ length: 200 }, (_, n) => note(`n${n}`, { content: `${n} ${'y'.repeat(20_000)}` }))
    const write = apply(store, many).catch((error: unknown) => error)
    await sleep(40)
    await server.kill()
    expect(await write).toMatchObject({ code: 'IO' })
    const started = performance.now()
    await expect(store.get(before.id)).rejects.toMatchObject({
      code: 'IO',
      message: expect.stringContaining('ECONNREFUSED'),
      hint: expect.stringContaining('Is the server running'),
    })
    expect(performance.now() - started).toBeLessThan(5000)
    await server.restart()
    expect(await store.get(before.id)).toEqual(before)
    const left = (await scanned(store)).filter(({ name }) => name !== 'before')
    expect([0, 200]).toContain(left.length)
  })

  it('that is gone for a moment gets the request again', async () => {
    const place = await server.place()
    let drops = 1
    const front = await inFront((_, answer) => {
      if (drops-- <= 0) return false
      answer.destroy()
      return true
    }, place.url)
    const store = opened({ ...place, url: front.url })
    await apply(store, [note('a')])
    drops = 1
    expect(await scanned(store)).toHaveLength(1)
  })

  it('that does not answer is an error after the time limit of a request', async () => {
    const place = await server.place()
    const silent = await inFront(({ url = '' }) => url.endsWith('/upsert'), place.url)
    const store = opened({ ...place, url: silent.url }, 300)
    await expect(apply(store, [note('a')])).rejects.toMatchObject({
      code: 'TIMEOUT',
      hint: expect.stringContaining('may have been written'),
      data: { timeoutMs: 300, unknown: true },
    })
  })

  it('is refused with the reason: an unknown tenant, a wrong token, another kind of server', async () => {
    const place = await server.place()
    await expect(apply(opened({ ...place, tenant: 'nobody' }), [note('a')])).rejects.toMatchObject({
      code: 'INVALID',
      data: { field: 'tenant' },
    })
    const guard = await inFront(
      (asked, answer) =>
        asked.headers.authorization !== 'Bearer right' && sendJson(answer, 401, { error: 'Unauthorized' }),
      place.url,
    )
    const refused = await scanned(opened({ ...place, url: guard.url, token: 'wrong' })).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'INVALID', data: { field: 'token' } })
    expect(String(refused)).not.toContain('wrong')
    await expect(scanned(opened({ ...place, url: guard.url }))).rejects.toThrow('requires a token, and none is set')
    const right = opened({ ...place, url: guard.url, token: 'right' })
    await apply(right, [note('a')])
    expect(await scanned(right)).toHaveLength(1)

    for (const [status, body] of [
      [404, '<html>not found</html>'],
      [200, '<html>welcome</html>'],
      [302, ''],
    ] as const) {
      const other = await inFront((_, answer) => {
        answer.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body)
        return true
      })
      await expect(scanned(opened({ ...place, url: other.url, token: 't' }))).rejects.toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringContaining('is not a Chroma 1 server'),
      })
    }
    const full = await inFront((_, answer) => sendJson(answer, 500, { error: 'InternalError', message: 'disk full' }))
    await expect(scanned(opened({ ...place, url: full.url }))).rejects.toThrow('failed: disk full')
  })

  it('says what was written when a batch fails in the middle', async () => {
    const place = await server.place()
    const front = await inFront(() => false, place.url)
    const store = opened({ ...place, url: front.url })
    const { id } = await applyOne(store, note('a'))
    front.meddle = ({ url = '' }, answer) => url.endsWith('/update') && sendJson(answer, 500, { error: 'disk full' })
    await expect(apply(store, [note('b'), { op: 'write', id, content: 'new' }])).rejects.toMatchObject({
      code: 'IO',
      message: expect.stringContaining('disk full; 1 of 2 records were written'),
      data: { written: 1 },
    })
    expect((await scanned(opened(place))).map(({ name, content }) => [name, content])).toEqual([
      ['a', 'about a'],
      ['b', 'about b'],
    ])
  })

  it('reports changes of other processes to a watcher', async () => {
    const place = await server.place()
    const [store, other] = [opened(place), opened(place)]
    let changes = 0
    const watch = await store.watch(() => {
      changes++
    })
    await apply(other, [note('a')])
    await expect.poll(() => changes).toBe(1)
    await watch.stop()
  })

  it('does not serve part of an interrupted move, until the move runs again', async () => {
    const place = await server.place()
    const source = opened(await server.place())
    await apply(source, [note('a'), note('b')])
    const image = await source.image()
    const front = await inFront(({ url = '' }, answer) => {
      if (!url.endsWith('/upsert')) return false
      answer.destroy()
      return true
    }, place.url)
    await expect(opened({ ...place, url: front.url }).adopt(image)).rejects.toMatchObject({ code: 'IO' })
    const target = opened(place)
    expect(await scanned(target)).toEqual([])
    // As a move that was killed in the middle leaves it.
    const seed = new SeedProgram(place)
    await seed.store('aaaaaaaa-1111-4111-8111-000000000001', 'half', { type: 'fact' })
    const id = await collectionId(place)
    await put(`${collections(place)}/${id}`, { new_metadata: { 'hnsw:space': 'cosine', keepsake_unfinished: true } })
    await expect(scanned(opened(place))).rejects.toMatchObject({ code: 'CONFLICT' })
    const again = opened(place)
    await again.adopt(image)
    expect((await scanned(again)).map(({ name }) => name)).toEqual(['a', 'b'])
  })
})

function collections({ url, tenant, database }: ServerPlace): string {
  return `${url}/api/v2/tenants/${tenant}/databases/${database}/collections`
}

async function collectionId(place: ServerPlace): Promise<string> {
  const answer = await fetch(`${collections(place)}/memories`)
  return ((await answer.json()) as { id: string }).id
}

async function put(url: string, body: object): Promise<void> {
  await fetch(url, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}
