import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../model/entry.ts'
import type { Operation } from '../../model/operation.ts'
import type { ChangeRecord } from '../change-record.ts'
import { decodeBase, encodeBase } from './base.ts'
import { joined, type TextPlace } from './bytes.ts'
import { decodeChange, encodeChange } from './change.ts'
import {
  DERIVED_LINE_BYTES,
  decodeDerived,
  decodeKeptFile,
  decodeSession,
  encodeDerived,
  encodeKeptFile,
  encodeSession,
} from './named-bytes.ts'
import { decodeSettings, encodeSettings } from './settings.ts'

const AT = 1 << 20
const PLACE = { path: 'm.keepsake', at: AT }
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((given) => given.isWellFormed())
const someText = text.filter((given) => given !== '')
const bytes = fc.uint8Array({ maxLength: 60 }).map((given) => Buffer.from(given))
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ id: text, scope: text, content: text }).map((given) => {
    const { revision: _, ...fields } = entry(10, given.content)
    return { op: 'add' as const, ...fields, ...given }
  }),
  fc.record({ op: fc.constant('write' as const), id: text, content: text }),
  fc.record({ op: fc.constant('write' as const), id: text, description: text }),
  fc.record({ op: fc.constant('rename' as const), id: text, name: text }),
  fc.record({ op: fc.constant('remove' as const), id: text }),
)

function change(operations: readonly Operation[]): ChangeRecord {
  return {
    number: 7,
    at: '2026-11-15T21:32:22.173Z',
    origin: { by: 'agent', agent: 'main' },
    operations,
    reverts: [3],
    set: operations.map(() => ({ revision: '0123456789abcdef' })),
  }
}

function entry(n: number, content: string): Entry {
  const at = '2026-11-15T21:32:22.173Z'
  return {
    id: `01a1e120-2307-73c5-98df-e1e583dae2${n}`,
    seq: n,
    revision: '0123456789abcdef',
    scope: 'main',
    kind: 'note',
    name: `Note ${n}`,
    aliases: ['ñ'],
    description: '',
    metadata: { deep: [null, { x: 1 }] },
    createdAt: at,
    updatedAt: at,
    expiresAt: null,
    origin: { by: 'hand' },
    content,
  }
}

/** The bytes that a place names, if they are the ones it was made of. */
function proved(payload: Uint8Array, { offset, length, crc }: TextPlace): string {
  const found = payload.subarray(offset - AT, offset - AT + length)
  expect(crc32(found)).toBe(crc)
  return Buffer.from(found).toString()
}

function contents(operations: readonly Operation[]): (string | undefined)[] {
  return operations.map((one) => ('content' in one ? one.content : undefined))
}

describe('the payloads of the one file', () => {
  it('bring a change back, and each text of it by its place alone', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
        const payload = joined(encodeChange(change(operations), crc32))
        const { change: read, places } = decodeChange(payload, PLACE, { texts: true })
        expect(read).toEqual(change(operations))
        expect(places.map((place) => place && proved(payload, place))).toEqual(contents(operations))
        const bare = decodeChange(payload, PLACE)
        expect(bare.places).toEqual(places)
        expect(contents(bare.change.operations)).toEqual(operations.map(() => undefined))
        expect(bare.change.set).toEqual(change(operations).set)
      }),
    )
  })

  it('hold texts as they are, for people who search the file, byte order mark and line ends included', () => {
    const content = '\uFEFFa "quoted" line\r\nand a \\ second\n'
    const payload = joined(encodeChange(change([{ op: 'write', id: 'x', content }]), crc32))
    expect(Buffer.from(payload).includes(content)).toBe(true)
    expect(contents(decodeChange(payload, PLACE, { texts: true }).change.operations)).toEqual([content])
  })

  it('bring back the entries that the past begins with', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
        const entries = texts.map((content, n) => entry(n + 10, content))
        const payload = joined(encodeBase(entries, '2026-01-01T00:00:00.000Z', crc32))
        const read = decodeBase(payload, PLACE)
        expect(read.since).toBe('2026-01-01T00:00:00.000Z')
        expect(read.entries()).toEqual(entries)
        expect(read.heads.some((head) => 'content' in head)).toBe(false)
        expect(read.places.map((place) => proved(payload, place))).toEqual(texts)
      }),
    )
  })

  it('bring back transcripts and kept files to the byte', () => {
    fc.assert(
      fc.property(text, someText, bytes, (scope, key, given) => {
        const session = joined(encodeSession({ scope, key }, given, crc32))
        const read = decodeSession(session, PLACE)
        expect([read.scope, read.key, proved(session, read.place)]).toEqual([scope, key, given.toString()])
        const named = { path: key, entries: [{ id: scope, revision: '0123456789abcdef' }] }
        const file = joined(encodeKeptFile(named, given, crc32))
        const { place, ...head } = decodeKeptFile(file, PLACE)
        expect(head).toEqual(named)
        expect(proved(file, place)).toBe(given.toString())
      }),
    )
  })

  it('bring back settings', () => {
    const settings = { format: 1, id: 'x', layout: 'flat', agent: 'main', retentionDays: 90 }
    expect(decodeSettings(joined(encodeSettings(settings)), PLACE)).toEqual(settings)
  })
})

describe('derived bytes', () => {
  it('begin at a multiple of 8, and are found by the beginning of their frame', () => {
    fc.assert(
      fc.property(text, bytes, (key, given) => {
        const payload = joined(encodeDerived({ key }, given, crc32))
        const read = decodeDerived(payload.subarray(0, DERIVED_LINE_BYTES), AT, crc32)
        expect(read?.key).toBe(key)
        expect((read?.place.offset ?? 1) % 8).toBe(0)
        expect(read && proved(payload, read.place)).toBe(given.toString())
      }),
    )
  })

  it('are never taken for another key’s, whichever bit of their line is flipped', () => {
    const [line, rest] = encodeDerived({ key: 'index' }, Buffer.from('bytes'), crc32)
    if (!line || !rest) throw new Error('there are two parts')
    const whole = decodeDerived(joined([line, rest]), AT, crc32)
    for (let bit = 0; bit < line.length * 8; bit++) {
      const flipped = Uint8Array.from(line)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const read = decodeDerived(joined([flipped, rest]), AT, crc32)
      if (read) expect(read, `bit ${bit}`).toEqual(whole)
    }
  })

  it('refuse a key that is longer than what is looked at', () => {
    expect(() => encodeDerived({ key: 'k'.repeat(DERIVED_LINE_BYTES) }, new Uint8Array(), crc32)).toThrow(/too long/)
  })
})
