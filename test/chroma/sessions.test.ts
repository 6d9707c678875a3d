/**
 * Transcripts on a real server: several processes append to one of them while the server and one of the processes are killed, and what
 * came from a folder is there to the byte. The nightly run kills for longer.
 */

import { expect, it } from 'vitest'
import type { SessionRecord, SessionText, Store } from '../../src/ports/store.ts'
import { connect } from '../../src/stores/chroma/server/connection.ts'
import { adoptSessions, textsNow } from '../../src/stores/chroma/sessions/session-texts.ts'
import { chromaStore } from '../../src/stores/chroma/store.ts'
import { isNightly } from '../tier.ts'
import { ODD_TRANSCRIPTS } from './odd-transcripts.ts'
import { describeOnServer } from './server.ts'
import { throughKills, WritingProcess } from './writing-process.ts'

const ROUNDS = isNightly ? 6 : 1
const WRITERS = isNightly ? ['a', 'b', 'c', 'd'] : ['a', 'b']
const SESSION = 'chat: 1 / ü'
/** As people and programs name sessions. */
const KEYS = ['s', 'a\0b', '東京 🎉', ' \n', `${'語'.repeat(200)}1`, `${'語'.repeat(200)}2`, '"', 'x'.repeat(5000)]

describeOnServer('transcripts on a real server', (server) => {
  it(`have what ${WRITERS.length} processes appended, once and whole, after ${ROUNDS} kills`, {
    timeout: 60_000 + ROUNDS * 20_000,
  }, async () => {
    const place = await server.place()
    const writers = WRITERS.map((name) => new WritingProcess('session-writer.mjs', place, name))
    await throughKills(writers, server, ROUNDS)
    const store = chromaStore({ place })
    const page = await store.sessions.read('main', SESSION)
    expect(page?.broken).toEqual([])
    expect(await store.sessions.list('main')).toEqual([{ key: SESSION, createdAt: page?.meta['createdAt'] }])
    for (const writer of writers) check(writer, page?.records ?? [])
    expect(await readBack(store)).toEqual(page?.records)
    await store.close()
  })

  it('are to the byte what came from a folder, under keys of every kind', async () => {
    const connection = connect(await server.place())
    await connection.prepare()
    const odd = Object.entries(ODD_TRANSCRIPTS).map(([key, text]): SessionText => ({ scope: 'odd', key, text }))
    const keyed = KEYS.map((key): SessionText => ({ scope: 'keyed', key, text: Buffer.from(`${key}\n`) }))
    const all = [...keyed.sort(byKey), ...odd.sort(byKey)]
    await adoptSessions(connection.log, 'g', each(all))
    const found: SessionText[] = []
    for await (const text of (await textsNow(connection.log, 'g', {}))()) found.push(text)
    expect(found.map(({ scope, key }) => [scope, key])).toEqual(all.map(({ scope, key }) => [scope, key]))
    for (const [n, { key, text }] of all.entries()) {
      expect(Buffer.compare(found[n]?.text ?? Buffer.of(), text), key.slice(0, 20)).toBe(0)
    }
    connection.close()
  })
})

/** All that was acknowledged, in its order; what was begun may be there, too; each append whole. */
function check({ name, done, tried }: WritingProcess, records: readonly SessionRecord[]): void {
  const own = records.filter(({ writer }) => writer === name)
  const numbers = own.filter(({ isRest }) => !isRest).map(({ n }) => Number(n))
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  expect(numbers).toEqual(expect.arrayContaining(done))
  expect(Math.max(...numbers)).toBeLessThanOrEqual(tried)
  for (let at = 0; at < own.length; at += 2) {
    const n = Number(own[at]?.['n'])
    expect(own[at]).toEqual({ writer: name, n, text: 'and so on… '.repeat(n % 7 === 0 ? 5000 : n % 40) })
    expect(own[at + 1]).toEqual({ writer: name, n, isRest: true })
  }
}

async function readBack(store: Store): Promise<SessionRecord[]> {
  let records: SessionRecord[] = []
  for (let before: number | undefined; before !== 0; ) {
    const page = await store.sessions.readBefore('main', SESSION, before)
    records = [...(page?.records ?? []), ...records]
    before = page?.start ?? 0
  }
  return records
}

function byKey(a: SessionText, b: SessionText): number {
  return a.key < b.key ? -1 : 1
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}
