/**
 * A damaged memory in one file is refused with a reason, reported by the doctor, or reads as before. It never reads as less, every error is
 * one of ours, and the file is not changed. A sample in `npm test`, every place in the nightly run.
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import { examineFile, repairFile } from '../../src/stores/doctor/file.ts'
import { Connection } from '../../src/stores/engine/sqlite.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { seededRandom } from '../../src/testing/random.ts'
import { isNightly, seed } from '../tier.ts'
import { makeFullMemory, readAll } from './full-memory.ts'

/** Places that are damaged in `npm test`. */
const SAMPLE = 12
const BLOCK_BYTES = 16
/** In a `-wal`: a header and a page. */
const FRAME_BYTES = 24 + 4096

let folder: string
let original: Buffer
let expected: unknown
let path: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-damage-'))
  path = join(folder, 'original.keepsake')
  await makeFullMemory(path)
  original = readFileSync(path)
  expected = (await read(path)).value
})

beforeEach(() => {
  path = join(folder, 'memory.keepsake')
})

afterEach(() => {
  for (const name of readdirSync(folder)) if (name.startsWith('memory')) rmSync(join(folder, name), { recursive: true })
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

interface Outcome {
  /** What was read, if all of it was. */
  readonly value?: unknown
  /** Why not. */
  readonly code?: string
}

/** Everything, or one of our errors; any other error is thrown. */
async function read(file: string): Promise<Outcome> {
  try {
    const store = fileStore({ path: file })
    try {
      return { value: await readAll(store) }
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!isKeepsakeError(error) || !error.hint) throw error
    return { code: error.code }
  }
}

async function damageIn(file: string): Promise<string[]> {
  const { findings } = await examineFile(file)
  return findings.filter(({ severity }) => severity === 'damage').map(({ problem }) => problem)
}

/** The outcome for a file with these bytes. Throws if something is missing and not reported, or if reading changed the file. */
async function outcomeOf(bytes: Uint8Array): Promise<'refused' | 'reported' | 'equal'> {
  writeFileSync(path, bytes, { mode: 0o600 })
  const { value, code } = await read(path)
  const damage = await damageIn(path)
  if (!readFileSync(path).equals(bytes)) throw new Error('the file was changed by looking at it')
  const beside = readdirSync(folder).filter((name) => name.startsWith('memory') && name !== 'memory.keepsake')
  if (beside.length > 0) throw new Error(`left beside it: ${beside}`)
  if (code !== undefined && damage.length === 0) throw new Error(`${code} on reading, and the doctor finds nothing`)
  if (code !== undefined) return 'refused'
  if (damage.length > 0) return 'reported'
  if (!isDeepStrictEqual(value, expected)) throw new Error('it reads differently, and nothing says so')
  return 'equal'
}

/** Every place in the nightly run; in `npm test`, the same few each time. */
function sampled<T>(places: readonly T[], salt: number, count = SAMPLE): readonly T[] {
  if (isNightly || places.length <= count) return places
  const random = seededRandom(seed + salt)
  return Array.from({ length: count }, () => random.pick(places))
}

async function damageAll(
  places: readonly number[],
  change: (bytes: Buffer, at: number) => void,
): Promise<Map<string, number>> {
  const outcomes = new Map<string, number>()
  const wrong: string[] = []
  for (const at of places) {
    const bytes = Buffer.from(original)
    change(bytes, at)
    if (bytes.equals(original)) continue
    const outcome = await outcomeOf(bytes).catch((error: unknown) => {
      wrong.push(`at ${at}: ${error instanceof Error ? error.stack : error}`)
      return 'wrong'
    })
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  expect(wrong.slice(0, 5), `${wrong.length} of ${places.length}`).toEqual([])
  return outcomes
}

const blocks = (): number[] => Array.from({ length: original.length / BLOCK_BYTES }, (_, n) => n * BLOCK_BYTES)
const LONG = { timeout: 3_600_000 }

describe('a damaged file', () => {
  it('reads as before while nothing is wrong with it', async () => {
    expect(await outcomeOf(original)).toBe('equal')
  })

  it('with 16 zeroed bytes anywhere is refused or reported, or reads as before', LONG, async () => {
    const places = blocks().filter((at) => original.subarray(at, at + BLOCK_BYTES).some((byte) => byte !== 0))
    const outcomes = await damageAll(sampled(places, 1), (bytes, at) => bytes.fill(0, at, at + BLOCK_BYTES))
    expect((outcomes.get('refused') ?? 0) + (outcomes.get('reported') ?? 0)).toBeGreaterThan(outcomes.get('equal') ?? 0)
  })

  it('with a flipped bit anywhere is refused or reported, or reads as before', LONG, async () => {
    const random = seededRandom(seed)
    await damageAll(sampled(blocks(), 2), (bytes, at) => {
      const place = at + random.int(BLOCK_BYTES)
      bytes[place] = (bytes[place] ?? 0) ^ (1 << random.int(8))
    })
  })

  it('with random bytes, or a misplaced or zeroed page, is refused or reported, or reads as before', LONG, async () => {
    const random = seededRandom(seed + 7)
    await damageAll(sampled(blocks(), 3, SAMPLE / 3), (bytes, at) => {
      for (let n = 0; n < BLOCK_BYTES; n++) bytes[at + n] = random.int(256)
    })
    const pages = Array.from({ length: original.length / 4096 }, (_, n) => n * 4096)
    await damageAll(sampled(pages.slice(1), 4, SAMPLE / 3), (bytes, at) => {
      original.copy(bytes, at, random.pick(pages), (random.pick(pages) % 4096) + 4096)
    })
    await damageAll(sampled(pages, 5, SAMPLE / 3), (bytes, at) => bytes.fill(0, at, at + 4096))
  })

  it('that is truncated anywhere is refused, and reported as damaged', LONG, async () => {
    const lengths = [0, 1, 15, 16, 17, 50, 99, 100, 101, 511, 512, 4095, 4096, 4097, original.length - 1]
    for (const length of [...lengths, ...sampled(blocks(), 6, SAMPLE / 3).filter((at) => at > 0)]) {
      expect(await outcomeOf(original.subarray(0, length)), `${length} bytes`).toBe('refused')
    }
  })

  it('with extra bytes at its end is refused or reported, or reads as before', async () => {
    for (const more of [Buffer.alloc(1), Buffer.alloc(4096, 'x'), Buffer.from(original)]) {
      expect(['equal', 'reported', 'refused']).toContain(await outcomeOf(Buffer.concat([original, more])))
    }
  })
})

it('an entry with a changed text is not read, copied or written as if it were intact', async () => {
  const store = fileStore({ path })
  const { entries } = await store.apply({
    operations: [{ op: 'add', scope: 'main', kind: 'note', name: 'Deploys', content: 'We deploy on Tuesdays' }],
    origin: { by: 'user' },
  })
  await store.close()
  const connection = new Connection(path)
  await connection.run("UPDATE entries SET content = 'We deploy on Fuesdays'")
  connection.close()
  const { id = '' } = entries[0] ?? {}
  const damaged = fileStore({ path })
  const copy = fileStore({ path: join(folder, 'memory-copy') })
  const calls = [
    () => damaged.get(id),
    () => damaged.resolve('main', 'Deploys'),
    () => damaged.scan()[Symbol.asyncIterator]().next(),
    async () => copy.adopt(await damaged.image()),
    () => damaged.apply({ operations: [{ op: 'alias', id, alias: 'ship' }], origin: { by: 'user' } }),
  ]
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'DAMAGED' })
  await damaged.close()
  expect(readdirSync(folder)).not.toContain('memory-copy')
  expect(await damageIn(path)).not.toEqual([])
})

describe('what is not a valid memory is refused and not changed:', () => {
  const refusals: Readonly<Record<string, readonly [code: string, make: () => void]>> = {
    'an empty file': ['DAMAGED', () => writeFileSync(path, '')],
    'a text': ['FOREIGN', () => writeFileSync(path, 'Dear diary, '.repeat(100))],
    'a short text': ['FOREIGN', () => writeFileSync(path, 'Dear diary')],
    'the first version of the format': ['FOREIGN', () => writeFileSync(path, `\x89KEEP${'\0'.repeat(200)}`, 'latin1')],
    'a database of another program': [
      'FOREIGN',
      () => {
        const other = new Connection(path)
        other.exec('CREATE TABLE entries (id TEXT); PRAGMA user_version = 1')
        other.close()
      },
    ],
    'a folder': ['FOREIGN', () => mkdirSync(path)],
    'a link to a memory': [
      'FOREIGN',
      () => {
        copyFileSync(join(folder, 'original.keepsake'), join(folder, 'memory-elsewhere'))
        symlinkSync(join(folder, 'memory-elsewhere'), path)
      },
    ],
    'a newer version': ['NEWER', () => edit('PRAGMA user_version = 2')],
    'one with a trigger': [
      'DAMAGED',
      () => edit('CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM changes; END'),
    ],
    // SQLite ignores the case of the type.
    'one with a hidden trigger': [
      'DAMAGED',
      () => {
        edit('CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM changes; END')
        const bytes = readFileSync(path)
        bytes.write('TRIGGER', bytes.indexOf('triggertentries'))
        writeFileSync(path, bytes)
      },
    ],
    'one with another index': ['DAMAGED', () => edit('CREATE UNIQUE INDEX more ON entries (id, kind)')],
    'one without an index': ['DAMAGED', () => edit('DROP INDEX entries_by_scope')],
    'one without a table': ['DAMAGED', () => edit('DROP TABLE transcripts')],
    'one with another column': ['DAMAGED', () => edit('ALTER TABLE entries ADD COLUMN more TEXT')],
    'one with other settings': ['DAMAGED', () => edit("UPDATE settings SET value = '{}' WHERE key = 'settings'")],
    'one without settings': ['DAMAGED', () => edit('DELETE FROM settings')],
  }

  function edit(sql: string): void {
    writeFileSync(path, original, { mode: 0o600 })
    const connection = new Connection(path)
    connection.exec(sql)
    connection.close()
  }

  it.each(Object.keys(refusals))('%s', async (name) => {
    const [code, make] = refusals[name] ?? ['', () => undefined]
    make()
    const isFile = name !== 'a folder'
    const before = isFile ? readFileSync(path) : undefined
    expect(await read(path)).toEqual({ code })
    const writing = async (): Promise<unknown> => fileStore({ path }).init()
    await expect(writing()).rejects.toMatchObject({ code })
    if (name === 'a link to a memory') rmSync(join(folder, 'memory-elsewhere'))
    else expect(await damageIn(path)).not.toEqual([])
    if (before && name !== 'a link to a memory') expect(readFileSync(path).equals(before)).toBe(true)
    const beside = readdirSync(folder).filter((one) => one.startsWith('memory') && one !== 'memory.keepsake')
    expect(beside).toEqual([])
  })
})

describe('a -wal that a crash left', () => {
  /** The file and the `-wal` of a process that was killed after the last of three writes. */
  async function crashed(): Promise<{ file: Buffer; wal: Buffer; frames: readonly number[] }> {
    writeFileSync(path, original, { mode: 0o600 })
    const store = fileStore({ path })
    const sizes: number[] = []
    for (const name of ['first', 'second', 'third']) {
      await store.apply({
        operations: [{ op: 'add', scope: 'main', kind: 'note', name, content: name.repeat(1000) }],
        origin: { by: 'user' },
      })
      sizes.push(readFileSync(`${path}-wal`).length)
    }
    const [file, wal] = [readFileSync(path), readFileSync(`${path}-wal`)]
    await store.close()
    return { file, wal, frames: sizes }
  }

  async function namesAfter(file: Buffer, wal: Buffer): Promise<(string | null)[]> {
    writeFileSync(path, file, { mode: 0o600 })
    writeFileSync(`${path}-wal`, wal, { mode: 0o600 })
    rmSync(`${path}-shm`, { force: true })
    const store = fileStore({ path })
    try {
      return (await store.heads()).slice(-3).map(({ name }) => name)
    } finally {
      await store.close()
    }
  }

  it('is read, and checkpointed when the file is closed', async () => {
    const { file, wal } = await crashed()
    expect(await namesAfter(file, wal)).toEqual(['first', 'second', 'third'])
    expect(readdirSync(folder).filter((name) => name.startsWith('memory'))).toEqual(['memory.keepsake'])
    expect(await damageIn(path)).toEqual([])
  })

  it('ends at a damaged frame: later changes are missing without an error, and earlier ones are complete', async () => {
    const { file, wal, frames } = await crashed()
    const [first = 0, second = 0] = frames
    for (const [at, kept] of [
      [second + 100, ['first', 'second']],
      [first + 100, ['first']],
      [100, []],
    ] as const) {
      const torn = Buffer.from(wal)
      for (let n = 0; n < BLOCK_BYTES; n++) torn[at + n] = ~(torn[at + n] ?? 0)
      const names = await namesAfter(file, torn)
      expect(names.filter((name) => ['first', 'second', 'third'].includes(name ?? ''))).toEqual(kept)
      expect(await damageIn(path)).toEqual([])
    }
  })

  it('stays, as does the file beside it, when that was emptied, overwritten or truncated', async () => {
    const { file, wal } = await crashed()
    const zeros = Buffer.alloc(file.length)
    const random = seededRandom(seed)
    const damaged = [
      Buffer.alloc(0),
      zeros,
      zeros.map(() => random.int(256)),
      Buffer.concat([Buffer.alloc(4), file.subarray(4)]),
      ...[4096, 5 * 4096, 5 * 4096 + 7].map((length) => file.subarray(0, length)),
    ]
    for (const [index, bytes] of damaged.entries()) {
      writeFileSync(path, bytes, { mode: 0o600 })
      writeFileSync(`${path}-wal`, wal, { mode: 0o600 })
      rmSync(`${path}-shm`, { force: true })
      const { code } = await read(path)
      expect(code, `reading ${index}`).toMatch(/DAMAGED|FOREIGN/)
      const writing = async (): Promise<unknown> => fileStore({ path }).init()
      await expect(writing()).rejects.toMatchObject({ code })
      expect((await examineFile(path)).findings.map(({ code }) => code).join()).toMatch(/damaged-file|foreign-file/)
      expect(readFileSync(path).equals(bytes), `the file ${index}`).toBe(true)
      expect(readFileSync(`${path}-wal`).equals(wal), `the -wal ${index}`).toBe(true)
    }
  })

  it('completes a file whose checkpoint was interrupted', async () => {
    const { file, wal } = await crashed()
    // A checkpoint copies pages in their order: the first one counts pages that the file does not have yet.
    const frames = Array.from({ length: Math.floor((wal.length - 32) / FRAME_BYTES) }, (_, n) => 32 + n * FRAME_BYTES)
    const firstPage = frames.findLast((at) => wal.readUInt32BE(at) === 1) ?? 0
    const interrupted = Buffer.concat([wal.subarray(firstPage + 24, firstPage + FRAME_BYTES), file.subarray(4096)])
    expect(interrupted.readUInt32BE(28)).toBeGreaterThan(file.length / 4096)
    expect(await namesAfter(interrupted, wal)).toEqual(['first', 'second', 'third'])
  })

  it('of another memory is refused, also with nothing but a turn of a session', async () => {
    writeFileSync(path, original, { mode: 0o600 })
    const store = fileStore({ path })
    // They must not move the id of the file to another page.
    for (let n = 0; n < 200; n++) await store.noteBackup(join(folder, 'far', 'away', `${n}.keepsake`))
    await store.close()
    const again = fileStore({ path })
    await again.sessions.append('main', 'elsewhere', [{ n: 1 }])
    const wal = readFileSync(`${path}-wal`)
    await again.close()
    const other = join(folder, 'memory-other')
    await makeFullMemory(other)
    const bytes = readFileSync(other)
    writeFileSync(`${other}-wal`, wal, { mode: 0o600 })
    expect(await read(other)).toEqual({ code: 'FOREIGN' })
    expect(readFileSync(other).equals(bytes)).toBe(true)
    expect(readFileSync(`${other}-wal`).equals(wal)).toBe(true)
  })

  it('that is truncated loses only the changes after the cut', async () => {
    const { file, wal, frames } = await crashed()
    const names = await namesAfter(file, wal.subarray(0, (frames[1] ?? 0) + 50))
    expect(names.slice(-2)).toEqual(['first', 'second'])
    expect(await damageIn(path)).toEqual([])
  })
})

describe('--fix on a damaged file', () => {
  it('saves every entry that can be read, leaves no damage, and keeps the damaged file', LONG, async () => {
    const random = seededRandom(seed + 9)
    const places = blocks().filter((at) => at >= 4096)
    const wrong: string[] = []
    let repaired = 0
    for (const at of sampled(places, 8, 12)) {
      const bytes = Buffer.from(original)
      bytes.fill(0, at, at + (random.chance(4) ? 4096 : BLOCK_BYTES))
      writeFileSync(path, bytes, { mode: 0o600 })
      if ((await damageIn(path)).length === 0) continue
      const before = await readableEntries(path)
      const { backup, examination } = await repairFile(path)
      const left = examination.findings.filter(({ severity }) => severity === 'damage')
      if (left.length > 0) {
        // Nothing at all could be read.
        if (before.size > 0) wrong.push(`at ${at}: still ${left[0]?.problem}`)
        continue
      }
      repaired++
      // The header differs: the file is no longer in WAL mode.
      if (backup === undefined || !readFileSync(backup).subarray(100).equals(bytes.subarray(100)))
        wrong.push(`at ${at}: the damaged file was not kept`)
      const after = await readableEntries(path)
      for (const [id, entry] of before) {
        if (!isDeepStrictEqual(after.get(id), entry)) wrong.push(`at ${at}: the entry ${id} is lost`)
      }
      const store = fileStore({ path })
      await store.apply({
        operations: [{ op: 'add', scope: 'main', kind: 'note', name: 'after', content: 'x' }],
        origin: { by: 'user' },
      })
      await store.close()
      for (const name of readdirSync(folder)) if (name.startsWith('memory')) rmSync(join(folder, name))
    }
    expect(wrong.slice(0, 5), `${wrong.length}`).toEqual([])
    expect(repaired).toBeGreaterThan(2)
  })

  /** Reads entry by entry, so that an unreadable one hides no other. Returns only those that are as they were written. */
  async function readableEntries(file: string): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>()
    const good = (expected as { readonly byId: readonly ({ readonly id: string } | undefined)[] }).byId
    let store: ReturnType<typeof fileStore>
    try {
      store = fileStore({ path: file })
    } catch {
      return found
    }
    for (const known of good) {
      const entry = known && (await store.get(known.id).catch(() => undefined))
      if (entry && isDeepStrictEqual(entry, known)) found.set(entry.id, entry)
    }
    await store.close()
    return found
  }
})
