/** Several processes write while the server, and in the end one of them, is killed. Every acknowledged write is there once. */
import { expect, it } from 'vitest'
import { chromaStore } from '../../src/stores/chroma/store.ts'
import { scanned } from '../../src/testing/requests.ts'
import { isNightly } from '../tier.ts'
import { describeOnServer } from './server.ts'
import { throughKills, WritingProcess } from './writing-process.ts'

const ROUNDS = isNightly ? 10 : 2
const WRITERS = isNightly ? ['a', 'b', 'c', 'd'] : ['a', 'b']

describeOnServer('entries on a Chroma server', (server) => {
  it(`are what ${WRITERS.length} processes wrote, each once, after ${ROUNDS} kills of the server and one of a writer`, {
    timeout: 60_000 + ROUNDS * 20_000,
  }, async () => {
    const place = await server.place()
    const writers = WRITERS.map((name) => new WritingProcess('entry-writer.mjs', place, name))
    await throughKills(writers, server, ROUNDS)
    const store = chromaStore({ place })
    const entries = await scanned(store)
    const names = entries.map(({ name }) => name ?? '')
    expect(new Set(names).size).toBe(names.length)
    for (const { name, done, tried } of writers) {
      const own = names.filter((one) => one.startsWith(`${name} `)).map((one) => Number(one.split(' ')[1]))
      expect(own).toEqual(expect.arrayContaining(done))
      expect(Math.max(...own)).toBeLessThanOrEqual(tried)
      expect(entries.filter((one) => one.name?.startsWith(`${name} `)).every(isWhole)).toBe(true)
    }
    await store.close()
  })
})

function isWhole({ name, content }: { readonly name: string | null; readonly content: string }): boolean {
  const [writer, n] = (name ?? '').split(' ')
  return content === `${writer} wrote ${n}`
}
