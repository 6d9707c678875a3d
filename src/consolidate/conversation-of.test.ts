import { describe, expect, it } from 'vitest'
import type { Turn } from '../memory.ts'
import { conversationOf } from './conversation-of.ts'

const AT = '2026-11-16T12:00:00.000Z'

function turn(role: Turn['role'], content: string, tools: readonly string[] = [], at: string = AT): Turn {
  return { id: content, role, content, at, tools, metadata: {} }
}

describe('what was said in a span', () => {
  it('is what is new in each turn, with its tools', () => {
    const turns = [
      turn('user', 'q'),
      turn('assistant', '', ['look']),
      turn('tool', 'found', ['look']),
      turn('assistant', 'a'),
    ]
    const messages = [
      { role: 'user', content: 'q, cleaned', at: AT },
      { role: 'tool', content: 'found', at: AT },
      { role: 'assistant', content: 'a', at: AT },
    ] as const
    expect(conversationOf({ turns, messages })).toEqual([
      { role: 'user', content: 'q, cleaned', at: AT },
      // Of two turns alike one has no message: the first is taken to have it, and nothing is lost by that.
      { role: 'assistant', content: '', at: AT, tools: ['look'] },
      { role: 'tool', content: 'found', at: AT, tools: ['look'] },
      { role: 'assistant', content: 'a', at: AT },
    ])
  })

  it('has of results of our own tools the name alone, and of others beside them what they gave', () => {
    const turns = [
      { ...turn('tool', 'a memory', ['recall']), metadata: { given: true } },
      turn('tool', 'another', ['mcp__keepsake__recall']),
      turn('tool', '4', ['die']),
    ]
    expect(conversationOf({ turns, messages: [{ role: 'tool', content: '4', at: AT }] })).toEqual([
      { role: 'tool', content: '', at: AT, tools: ['recall'] },
      { role: 'tool', content: '', at: AT, tools: ['mcp__keepsake__recall'] },
      { role: 'tool', content: '4', at: AT, tools: ['die'] },
    ])
  })

  it('leaves out what was purged, and what else was said in its turn stays', () => {
    const contents = ['[purged]', ' [purged]\n[purged]', 'my code is [purged]']
    const messages = contents.map((content) => ({ role: 'user', content, at: AT }) as const)
    expect(conversationOf({ turns: contents.map((content) => turn('user', content)), messages })).toEqual([
      { role: 'user', content: 'my code is [purged]', at: AT },
    ])
  })

  it('leaves out turns of which nothing is new', () => {
    const later = '2026-11-16T12:00:01.000Z'
    const turns = [turn('user', 'an echo'), turn('user', 'new', [], later)]
    expect(conversationOf({ turns, messages: [{ role: 'user', content: 'new', at: later }] })).toEqual([
      { role: 'user', content: 'new', at: later },
    ])
    expect(conversationOf({ turns, messages: [] })).toEqual([])
  })
})
