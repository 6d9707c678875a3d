import { describe, expect, it } from 'vitest'
import type { Entry } from './entry.ts'
import { digest16, revisionOf } from './revision.ts'

const ENTRY: Entry = {
  id: '01930000-0000-7000-8000-000000000001',
  seq: 1,
  revision: '',
  scope: 'main',
  kind: 'note',
  name: 'Deploys',
  aliases: ['shipping', 'Auslieferung'],
  description: 'how we ship',
  content: 'On Tuesdays.',
  metadata: { tags: ['a', 'b'], nested: { x: 1, y: null } },
  createdAt: '2026-11-15T14:03:00.000Z',
  updatedAt: '2026-11-15T14:03:00.000Z',
  expiresAt: null,
  origin: { by: 'hand' },
}

describe('revisionOf', () => {
  it('is pinned: every store and every clone must agree on it for ever', () => {
    expect(revisionOf(ENTRY)).toBe('32f2fe21049ac243')
  })

  it('is 16 hex digits', () => {
    expect(revisionOf(ENTRY)).toMatch(/^[0-9a-f]{16}$/)
  })

  it('does not depend on the order of aliases or of the keys of metadata', () => {
    const same = {
      ...ENTRY,
      aliases: [...ENTRY.aliases].reverse(),
      metadata: { nested: { y: null, x: 1 }, tags: ['a', 'b'] },
    }
    expect(revisionOf(same)).toBe(revisionOf(ENTRY))
  })

  it.each<[keyof Entry, Partial<Entry>]>([
    ['name', { name: 'Deploy' }],
    ['name', { name: null }],
    ['aliases', { aliases: ['shipping'] }],
    ['aliases', { aliases: [] }],
    ['description', { description: '' }],
    ['content', { content: 'On Tuesdays' }],
    ['content', { content: 'On Tuesdays. ' }],
    ['metadata', { metadata: { tags: ['b', 'a'], nested: { x: 1, y: null } } }],
    ['metadata', { metadata: {} }],
    ['expiresAt', { expiresAt: '2026-11-15T14:03:00.000Z' }],
  ])('changes with %s: %j', (_, change) => {
    expect(revisionOf({ ...ENTRY, ...change })).not.toBe(revisionOf(ENTRY))
  })

  it.each<[keyof Entry, Partial<Entry>]>([
    ['id', { id: '01930000-0000-7000-8000-000000000002' }],
    ['seq', { seq: 2 }],
    ['revision', { revision: 'x' }],
    ['scope', { scope: 'other' }],
    ['kind', { kind: 'fact' }],
    ['createdAt', { createdAt: '2020-01-01T00:00:00.000Z' }],
    ['updatedAt', { updatedAt: '2030-01-01T00:00:00.000Z' }],
    ['origin', { origin: { by: 'import' } }],
    ['path', { path: 'entries/deploys.md' }],
  ])('does not change with %s, which no person would call its content', (_, change) => {
    expect(revisionOf({ ...ENTRY, ...change })).toBe(revisionOf(ENTRY))
  })

  it('does not confuse fields with each other', () => {
    const blank = { ...ENTRY, description: '', content: '' }
    expect(revisionOf({ ...blank, description: 'x' })).not.toBe(revisionOf({ ...blank, content: 'x' }))
    expect(revisionOf({ ...blank, aliases: ['a,b'] })).not.toBe(revisionOf({ ...blank, aliases: ['a', 'b'] }))
  })
})

describe('digest16', () => {
  it('is the beginning of SHA-256 over UTF-8', () => {
    expect(digest16('')).toBe('e3b0c44298fc1c14')
    expect(digest16('abc')).toBe('ba7816bf8f01cfea')
    expect(digest16('ü')).not.toBe(digest16('u\u0308'))
  })
})
