/** The rules of moving are tested as the others are: by stores that are each wrong in one way. */
import { expect, it } from 'vitest'
import type { AdoptOptions, MemoryImage, Movable } from '../ports/store.ts'
import { type MemoryStore, memoryStore } from '../stores/memory.ts'
import { movingRules } from './cases/moving.ts'
import { contractCase, type StoreHarness } from './harness.ts'
import { each } from './images.ts'

type Break = (store: MemoryStore) => Partial<Movable>

it('keep the store in RAM, which none of the stores below differ from but in one way', async () => {
  expect(await failures(() => ({}))).toEqual([])
})

it.each<[string, Break, RegExp]>([
  [
    'has nothing of the past',
    adopting(({ history }) => ({ history: { ...history, changes: () => each([]) } })),
    /adopts every/,
  ],
  [
    'forgets where the past begins',
    adopting(({ history: { changes } }) => ({ history: { entries: [], changes } })),
    /middle/,
  ],
  ['gives seqs again', adopting((image) => ({ nextSeq: image.nextSeq - 1 })), /goes on/],
  ['begins its numbers anew', adopting((image) => ({ cursor: { ...image.cursor, number: 0 } })), /adopts every/],
  ['has settings of its own', adopting(({ settings }) => ({ settings: { ...settings, id: 'own' } })), /adopts every/],
  ['loses transcripts', adopting(() => ({ sessions: () => each([]) })), /adopts every/],
  ['drops lines that it can not read', adopting(readableLines), /to the byte/],
  ['loses documents', adopting(() => ({ files: () => each([]) })), /document/],
  ['leaves a session out of its image', imaging(() => ({ sessions: () => each([]) })), /all that it holds/],
  ['has the texts of now in an old image', (store) => ({ image: () => lateImage(store) }), /nothing that comes later/],
  ['writes over what is there', (store) => ({ adopt: (image) => memoryStoreOver(store, image) }), /nothing is yet/],
  [
    'keeps what was refused',
    (store) => ({ adopt: (image, options) => adoptThenCheck(store, image, options) }),
    /refused/,
  ],
  ['does not listen', (store) => ({ image: () => store.image(), adopt: (image) => store.adopt(image) }), /told to/],
  ['says that it adopted what broke off', (store) => ({ adopt: (image) => forgiving(store, image) }), /all or nothing/],
])('find out one that %s', async (_, breaks, expected) => {
  const found = await failures(breaks)
  expect(
    found.some((name) => expected.test(name)),
    `of the failing rules: ${found.join('; ')}`,
  ).toBe(true)
})

it('are left out where a harness does not speak of it, and skipped with its reason where it can not', async () => {
  const { storeContract } = await import('./store-contract.ts')
  const { movable: _, ...silent } = harness(() => ({}))
  const some = movingRules([1], 1)[0]?.name
  expect(storeContract(silent).some(({ name }) => name === some)).toBe(false)
  const reason = 'it stays where it is'
  expect(storeContract({ ...silent, movable: reason }).find(({ name }) => name === some)?.skip).toBe(reason)
})

function harness(breaks: Break): StoreHarness {
  return {
    name: 'broken',
    capabilities: memoryStore().capabilities,
    movable: true,
    async open(options) {
      const store = memoryStore(options)
      return { ...store, ...breaks(store) }
    },
    dispose: (store) => store.close(),
  }
}

async function failures(breaks: Break): Promise<string[]> {
  const found: string[] = []
  for (const rule of movingRules([1], 30)) {
    const { name, skip, run } = contractCase(harness(breaks), rule)
    if (skip === undefined) await run().catch(() => found.push(name))
  }
  return found
}

function adopting(change: (image: MemoryImage) => Partial<MemoryImage>): Break {
  return (store) => ({ adopt: (image, options) => store.adopt({ ...image, ...change(image) }, options) })
}

function imaging(change: (image: MemoryImage) => Partial<MemoryImage>): Break {
  return (store) => ({
    async image(options) {
      const image = await store.image(options)
      return { ...image, ...change(image) }
    },
  })
}

function readableLines(image: MemoryImage): Partial<MemoryImage> {
  return {
    async *sessions() {
      for await (const session of image.sessions()) {
        const text = new TextDecoder().decode(session.text).replace('not JSON\n', '')
        yield { ...session, text: new TextEncoder().encode(text) }
      }
    },
  }
}

async function lateImage(store: MemoryStore): Promise<MemoryImage> {
  const image = await store.image()
  return {
    ...image,
    async *sessions() {
      yield* (await store.image()).sessions()
    },
  }
}

/** As if nothing were there: the entries are gone, and what comes is taken. */
async function memoryStoreOver(store: MemoryStore, image: MemoryImage): ReturnType<Movable['adopt']> {
  const heads = await store.heads()
  if (heads.length === 0) return store.adopt(image)
  await store.apply({ operations: heads.map(({ id }) => ({ op: 'remove', id })), origin: { by: 'agent' } })
  return { warnings: [] }
}

async function adoptThenCheck(
  store: MemoryStore,
  image: MemoryImage,
  { check, ...rest }: AdoptOptions = {},
): ReturnType<Movable['adopt']> {
  const adopted = await store.adopt(image, rest)
  await check?.(await store.image())
  return adopted
}

async function forgiving(store: MemoryStore, image: MemoryImage): ReturnType<Movable['adopt']> {
  return store.adopt(image).catch(() => ({ warnings: [] }))
}
