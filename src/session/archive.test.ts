import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeName } from '../model/name.ts'
import { archiveId, archiveNames, conversationId } from './archive.ts'

function firstNames(key: string, last: string | undefined, count: number): string[] {
  const names = archiveNames(key, last)
  return Array.from({ length: count }, () => names.next().value)
}

describe('the name of an archive', () => {
  it.each([
    ['chat-1', undefined, ['chat-1-1', 'chat-1-2']],
    ['chat-1', 'chat-1-1', ['chat-1-2', 'chat-1-3']],
    ['chat-1', 'chat-1-41', ['chat-1-42', 'chat-1-43']],
    ['chat-1', 'renamed by a person', ['chat-1-1', 'chat-1-2']],
    ['a:b/../c', undefined, ['a:b/../c-1', 'a:b/../c-2']],
    [' \n\t', undefined, ['session-1', 'session-2']],
    ['two\nlines', undefined, ['two lines-1', 'two lines-2']],
  ])('of session %j after %j goes %j', (key, last, names) => {
    expect(firstNames(key, last, 2)).toEqual(names)
  })

  it('is a name for every key', () => {
    // Every code point, lone surrogates included; a generator of such strings takes longer than all else here.
    const points = fc.array(fc.integer({ min: 0, max: 0x10ffff }), { minLength: 1, maxLength: 300 })
    const keys = points.map((codes) => String.fromCodePoint(...codes))
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 999_999_998 }), (key, n) => {
        const [first = ''] = firstNames(key, undefined, 1)
        expect(normalizeName(first)).toBe(first)
        const [later = ''] = firstNames(key, first.replace(/1$/, String(n)), 1)
        expect(normalizeName(later)).toBe(later)
        expect(later.endsWith(`-${n + 1}`)).toBe(true)
      }),
    )
  })

  it('is for a UUID the entry of that turn in every session', () => {
    const id = '0198e7c2-1111-7111-8111-000000000001'
    expect(conversationId('main', 'a', id)).toBe(conversationId('main', 'b', id))
    expect(conversationId('other', 'a', id)).not.toBe(conversationId('main', 'a', id))
    expect(conversationId('main', 'a', 't1')).not.toBe(conversationId('main', 'b', 't1'))
  })

  it('has an id of its own for each agent, session and first turn', () => {
    const ids = [
      archiveId('main', 'a', 't1'),
      archiveId('main', 'a', 't2'),
      archiveId('main', 'a\0t1', ''),
      archiveId('main', 'at', '1'),
      archiveId('main', 'b', 't1'),
      archiveId('other', 'a', 't1'),
      conversationId('main', 'a', 't1'),
    ]
    expect(new Set(ids).size).toBe(ids.length)
    expect(archiveId('main', 'a', 't1')).toBe(ids[0])
  })
})
