import { describe, expect, it } from 'vitest'
import type { EvalSet } from './dataset.ts'
import { atSessionLevel, hasSessions } from './level.ts'

const chat: EvalSet = {
  name: 'chat',
  scopes: [
    {
      id: 'one',
      docs: [
        { id: 'a1', text: 'Ann: hello', session: 'a', time: '8 May, 2023' },
        { id: 'b1', text: 'Bob: the heron', session: 'b' },
        { id: 'a2', text: 'Ann: again', session: 'a' },
        { id: 'a', text: 'of no session' },
      ],
      queries: [
        {
          id: 'q',
          text: 'heron',
          category: 'x',
          gains: new Map([
            ['a1', 1],
            ['a2', 3],
            ['a', 2],
            ['gone', 1],
          ]),
        },
      ],
    },
  ],
}

describe('the session level', () => {
  const [scope] = atSessionLevel(chat).scopes

  it('joins the docs of a session in their order, and leaves a doc of none by itself', () => {
    expect(scope?.docs.map(({ text, session, time }) => ({ text, session, time }))).toEqual([
      { text: 'Ann: hello\nAnn: again', session: 'a', time: '8 May, 2023' },
      { text: 'Bob: the heron', session: 'b', time: undefined },
      { text: 'of no session', session: undefined, time: undefined },
    ])
  })

  it('maps what is relevant, a session for its best doc, and keeps apart what is called alike', () => {
    const [a, , alone] = scope?.docs ?? []
    expect(scope?.queries[0]?.gains.get(a?.id ?? '')).toBe(3)
    expect(scope?.queries[0]?.gains.get(alone?.id ?? '')).toBe(2)
    expect(scope?.queries[0]?.gains.size).toBe(3)
  })
})

it('knows whether there are sessions', () => {
  expect(hasSessions(chat)).toBe(true)
  expect(hasSessions({ name: 'x', scopes: [{ id: 'one', docs: [{ id: 'a', text: 'a' }], queries: [] }] })).toBe(false)
})
