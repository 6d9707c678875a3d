import { describe, expect, it } from 'vitest'
import type { Entry } from '../model/entry.ts'
import { piecesOf } from './pieces.ts'

const NOTE: Entry = {
  id: '01890000-0000-7000-8000-000000000001',
  seq: 1,
  scope: 'main',
  kind: 'note',
  name: 'Tea',
  aliases: [],
  description: '',
  content: 'Green, never black.',
  metadata: {},
  createdAt: '2026-11-16T12:00:00.000Z',
  updatedAt: '2026-11-16T12:00:00.000Z',
  expiresAt: null,
  origin: { by: 'agent', agent: 'main' },
  revision: '0123456789abcdef',
}

describe('the pieces of an entry', () => {
  it('are its name and its text, so that a rename leaves the text as it is', () => {
    expect(piecesOf(NOTE)).toEqual(['Tea', 'Green, never black.'])
    expect(piecesOf({ ...NOTE, name: 'Drinks' })[1]).toBe('Green, never black.')
  })

  it('begin with the description where there is one', () => {
    expect(piecesOf({ ...NOTE, description: 'What to serve' })[1]).toBe('What to serve\n\nGreen, never black.')
  })

  it.each(['...', ':.:', '—', '🍵'])('are not made of marks alone, be it the name or the text: %s', (marks) => {
    expect(piecesOf({ ...NOTE, name: marks })).toEqual(['Green, never black.'])
    expect(piecesOf({ ...NOTE, content: marks })).toEqual(['Tea'])
    expect(piecesOf({ ...NOTE, name: marks, content: marks })).toEqual([])
  })

  it('are several where a text is long, and together all of it', () => {
    const content = Array.from({ length: 60 }, (_, n) => `Paragraph ${n} tells of tea in a sentence of its own.`).join(
      '\n\n',
    )
    const [, ...pieces] = piecesOf({ ...NOTE, content })
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.join('').replace(/\s/g, '')).toBe(content.replace(/\s/g, ''))
  })

  it('are of the first million characters of a text that is longer', () => {
    const pieces = piecesOf({ ...NOTE, name: 'Tea', content: 'Green tea. '.repeat(100_000) })
    expect(pieces.reduce((sum, piece) => sum + piece.length + 1, 0)).toBeCloseTo(1_000_000, -2)
  })

  it('are none for an identity and for a mirror of an archive', () => {
    expect(piecesOf({ ...NOTE, kind: 'identity' })).toEqual([])
    expect(piecesOf({ ...NOTE, kind: 'history', metadata: { archive: 'Tea' } })).toEqual([])
  })
})
