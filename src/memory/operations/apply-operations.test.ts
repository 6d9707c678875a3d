import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../errors.ts'
import { Memory, type OperationInput } from '../../memory.ts'
import type { Store } from '../../ports/store.ts'
import { filesystemStore } from '../../stores/filesystem/store.ts'
import { memoryStore } from '../../stores/memory.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const STORES: readonly (readonly [string, () => Store])[] = [
  ['memory', () => memoryStore()],
  [
    'filesystem',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'keepsake-apply-'))
      folders.push(folder)
      return filesystemStore({ root: join(folder, 'memory') })
    },
  ],
]

function add(name: string, more: object = {}): OperationInput {
  return { op: 'add', kind: 'note', name, content: `about ${name}`, ...more }
}

async function failure(promise: Promise<unknown>): Promise<{ code: string; message: string; at: unknown }> {
  const error = await promise.catch((thrown: unknown) => thrown)
  if (!isKeepsakeError(error)) throw new Error(`no error of ours: ${String(error)}`)
  return { code: error.code, message: error.message, at: error.data['operation'] }
}

describe.each(STORES)('a batch on the %s store', (_, open) => {
  const memoryWith = async (...operations: readonly OperationInput[]): Promise<Memory> => {
    const memory = new Memory(open(), 'main', Date.now)
    if (operations.length > 0) await memory.apply(operations)
    return memory
  }

  it('takes all five operations, by name, also of what it adds itself', async () => {
    const memory = await memoryWith(add('Old', { aliases: ['o'] }), add('Gone'))
    const { change, entries, operations } = await memory.apply([
      add('New'),
      { op: 'write', ref: 'New', content: 'more', description: 'said twice', metadata: { n: 1 } },
      { op: 'alias', ref: 'New', alias: 'o', mode: 'take' },
      { op: 'rename', ref: 'o', name: 'Newer' },
      { op: 'alias', ref: 'Old', alias: 'elder' },
      { op: 'alias', ref: 'elder', alias: 'elder', mode: 'drop' },
      { op: 'remove', ref: 'Gone' },
      { op: 'add', kind: 'topic', name: 'World', content: 'w' },
      { op: 'write', ref: 'World', content: 'ww' },
    ])
    expect(change?.origin).toEqual({ by: 'agent', agent: 'main' })
    expect(operations).toEqual(change?.operations)
    expect(entries.map(({ name }) => name)).toEqual(['Newer', 'Old', 'Gone', 'World'])
    const newer = await memory.get('New')
    expect(newer).toMatchObject({ name: 'Newer', aliases: ['o', 'New'], content: 'more', metadata: { n: 1 } })
    expect(await memory.get('Old')).toMatchObject({ aliases: [] })
    expect(await memory.get('Gone')).toBeUndefined()
    expect(await memory.get('World')).toMatchObject({ scope: 'world', content: 'ww' })
    await memory.undo()
    expect((await memory.list()).map(({ name }) => name)).toEqual(['Old', 'Gone'])
    await memory.close()
  })

  it('does nothing at all where one operation fails, and says which', async () => {
    const memory = await memoryWith(add('A', { aliases: ['a'] }))
    const before = await memory.list()
    const rows: readonly (readonly [unknown, string, RegExp])[] = [
      [{ op: 'add', kind: 'thought', content: 'x' }, 'INVALID', /^operation 2: kind: "thought" is not a kind$/],
      [{ op: 'add', kind: 'note', content: ' ' }, 'INVALID', /^operation 2: content: is empty$/],
      [{ op: 'add', kind: 'topic', scope: 'main', name: 'T', content: 'x' }, 'INVALID', /^operation 2: scope: a topic/],
      [{ op: 'add', kind: 'note', scope: 'other', content: 'x' }, 'NOT_FOUND', /^operation 2: scope: "other" is not/],
      [{ op: 'add', kind: 'note', name: 'a', content: 'x' }, 'NAME_TAKEN', /^operation 2: "a" already belongs to/],
      [{ op: 'rename', ref: 'A', name: 'B' }, 'NAME_TAKEN', /^operation 2: "B" already belongs to the note "B"$/],
      [{ op: 'rename', ref: 'Z', name: 'C' }, 'NOT_FOUND', /^operation 2: nothing here is called "Z"$/],
      [{ op: 'alias', ref: 'B', alias: 'A', mode: 'take' }, 'NAME_TAKEN', /^operation 2: "A" already belongs to/],
      [{ op: 'alias', ref: 'B', alias: 'x', mode: 'give' }, 'INVALID', /^operation 2: mode: "give"$/],
      [{ op: 'write', ref: 'B' }, 'INVALID', /^operation 2: write: changes nothing$/],
      [{ op: 'write', ref: 'B', text: 'x' }, 'INVALID', /^operation 2: text: is no field of "write"$/],
      [{ op: 'remove' }, 'INVALID', /^operation 2: id: is missing$/],
      [{ op: 'remove', id: 'x', ref: 'A' }, 'INVALID', /^operation 2: ref: stands beside an id$/],
      [{ op: 'remove', id: '0197a000-0000-7000-8000-000000000000' }, 'NOT_FOUND', /^operation 2: nothing here/],
      [{ op: 'merge' }, 'INVALID', /^operation 2: op: "merge" is not an operation$/],
      [null, 'INVALID', /^operation 2: operation: null is no object$/],
    ]
    for (const [operation, code, message] of rows) {
      const batch = [add('B'), operation as OperationInput, add('C')]
      expect(await failure(memory.apply(batch))).toEqual({ code, message: expect.stringMatching(message), at: 1 })
      expect(await failure(memory.apply(batch, { dryRun: true }))).toMatchObject({ code, at: 1 })
    }
    expect(await memory.list()).toEqual(before)
    await memory.close()
  })

  it('says in a dry run what it then does', async () => {
    const memory = await memoryWith(add('A', { aliases: ['x'] }), add('B'))
    const batch: readonly OperationInput[] = [
      { op: 'alias', ref: 'B', alias: 'x', mode: 'take' },
      { op: 'rename', ref: 'A', name: 'AA' },
      { op: 'remove', ref: 'x' },
      { op: 'add', kind: 'topic', name: 'T', content: 't' },
    ]
    const before = await memory.list()
    const tried = await memory.apply(batch, { dryRun: true })
    expect(await memory.list()).toEqual(before)
    expect(tried.change).toBeUndefined()
    const done = await memory.apply(batch)
    const told = ({ entries }: typeof done): unknown =>
      entries.map(({ id, name, aliases, revision }) => ({ id, name, aliases, revision }))
    expect(told(tried)).toEqual(told(done))
    expect(tried.operations.map(({ op, id }) => [op, id])).toEqual(done.operations.map(({ op, id }) => [op, id]))
    await memory.close()
  })

  it('compares and swaps by id, name and alias', async () => {
    const memory = await memoryWith(add('A', { aliases: ['x'] }))
    const { id, revision } = (await memory.get('A')) ?? { id: '', revision: '' }
    const old = '0123456789abcdef'
    for (const ref of [id, 'A', 'x']) {
      expect(await failure(memory.apply([add('N')], { expect: { [ref]: old } }))).toMatchObject({ code: 'CONFLICT' })
      expect(await failure(memory.apply([add('N')], { expect: { [ref]: null } }))).toMatchObject({ code: 'CONFLICT' })
      await memory.apply([add('N')], { expect: { [ref]: revision, none: null }, dryRun: true })
    }
    expect(await failure(memory.apply([add('N')], { expect: { none: old } }))).toMatchObject({ code: 'CONFLICT' })
    await memory.apply([add('N')], { expect: { x: revision, none: null } })
    expect((await memory.list()).map(({ name }) => name)).toEqual(['A', 'N'])
    await memory.close()
  })

  it('brings entries along as they were elsewhere, as an import', async () => {
    const memory = await memoryWith()
    const id = '0197a000-0000-7000-8000-000000000000'
    const createdAt = '2025-01-01T00:00:00.000Z'
    const { change, entries } = await memory.apply([
      add('A', { id, seq: 7, createdAt, updatedAt: '2025-02-01T00:00:00.000Z' }),
      add('B'),
    ])
    expect(change?.origin).toEqual({ by: 'import', agent: 'main' })
    expect(entries).toMatchObject([{ id, seq: 7, createdAt }, { seq: 8 }])
    expect(await failure(memory.apply([add('C', { seq: 7 })]))).toMatchObject({ code: 'INVALID' })
    await memory.close()
  })

  it("sees neither what is another agent's nor what has expired, and lets that make room", async () => {
    const memory = await memoryWith(add('A', { expiresAt: '2020-01-01T00:00:00.000Z' }))
    await memory.as('other').apply([add('Theirs')])
    const theirs = (await memory.as('other').get('Theirs'))?.id ?? ''
    for (const operation of [
      { op: 'remove', ref: 'A' } as const,
      { op: 'remove', ref: 'Theirs' } as const,
      { op: 'remove', id: theirs } as const,
    ]) {
      expect(await failure(memory.apply([operation]))).toMatchObject({ code: 'NOT_FOUND' })
    }
    await memory.apply([add('A'), { op: 'write', ref: 'A', content: 'new' }])
    expect((await memory.list()).map(({ content }) => content)).toEqual(['new'])
    await memory.close()
  })

  it('guards the identity, by name too', async () => {
    const strict = await memoryWith()
    const memory = new Memory(strict.store, 'main', Date.now, { soulEditable: true })
    await memory.apply([{ op: 'add', kind: 'identity', content: 'I am' }])
    const forms: readonly OperationInput[] = [
      { op: 'write', ref: 'IDENTITY', content: 'x' },
      { op: 'write', id: (await memory.get('IDENTITY'))?.id ?? '', content: 'x' },
    ]
    for (const form of forms) {
      expect(await failure(strict.apply([form]))).toMatchObject({ code: 'READ_ONLY' })
      expect(await failure(strict.apply([form], { dryRun: true }))).toMatchObject({ code: 'READ_ONLY' })
    }
    await memory.close()
  })

  it('is one change of nothing where all is so already, or nothing is asked', async () => {
    const memory = await memoryWith(add('A', { aliases: ['x'] }))
    for (const batch of [[], [{ op: 'alias', ref: 'A', alias: 'x' } as const]]) {
      expect(await memory.apply(batch)).toMatchObject({ operations: [] })
      expect((await memory.apply(batch)).change).toBeUndefined()
    }
    await memory.close()
  })
})

describe('a batch by names', () => {
  it('goes by what the names mean when it is written, whatever another has done since the look', async () => {
    const inner = memoryStore()
    let meddle: (() => Promise<unknown>) | undefined
    const store: Store = {
      ...inner,
      apply: async (batch, options) => {
        const now = meddle
        meddle = undefined
        await now?.()
        return inner.apply(batch, options)
      },
    }
    const memory = new Memory(store, 'main', Date.now)
    await memory.apply([add('A')])
    const { id } = (await memory.get('A')) ?? { id: '' }
    meddle = async () => {
      await inner.apply({ operations: [{ op: 'remove', id }], origin: { by: 'agent' } })
      await inner.apply({
        operations: [{ op: 'add', scope: 'main', kind: 'note', name: 'A', content: 'another' }],
        origin: { by: 'agent' },
      })
    }
    await memory.apply([{ op: 'write', ref: 'A', content: 'written' }])
    expect(await memory.get('A')).toMatchObject({ content: 'written' })
  })
})
