import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EntryHead } from '../model/entry.ts'
import { normalizeName } from '../model/name.ts'
import { canonicalUri, listedUri, parseResourceUri, urisOf } from './resource-uri.ts'

function head(kind: EntryHead['kind'], name: string | null, aliases: readonly string[] = []): EntryHead {
  return {
    id: '0190b7a2-0000-7000-8000-000000000001',
    seq: 1,
    revision: '0123456789abcdef',
    scope: kind === 'topic' ? 'world' : 'main',
    kind,
    name,
    aliases,
    description: '',
    metadata: {},
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: null,
    origin: { by: 'agent' },
  }
}

const names = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 50 })
  .filter((text) => /[^\s\p{C}]/u.test(text) && !/\p{C}|\p{Z}[^ ]/u.test(text))
  .map((text) => normalizeName(text))

describe('the address of an entry', () => {
  it('leads back to its name, whatever that is', () => {
    fc.assert(
      fc.property(names, (name) => {
        expect(parseResourceUri(listedUri(head('note', name)) ?? '')).toEqual({ is: 'entry', name })
        expect(parseResourceUri(listedUri(head('topic', name)) ?? '')).toEqual({ is: 'topic', name })
      }),
    )
  })

  it('is one, however it is written', () => {
    fc.assert(
      fc.property(names, (name) => {
        const bytes = [...new TextEncoder().encode(name)]
        const allEncoded = bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
        expect(canonicalUri(`keepsake://entry/${allEncoded}`)).toBe(listedUri(head('note', name)))
      }),
    )
  })

  it('is none of ours for anything else, and never an exception', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect(parseResourceUri(text)).toBeUndefined()
        expect(['entry', undefined]).toContain(parseResourceUri(`keepsake://entry/${text}`)?.is)
      }),
    )
    for (const uri of [
      'keepsake://entry/',
      'keepsake://entry/%',
      'keepsake://memory/',
      'KEEPSAKE://memory',
      'memory',
    ]) {
      expect([uri, canonicalUri(uri)]).toEqual([uri, undefined])
    }
  })

  it('is listed only for what has a name of its own', () => {
    expect(listedUri(head('experience', null))).toBeUndefined()
    expect(listedUri(head('memory', 'MEMORY'))).toBeUndefined()
    expect(listedUri(head('archive', 'last week'))).toBe('keepsake://entry/last%20week')
  })

  it('is told for each name, alias and id', () => {
    const { id } = head('note', 'a')
    expect(urisOf(head('topic', 'a b', ['c']))).toEqual([
      'keepsake://world/a%20b',
      'keepsake://world/c',
      'keepsake://entry/a%20b',
      'keepsake://entry/c',
      `keepsake://entry/${id}`,
    ])
    expect(urisOf(head('memory', 'MEMORY'))).toContain('keepsake://memory')
    expect(urisOf(head('experience', null))).toEqual([`keepsake://entry/${id}`])
  })
})
