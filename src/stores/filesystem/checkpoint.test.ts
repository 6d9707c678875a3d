/** A catalogue that went through its file is the one that it was, also after what came later. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EntryHead } from '../../model/entry.ts'
import { buildHashIndex, rowsAt } from '../disk/hash-index.ts'
import { Catalog } from './catalog.ts'
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { knownFile } from './known-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-checkpoint-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const POSITION = { segment: '00000001-00000000.jsonl', offset: 7 }

async function throughFile(catalog: Catalog): Promise<Catalog> {
  const summary = { catalog, epoch: 'e', position: POSITION, folders: new Map() }
  await writeCheckpoint(folder, folder, summary)
  const read = readCheckpoint(folder)
  if (!read) throw new Error('it was not read')
  return read.catalog
}

const IDS = Array.from({ length: 8 }, (_, n) => `00000000-0000-7000-8000-00000000000${n}`)
const NAMES = ['a', 'b', 'ü 😀', 'd']
const PATHS = ['agents/main/entries/a.md', 'agents/main/daily/ä.md', 'world/"c".md', 'MEMORY.md']
const SCOPES = ['main', 'other']

const step = fc.oneof(
  fc.record({
    do: fc.constant('put' as const),
    id: fc.constantFrom(...IDS),
    name: fc.constantFrom(...NAMES),
    aliases: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
    scope: fc.constantFrom(...SCOPES),
    path: fc.constantFrom(...PATHS),
  }),
  fc.record({ do: fc.constant('remove' as const), id: fc.constantFrom(...IDS) }),
  fc.record({
    do: fc.constant('file' as const),
    path: fc.constantFrom(...PATHS),
    hash: fc.option(fc.constantFrom('h1', 'h2'), { nil: undefined }),
    isSigned: fc.boolean(),
  }),
  fc.record({ do: fc.constant('no file' as const), path: fc.constantFrom(...PATHS) }),
  fc.record({ do: fc.constant('checkpoint' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function take(catalog: Catalog, one: Step, seq: number): void {
  switch (one.do) {
    case 'put':
      catalog.put(head(one, catalog.head(one.id)?.seq ?? seq))
      break
    case 'remove':
      catalog.remove(one.id)
      break
    case 'file':
      catalog.files.set(one.path, knownFile(one.hash, seq, one.isSigned ? [seq, 2, 3.5, 4.25] : undefined))
      break
    case 'no file':
      catalog.files.delete(one.path)
  }
}

function head({ id, name, aliases, scope, path }: Extract<Step, { do: 'put' }>, seq: number): EntryHead {
  return {
    id,
    seq,
    revision: '0123456789abcdef',
    scope,
    kind: 'note',
    name,
    aliases,
    description: 'd',
    metadata: {},
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: null,
    origin: { by: 'agent' },
    path,
  }
}

/** All that can be asked of it. */
function told(catalog: Catalog): unknown {
  return {
    size: catalog.size,
    heads: [...catalog.heads()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    byId: IDS.map((id) => catalog.head(id)),
    ofScope: SCOPES.map((scope) =>
      [...catalog.heads({ scopes: [scope] })]
        .filter((one) => one.scope === scope)
        .map(({ id }) => id)
        .sort(),
    ),
    owners: SCOPES.flatMap((scope) => NAMES.map((name) => catalog.owner(scope, name))),
    contested: [...catalog.contested()].sort(),
    at: PATHS.map((path) => [...catalog.idsAt(path)].sort()),
    files: PATHS.map((path) => {
      const { round: _, ...file } = catalog.files.get(path) ?? {}
      return file
    }),
    all: [...catalog.files.keys()].sort(),
    nextSeq: catalog.nextSeq,
  }
}

describe('a checkpoint', () => {
  it('tells the same as the catalogue that it was made of, whatever comes after it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const whole = new Catalog()
        let packed = new Catalog()
        for (const [n, one] of steps.entries()) {
          if (one.do === 'checkpoint') packed = await throughFile(packed)
          take(whole, one, n + 1)
          take(packed, one, n + 1)
        }
        expect(told(await throughFile(packed))).toEqual(told(whole))
        expect(told(packed)).toEqual(told(whole))
      }),
      { numRuns: 50 },
    )
  })

  it('is not taken when a byte of it is another, or it has another version', async () => {
    const catalog = new Catalog()
    catalog.files.set('a.md', knownFile('h', 1))
    await throughFile(catalog)
    const path = join(folder, 'checkpoint')
    const whole = readFileSync(path)
    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      writeFileSync(path, bytes)
      expect(readCheckpoint(folder), `byte ${at}`).toBeUndefined()
    }
    for (const text of ['', 'x', '3 ', `${'0'.repeat(32)} {"version":2}`]) {
      writeFileSync(path, text)
      expect(readCheckpoint(folder)).toBeUndefined()
    }
  })
})

describe('a name that two entries claim', () => {
  const claim = (id: number, seq: number): EntryHead =>
    head({ do: 'put', id: IDS[id] ?? '', name: 'a', aliases: [], scope: 'main', path: `${id}.md` }, seq)

  it.each([
    ['the one that has it', 0, IDS[1]],
    ['the other', 1, IDS[0]],
  ])('is claimed by one alone when %s goes', async (_, gone, heir) => {
    const whole = new Catalog()
    whole.put(claim(0, 1))
    whole.put(claim(1, 2))
    for (const catalog of [await throughFile(whole), whole]) {
      expect(catalog.contested().size).toBe(1)
      catalog.remove(IDS[gone] ?? '')
      for (const one of [catalog, await throughFile(catalog)]) {
        expect([one.contested().size, one.owner('main', 'a')]).toEqual([0, heir])
      }
    }
  })
})

describe('an index by hash', () => {
  it('gives the rows of a text, in order, and at most such of texts with the same hash', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 3 }), { maxLength: 20 }), (texts) => {
        const index = buildHashIndex(texts)
        for (const text of [...texts, 'not in it']) {
          const rows = [...rowsAt(index, text)].filter((row) => texts[row] === text)
          expect(rows).toEqual(texts.flatMap((one, row) => (one === text ? [row] : [])))
        }
      }),
      { numRuns: 50 },
    )
  })

  it('keeps apart what shares a hash, by leaving it to be compared', () => {
    const [one, two] = ['text 79568', 'text 664010'] // found by trying
    const index = buildHashIndex([one, two], [4, 7])
    expect([...rowsAt(index, one)]).toEqual([4, 7])
  })
})
