// A memory that was lived in, moved to a real server and back: equal to the byte, with its past; and purged there without a trace.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { moveMemory } from '../../src/move/move-memory.ts'
import { connect } from '../../src/stores/chroma/server/connection.ts'
import { chromaStore, storeOn } from '../../src/stores/chroma/store.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { collected } from '../../src/testing/images.ts'
import { apply, note } from '../../src/testing/requests.ts'
import { differentFiles, livedInFolder } from '../move/lived-in-folder.ts'
import { isNightly } from '../tier.ts'
import { describeOnServer } from './server.ts'

const ENTRIES = isNightly ? 10_000 : 60

const folder = mkdtempSync(join(tmpdir(), 'keepsake-move-'))

describeOnServer('a memory on a server', (server) => {
  it('is equal to the byte when it came from a folder and goes back to one', { timeout: 600_000 }, async () => {
    const root = join(folder, 'from')
    const from = await livedInFolder({ root, entries: ENTRIES })
    const place = await server.place()
    const there = chromaStore({ place })
    const moved = await moveMemory(from, there)
    expect([moved.warnings, moved.entries > ENTRIES / 2, moved.files > 0]).toEqual([[], true, true])
    await there.close()
    const between = chromaStore({ place })
    const back = filesystemStore({ root: join(folder, 'back') })
    expect(await moveMemory(between, back)).toEqual(moved)
    expect(differentFiles(join(folder, 'back'), root)).toEqual([])
    expect((await moveMemory(from, between)).alreadyThere).toBe(true)
    for (const store of [from, between, back]) await store.close()
  })

  it('is equal when it came from one file and goes back to one, and is moved nowhere else', async () => {
    const from = fileStore({ path: join(folder, 'from.keepsake'), timezone: 'UTC' })
    await apply(from, [note('one', { content: 'ü long '.repeat(20_000) }), note('two', { aliases: ['2'] })])
    await apply(from, [note('three', { metadata: { deep: [null, { x: 1.5 }] } })])
    await from.sessions.append('main', 'chat / ü', [{ text: 'said '.repeat(20_000) }])
    const between = chromaStore({ place: await server.place() })
    const to = fileStore({ path: join(folder, 'to.keepsake') })
    await moveMemory(from, between)
    await moveMemory(between, to)
    expect(await collected(await to.image())).toEqual(await collected(await from.image()))
    await apply(from, [note('four')])
    await expect(moveMemory(from, between)).rejects.toMatchObject({ code: 'CONFLICT' })
    for (const store of [from, between, to]) await store.close()
  })

  it('has no byte of a purged text in any record', async () => {
    const SECRET = 'a secret that must go at once'
    const place = await server.place()
    const connection = connect(place)
    const store = storeOn(connection)
    const { entries } = await apply(store, [
      note('hidden name', { content: `${'words '.repeat(8000)}${SECRET}` }),
      note('other'),
    ])
    const id = entries[0]?.id ?? ''
    await apply(store, [{ op: 'write', id, content: SECRET }])
    await store.sessions.append('main', 'chat', [{ text: `he said ${SECRET}` }])
    await store.derived.write('index', Buffer.from(SECRET))
    await connection.memories.begin({ keepsake: 'g' })
    const vector = Float32Array.of(1, 0)
    await connection.memories.put([{ id, vector, document: SECRET, metadata: { entry: id, name: 'hidden name' } }])
    expect(await everythingAt(server.url, place.database)).toContain(SECRET)
    await store.purge([id])
    const left = await everythingAt(server.url, place.database)
    expect(left).toContain('about other')
    for (const trace of [SECRET, 'hidden name', 'words words'])
      expect([trace, left.includes(trace)]).toEqual([trace, false])
    expect(await connection.memories.count()).toBe(0)
    await store.close()
  })
})

/** What any client can read there, of all collections. */
async function everythingAt(url: string, database: string): Promise<string> {
  const collections = `${url}/api/v2/tenants/default_tenant/databases/${database}/collections`
  const found = (await (await fetch(collections)).json()) as { readonly id: string }[] // as the server describes them
  const texts = found.map(async ({ id }) => {
    const body = JSON.stringify({ include: ['documents', 'metadatas'] })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${collections}/${id}/get`, { method: 'POST', headers, body })).text()
  })
  return (await Promise.all(texts)).join('\n')
}
