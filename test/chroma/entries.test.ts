/**
 * Entries on a real server: several processes write while the server, and in the end one of them, is killed. What was acknowledged is there
 * once, a batch whole or not at all. The nightly run kills for longer.
 */

import { expect, it } from 'vitest'
import { chromaStore } from '../../src/stores/chroma/store.ts'
import { isNightly } from '../tier.ts'
import { describeOnServer } from './server.ts'
import { throughKills, WritingProcess } from './writing-process.ts'

const ROUNDS = isNightly ? 10 : 1
const WRITERS = isNightly ? ['a', 'b', 'c', 'd'] : ['a', 'b']

describeOnServer('entries on a real server', (server) => {
  it(`are what ${WRITERS.length} processes wrote, once and whole, after ${ROUNDS} kills`, {
    timeout: 60_000 + ROUNDS * 20_000,
  }, async () => {
    const place = await server.place()
    const writers = WRITERS.map((name) => new WritingProcess('entry-writer.mjs', place, name))
    await throughKills(writers, server, ROUNDS)
    const store = chromaStore({ place })
    const heads = await store.heads()
    const names = heads.map(({ name }) => name ?? '')
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(heads.map(({ seq }) => seq)).size).toBe(names.length)
    for (const { name, done, tried } of writers) {
      const firsts = numbersOf(names, name, 'first')
      expect(numbersOf(names, name, 'second')).toEqual(firsts)
      expect(firsts).toEqual(expect.arrayContaining(done))
      expect(Math.max(...firsts)).toBeLessThanOrEqual(tried)
    }
    const { changes, cursor } = await store.feed()
    expect(changes.map(({ number }) => number)).toEqual(Array.from({ length: cursor.number }, (_, n) => n + 1))
    expect(changes).toHaveLength(names.length / 2)
    await store.close()
  })
})

function numbersOf(names: readonly string[], writer: string, part: string): number[] {
  const own = names.filter((name) => name.startsWith(`${writer} `) && name.endsWith(` ${part}`))
  return own.map((name) => Number(name.split(' ')[1])).sort((a, b) => a - b)
}
