/**
 * `doctor` of a memory in one file: every way to be damaged is told, looking changes nothing, and `--fix` saves all that can be
 * read and says what could not be, entry by entry.
 */

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { decodeFrameHead, FRAME_BYTES, type FrameType } from '../../src/codec/one-file/frame.ts'
import { HEADER_BYTES, slotOffset } from '../../src/codec/one-file/header.ts'
import { isKeepsakeError } from '../../src/errors.ts'
import type { Entry } from '../../src/model/entry.ts'
import type { Operation } from '../../src/model/operation.ts'
import { FILE_CODES } from '../../src/stores/disk/doctor/codes.ts'
import type { Finding } from '../../src/stores/disk/doctor/finding.ts'
import { examineFile } from '../../src/stores/file/doctor/examine.ts'
import { mendFile } from '../../src/stores/file/doctor/mend.ts'
import { type FileStore, fileStore } from '../../src/stores/file/store.ts'
import { seededRandom } from '../../src/testing/random.ts'
import { isNightly, seed } from '../tier.ts'
import { all, everythingOf } from './everything.ts'

const ORIGIN = { by: 'agent', agent: 'main' } as const

let folder: string
let path: string
let whole: Buffer

function note(n: number): Operation {
  return {
    op: 'add',
    scope: 'main',
    kind: 'note',
    name: `Note ${n}`,
    content: `what note ${n} says, in words of its own`,
  }
}

/** Of every type of frame some: most before the catalogue, a few behind it. */
async function makeMemory(at: string): Promise<Buffer> {
  const store = fileStore({ path: at })
  const apply = (...operations: readonly Operation[]): Promise<unknown> => store.apply({ operations, origin: ORIGIN })
  for (let n = 1; n <= 8; n++) await apply(note(n))
  await store.sessions.append('main', 'chat', [{ type: 'turn', text: 'hello' }])
  await store.derived.write('index', Buffer.from('derived bytes'))
  await store.fold()
  const [first] = await all(store.scan())
  await apply({ op: 'write', id: first?.id ?? '', content: 'rewritten behind the catalogue' })
  await apply(note(9))
  await store.sessions.append('main', 'chat', [{ type: 'turn', text: 'goodbye' }])
  await apply(note(10))
  await store.close()
  return readFileSync(at)
}

beforeAll(async () => {
  const made = mkdtempSync(join(tmpdir(), 'keepsake-doctor-made-'))
  whole = await makeMemory(join(made, 'memory.keepsake'))
  rmSync(made, { recursive: true })
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-doctor-file-'))
  path = join(folder, 'memory.keepsake')
  writeFileSync(path, whole, { mode: 0o600 })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Placed {
  readonly type: FrameType
  readonly at: number
  readonly length: number
}

function framesOf(bytes: Uint8Array): Placed[] {
  const found: Placed[] = []
  for (let at = HEADER_BYTES; at < bytes.length; ) {
    const head = decodeFrameHead(bytes.subarray(at, at + FRAME_BYTES), crc32)
    if (typeof head === 'string') throw new Error(`no frame at ${at}`)
    found.push({ type: head.type, at, length: head.length })
    at += head.size
  }
  return found
}

/** The first or last frame of a type. */
function frame(type: FrameType, which: 0 | -1 = 0): Placed {
  const found = framesOf(whole)
    .filter((one) => one.type === type)
    .at(which)
  if (!found) throw new Error(`no frame ${type}`)
  return found
}

function flip(at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 0x10
  writeFileSync(path, bytes)
}

/** Where a text stands in the file. */
function placeOf(text: string): number {
  return whole.indexOf(text)
}

function olderSlot(): 'A' | 'B' {
  return whole.readDoubleLE(slotOffset('A')) < whole.readDoubleLE(slotOffset('B')) ? 'A' : 'B'
}

function codes(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(({ code }) => code))].sort()
}

async function withStore<T>(use: (store: FileStore) => Promise<T>): Promise<T> {
  const store = fileStore({ path })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

interface Situation {
  readonly codes: readonly Finding['code'][]
  readonly make: () => void
  /** Names of entries that can't be saved. */
  readonly lost?: readonly string[]
  readonly says?: RegExp
  /** Codes that are found afterwards too. */
  readonly left?: readonly Finding['code'][]
}

const SITUATIONS: readonly Situation[] = [
  { codes: ['damaged-header'], make: () => flip(3) },
  { codes: ['damaged-header'], make: () => flip(40) },
  {
    codes: ['damaged-header'],
    make: () => {
      flip(slotOffset('A'))
      flip(slotOffset('B'))
    },
  },
  { codes: ['damaged-slot'], make: () => flip(slotOffset('A') + 3) },
  {
    codes: ['damaged-record', 'damaged-slot', 'lost-text'],
    make: () => {
      flip(slotOffset('A') + 3)
      flip(slotOffset('B') + 3)
      const bytes = readFileSync(path)
      // The newer one stays damaged: what it vouched for is not taken for a crash's rest.
      bytes.set(whole.subarray(slotOffset(olderSlot()), slotOffset(olderSlot()) + 32), slotOffset(olderSlot()))
      writeFileSync(path, bytes)
      flip(placeOf('what note 10 says'))
    },
    lost: ['Note 10'],
  },
  { codes: ['torn-tail'], make: () => appendFileSync(path, 'chng and then nothing that fits') },
  {
    codes: ['cut-file', 'damaged-record', 'lost-text'],
    make: () => truncateSync(path, whole.length - 20),
    lost: ['Note 10'],
  },
  {
    codes: ['cut-file'],
    make: () => truncateSync(path, frame('chng', -1).at),
    lost: ['Note 10'],
    says: /of 11 changes 10 are left/,
  },
  { codes: ['damaged-catalogue'], make: () => flip(frame('cata').at + 100) },
  { codes: ['damaged-record'], make: () => flip(frame('cata').at + 5) },
  { codes: ['damaged-record', 'lost-settings'], make: () => flip(frame('sett').at + 30) },
  {
    codes: ['damaged-record', 'lost-text'],
    make: () => flip(placeOf('what note 3 says') + 5),
    lost: ['Note 3'],
    says: /the text of the note "Note 3" \([0-9a-f-]{36}\) can't be read/,
  },
  { codes: ['damaged-record'], make: () => flip(placeOf('"name":"Note 4"') + 10) },
  {
    codes: ['damaged-record', 'lost-text'],
    make: () => flip(placeOf('what note 9 says') + 5),
    lost: ['Note 9'],
    says: /: change 10, of "Note 9" \([0-9a-f-]{36}\)/,
  },
  {
    codes: ['damaged-record', 'lost-change'],
    make: () =>
      flip(
        (framesOf(whole)
          .filter(({ type }) => type === 'chng')
          .at(-2)?.at ?? 0) + 5,
      ),
    lost: ['Note 9'],
    says: /change 10 can't be read/,
  },
  {
    codes: ['damaged-record', 'lost-session', 'session-metadata'],
    left: ['session-metadata'],
    make: () => flip(placeOf('hello') + 1),
    says: /the session "chat" of main/,
  },
  {
    codes: ['damaged-record'],
    make: () => flip(placeOf('goodbye') + 1),
    says: /a part of a session can't be read: "chat"/,
  },
  { codes: ['damaged-derived'], make: () => flip(placeOf('derived bytes') + 1) },
  { codes: ['file-readable'], make: () => chmodSync(path, 0o644) },
  { codes: ['writable-by-others'], make: () => chmodSync(path, 0o666) },
  {
    codes: ['temporary-file'],
    make: () => {
      mkdirSync(`${path}.lock`)
      writeFileSync(`${path}.lock/fold-1234`, 'half a fold')
    },
  },
]

describe('doctor of the one file', () => {
  it('finds nothing in a healthy one, and says how much it looked at', () => {
    expect(examineFile(path)).toEqual({
      findings: [],
      checked: { files: 1, entries: 10, changes: 11, sessions: 1 },
    })
  })

  it('finds nothing where all of the past is cut off', async () => {
    const later = fileStore({ path, clock: () => Date.now() + 400 * 86_400_000 })
    await later.fold()
    expect([...(await later.history()).changes]).toEqual([])
    await later.close()
    expect(examineFile(path)).toMatchObject({ findings: [], checked: { entries: 10, changes: 0 } })
  })

  it.each(SITUATIONS)(
    'finds $codes, changes nothing by looking, and mends it',
    async ({ codes: wanted, make, lost = [], says, left = [] }) => {
      const [told, before] = await withStore(
        async (store) => [await everythingOf(store), await all(store.scan())] as const,
      )
      make()
      const damaged = readFileSync(path)
      const { findings } = examineFile(path)
      expect(readFileSync(path)).toEqual(damaged)
      expect(codes(findings), JSON.stringify(findings)).toEqual([...wanted].sort())
      if (says) expect(findings.map(({ problem }) => problem).join('\n')).toMatch(says)
      const { examination, mended, backup, warnings } = await mendFile(path)
      expect(codes(examination.findings)).toEqual(left)
      expect(codes(mended)).toEqual(wanted.filter((code) => !left.includes(code)).sort())
      const isDamage = findings.some(({ severity }) => severity === 'damage')
      expect(backup !== undefined).toBe(isDamage)
      if (backup !== undefined) expect(readFileSync(backup)).toEqual(damaged)
      const after = await withStore((store) => all(store.scan()))
      const rest = before.filter(({ name }) => !lost.includes(name ?? ''))
      expect(after).toEqual(rest)
      if (lost.length > 0) expect(warnings.join('\n')).not.toBe('')
      if (!isDamage) expect(await withStore(everythingOf)).toEqual(told)
      expect(existsSync(`${path}.lock`)).toBe(false)
      expect(statSync(path).mode & 0o777).toBe(0o600)
    },
  )

  it('keeps the past up to what is lost, and what came of the rest', async () => {
    flip(placeOf('what note 5 says'))
    await mendFile(path)
    await withStore(async (store) => {
      const { changes } = await store.history()
      const numbers = [...changes].map(({ change }) => change.number)
      expect(numbers).toEqual([1, 2, 3, 4, 5])
      const names = (await all(store.scan())).map(({ name }) => name)
      expect(names).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10].map((n) => `Note ${n}`))
      await store.apply({ operations: [note(11)], origin: ORIGIN })
    })
    expect(examineFile(path).findings).toEqual([])
  })

  it('saves what is whole of a damaged change, and for a lost text the one before it', async () => {
    const [first] = await withStore((store) => all(store.scan()))
    const { id = '' } = first ?? {}
    await withStore((store) =>
      store.apply({
        operations: [note(11), { op: 'write', id, content: 'the newest text of all' }, note(12)],
        origin: ORIGIN,
      }),
    )
    flip(readFileSync(path).indexOf('the newest text of all'))
    const { warnings } = await mendFile(path)
    expect(warnings.join('\n')).toContain(`the text that change 12 gave "Note 1" (${id}) can't be read`)
    await withStore(async (store) => {
      const names = (await all(store.scan())).map(({ name }) => name)
      expect(names).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `Note ${n}`))
      expect(await store.get(id)).toEqual(first)
    })
  })

  it('tells what is not ours, newer, a link, or not there, and leaves it', async () => {
    const rows: readonly (readonly [code: Finding['code'], make: () => void])[] = [
      ['foreign-file', () => writeFileSync(path, 'a letter to somebody')],
      ['damaged-header', () => writeFileSync(path, '')],
      [
        'foreign-file',
        () => {
          writeFileSync(join(folder, 'other'), whole)
          rmSync(path)
          symlinkSync(join(folder, 'other'), path)
        },
      ],
      ['no-workspace', () => rmSync(path)],
    ]
    for (const [code, make] of rows) {
      make()
      const before = existsSync(path) ? readFileSync(path) : undefined
      expect(codes(examineFile(path).findings)).toContain(code)
      const { mended } = await mendFile(path)
      expect(mended).toEqual([])
      expect(existsSync(path) ? readFileSync(path) : undefined).toEqual(before)
    }
  })

  it('does not promise to save anything where nothing can be read, nor to change what is not ours', async () => {
    for (const make of [() => writeFileSync(path, ''), () => truncateSync(path, 90)]) {
      writeFileSync(path, whole)
      make()
      const damage = examineFile(path).findings.filter(({ severity }) => severity === 'damage')
      expect(damage.map(({ fixable }) => fixable)).toEqual(damage.map(() => false))
      for (const { hint } of damage) expect(hint).toMatch(/^Nothing in it can be read\. Take back a backup/)
      expect((await mendFile(path)).warnings).toEqual([expect.stringMatching(/^nothing was saved/)])
    }
    writeFileSync(path, 'a letter to somebody')
    chmodSync(path, 0o644)
    const { findings } = examineFile(path)
    expect(findings.map(({ code, fixable }) => [code, fixable])).toEqual([
      ['foreign-file', false],
      ['file-readable', false],
    ])
    expect(findings[1]?.hint).toContain('chmod 600')
  })

  it('tells what other commands refuse: settings that are asked for otherwise, and what has the name of the lock', async () => {
    const wish = { timezone: 'Pacific/Chatham', layout: 'flat', agent: 'somebody' } as const
    chmodSync(path, 0o644)
    const { findings } = examineFile(path, { wish })
    expect(codes(findings)).toEqual(['file-readable', 'settings-differ'])
    expect(findings.map(({ problem }) => problem).join('\n')).toMatch(/layout is "agents", asked for is "flat"/)
    const { mended, warnings } = await mendFile(path, { wish })
    expect([mended, warnings]).toEqual([[], [expect.stringMatching(/^nothing was mended, for other settings/)]])
    chmodSync(path, 0o600)
    const inside = join(folder, 'inside')
    const makers = [
      () => writeFileSync(`${path}.lock`, ''),
      () => {
        mkdirSync(inside)
        writeFileSync(join(inside, 'mine'), '')
        symlinkSync(inside, `${path}.lock`)
      },
    ]
    for (const make of makers) {
      make()
      expect(codes(examineFile(path).findings)).toEqual(['foreign-lock'])
      expect((await mendFile(path)).mended).toEqual([])
      for (const refused of [
        withStore((store) => store.apply({ operations: [note(20)], origin: ORIGIN })),
        withStore((store) => store.lease('work')),
      ]) {
        await expect(refused).rejects.toMatchObject({
          code: 'FOREIGN',
          message: expect.stringContaining('.lock: it is '),
        })
      }
      rmSync(`${path}.lock`)
    }
    expect(existsSync(join(inside, 'mine'))).toBe(true)
  })

  it('finds keys in plain sight, and names the entry, never the key', async () => {
    const key = `ghp_${'Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4eF7gH'}`
    await withStore((store) =>
      store.apply({ operations: [{ ...note(20), content: `token: ${key}` } as Operation], origin: ORIGIN }),
    )
    const { findings } = examineFile(path)
    expect(codes(findings)).toEqual(['secret'])
    expect(findings[0]?.problem).toContain('"Note 20"')
    expect(JSON.stringify(findings)).not.toContain(key)
  })

  it('has a situation, or a test, for every code of its own', () => {
    const elsewhere = ['foreign-file', 'newer-file', 'lost-file']
    const covered = new Set<string>([...SITUATIONS.flatMap(({ codes: some }) => some), ...elsewhere])
    expect(Object.keys(FILE_CODES).filter((code) => !covered.has(code))).toEqual([])
  })

  it(`saves all that can be read, whatever was damaged, or says what it could not (seed ${seed})`, {
    timeout: 600_000,
  }, async () => {
    const random = seededRandom(seed)
    const before = await withStore((store) => all(store.scan()))
    for (let n = 0; n < (isNightly ? 2000 : 15); n++) {
      writeFileSync(path, whole)
      const cut = random.chance(5) ? random.int(whole.length) : undefined
      const hits = Array.from({ length: 1 + random.int(3) }, () => random.int(whole.length))
      if (cut === undefined) for (const at of hits) flip(at)
      else truncateSync(path, cut)
      const what = cut === undefined ? `flips at ${hits.join(', ')}` : `cut at ${cut}`
      await saved(before, what)
    }
  })
})

async function saved(before: readonly Entry[], what: string): Promise<void> {
  const { findings } = examineFile(path)
  const { examination, warnings } = await mendFile(path)
  const isLeft = examination.findings.some(({ severity }) => severity === 'damage')
  // What can't be saved at all is left as it is, and said.
  if (isLeft) {
    expect(warnings, what).not.toEqual([])
    expect(() => fileStore({ path }), what).toThrow()
    return
  }
  const after = new Map((await withStore((store) => all(store.scan()))).map((entry) => [entry.id, entry]))
  const missing = before.filter((entry) => !isDeepStrictEqual(after.get(entry.id), entry))
  if (missing.length > 0) expect(warnings, `${what}: ${JSON.stringify(findings)}`).not.toEqual([])
  for (const entry of after.values())
    expect(
      before.some(({ id }) => id === entry.id),
      what,
    ).toBe(true)
}

it('is opened by nobody while it is damaged, and by everybody once it is mended', async () => {
  flip(frame('cata').at + 100)
  expect(await withStore(everythingOf).catch((error) => isKeepsakeError(error) && error.code)).toBe('DAMAGED')
  await mendFile(path)
  expect((await withStore((store) => all(store.scan()))).length).toBe(10)
})
