/** After a purge no record of the server tells of the entry, whenever it was cut short before; all others, and their past, are as they were. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ramConnection } from '../../../../test/chroma/ram-connection.ts'
import { RamShelf, type Troubles, unreachable } from '../../../../test/chroma/ram-shelf.ts'
import { RamVectors } from '../../../../test/chroma/ram-vectors.ts'
import { type CollectedImage, collected, imageFrom } from '../../../testing/images.ts'
import { apply, givenId, note, scanned, topic } from '../../../testing/requests.ts'
import { fileStore } from '../../file/store.ts'
import { memoryStore } from '../../memory.ts'
import { type ChromaStore, storeOn } from '../store.ts'

const SECRET = 'a secret that must go at once'
const LONG = `${'words about nothing '.repeat(1500)}\n${SECRET}, at length`
const NOW_MS = Date.parse('2026-03-14T09:26:53.589Z')
const [SECRET_ID, OTHER_ID] = [givenId(1), givenId(2)]
const TRACES = [SECRET, 'hidden name', 'hidden alias', '"hidden"']

/** One client of a server, and what the server holds. */
interface Client {
  readonly log: RamShelf
  readonly memories: RamVectors
  readonly store: ChromaStore
}

function clientOf(log: RamShelf = new RamShelf(), memories: RamVectors = new RamVectors()): Client {
  return { log, memories, store: storeOn(ramConnection(log, memories), { clock: () => NOW_MS }) }
}

/** An entry with a past: in the base, in changes of its own, in one together with another entry, and in a text longer than a record. */
async function pastWithSecret(): Promise<CollectedImage> {
  const source = memoryStore({ settings: { timezone: 'UTC' }, clock: () => NOW_MS })
  const hidden = { id: SECRET_ID, aliases: ['hidden alias'], metadata: { hidden: 'meta' } }
  await apply(source, [
    note('first', { content: 'x' }),
    note('hidden name', { content: `${SECRET}, early`, ...hidden }),
    note('other', { content: 'the text of another', id: OTHER_ID }),
  ])
  await apply(source, [
    { op: 'write', id: OTHER_ID, content: 'another text of another' },
    { op: 'write', id: SECRET_ID, content: LONG },
  ])
  await apply(source, [{ op: 'write', id: SECRET_ID, content: `${SECRET}, late` }])
  await source.sessions.append('main', 'chat', [{ text: `he said: ${SECRET}, early` }, { text: 'and went' }])
  await source.sessions.append('main', 'chat', [{ text: `later: ${LONG}` }])
  await source.sessions.append('main', 'other', [{ text: 'nothing' }])
  const image = await collected(await source.image())
  const revision = image.entries.find(({ id }) => id === SECRET_ID)?.revision ?? ''
  const secretFile = {
    path: 'agents/main/entries/a.md',
    bytes: Buffer.from(LONG),
    entries: [{ id: SECRET_ID, revision }],
  }
  return {
    ...image,
    since: image.changes[0]?.change.at,
    base: image.changes[0]?.touched.flatMap(({ after }) => after ?? []) ?? [],
    changes: image.changes.slice(1),
    files: [secretFile, { path: 'directives/memory.md', bytes: Buffer.from('Keep it.\n'), entries: [] }],
  }
}

/** On a server: with what is derived from it, its vectors, and what an unfinished move of the same memory has left. */
async function onServer(image: CollectedImage): Promise<Client> {
  const client = clientOf()
  const { log, memories, store } = client
  let requests = 0
  const cut: Troubles = {
    before(request) {
      if (++requests > 6) throw unreachable(request)
    },
  }
  await expect(clientOf(log.another(cut)).store.adopt(imageFrom(image))).rejects.toMatchObject({ code: 'IO' })
  const unfinished = new Map(log.records)
  expect(textOf(client)).toContain(SECRET)
  log.records.clear()
  await store.adopt(imageFrom(image))
  for (const [id, record] of unfinished) log.records.set(id, record)
  await store.derived.write('index', Buffer.from(LONG))
  await addVectors(memories)
  return client
}

async function addVectors(memories: RamVectors): Promise<void> {
  await memories.begin({ keepsake: 'g' })
  const metadata = { entry: SECRET_ID, name: 'hidden name' }
  const vector = Float32Array.of(1)
  await memories.put([
    { id: SECRET_ID, vector, document: `${SECRET}, late`, metadata: { ...metadata, of: 2 } },
    { id: `${SECRET_ID}~1`, vector, metadata: { ...metadata, piece: 1 } },
    { id: OTHER_ID, vector, document: 'another text of another', metadata: { entry: OTHER_ID } },
  ])
}

/** As it was, for another try. */
async function copyOf({ log }: Client): Promise<Client> {
  const copy = clientOf(new RamShelf(new Map(log.records)))
  await addVectors(copy.memories)
  return copy
}

/** Everything that the server holds. Texts that are no UTF-8 are kept as base64: none here is. */
function textOf({ log, memories }: Client): string {
  return JSON.stringify([[...log.records.values()], [...memories.records.values()]])
}

function expectNoTrace(client: Client): void {
  const text = textOf(client).replaceAll('\\"', '"')
  for (const trace of TRACES) expect(text.includes(trace), trace).toBe(false)
}

/** As a store that is known to be right does it. */
async function purgedElsewhere(image: CollectedImage): Promise<CollectedImage> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-purge-'))
  const store = fileStore({ path: join(folder, 'memory.keepsake'), clock: () => NOW_MS })
  await store.adopt(imageFrom(image))
  await store.purge([SECRET_ID])
  const purged = await collected(await store.image())
  await store.close()
  rmSync(folder, { recursive: true })
  return purged
}

/** Transcripts as texts; how often they were purged each store counts for itself. */
function readable(image: CollectedImage): Omit<CollectedImage, 'sessions'> & { readonly sessions: readonly string[] } {
  const sessions = image.sessions.map(({ text }) =>
    Buffer.from(text)
      .toString()
      .replace(/"purges":\d+/, '"purges"'),
  )
  return { ...image, sessions }
}

/** From this request on nothing comes back any more; `half`: this one is still done. */
function killedAt(step: number, half: boolean): { readonly troubles: Troubles; readonly killed: Promise<string> } {
  let requests = 0
  let tell = (_: string): void => undefined
  const killed = new Promise<string>((resolve) => {
    tell = resolve
  })
  const hang = (): Promise<void> => {
    tell('killed')
    return new Promise(() => undefined)
  }
  return {
    killed,
    troubles: {
      before: () => (++requests >= step + (half ? 1 : 0) ? hang() : undefined),
      after: () => (half && requests === step ? hang() : undefined),
    },
  }
}

describe('a purge', () => {
  it('leaves no trace of an entry anywhere, and everything else as it was', async () => {
    const image = await pastWithSecret()
    const client = await onServer(image)
    const { store, memories } = client
    const { cursor } = await store.feed('now')
    const another = clientOf(client.log.another(), memories.another())
    expect(await scanned(another.store)).toHaveLength(3)
    const { cleaned, outOfReach } = await store.purge([SECRET_ID])
    expect(cleaned).toEqual([
      'the entries, the record of changes and everything derived from it',
      '1 session that contained it',
      '1 file that came from a folder with its text',
    ])
    expect(outOfReach.join('\n')).toContain('write-ahead log')
    expectNoTrace(client)
    expect([...memories.records.keys()]).toEqual([OTHER_ID])
    const expected = await purgedElsewhere(image)
    for (const one of [store, another.store, clientOf(client.log.another()).store]) {
      expect(readable(await collected(await one.image()))).toEqual(readable(expected))
      expect(await one.feed(cursor)).toMatchObject({ restarted: true, cursor: { number: cursor.number + 1 } })
      expect(await one.derived.read('index')).toBeUndefined()
    }
    await apply(another.store, [note('hidden name', { content: 'the name is free' })])
    expect((await scanned(store)).map(({ name }) => name)).toEqual(['first', 'other', 'hidden name'])
  })

  it('gives no seq twice, also when everything is loaded anew from the log', async () => {
    const client = clientOf()
    const { entries } = await apply(client.store, [note('first'), note('last', { content: SECRET })])
    await client.store.purge([entries[1]?.id ?? ''])
    for (const [id, { labels }] of client.log.records) if (labels['kind'] === 'z') client.log.records.delete(id)
    const { store } = clientOf(client.log.another())
    const { entries: after } = await apply(store, [note('next')])
    expect(after[0]?.seq).toBe(3)
  })

  it('purges the past of what is gone already, and tells who else says it', async () => {
    const client = await onServer(await pastWithSecret())
    const { store } = client
    await apply(store, [{ op: 'remove', id: SECRET_ID }])
    await apply(store, [{ op: 'write', id: OTHER_ID, content: `I know ${SECRET}, early` }])
    const { number } = (await store.feed('now')).cursor
    const { cleaned, occurrences } = await store.purge([SECRET_ID])
    expect(cleaned[0]).toBe('the record of changes and everything derived from it')
    expect(occurrences).toEqual([{ in: 'entry', scope: 'main', id: OTHER_ID, kind: 'note', name: 'other' }])
    expect((await store.feed('now')).cursor.number).toBe(number + 1)
    await store.purge([OTHER_ID])
    expectNoTrace(client)
  })

  it('leaves what came with the same id after it', async () => {
    const client = await onServer(await pastWithSecret())
    const { store } = client
    await store.purge([SECRET_ID])
    await apply(store, [note('back', { id: SECRET_ID, content: 'another life' })])
    expect((await store.get(SECRET_ID))?.content).toBe('another life')
    const [past] = await clientOf(client.log.another()).store.changes({ limit: 1 })
    expect(past?.touched).toMatchObject([{ id: SECRET_ID, after: { content: 'another life' } }])
    await store.purge([OTHER_ID])
    expect((await store.get(SECRET_ID))?.content).toBe('another life')
  })

  it('does nothing where there is no memory, and makes none', async () => {
    const { log, store } = clientOf()
    expect(await store.purge([SECRET_ID])).toEqual({ cleaned: [], occurrences: [], outOfReach: [] })
    expect(log.records.size).toBe(0)
  })

  it('waits while another one tidies up, as long as it is wanted', async () => {
    const client = clientOf()
    const { entries } = await apply(client.store, [note('first', { content: SECRET })])
    const lease = await clientOf(client.log.another()).store.lease('fold')
    const reason = new Error('enough')
    const controller = new AbortController()
    const purging = client.store.purge([entries[0]?.id ?? ''], { signal: controller.signal })
    setTimeout(() => controller.abort(reason), 50)
    await expect(purging).rejects.toBe(reason)
    expect(await scanned(client.store)).toHaveLength(1)
    await lease?.release()
    await client.store.purge([entries[0]?.id ?? ''])
    expectNoTrace(client)
  })

  it('can be killed after every request, and purging again finishes it', async () => {
    const image = await pastWithSecret()
    const expected = await purgedElsewhere(image)
    const prepared = await onServer(image)
    for (let step = 1, outcome = ''; outcome !== 'purged'; step++) {
      const server = await copyOf(prepared)
      const { troubles, killed } = killedAt(step, true)
      const dying = clientOf(server.log.another(troubles), server.memories.another())
      outcome = await Promise.race([dying.store.purge([SECRET_ID]).then(() => 'purged'), killed])
      // A killed process does not release its lease: it expires.
      for (const [id, { labels }] of server.log.records) if (labels['kind'] === 'l') server.log.records.delete(id)
      const { store } = clientOf(server.log.another(), server.memories.another())
      expect((await scanned(store)).filter(({ id }) => id !== SECRET_ID)).toEqual(expected.entries)
      await store.purge([SECRET_ID])
      expectNoTrace(server)
      // Each try that came as far as the log is a change of its own.
      const { changes, number: _, ...rest } = readable(await collected(await store.image()))
      const { changes: theirs, number: __, ...others } = readable(expected)
      expect([step, rest]).toEqual([step, others])
      expect(changes.slice(0, theirs.length)).toEqual(theirs)
    }
  })

  it('of a world entry, interrupted after any request, is finished in the sessions of the agent that ran it', async () => {
    const agents = ['main', 'bob']
    const prepared = clientOf()
    await apply(prepared.store, [topic('shared', { id: SECRET_ID, content: SECRET })])
    for (const agent of agents) await prepared.store.sessions.append(agent, 'chat', [{ content: SECRET }])
    for (let step = 1, outcome = ''; outcome !== 'purged'; step++) {
      const server = clientOf(new RamShelf(new Map(prepared.log.records)))
      const { troubles, killed } = killedAt(step, true)
      const dying = clientOf(server.log.another(troubles))
      outcome = await Promise.race([
        dying.store.purge([SECRET_ID], { origin: { by: 'agent', agent: 'bob' } }).then(() => 'purged'),
        killed,
      ])
      for (const [id, { labels }] of server.log.records) if (labels['kind'] === 'l') server.log.records.delete(id)
      const { store } = clientOf(server.log.another())
      const isGone = (await scanned(store)).length === 0
      await store.purge([])
      const said = await Promise.all(agents.map(async (agent) => (await store.sessions.read(agent, 'chat'))?.records))
      expect([step, said]).toEqual([step, [[{ content: SECRET }], [{ content: isGone ? '[purged]' : SECRET }]]])
    }
  })
})
