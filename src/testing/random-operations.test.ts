import { describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../errors.ts'
import { KIND_NAMES } from '../model/kinds.ts'
import type { Operation } from '../model/operation.ts'
import type { Store } from '../ports/store.ts'
import { memoryStore } from '../stores/memory.ts'
import { type RandomBatch, randomOperations } from './random-operations.ts'
import { changesSince, scanned } from './requests.ts'
import { stateDifference } from './state-equality.ts'

describe('randomOperations', () => {
  it('says the same again for the same seed and the same answers', async () => {
    const [one, two] = [await converse(1, 200), await converse(1, 200)]
    expect(JSON.stringify(one.asked)).toBe(JSON.stringify(two.asked))
    expect(JSON.stringify((await converse(2, 200)).asked)).not.toBe(JSON.stringify(one.asked))
  })

  it('is accepted more often than refused, and refused with every code there is for it', async () => {
    const { codes } = await converse(3, 1500)
    const refused = new Set(codes.filter((code) => code !== 'OK'))
    expect(refused).toEqual(new Set(['INVALID', 'NOT_FOUND', 'NAME_TAKEN', 'CONFLICT']))
    expect(codes.filter((code) => code === 'OK').length).toBeGreaterThan(codes.length / 2)
    for (const code of refused) expect(codes.filter((one) => one === code).length).toBeGreaterThan(10)
  })

  it('succeeds with every operation, mode and kind', async () => {
    const { store } = await converse(4, 1500)
    const operations = (await changesSince(store)).changes.flatMap((change) => change.operations)
    expect(new Set(operations.map(labelOf))).toEqual(
      new Set(['write', 'rename', 'alias bind', 'alias drop', 'remove', ...KIND_NAMES.map((kind) => `add ${kind}`)]),
    )
    const taken = (await converse(4, 1500)).asked.flatMap(({ batch }) => batch.operations).map(labelOf)
    expect(taken).toContain('alias take')
  })

  it('leaves metadata, aliases, expiries and texts of every sort behind', async () => {
    const { store } = await converse(5, 1500)
    const entries = await scanned(store)
    const holds = {
      proto: entries.some(({ metadata }) => Object.hasOwn(metadata, '__proto__')),
      type: entries.some(({ metadata }) => Object.hasOwn(metadata, 'type')),
      aliases: entries.some(({ aliases }) => aliases.length > 1),
      expiry: entries.some(({ expiresAt, kind }) => expiresAt !== null && kind === 'note'),
      crlf: entries.some(({ content }) => content.includes('\r\n')),
      leading: entries.some(({ content }) => content.startsWith('\n')),
      heading: entries.some(({ content }) => /^## 12:00$/m.test(content)),
      rule: entries.some(({ content }) => /^---$/m.test(content)),
      oneSlug: entries.filter(({ name }) => name !== null && /^C[+#!]/.test(name)).length > 1,
    }
    expect(Object.entries(holds).filter(([, held]) => !held)).toEqual([])
  })

  it('gives a feed that builds the same memory again', async () => {
    const { store } = await converse(6, 1000)
    let at = 0
    const copy = memoryStore({ clock: () => at })
    for (const change of (await changesSince(store)).changes) {
      at = Date.parse(change.at)
      await copy.apply(change)
    }
    expect(stateDifference(await scanned(copy), await scanned(store))).toBeUndefined()
  })
})

/** Holds a random conversation with a new store in RAM. */
async function converse(seed: number, count: number): Promise<{ store: Store; asked: RandomBatch[]; codes: string[] }> {
  let ms = Date.parse('2026-03-14T09:26:53.589Z')
  let made = 0
  const newId = (): string => `11111111-0000-7000-8000-${(++made).toString(16).padStart(12, '0')}`
  const store = memoryStore({ clock: () => ms, newId, settings: { timezone: 'UTC' } })
  const asked: RandomBatch[] = []
  const codes: string[] = []
  const source = randomOperations(seed, count)
  let turn = source.next()
  while (!turn.done) {
    ms += 60_000
    const { batch, expect: expected } = turn.value
    asked.push(turn.value)
    const answer = await store.apply(batch, expected ? { expect: expected } : {}).catch((error: unknown) => {
      if (isKeepsakeError(error)) return error.code
      throw error
    })
    codes.push(typeof answer === 'string' ? answer : 'OK')
    turn = source.next(typeof answer === 'string' ? undefined : answer.entries)
  }
  return { store, asked, codes }
}

function labelOf(operation: Operation): string {
  if (operation.op === 'add') return `add ${operation.kind}`
  return operation.op === 'alias' ? `alias ${operation.mode ?? 'bind'}` : operation.op
}
