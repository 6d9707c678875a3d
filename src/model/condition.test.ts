import { describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../errors.ts'
import { type Condition, conditionText, holds, parseCondition, requireConditions } from './condition.ts'
import type { Metadata } from './entry.ts'

function refusal(read: () => unknown): string | undefined {
  try {
    read()
  } catch (error) {
    if (isKeepsakeError(error)) return `${error.code} ${error.message}. ${error.hint}`
  }
  return undefined
}

describe('a condition as text', () => {
  it.each<[string, Condition]>([
    ['owner=ann', { key: 'owner', op: '=', value: 'ann' }],
    ['owner!=ann', { key: 'owner', op: '!=', value: 'ann' }],
    ['priority>=3', { key: 'priority', op: '>=', value: '3' }],
    ['priority<=3', { key: 'priority', op: '<=', value: '3' }],
    ['priority>3', { key: 'priority', op: '>', value: '3' }],
    ['priority<-3', { key: 'priority', op: '<', value: '-3' }],
    [' due date >= 2026-11-01 ', { key: 'due date', op: '>=', value: '2026-11-01' }],
    ['owner.team=web', { key: 'owner.team', op: '=', value: 'web' }],
    ['formula=a=b', { key: 'formula', op: '=', value: 'a=b' }],
    ['tag=<b>', { key: 'tag', op: '=', value: '<b>' }],
    ['owner=', { key: 'owner', op: '=', value: '' }],
    ['owner!=', { key: 'owner', op: '!=', value: '' }],
  ])('%j', (text, condition) => {
    expect(parseCondition(text)).toEqual(condition)
  })

  it.each([
    ['', 'has no operator'],
    ['owner', 'has no operator'],
    ['owner!ann', 'has no operator'],
    ['=ann', 'names no key'],
    [' >= 3', 'names no key'],
    ['priority>', 'has nothing to compare with'],
    ['priority>= ', 'has nothing to compare with'],
    ['owner==ann', 'has an unknown operator'],
    ['owner<>ann', 'has an unknown operator'],
    ['stars:=5', 'has an unknown operator'],
  ])('%j is refused: it %s', (text, problem) => {
    expect(refusal(() => parseCondition(text))).toBe(
      `INVALID where: "${text}" ${problem}. Allowed: KEY=VALUE, KEY!=VALUE, or a range with >, >=, < or <=, such as priority>=3.`,
    )
  })

  it('is written as it was read', () => {
    expect(conditionText(parseCondition('priority >= 3'))).toBe('priority>=3')
  })
})

describe('a condition', () => {
  const metadata: Metadata = {
    priority: 3,
    stars: '10',
    done: false,
    nothing: null,
    version: '1.10',
    due: '2026-11-16',
    tags: ['deploy', 'ci', 7],
    owner: { team: 'web', 'full.name': 'Ann B.', seats: [{ floor: 2 }, { floor: 4 }] },
    'a.b': 'whole',
    a: { b: 'in parts' },
    empty: [],
    ['__proto__']: 'own',
  }

  it.each<[string, boolean]>([
    ['priority=3', true],
    ['priority=3.0', true],
    ['priority=4', false],
    ['stars=10', true],
    ['stars=10.0', false],
    ['version=1.1', false],
    ['done=false', true],
    ['done=true', false],
    ['nothing=null', true],
    ['tags=deploy', true],
    ['tags=7', true],
    ['tags=deploys', false],
    ['tags!=deploy', false],
    ['tags!=deploys', true],
    ['owner.team=web', true],
    ['owner.full.name=Ann B.', true],
    ['owner.seats.floor=4', true],
    ['owner.seats.floor=3', false],
    ['owner=web', false],
    ['owner!=web', true],
    ['a.b=whole', true],
    ['a.b=in parts', false],
    ['missing=x', false],
    ['missing!=x', true],
    ['missing>0', false],
    ['missing.part=x', false],
    ['priority.part=x', false],
    ['empty=', false],
    ['empty!=x', true],
    ['priority>=3', true],
    ['priority>3', false],
    ['priority<10', true],
    ['stars>9', true],
    ['stars<9', false],
    ['due>=2026-11', true],
    ['due<2026-11-16', false],
    ['due<=2026-11-16', true],
    ['priority>abc', false],
    ['priority<abc', false],
    ['done>a', false],
    ['nothing<z', false],
    ['tags>6', true],
    ['owner.seats.floor>3', true],
    ['owner.seats.floor>4', false],
    ['tags>d', true],
    ['toString=x', false],
    ['constructor.name=Object', false],
    ['__proto__=own', true],
  ])('%s: %s', (text, expected) => {
    expect(holds(metadata, parseCondition(text))).toBe(expected)
  })

  it.each<[Condition, boolean]>([
    [{ key: 'priority', op: '=', value: 3 }, true],
    [{ key: 'stars', op: '=', value: 10 }, true],
    [{ key: 'done', op: '=', value: false }, true],
    [{ key: 'done', op: '=', value: 'false' }, true],
    [{ key: 'nothing', op: '=', value: null }, true],
    [{ key: 'missing', op: '=', value: null }, false],
    [{ key: 'stars', op: '>', value: 9 }, true],
    [{ key: 'due', op: '>', value: 9 }, false],
  ])('as a program gives it, %j: %s', (condition, expected) => {
    expect(holds(metadata, condition)).toBe(expected)
  })
})

describe('conditions of a program', () => {
  it('are taken as they are', () => {
    const conditions: readonly Condition[] = [
      { key: 'a', op: '=', value: null },
      { key: 'b', op: '<', value: 1.5 },
    ]
    expect(requireConditions(conditions)).toEqual(conditions)
    expect(requireConditions(undefined)).toEqual([])
  })

  it.each([
    ['a list', 'priority=3'],
    ['a list', null],
    ['an object', ['priority=3']],
    ['a key', [{ op: '=', value: 1 }]],
    ['a key that is not empty', [{ key: '', op: '=', value: 1 }]],
    ['an operator', [{ key: 'a', value: 1 }]],
    ['a known operator', [{ key: 'a', op: '==', value: 1 }]],
    ['a value', [{ key: 'a', op: '=' }]],
    ['a finite number', [{ key: 'a', op: '=', value: Number.NaN }]],
    ['a primitive', [{ key: 'a', op: '=', value: ['x'] }]],
    ['an object', [null]],
  ])('must be %s: %j', (_, value) => {
    expect(refusal(() => requireConditions(value))).toMatch(/^INVALID where: .*Allowed: /)
  })
})
