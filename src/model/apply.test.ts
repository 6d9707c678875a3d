import { describe, expect, it } from 'vitest'
import { type ErrorCode, isKeepsakeError, KeepsakeError } from '../errors.ts'
import { randomOperations } from '../testing/random-operations.ts'
import { applyBatch, normalizeOrigin } from './apply.ts'
import { Draft, handlesOf, type StateView } from './draft.ts'
import type { Entry, Origin } from './entry.ts'
import { derivedId } from './id.ts'
import { KIND_NAMES } from './kinds.ts'
import type { AddOperation, Batch, Expect, Operation, Step } from './operation.ts'
import { revisionOf } from './revision.ts'
import { SeqCounter } from './seq.ts'

const NOW = '2026-11-15T14:03:00.000Z'
const LATER = '2026-11-15T15:00:00.000Z'
const MAIN: Origin = { by: 'agent', agent: 'main' }
const EMPTY: StateView = { get: () => undefined, head: () => undefined, owner: () => undefined }

describe('add', () => {
  it('fills in all that was left out', () => {
    const memory = new Memory()
    const [step] = memory.apply([note('Deploys')])
    const entry = {
      scope: 'main',
      kind: 'note',
      name: 'Deploys',
      aliases: [],
      description: '',
      content: 'text',
      metadata: {},
      createdAt: NOW,
      updatedAt: NOW,
      expiresAt: null,
      origin: MAIN,
    } as const
    const after = { id: id(1), seq: 1, revision: revisionOf(entry), ...entry }
    expect(step).toStrictEqual({ operation: { op: 'add', id: id(1), seq: 1, ...entry }, after })
  })

  it('takes over id, seq, times, origin and expiry that are given, in their one form', () => {
    const given = {
      id: id(77),
      seq: 42,
      createdAt: '2020-01-01T01:00:00+01:00',
      updatedAt: '2021-01-01T00:00:00Z',
      expiresAt: '2030-01-01 00:00Z',
      origin: { by: 'import', agent: 'Ada' },
    } as const
    expect(new Memory().add(note('n', given))).toMatchObject({
      id: id(77),
      seq: 42,
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: '2021-01-01T00:00:00.000Z',
      expiresAt: '2030-01-01T00:00:00.000Z',
      origin: { by: 'import', agent: 'ada' },
    })
  })

  it('takes createdAt for updatedAt when only that is given', () => {
    expect(new Memory().add(note('n', { createdAt: '2020-01-01T00:00:00Z' })).updatedAt).toBe(
      '2020-01-01T00:00:00.000Z',
    )
  })

  it('makes the scope of an agent lower case, and knows only the world for topics', () => {
    const memory = new Memory()
    expect(memory.add(note('n', { scope: 'Ada' })).scope).toBe('ada')
    expect(memory.add(topic('n')).scope).toBe('world')
    expect(memory.codeOf(topic('m', { scope: 'ada' }))).toBe('INVALID')
    expect(memory.codeOf(note('m', { scope: 'world' }))).toBe('INVALID')
  })

  it('gives each kind the life that is its own, and takes another where that is allowed', () => {
    const memory = new Memory()
    const lives = KIND_NAMES.map((kind) => memory.add(minimal(kind)).expiresAt)
    const [month, day] = ['2026-12-15T14:03:00.000Z', '2026-11-16T00:00:00.000Z']
    expect(lives).toEqual([null, null, null, null, null, null, null, null, month, day])
    for (const kind of KIND_NAMES) {
      const code = new Memory().codeOf({ ...minimal(kind), expiresAt: LATER })
      expect(code).toBe(['topic', 'memory', 'identity'].includes(kind) ? 'INVALID' : undefined)
      expect(new Memory().add({ ...minimal(kind), expiresAt: null }).expiresAt).toBeNull()
    }
  })

  it('counts the day of a context from its createdAt, in the zone', () => {
    const memory = new Memory('Asia/Kolkata')
    const entry = memory.add(context('k', { createdAt: '2026-01-01T20:00:00Z' }))
    expect(entry.expiresAt).toBe('2026-01-02T18:30:00.000Z')
  })

  it('makes a name from the first words that nobody has', () => {
    const memory = new Memory()
    const nameless = { op: 'add', scope: 'main', kind: 'fact', content: 'Likes tea.' } as const
    const names = [1, 2, 3].map(() => memory.add(nameless).name)
    expect(names).toEqual(['Likes tea', 'Likes tea (2)', 'Likes tea (3)'])
    expect(memory.add({ ...nameless, name: null }).name).toBe('Likes tea (4)')
    expect(memory.add({ ...nameless, content: 'MEMORY' }).name).toBe('MEMORY (note)')
  })

  it('drops an alias that is the name or occurs twice', () => {
    expect(new Memory().add(note('n', { aliases: ['a', 'n', ' a '] })).aliases).toEqual(['a'])
  })

  it('copies what it is given', () => {
    const metadata = { tags: ['a'] }
    const aliases = ['x']
    const entry = new Memory().add(note('n', { metadata, aliases }))
    metadata.tags.push('b')
    aliases.push('y')
    expect([entry.metadata, entry.aliases]).toEqual([{ tags: ['a'] }, ['x']])
  })

  it('gives a page the id of where it lies, and everything else a new one', () => {
    const memory = new Memory()
    expect(memory.add(minimal('memory')).id).toBe(derivedId('main', 'MEMORY.md'))
    expect(memory.add(minimal('identity')).id).toBe(derivedId('main', 'IDENTITY.md'))
    expect(memory.add(topic('C++')).id).toBe(derivedId('world', 'world/c.md'))
    expect(memory.add(topic('C#')).id).toBe(derivedId('world', 'world/c-2.md'))
    expect(memory.add(topic('C!', { id: id(70) })).id).toBe(id(70))
    expect(memory.add(note('n')).id).toBe(id(1))
    expect(memory.add(minimal('experience')).id).toBe(id(2))
  })

  it('passes over the id of a page that was renamed since', () => {
    const memory = new Memory()
    const old = memory.add(topic('Deploys'))
    memory.apply([
      { op: 'rename', id: old.id, name: 'Releases' },
      { op: 'alias', id: old.id, alias: 'Deploys', mode: 'drop' },
    ])
    expect(memory.add(topic('Deploys')).id).toBe(derivedId('world', 'world/deploys-2.md'))
  })

  it('counts seqs up past those that are given, wherever in the batch they stand', () => {
    const memory = new Memory()
    const steps = memory.apply([note('a'), note('b', { seq: 1 }), note('c', { seq: 9 }), note('d')])
    expect(steps.map(({ after }) => after?.seq)).toEqual([10, 1, 9, 11])
    expect(memory.add(note('e')).seq).toBe(12)
  })

  it('refuses a seq that another entry has', () => {
    const memory = new Memory()
    const { seq } = memory.add(note('a'))
    expect(memory.codeOf(note('b', { seq }))).toBe('INVALID')
    expect(memory.errorOf([note('b', { seq: 7 }), note('c', { seq: 7 })])?.code).toBe('INVALID')
  })

  it('has one memory and one identity an agent', () => {
    const memory = new Memory()
    for (const kind of ['memory', 'identity'] as const) {
      expect(memory.add({ op: 'add', scope: 'main', kind, content: '' }).name).toBe(kind.toUpperCase())
      expect(memory.codeOf({ op: 'add', scope: 'main', kind, content: 'x' })).toBe('NAME_TAKEN')
      expect(memory.codeOf({ op: 'add', scope: 'ada', kind, content: 'x', name: kind.toUpperCase() })).toBeUndefined()
    }
  })

  it.each<[string, Partial<Record<keyof AddOperation, unknown>>, ErrorCode]>([
    ['an unknown kind', { kind: 'dream' }, 'INVALID'],
    ['an inherited kind', { kind: 'toString' }, 'INVALID'],
    ['an unknown operation', { op: 'upsert' }, 'INVALID'],
    ['blank content', { content: ' \n' }, 'INVALID'],
    ['content that is not text', { content: undefined }, 'INVALID'],
    ['a blank name', { name: ' ' }, 'INVALID'],
    ['a reserved name', { name: 'MEMORY' }, 'INVALID'],
    ['a reserved alias', { aliases: ['IDENTITY'] }, 'INVALID'],
    ['aliases that are no list', { aliases: 'a' }, 'INVALID'],
    ['a blank alias', { aliases: [''] }, 'INVALID'],
    ['a description that is not text', { description: 7 }, 'INVALID'],
    ['metadata that is not JSON', { metadata: { at: new Date(0) } }, 'INVALID'],
    ['a path as scope', { scope: '../x' }, 'INVALID'],
    ['no scope', { scope: undefined }, 'INVALID'],
    ['an id that is none', { id: 'x' }, 'INVALID'],
    ['an id in upper case', { id: id(1).toUpperCase().replace('0000', 'ABCD') }, 'INVALID'],
    ['a negative seq', { seq: -1 }, 'INVALID'],
    ['seq zero', { seq: 0 }, 'INVALID'],
    ['a broken seq', { seq: 1.5 }, 'INVALID'],
    ['a seq that is text', { seq: '5' }, 'INVALID'],
    ['a createdAt without a zone', { createdAt: '2026-01-01T00:00:00' }, 'INVALID'],
    ['an updatedAt that is none', { updatedAt: 'now' }, 'INVALID'],
    ['an expiresAt that is none', { expiresAt: '30d' }, 'INVALID'],
    ['a key', { key: 'k' }, 'INVALID'],
    ['an origin that is none', { origin: { by: 'me' } }, 'INVALID'],
    ['an id that exists', { id: id(500) }, 'CONFLICT'],
    ['a name that is held', { name: 'held' }, 'NAME_TAKEN'],
    ['a name that is an alias of another', { name: 'also' }, 'NAME_TAKEN'],
    ['an alias that is held', { aliases: ['free', 'held'] }, 'NAME_TAKEN'],
    ['an alias that is an alias of another', { aliases: ['also'] }, 'NAME_TAKEN'],
  ])('refuses %s', (_, given, code) => {
    const memory = new Memory()
    memory.add(note('held', { id: id(500), aliases: ['also'] }))
    // On purpose beyond what the types allow: the caller may be JavaScript.
    expect(memory.codeOf({ ...note('n'), ...given } as AddOperation)).toBe(code)
  })

  it.each<[string, AddOperation]>([
    ['a topic of punctuation', topic('?!')],
    ['a name for a log entry', { ...minimal('experience'), name: 'n' }],
    ['aliases for a log entry', { ...minimal('history'), aliases: ['a'] }],
    ['a key for a log entry', { ...minimal('conversation'), key: 'k' }],
    ['a name for a context', context('k', { name: 'n' })],
    ['a blank key', context(' ')],
    ['another name for the memory', { ...minimal('memory'), name: 'notes' }],
    ['a description for the memory', { ...minimal('memory'), description: 'd' }],
    ['metadata for the identity', { ...minimal('identity'), metadata: { m: 1 } }],
    ['an alias for the identity', { ...minimal('identity'), aliases: ['me'] }],
  ])('refuses %s', (_, operation) => {
    expect(new Memory().codeOf(operation)).toBe('INVALID')
  })
})

describe('write', () => {
  it('changes what it is given and moves revision, updatedAt and origin', () => {
    const memory = new Memory()
    const before = memory.add(note('n', { aliases: ['a'], description: 'd', metadata: { m: 1 } }))
    memory.now = LATER
    const [step] = memory.apply([{ op: 'write', id: before.id, content: 'new\n' }], { by: 'hand' })
    const changed = { ...before, content: 'new', updatedAt: LATER, origin: { by: 'hand' } }
    const after = { ...changed, revision: revisionOf(changed) }
    expect(step).toStrictEqual({ operation: { op: 'write', id: before.id, content: 'new' }, before, after })
    expect(after.revision).not.toBe(before.revision)
  })

  it('takes any of content, description, metadata and expiry, each in its one form', () => {
    const memory = new Memory()
    const { id } = memory.add(note('n'))
    const patch = { content: 'c', description: ' d\n', metadata: { a: -0 }, expiresAt: '2030-01-01T01:00+01:00' }
    const [step] = memory.apply([{ op: 'write', id, ...patch }])
    const taken = { content: 'c', description: 'd', metadata: { a: 0 }, expiresAt: '2030-01-01T00:00:00.000Z' }
    expect(step?.operation).toStrictEqual({ op: 'write', id, ...taken })
    expect(step?.after).toMatchObject(taken)
  })

  it('may empty a memory, but nothing else', () => {
    const memory = new Memory()
    for (const kind of KIND_NAMES) {
      const { id } = memory.add(minimal(kind))
      const code = memory.codeOf({ op: 'write', id, content: ' ' })
      expect(code).toBe(['memory', 'identity'].includes(kind) ? undefined : 'INVALID')
    }
  })

  it('never moves updatedAt back', () => {
    const memory = new Memory()
    const { id } = memory.add(note('n', { updatedAt: '2030-01-01T00:00:00Z' }))
    const [step] = memory.apply([{ op: 'write', id, content: 'new' }])
    expect(step?.after?.updatedAt).toBe('2030-01-01T00:00:00.000Z')
  })

  it.each<[string, Record<string, unknown>, ErrorCode]>([
    ['nothing to write', {}, 'INVALID'],
    ['only undefined', { content: undefined }, 'INVALID'],
    ['content with NUL', { content: 'a\0' }, 'INVALID'],
    ['a broken description', { description: '\ud800' }, 'INVALID'],
    ['metadata that is a list', { metadata: [] }, 'INVALID'],
    ['an expiry that is none', { expiresAt: '' }, 'INVALID'],
    ['an unknown id', { id: id(404), content: 'x' }, 'NOT_FOUND'],
    ['no id', { id: undefined, content: 'x' }, 'NOT_FOUND'],
  ])('refuses %s', (_, given, code) => {
    const memory = new Memory()
    const { id } = memory.add(note('n'))
    expect(memory.codeOf({ op: 'write', id, ...given })).toBe(code)
  })

  it('refuses what a page has no room for', () => {
    const memory = new Memory()
    const page = memory.add(topic('t'))
    const bare = memory.add(minimal('memory'))
    expect(memory.codeOf({ op: 'write', id: page.id, expiresAt: LATER })).toBe('INVALID')
    expect(memory.codeOf({ op: 'write', id: page.id, expiresAt: null })).toBeUndefined()
    expect(memory.codeOf({ op: 'write', id: page.id, metadata: { m: 1 } })).toBeUndefined()
    expect(memory.codeOf({ op: 'write', id: bare.id, description: 'd' })).toBe('INVALID')
    expect(memory.codeOf({ op: 'write', id: bare.id, metadata: { m: 1 } })).toBe('INVALID')
    expect(memory.codeOf({ op: 'write', id: bare.id, content: 'x', description: '', metadata: {} })).toBeUndefined()
  })
})

describe('NUL', () => {
  it.each<Partial<AddOperation>>([
    { name: 'a\0' },
    { aliases: ['a\0'] },
    { description: 'a\0' },
    { content: 'a\0' },
    { metadata: { key: ['a\0'] } },
    { metadata: { 'key\0': 1 } },
    { origin: { by: 'agent', session: 's\0' } },
    { origin: { by: 'agent', agent: 'a\0' } },
    { scope: 'a\0' },
  ])('is refused in any string of an entry: %j', (given) => {
    expect(new Memory().codeOf({ ...note('n'), ...given })).toBe('INVALID')
  })

  it('is refused in the key of a context', () => {
    const codes = ['k', 'k\0'].map((key) => new Memory().codeOf({ ...minimal('context'), key }))
    expect(codes).toEqual([undefined, 'INVALID'])
  })
})

describe('rename', () => {
  it('keeps the old name as an alias', () => {
    const memory = new Memory()
    const before = memory.add(note('a', { aliases: ['x'] }))
    memory.now = LATER
    const [step] = memory.apply([{ op: 'rename', id: before.id, name: ' b ' }], { by: 'hand' })
    expect(step?.operation).toStrictEqual({ op: 'rename', id: before.id, name: 'b' })
    expect(step?.after).toMatchObject({ name: 'b', aliases: ['x', 'a'], updatedAt: LATER, origin: MAIN })
  })

  it('promotes an own alias', () => {
    const memory = new Memory()
    const { id } = memory.add(note('a', { aliases: ['x', 'y'] }))
    const [step] = memory.apply([{ op: 'rename', id, name: 'x' }])
    expect([step?.after?.name, step?.after?.aliases]).toEqual(['x', ['y', 'a']])
  })

  it('is nothing when the name is that already', () => {
    const memory = new Memory()
    const { id } = memory.add(note('Caf\u00e9'))
    expect(memory.apply([{ op: 'rename', id, name: ' Cafe\u0301' }])).toEqual([])
  })

  it('refuses names that are held, reserved or none, kinds without names, and unknown ids', () => {
    const memory = new Memory()
    memory.add(note('held', { aliases: ['also'] }))
    const { id: noteId } = memory.add(note('n'))
    const { id: topicId } = memory.add(topic('t'))
    expect(memory.codeOf({ op: 'rename', id: noteId, name: 'held' })).toBe('NAME_TAKEN')
    expect(memory.codeOf({ op: 'rename', id: noteId, name: 'also' })).toBe('NAME_TAKEN')
    expect(memory.codeOf({ op: 'rename', id: noteId, name: 'IDENTITY' })).toBe('INVALID')
    expect(memory.codeOf({ op: 'rename', id: noteId, name: '' })).toBe('INVALID')
    expect(memory.codeOf({ op: 'rename', id: noteId, name: '?!' })).toBeUndefined()
    expect(memory.codeOf({ op: 'rename', id: topicId, name: '?!' })).toBe('INVALID')
    expect(memory.codeOf({ op: 'rename', id: id(404), name: 'x' })).toBe('NOT_FOUND')
    for (const kind of ['memory', 'identity', 'experience', 'history', 'conversation', 'context'] as const) {
      expect(memory.codeOf({ op: 'rename', id: memory.add(minimal(kind)).id, name: 'x' })).toBe('INVALID')
    }
  })
})

describe('alias', () => {
  it('binds a free one, at the end', () => {
    const memory = new Memory()
    const { id } = memory.add(note('a', { aliases: ['x'] }))
    const [step] = memory.apply([{ op: 'alias', id, alias: ' y ' }])
    expect(step?.operation).toStrictEqual({ op: 'alias', id, alias: 'y' })
    expect(step?.after?.aliases).toEqual(['x', 'y'])
  })

  it('is nothing when the entry is called that already', () => {
    const memory = new Memory()
    const { id } = memory.add(note('a', { aliases: ['x'] }))
    for (const mode of ['bind', 'take'] as const) {
      expect(memory.apply([{ op: 'alias', id, alias: 'a', mode }])).toEqual([])
      expect(memory.apply([{ op: 'alias', id, alias: 'x', mode }])).toEqual([])
    }
  })

  it('takes one over in two steps that can be told one by one', () => {
    const memory = new Memory()
    const owner = memory.add(note('a', { aliases: ['x', 'y'] }))
    const { id } = memory.add(note('b'))
    const steps = memory.apply([{ op: 'alias', id, alias: 'x', mode: 'take' }])
    expect(steps.map(({ operation }) => operation)).toStrictEqual([
      { op: 'alias', id: owner.id, alias: 'x', mode: 'drop' },
      { op: 'alias', id, alias: 'x' },
    ])
    expect(steps.map(({ after }) => after?.aliases)).toEqual([['y'], ['x']])
    expect(memory.draft.owner('main', 'x')).toBe(id)
  })

  it('drops one, which is free then', () => {
    const memory = new Memory()
    const { id } = memory.add(note('a', { aliases: ['x', 'y'] }))
    const [step] = memory.apply([{ op: 'alias', id, alias: ' x', mode: 'drop' }])
    expect(step?.operation).toStrictEqual({ op: 'alias', id, alias: 'x', mode: 'drop' })
    expect(step?.after?.aliases).toEqual(['y'])
    expect(memory.codeOf(note('x'))).toBeUndefined()
  })

  it.each<[string, string, string | undefined, ErrorCode]>([
    ['a name that is held', 'held', undefined, 'NAME_TAKEN'],
    ['an alias that is held', 'also', undefined, 'NAME_TAKEN'],
    ['taking a name', 'held', 'take', 'NAME_TAKEN'],
    ['a reserved name', 'MEMORY', undefined, 'INVALID'],
    ['taking a reserved name', 'MEMORY', 'take', 'INVALID'],
    ['a blank one', ' ', undefined, 'INVALID'],
    ['dropping what is not there', 'none', 'drop', 'INVALID'],
    ["dropping another's", 'also', 'drop', 'INVALID'],
    ['dropping the name', 'n', 'drop', 'INVALID'],
    ['an unknown mode', 'free', 'steal', 'INVALID'],
  ])('refuses %s', (_, alias, mode, code) => {
    const memory = new Memory()
    memory.add(note('held', { aliases: ['also'] }))
    const { id } = memory.add(note('n'))
    // On purpose beyond what the types allow: the caller may be JavaScript.
    const given = mode === undefined ? {} : { mode: mode as 'take' }
    expect(memory.codeOf({ op: 'alias', id, alias, ...given })).toBe(code)
  })

  it('refuses kinds without names and unknown ids', () => {
    const memory = new Memory()
    expect(memory.codeOf({ op: 'alias', id: id(404), alias: 'x' })).toBe('NOT_FOUND')
    for (const kind of ['memory', 'experience', 'context'] as const) {
      expect(memory.codeOf({ op: 'alias', id: memory.add(minimal(kind)).id, alias: 'x' })).toBe('INVALID')
    }
  })
})

describe('remove', () => {
  it('gives up the entry with all its handles', () => {
    const memory = new Memory()
    const before = memory.add(note('a', { aliases: ['x'] }))
    const value = memory.add(context('k'))
    const steps = memory.apply([
      { op: 'remove', id: before.id },
      { op: 'remove', id: value.id },
    ])
    expect(steps[0]).toStrictEqual({ operation: { op: 'remove', id: before.id }, before })
    expect(memory.draft.get(before.id)).toBeUndefined()
    memory.apply([note('x', { aliases: ['a'] }), context('k')])
  })

  it('refuses an unknown id, and one that is gone', () => {
    const memory = new Memory()
    const { id: gone } = memory.add(note('a'))
    memory.apply([{ op: 'remove', id: gone }])
    expect(memory.codeOf({ op: 'remove', id: gone })).toBe('NOT_FOUND')
    expect(memory.codeOf({ op: 'write', id: gone, content: 'x' })).toBe('NOT_FOUND')
  })
})

describe('expect', () => {
  it('is checked before anything, against the revision in force', () => {
    const memory = new Memory()
    const { id: one, revision } = memory.add(note('a'))
    const write = { op: 'write', id: one, content: 'new' } as const
    expect(memory.codeOf(write, { [one]: 'ffffffffffffffff' })).toBe('CONFLICT')
    expect(memory.codeOf(write, { [one]: null })).toBe('CONFLICT')
    expect(memory.codeOf(write, { [id(404)]: revision })).toBe('CONFLICT')
    expect(memory.codeOf(note(''), { [one]: null })).toBe('CONFLICT')
    expect(memory.codeOf(write, { [one]: revision, [id(404)]: null })).toBeUndefined()
    expect(memory.codeOf(write, { [one]: revision })).toBe('CONFLICT')
  })

  it('tells what it expected and what is', () => {
    const memory = new Memory()
    const { id: one, revision } = memory.add(note('a'))
    expect(memory.errorOf([], { [one]: null })?.data).toEqual({ id: one, expected: null, actual: revision })
    expect(memory.errorOf([], { [id(404)]: 'x' })?.data).toEqual({ id: id(404), expected: 'x', actual: null })
  })
})

describe('errors', () => {
  it('name the owner of a name', () => {
    const memory = new Memory()
    const owner = memory.add(note('Deploys', { aliases: ['shipping'] }))
    const error = memory.errorOf([note('shipping')])
    expect(error?.message).toBe('"shipping" already belongs to the note "Deploys"')
    expect(error?.data).toEqual({ name: 'shipping', owner: owner.id })
  })

  it('name the field and what is allowed', () => {
    const memory = new Memory()
    expect(memory.errorOf([note('n', { seq: -1 })])).toMatchObject({ message: expect.stringMatching(/^seq: /) })
    expect(memory.errorOf([note('n', { id: 'x' })])?.hint).toBe('Allowed: a UUID in lower case.')
  })
})

describe('normalizeOrigin', () => {
  it('keeps who, agent and session, and nothing else', () => {
    const given = { by: 'agent', agent: 'Ada', session: 's:1', more: 1 } as Origin
    expect(normalizeOrigin(given)).toStrictEqual({ by: 'agent', agent: 'ada', session: 's:1' })
    expect(normalizeOrigin({ by: 'hand' })).toStrictEqual({ by: 'hand' })
  })

  it.each([undefined, null, {}, { by: 'me' }, { by: 'agent', agent: '../x' }, { by: 'agent', session: 7 }])(
    'refuses %j',
    (given) => {
      expect(() => normalizeOrigin(given as Origin)).toThrow(KeepsakeError) // beyond the type on purpose
    },
  )
})

describe('random batches', () => {
  it.each([1, 2, 3])('keep what must hold of every state (seed %i)', (seed) => {
    const memory = new Memory()
    const born = new Map<string, string>()
    const source = randomOperations(seed, 300)
    let turn = source.next()
    while (!turn.done) {
      const touched = memory.attempt(turn.value.batch, turn.value.expect)
      for (const operation of turn.value.batch.operations) if (operation.op === 'remove') born.delete(operation.id)
      memory.pass()
      turn = source.next(touched)
      checkInvariants(memory.living, touched ?? [], born)
    }
    expect(memory.living.length).toBeGreaterThan(20)
  })

  function checkInvariants(living: readonly Entry[], touched: readonly Entry[], born: Map<string, string>): void {
    const handles = living.flatMap((entry) => handlesOf(entry).map((handle) => `${entry.scope}\0${handle}`))
    expect(new Set(handles).size).toBe(handles.length)
    expect(new Set(living.map(({ seq }) => seq)).size).toBe(living.length)
    for (const entry of touched.filter((one) => living.includes(one))) {
      const { id, kind, scope, createdAt, key, name, aliases } = entry
      // What never changes as long as an entry lives.
      const fixed = JSON.stringify([kind, scope, createdAt, key])
      expect(born.get(id) ?? fixed).toBe(fixed)
      born.set(id, fixed)
      expect(entry.revision).toBe(revisionOf(entry))
      expect(aliases).not.toContain(name)
    }
  }
})

/** A state that batches are applied to one after the other, with ids and seqs that count up. */
class Memory {
  draft = new Draft(EMPTY)
  now = NOW
  #count = 0
  #lastSeq = 0
  readonly #zone: string
  readonly #living = new Map<string, Entry>()

  constructor(zone = 'UTC') {
    this.#zone = zone
  }

  get living(): readonly Entry[] {
    return [...this.#living.values()]
  }

  pass(): void {
    this.now = new Date(Date.parse(this.now) + 1000).toISOString()
  }

  apply(operations: readonly Operation[], origin: Origin = MAIN, expected: Expect = {}): Step[] {
    const next = new Draft(this.draft)
    const seqs = new SeqCounter(this.#lastSeq + 1, (seq) => this.living.find((entry) => entry.seq === seq)?.id)
    const context = { now: this.now, zone: this.#zone, newId: () => id(++this.#count), seqs }
    const steps = applyBatch(next, { operations, origin }, context, expected)
    for (const { after } of steps) this.#lastSeq = Math.max(this.#lastSeq, after?.seq ?? 0)
    for (const [id, entry] of next.changed()) {
      this.draft.put(id, entry ?? undefined)
      if (entry) this.#living.set(id, entry)
      else this.#living.delete(id)
    }
    return steps
  }

  add(operation: AddOperation): Entry {
    const after = this.apply([operation])[0]?.after
    if (!after) throw new Error('add gave no entry')
    return after
  }

  errorOf(operations: readonly Operation[], expected: Expect = {}): KeepsakeError | undefined {
    try {
      this.apply(operations, MAIN, expected)
      return undefined
    } catch (error) {
      if (isKeepsakeError(error)) return error
      throw error
    }
  }

  codeOf(operation: Operation, expected: Expect = {}): ErrorCode | undefined {
    return this.errorOf([operation], expected)?.code
  }

  /** The touched entries, or nothing when the batch was refused. */
  attempt({ operations, origin }: Batch, expected: Expect = {}): readonly Entry[] | undefined {
    try {
      const steps = this.apply(operations, origin, expected)
      const touched = new Map<string, Entry>()
      for (const { before, after } of steps) {
        const entry = after ?? before
        if (entry) touched.set(entry.id, entry)
      }
      return [...touched.values()]
    } catch (error) {
      if (isKeepsakeError(error)) return undefined
      throw error
    }
  }
}

function id(n: number): string {
  return `01930000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
}

function note(name: string, more: Partial<AddOperation> = {}): AddOperation {
  return { op: 'add', scope: 'main', kind: 'note', name, content: 'text', ...more }
}

function topic(name: string, more: Partial<AddOperation> = {}): AddOperation {
  return { op: 'add', scope: 'world', kind: 'topic', name, content: 'text', ...more }
}

function context(key: string, more: Partial<AddOperation> = {}): AddOperation {
  return { op: 'add', scope: 'main', kind: 'context', key, content: 'value', ...more }
}

function minimal(kind: AddOperation['kind']): AddOperation {
  const scope = kind === 'topic' ? 'world' : 'main'
  return { op: 'add', scope, kind, content: `a ${kind}`, ...(kind === 'context' ? { key: 'key' } : {}) }
}
