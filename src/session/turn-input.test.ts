import { describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../errors.ts'
import type { TurnInput } from './records.ts'
import { checkedImport, checkedTurns } from './turn-input.ts'

const clock = (): number => Date.parse('2026-03-04T05:06:07.008Z')
const turn = { role: 'user', content: 'hello' } as const

/** The field that is refused. */
function refused(check: () => unknown): unknown {
  try {
    check()
  } catch (error) {
    if (isKeepsakeError(error) && error.code === 'INVALID') return error.data['field']
    throw error
  }
  return undefined
}

describe('a turn', () => {
  it('gets an id and the time, and keeps what it was given', () => {
    const [first] = checkedTurns(turn, clock)
    expect(first).toMatchObject({ ...turn, at: '2026-03-04T05:06:07.008Z', tools: [], metadata: {} })
    expect(first?.id).toMatch(/^[0-9a-f-]{36}$/)
    const given = { ...turn, id: 'own', at: '2026-03-04T07:00:00+02:00', tools: ['recall'], metadata: { type: 'x' } }
    expect(checkedTurns([given], clock)).toEqual([{ ...given, at: '2026-03-04T05:00:00.000Z' }])
  })

  it.each([
    ['role', { role: 'robot' }],
    ['role', { role: undefined }],
    ['role', { role: 'toString' }],
    ['content', { content: '' }],
    ['content', { content: ' \n\t' }],
    ['content', { content: 5 }],
    ['content', { content: undefined }],
    ['content', { content: 'a\0b' }],
    ['content', { content: 'broken \ud800' }],
    ['content', { content: '', tools: ['recall'] }],
    ['content', { role: 'assistant', content: '' }],
    ['content', { role: 'assistant', content: '', tools: [] }],
    ['content', { role: 'system', content: '', tools: ['recall'] }],
    ['at', { at: 'yesterday' }],
    ['at', { at: '2026-03-04T05:06:07' }],
    ['tools', { tools: 'recall' }],
    ['tools[1]', { tools: ['recall', ' '] }],
    ['tools[0]', { tools: [5] }],
    ['metadata', { metadata: [1] }],
    ['metadata.a', { metadata: { a: '\udc00' } }],
    ['id', { id: '' }],
    ['id', { id: 'x'.repeat(201) }],
    ['id', { id: 7 }],
  ])('is refused for its %s: %j', (field, wrong) => {
    const given = { ...turn, ...wrong } as TurnInput // what a program in JavaScript may give
    expect(refused(() => checkedTurns(given, clock))).toBe(field)
    const inList = field.startsWith('metadata') ? field : `turns[1].${field}`
    expect(refused(() => checkedTurns([turn, given], clock))).toBe(inList)
  })

  it("may be blank where an assistant calls tools or a tool's answer is empty", () => {
    expect(checkedTurns({ role: 'assistant', content: '', tools: ['recall'] }, clock)).toHaveLength(1)
    expect(checkedTurns({ role: 'tool', content: ' ', tools: ['recall'] }, clock)).toHaveLength(1)
  })

  it.each([[null], ['text'], [[]]])('%j is none', (given) => {
    expect(refused(() => checkedTurns(given as unknown as TurnInput, clock))).toMatch(/^turns?$/)
  })

  it('of another transcript needs its id', () => {
    expect(refused(() => checkedImport([{ ...turn, id: 'a' }, turn], clock))).toBe('turns[1].id')
    expect(refused(() => checkedImport(turn as unknown as TurnInput[], clock))).toBe('turns')
    expect(checkedImport([], clock)).toEqual([])
  })
})
