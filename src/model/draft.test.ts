import { describe, expect, it } from 'vitest'
import { Draft, handlesOf, keyHandle, type StateView } from './draft.ts'
import type { Entry } from './entry.ts'

describe('Draft', () => {
  it('reads through to its base, which it never touches', () => {
    const base = view([entry('1', 'a', ['x'])])
    const draft = new Draft(base)
    expect(draft.get('1')?.name).toBe('a')
    expect(draft.head('1')?.name).toBe('a')
    expect(draft.owner('main', 'x')).toBe('1')
    draft.put('1', entry('1', 'b', []))
    draft.put('2', entry('2', 'x', []))
    expect(base.get('1')?.name).toBe('a')
    expect(base.owner('main', 'x')).toBe('1')
    expect(base.get('2')).toBeUndefined()
  })

  it('says what it holds over what the base holds', () => {
    const draft = new Draft(view([entry('1', 'a', ['x'])]))
    draft.put('1', entry('1', 'b', ['y']))
    expect(draft.get('1')?.name).toBe('b')
    expect(['a', 'b', 'x', 'y'].map((name) => draft.owner('main', name))).toEqual([undefined, '1', undefined, '1'])
  })

  it('frees the handles of what it removes, and gives them to the next', () => {
    const draft = new Draft(view([entry('1', 'a', ['x'])]))
    draft.put('1', undefined)
    expect(draft.get('1')).toBeUndefined()
    expect(draft.head('1')).toBeUndefined()
    expect(draft.owner('main', 'a')).toBeUndefined()
    draft.put('2', entry('2', 'x', ['a']))
    expect(draft.owner('main', 'a')).toBe('2')
  })

  it('leaves a handle with the entry that holds it', () => {
    const draft = new Draft(view([entry('1', 'a', [])]))
    draft.put('2', entry('2', 'b', ['a']))
    expect(draft.owner('main', 'a')).toBe('1')
    draft.put('2', undefined)
    expect(draft.owner('main', 'a')).toBe('1')
  })

  it('keeps scopes apart, also when scope and name run together', () => {
    const draft = new Draft(view([]))
    draft.put('1', { ...entry('1', 'bc', []), scope: 'a' })
    expect(draft.owner('ab', 'c')).toBeUndefined()
    expect(draft.owner('a', 'bc')).toBe('1')
  })

  it('tells what it changed in the order it was first touched', () => {
    const draft = new Draft(view([entry('1', 'a', [])]))
    draft.put('2', entry('2', 'b', []))
    draft.put('1', undefined)
    draft.put('2', entry('2', 'c', []))
    expect([...draft.changed()].map(([id, now]) => [id, now?.name ?? null])).toEqual([
      ['2', 'c'],
      ['1', null],
    ])
  })
})

describe('handlesOf', () => {
  it('is the name and the aliases, or nothing for a log entry', () => {
    expect(handlesOf(entry('1', 'a', ['x', 'y']))).toEqual(['a', 'x', 'y'])
    expect(handlesOf({ kind: 'experience', name: null, aliases: [] })).toEqual([])
  })

  it('is the key of a context, apart from every name', () => {
    const handles = handlesOf({ kind: 'context', name: null, aliases: [], key: 'city' })
    expect(handles).toEqual([keyHandle('city')])
    expect(handles).not.toContain('city')
  })
})

function entry(id: string, name: string, aliases: readonly string[]): Entry {
  const at = '2026-11-15T14:03:00.000Z'
  return {
    id,
    seq: Number(id),
    revision: '0',
    scope: 'main',
    kind: 'note',
    name,
    aliases,
    description: '',
    content: 'x',
    metadata: {},
    createdAt: at,
    updatedAt: at,
    expiresAt: null,
    origin: { by: 'hand' },
  }
}

function view(entries: readonly Entry[]): StateView {
  const find = (id: string): Entry | undefined => entries.find((entry) => entry.id === id)
  return {
    get: find,
    head: find,
    owner: (scope, handle) => entries.find((entry) => entry.scope === scope && handlesOf(entry).includes(handle))?.id,
  }
}
