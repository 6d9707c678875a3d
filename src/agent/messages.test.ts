import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Metadata } from '../model/entry.ts'
import { block } from '../model/injected.ts'
import type { ModelMessage } from '../ports/complete.ts'
import { ROLES, type Role, type Turn } from '../session/records.ts'
import { modelMessages } from './messages.ts'

let count = 0
function turn(role: Role, content: string, metadata: Metadata = {}): Turn {
  return { id: `t${++count}`, role, content, at: '2026-01-01T00:00:00.000Z', tools: [], metadata }
}

function calling(content: string, ...ids: readonly string[]): Turn {
  return turn('assistant', content, { calls: ids.map((id) => ({ id, name: 'recall', arguments: { query: id } })) })
}

function result(id: string, content = `result of ${id}`, more: Metadata = {}): Turn {
  return turn('tool', content, { call: id, ...more })
}

const whole = (turns: readonly Turn[]): ModelMessage[] => modelMessages(turns, 0)

describe('messages of a transcript', () => {
  it('pairs each call with its result, in the order of the calls', () => {
    const turns = [
      turn('user', 'q'),
      calling('Let me see.', 'a', 'b'),
      result('b'),
      result('a', 'bad', { error: true }),
    ]
    expect(whole(turns)).toEqual([
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: 'Let me see.',
        toolCalls: [
          { id: 'a', name: 'recall', arguments: { query: 'a' } },
          { id: 'b', name: 'recall', arguments: { query: 'b' } },
        ],
      },
      { role: 'tool', content: 'bad', callId: 'a', name: 'recall', isError: true },
      { role: 'tool', content: 'result of b', callId: 'b', name: 'recall' },
    ])
  })

  it('leaves out a call without a result, a result without a call, and what a system said', () => {
    const turns = [
      turn('system', 'Obey.'),
      turn('user', 'q'),
      calling('', 'lost'),
      calling('One of two.', 'lost', 'kept'),
      result('kept'),
      turn('assistant', 'done'),
      turn('tool', 'output of an imported call'),
    ]
    const messages = whole(turns)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(messages[1]).toMatchObject({ toolCalls: [{ id: 'kept' }] })
    expect(JSON.stringify(messages)).not.toMatch(/lost|imported|Obey/)
  })

  it('joins two of a kind: both questions are sent when the first was not answered', () => {
    const turns = [turn('user', 'one'), turn('user', 'two'), turn('assistant', 'a'), turn('assistant', 'b')]
    expect(whole(turns)).toEqual([
      { role: 'user', content: 'one\n\ntwo' },
      { role: 'assistant', content: 'a\n\nb' },
    ])
  })

  it('gives an id that comes again, or that a provider refuses, another one', () => {
    const turns = [turn('user', 'q'), calling('', 'x y'), result('x y'), calling('', 'x y'), result('x y')]
    const ids = whole(turns).flatMap((message) => (message.role === 'tool' ? [message.callId] : []))
    expect(ids).toEqual(['x_y', 'x_y-2'])
    const calls = whole(turns).flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
    expect(calls.map(({ id }) => id)).toEqual(ids)
  })

  it('sends a made-up name such that no later call fails for it', () => {
    const call = { id: 'a', name: 'functions.recall now', arguments: {} }
    const turns = [turn('user', 'q'), turn('assistant', '', { calls: [call] }), result('a')]
    expect(whole(turns)[1]).toMatchObject({ toolCalls: [{ name: 'functions_recall_now' }] })
  })

  it('sends what we injected to nobody, and results of exchanges that are over in short', () => {
    const long = 'x'.repeat(9000)
    const turns = [turn('user', `${block('recall', 'found')}\n\nq`), calling('', 'a'), result('a', long)]
    const [user, , past] = modelMessages([...turns, turn('user', 'next')], 3)
    expect(user?.content.trim()).toBe('q')
    expect(past?.content.length).toBeLessThan(4100)
    expect(past?.content).toContain('(Cut: the first 4000 of 9000 characters.)')
    expect(whole(turns)[2]?.content).toBe(long)
  })

  it('takes any transcript, and gives what every provider takes', () => {
    const id = fc.constantFrom('a', 'b', 'c')
    const metadata: fc.Arbitrary<Metadata> = fc.oneof(
      fc.constant({}),
      fc
        .array(id, { maxLength: 3 })
        .map((ids) => ({ calls: ids.map((one) => ({ id: one, name: 't', arguments: {} })) })),
      id.map((call) => ({ call })),
      fc.constantFrom(
        { calls: 'none' },
        { calls: [null, 3, { id: 1 }, { id: 'a' }] },
        { call: 7 },
      ) as fc.Arbitrary<Metadata>,
    )
    const anyTurn = fc
      .tuple(fc.constantFrom(...ROLES), fc.constantFrom('', 'text'), metadata)
      .map(([role, content, more]) => turn(role, content, more))
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 20 }), (turns) => {
        const messages = whole(turns)
        if (messages.length > 0) expect(messages[0]?.role).toBe('user')
        const seen = new Set<string>()
        let open: string[] = []
        for (const [at, message] of messages.entries()) {
          if (message.role === 'tool') {
            expect(open.shift()).toBe(message.callId)
            continue
          }
          expect(open).toEqual([])
          if (message.role === messages[at - 1]?.role) expect.fail('two of a kind')
          if (message.role !== 'assistant') continue
          open = (message.toolCalls ?? []).map((call) => call.id)
          for (const one of open) expect(seen.has(one)).toBe(false)
          for (const one of open) seen.add(one)
          expect(open.length > 0 || message.content !== '').toBe(true)
        }
        expect(open).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })
})
