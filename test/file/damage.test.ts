/**
 * A file of which one byte was changed, or the end is missing: refused with its reason, or it says all that it said; where a
 * part of it can't be read, that part is an error and the rest is whole. Never less without a word, never empty, and never
 * made worse: what is refused is left as it is. Ten thousand times in the nightly run.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HEADER_BYTES, slotOffset } from '../../src/codec/one-file/header.ts'
import { isKeepsakeError, type KeepsakeError } from '../../src/errors.ts'
import type { Operation } from '../../src/model/operation.ts'
import { type FileStore, fileStore } from '../../src/stores/file/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { seededRandom } from '../../src/testing/random.ts'
import { isNightly, seed } from '../tier.ts'
import { everythingOf, PARTS, type Part, partsOf, type Told } from './everything.ts'

const FLIPS = isNightly ? 8000 : 150
const CUTS = isNightly ? 2000 : 50
const RUNS = isNightly ? 1000 : 300
/** Each so many times it is also written to, and folded. */
const WRITES = 5
const REFUSALS = ['DAMAGED', 'FOREIGN', 'NEWER']
const DERIVED = Buffer.from('derived bytes, which nobody misses')
const AGENT = { by: 'agent', agent: 'main' } as const
const DAY_MS = 86_400_000
const BEGUN = Date.parse('2026-01-05T08:00:00.000Z')
const NOW = BEGUN + 200 * DAY_MS

let folder: string
let path: string
let whole: Buffer
let told: Told
const random = seededRandom(seed)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-flips-'))
  path = join(folder, 'memory.keepsake')
  await makeMemory()
  whole = readFileSync(path)
  const store = open()
  told = await everythingOf(store)
  await store.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function open(now = NOW): FileStore {
  return fileStore({ path, clock: () => now })
}

function note(n: number): Operation {
  return {
    op: 'add',
    scope: 'main',
    kind: 'note',
    name: `Note ${n}`,
    aliases: [`n${n}`],
    content: `A note, ${n}.\n`.repeat(n),
  }
}

/** Of every type of frame some, before the catalogue and behind it. */
async function makeMemory(): Promise<void> {
  let now = BEGUN
  const settings = { retentionDays: 30, retentionMb: 1 }
  const source = memoryStore({
    clock: () => (now += 60_000),
    settings,
    documents: { 'directives/memory.md': 'Be kind.\n' },
  })
  for (let n = 1; n <= 6; n++) await source.apply({ operations: [note(n)], origin: AGENT })
  await source.sessions.append('main', 'chat', [{ type: 'turn', role: 'user', content: 'Hello' }])
  const store = open()
  await store.adopt(await source.image())
  const [first] = await store.heads()
  await store.apply({ operations: [note(7), { op: 'rename', id: first?.id ?? '', name: 'Renamed' }], origin: AGENT })
  await store.derived.write('one', DERIVED)
  await store.fold()
  await store.apply({
    operations: [note(8), { op: 'write', id: first?.id ?? '', content: 'Now another.' }],
    origin: AGENT,
  })
  await store.derived.write('two', DERIVED)
  await store.sessions.append('main', 'chat', [{ type: 'turn', role: 'assistant', content: 'Hello.' }])
  await store.apply({
    operations: [{ op: 'remove', id: (await store.resolve('main', 'n3'))?.id ?? '' }],
    origin: AGENT,
  })
  await store.close()
}

interface Outcome {
  readonly refused: readonly Part[]
  readonly all: number
}

/** What the file says now: of every part all of it, or why not. */
async function look(store: FileStore, expected: Told): Promise<Outcome> {
  const parts = await partsOf(store)
  const refused: Part[] = []
  for (const [part, said] of parts) {
    if (isKeepsakeError(said)) {
      checkRefusal(said)
      refused.push(part)
    } else expect(said, part).toEqual(expected[part])
  }
  for (const key of ['one', 'two']) {
    const bytes = await store.derived.read(key)
    if (bytes) expect(Buffer.from(bytes).equals(DERIVED), key).toBe(true)
  }
  return { refused, all: parts.size }
}

function checkRefusal(error: KeepsakeError): void {
  expect(REFUSALS).toContain(error.code)
  expect(error.message).toContain('memory.keepsake')
  expect(error.hint).toContain('It was left as it is.')
}

/** `undefined` when it was refused. */
async function tried<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    checkRefusal(error)
    return undefined
  }
}

async function examine(bytes: Buffer, isWritten: boolean): Promise<Outcome> {
  writeFileSync(path, bytes)
  const store = await tried(async () => open())
  const outcome = store ? await look(store, told) : { refused: PARTS, all: PARTS.length }
  await store?.close()
  expect(readFileSync(path).equals(bytes), 'reading changed the file').toBe(true)
  if (isWritten && store) await goOn(bytes)
  return outcome
}

/** A write and a fold: refused and nothing is changed, or all is still there, and the new one too. */
async function goOn(bytes: Buffer): Promise<void> {
  const store = open()
  const written = await tried(() => store.apply({ operations: [note(9)], origin: AGENT }))
  if (!written) {
    await store.close()
    expect(readFileSync(path).equals(bytes), 'a refused write changed the file').toBe(true)
    return
  }
  const before = await partsOf(store)
  await tried(() => store.fold())
  await store.close()
  const again = open()
  const after = await partsOf(again)
  await again.close()
  for (const part of ['settings', 'sessions', 'pages', 'files', 'documents'] as const) {
    const said = after.get(part)
    if (!isKeepsakeError(said)) expect(said, part).toEqual(told[part])
  }
  for (const [part, said] of before) {
    if (!isKeepsakeError(said) && part !== 'past') expect(after.get(part), `${part} after a fold`).toEqual(said)
  }
  const entries = after.get('entries')
  if (!isKeepsakeError(entries)) {
    const names = (entries as { name: string }[]).map(({ name }) => name)
    expect(names).toEqual([...(told.entries as { name: string }[]).map(({ name }) => name), 'Note 9'])
  }
}

function flipped(at: number): Buffer {
  const bytes = Buffer.from(whole)
  bytes[at] = (bytes[at] ?? 0) ^ (1 + random.int(255))
  return bytes
}

/** All of the header, and of the rest as much as there is time for. */
function placesToFlip(): number[] {
  const rest = Array.from(
    { length: FLIPS - HEADER_BYTES },
    () => HEADER_BYTES + random.int(whole.length - HEADER_BYTES),
  )
  return [...Array(HEADER_BYTES).keys(), ...rest]
}

/** What a lost sector, or a program that is not meant for such files, makes of it. */
function withRun(): readonly [what: string, bytes: Buffer] {
  const at = random.int(whole.length)
  const end = Math.min(whole.length, at + 1 + random.int(600))
  const [before, run, after] = [whole.subarray(0, at), whole.subarray(at, end), whole.subarray(end)]
  const kind = random.pick(['zeros', 'missing', 'twice'] as const)
  const instead = { zeros: Buffer.alloc(run.length), missing: Buffer.alloc(0), twice: Buffer.concat([run, run]) }
  return [`bytes ${at} to ${end} ${kind}`, Buffer.concat([before, instead[kind], after])]
}

async function examineAll(cases: readonly (readonly [what: string, bytes: Buffer])[]): Promise<Record<string, number>> {
  const counts = { whole: 0, parts: 0, refused: 0 }
  for (const [n, [what, bytes]] of cases.entries()) {
    try {
      const { refused, all } = await examine(bytes, n % WRITES === 0)
      counts[refused.length === 0 ? 'whole' : refused.length < all ? 'parts' : 'refused']++
    } catch (error) {
      throw new Error(`${what}, seed ${seed}`, { cause: error })
    }
  }
  return counts
}

describe(`a damaged file (seed ${seed})`, () => {
  it(`says all that it said or says that it can't: ${FLIPS} flipped bytes`, { timeout: 600_000 }, async () => {
    const counts = await examineAll(placesToFlip().map((at) => [`byte ${at} of ${whole.length}`, flipped(at)]))
    console.log(`flips: ${JSON.stringify(counts)}, ${whole.length} bytes, seed ${seed}`)
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0)
  })

  it(`is refused when its end is missing: ${CUTS} times`, { timeout: 600_000 }, async () => {
    const lengths = [
      0,
      1,
      HEADER_BYTES - 1,
      HEADER_BYTES,
      whole.length - 1,
      ...Array.from({ length: CUTS - 5 }, () => random.int(whole.length)),
    ]
    const counts = await examineAll(
      lengths.map((length) => [`cut to ${length} of ${whole.length}`, whole.subarray(0, length)]),
    )
    expect(counts).toEqual({ whole: 0, parts: 0, refused: CUTS })
  })

  it(`nor when a run of bytes is zeros, missing or there twice: ${RUNS} times`, { timeout: 600_000 }, async () => {
    const counts = await examineAll(Array.from({ length: RUNS }, withRun))
    expect(Math.min(counts['parts'] ?? 0, counts['refused'] ?? 0)).toBeGreaterThan(0)
  })

  it('says all, tells of it, and is mended by the next write, when one of the two slots is damaged', async () => {
    for (let at = slotOffset('A'); at < HEADER_BYTES; at += isNightly ? 1 : 11) {
      writeFileSync(path, flipped(at))
      const store = open()
      expect(await everythingOf(store)).toEqual(told)
      expect(await store.problems()).toMatchObject([{ path, problem: expect.stringContaining('how far it goes') }])
      await store.apply({ operations: [note(9)], origin: AGENT })
      await store.apply({ operations: [note(10)], origin: AGENT })
      expect(await store.problems(), `byte ${at}`).toEqual([])
      expect(await store.heads()).toHaveLength(9)
      await store.close()
    }
  })

  it('reads what was never damaged, so that the rest of this proves something', async () => {
    expect(await examine(whole, true)).toEqual({ refused: [], all: PARTS.length })
    expect(told.entries).toHaveLength(7)
    expect((told.past as { entries: unknown[] }).entries).toHaveLength(6)
    expect((told.files as unknown[]).length).toBe(1)
  })
})
