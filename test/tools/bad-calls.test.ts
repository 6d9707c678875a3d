/** What a model may send that does not fit: each is a result that names the field and what is allowed, and changes nothing. */
import { describe, expect, it } from 'vitest'
import { Bench, type Data, STORES } from './bench.ts'

const LONG = 'x'.repeat(201)
const HUGE = 'y'.repeat(200_000)
const circular: Record<string, unknown> = {}
circular['self'] = circular
const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)

/** Tool, arguments, how the message begins. */
const BAD_CALLS: readonly (readonly [string, unknown, string])[] = [
  ['default.recall', 'deploys', 'arguments: "deploys" is no object'],
  ['default.recall', ['deploys'], 'arguments: a list is no object'],
  ['default.recall', 7, 'arguments: 7 is no object'],
  ['default.recall', { q: 'deploys' }, 'arguments: "q" is not one of them'],
  ['default.recall', { [HUGE]: 1 }, 'arguments: "yyy'],
  ['default.recall', JSON.parse('{"__proto__": {"query": "x"}}'), 'arguments: "__proto__" is not one of them'],
  ['default.recall', { constructor: 1 }, 'arguments: "constructor" is not one of them'],
  ['default.recall', { toString: 'x' }, 'arguments: "toString" is not one of them'],
  ['default.recall', { query: '' }, 'query: is empty'],
  ['default.recall', { query: ' \n\t' }, 'query: is empty'],
  ['default.recall', { query: 5 }, 'query: 5 is not text'],
  ['default.recall', { query: ['a'] }, 'query: a list is not text'],
  ['default.recall', { query: { text: 'a' } }, 'query: an object is not text'],
  ['default.recall', { query: circular }, 'query: an object is not text'],
  ['default.recall', { query: 'a', limit: 0 }, 'limit: 0 is not allowed'],
  ['default.recall', { query: 'a', limit: 101 }, 'limit: 101 is not allowed'],
  ['default.recall', { query: 'a', limit: -1 }, 'limit: -1 is not allowed'],
  ['default.recall', { query: 'a', limit: 2.5 }, 'limit: 2.5 is not allowed'],
  ['default.recall', { query: 'a', limit: 'many' }, 'limit: "many" is not allowed'],
  ['default.recall', { query: 'a', limit: HUGE }, 'limit: "yyy'],
  ['default.recall', { query: 'a', limit: true }, 'limit: true is no number'],
  ['default.recall', { query: 'a', limit: 5n }, 'limit: 5 is no number'],
  ['default.recall', { query: 'a', limit: Number.NaN }, 'limit: null is not allowed'],
  ['default.recall', { query: 'a', limit: {} }, 'limit: an object is no number'],
  ['default.recall', { query: 'a', limit: circular }, 'limit: an object is no number'],
  ['default.recall', { query: 'a', days: 3 }, 'days: belongs to a recall without a query'],
  ['default.recall', { days: -1 }, 'days: -1 is not allowed'],
  ['default.recall', { days: 3661 }, 'days: 3661 is not allowed'],
  ['default.recall', { days: '3 days' }, 'days: "3 days" is not allowed'],
  ['default.recall', { limit: 5 }, 'limit: needs a query'],
  ['default.recall', { since: 'yesterday' }, 'since: needs a query'],
  ['default.recall', { where: ['a=1'] }, 'where: needs a query'],
  ['default.recall', { query: null, kinds: ['note'] }, 'kinds: needs a query'],
  ['default.recall', { query: 'a', kinds: 'note' }, 'kinds: "note" is not a list'],
  ['default.recall', { query: 'a', kinds: ['thing'] }, 'kinds: "thing" is not allowed'],
  ['default.recall', { query: 'a', kinds: ['toString'] }, 'kinds: "toString" is not allowed'],
  ['default.recall', { query: 'a', kinds: [null] }, 'kinds: null is not allowed'],
  ['default.recall', { query: 'a', since: 'soonish' }, 'since: "soonish" is not a date'],
  ['default.recall', { query: 'a', since: '2026-02-30' }, 'since: "2026-02-30" is not a date'],
  ['default.recall', { query: 'a', until: 5 }, 'until: 5 is not text'],
  ['default.recall', { query: 'a', since: 'today', until: 'yesterday' }, 'until: is not after since'],
  ['default.recall', { query: 'a', where: 'priority>=3' }, 'where: "priority>=3" is not a list'],
  ['default.recall', { query: 'a', where: ['priority'] }, 'where: "priority" has no operator'],
  ['default.recall', { query: 'a', where: ['a==1'] }, 'where: "a==1" has an unknown operator'],
  ['default.recall', { query: 'a', where: [{ key: 'a' }] }, 'where: an object is not text'],
  ['default.remember', undefined, 'content: is missing'],
  ['default.remember', {}, 'content: is missing'],
  ['default.remember', { content: null }, 'content: is missing'],
  ['default.remember', { content: '' }, 'content: is empty'],
  ['default.remember', { content: '\n \n' }, 'content: is empty'],
  ['default.remember', { content: 5 }, 'content: 5 is not text'],
  ['default.remember', { content: 'a\0b' }, 'content: holds a NUL character'],
  ['default.remember', { content: 'a\ud800b' }, 'content: holds broken Unicode'],
  ['default.remember', { content: 'x', name: '' }, 'name: is empty'],
  ['default.remember', { content: 'x', name: LONG }, 'name: has 201 characters'],
  ['default.remember', { content: 'x', name: 'two\nlines' }, 'name: holds control characters'],
  ['default.remember', { content: 'x', name: 'MEMORY' }, '"MEMORY" is a memory'],
  ['default.remember', { content: 'x', name: 'IDENTITY' }, 'name: "IDENTITY" is reserved'],
  ['default.remember', { content: 'x', name: 'a', kind: 'experience' }, 'name: an experience has no name'],
  ['default.remember', { content: 'x', kind: 'context' }, 'name: a context needs one'],
  ['default.remember', { content: 'x', kind: 'thing' }, 'kind: is none that remember knows'],
  ['default.remember', { content: 'x', kind: 'hasOwnProperty' }, 'kind: is none that remember knows'],
  ['default.remember', { content: 'x', kind: ['note'] }, 'kind: is none that remember knows'],
  ['default.remember', { content: 'x', kind: 'topic' }, 'kind: a topic is not written by remember'],
  ['default.remember', { content: 'x', description: 5 }, 'description: 5 is not text'],
  ['default.remember', { content: 'x', name: 'a', aliases: 'b' }, 'aliases: "b" is not a list'],
  ['default.remember', { content: 'x', name: 'a', aliases: [''] }, 'aliases: is empty'],
  ['default.remember', { content: 'x', name: 'a', aliases: [LONG] }, 'alias: has 201 characters'],
  ['default.remember', { content: 'x', name: 'a', aliases: ['Deploys'] }, '"Deploys" already belongs to the note'],
  ['default.remember', { content: 'x', aliases: ['b'] }, 'aliases: an experience has no aliases'],
  ['default.remember', { content: 'x', metadata: 'a=b' }, 'metadata: is not an object'],
  ['default.remember', { content: 'x', metadata: [1] }, 'metadata: is not an object'],
  [
    'default.remember',
    { content: 'x', metadata: { a: Number.POSITIVE_INFINITY } },
    'metadata.a: Infinity is not a JSON',
  ],
  ['default.remember', { content: 'x', metadata: { a: () => 1 } }, 'metadata.a: a function is not JSON'],
  ['default.remember', { content: 'x', metadata: deep }, 'metadata.a.'],
  ['default.remember', { content: 'x', metadata: circular }, 'metadata.self.'],
  ['default.remember', { content: 'x', ttl: 'tomorrow' }, 'ttl: "tomorrow" is not a duration'],
  ['default.remember', { content: 'x', ttl: 30 }, 'ttl: 30 is not text'],
  ['default.remember', { content: 'x', ttl: '999999999d' }, 'ttl: is too long'],
  ['default.remember', { content: 'x', expect: '0123456789abcdef' }, 'arguments: "expect" is not one of them'],
  ['default.reflect', { content: '' }, 'content: is empty'],
  ['default.reflect', { content: ['x'] }, 'content: a list is not text'],
  ['default.reflect', { content: 'x', expect: 'latest' }, 'expect: is no revision'],
  ['default.reflect', { content: 'x', expect: 5 }, 'expect: is no revision'],
  ['default.reflect', { expect: 'new' }, 'expect: belongs to a write'],
  ['default.reflect', { content: 'x', erase: true }, 'arguments: "erase" is not one of them'],
  ['default.learn_fact', { content: 'x' }, 'topic: is missing'],
  ['default.learn_fact', { topic: '!!!', content: 'x' }, 'topic: "!!!" has neither letter nor digit'],
  ['default.learn_fact', { topic: LONG, content: 'x' }, 'topic: has 201 characters'],
  ['default.learn_fact', { topic: LONG }, 'topic: has 201 characters'],
  ['default.learn_fact', { topic: 5 }, 'topic: 5 is not text'],
  ['default.learn_fact', { topic: 'People', content: ' ' }, 'content: is empty'],
  ['default.learn_fact', { topic: 'People', expect: '0123456789abcdef' }, 'expect: belongs to a write'],
  ['default.learn_fact', { topic: 'None', content: 'x', expect: '0123456789abcdef' }, 'the topic "None" is not there'],
  ['default.forget', {}, 'ref: is missing'],
  ['default.forget', { ref: ' ' }, 'ref: is empty'],
  ['default.forget', { ref: 5 }, 'ref: 5 is not text'],
  ['default.forget', { ref: LONG }, 'ref: has 201 characters'],
  ['default.forget', { ref: 'People', confirm: 'true' }, 'confirm: "true" is not allowed'],
  ['default.forget', { ref: 'People', confirm: 1 }, 'confirm: 1 is not allowed'],
  ['default.forget', { ref: ['Deploys'] }, 'ref: a list is not text'],
  ['default.forget', { ref: 'toString' }, 'nothing here is called "toString"'],
  ['default.forget', { ref: '00000000-0000-7000-8000-000000000000' }, 'nothing here is called'],
  ['default.undo', { change: 0 }, 'change: 0 is not allowed'],
  ['default.undo', { change: 'last' }, 'change: "last" is not allowed'],
  ['default.undo', { change: [1] }, 'change: a list is no number'],
  ['default.undo', { change: 999 }, 'change 999 is not one of yours'],
  ['default.undo', { changes: [1] }, 'arguments: "changes" is not one of them'],
  ['agnx.recall', { query: 'a' }, 'arguments: "query" is not one of them'],
  ['agnx.recall', { days: 'three' }, 'days: "three" is not allowed'],
  ['agnx.remember', {}, 'content: is missing'],
  ['agnx.remember', { content: 'x', name: 'a' }, 'arguments: "name" is not one of them'],
  ['agnx.reflect', { content: '   ' }, 'content: is empty'],
  ['agnx.learn_fact', { content: 'x' }, 'topic: is missing'],
  ['agnx.learn_fact', { topic: '...', content: 'x' }, 'topic: "..." has neither letter nor digit'],
  ['reachy.search_memories', {}, 'query: is missing'],
  ['reachy.search_memories', { query: 'a', memory_type: 'note' }, 'memory_type: "note" is not allowed'],
  ['reachy.search_memories', { query: 'a', limit: 0 }, 'limit: 0 is not allowed'],
  ['reachy.search_memories', { query: 'a', min_score: 0.3 }, 'arguments: "min_score" is not one of them'],
  ['reachy.store_memory', { memory_type: 'fact' }, 'content: is missing'],
  ['reachy.store_memory', { content: ' ' }, 'content: is empty'],
  ['reachy.store_memory', { content: 'a\0' }, 'content: holds a NUL character'],
  ['reachy.store_memory', { content: 'x', memory_type: 'FACT' }, 'memory_type: "FACT" is not allowed'],
  ['reachy.store_memory', { content: 'x', metadata: 'a' }, 'metadata: is not an object'],
  [
    'reachy.store_memory',
    { content: 'x', memory_type: 'context', metadata: { context_key: 5 } },
    'metadata.context_key: is not text',
  ],
  [
    'reachy.store_memory',
    { content: 'x', memory_type: 'context', metadata: { context_key: ' ' } },
    'metadata.context_key: is empty',
  ],
  ['reachy.forget_memory', {}, 'memory_id: is missing'],
  ['reachy.forget_memory', { memory_id: '' }, 'memory_id: is empty'],
  ['reachy.forget_memory', { memory_id: ['a'] }, 'memory_id: a list is not text'],
  ['crabtalk.remember', { name: 'a', content: 'b' }, 'description: is missing'],
  ['crabtalk.remember', { name: 'a', description: 'b' }, 'content: is missing'],
  ['crabtalk.remember', { description: 'a', content: 'b' }, 'name: is missing'],
  ['crabtalk.remember', { name: '', description: '', content: 'x' }, 'name: is empty'],
  ['crabtalk.forget', {}, 'name: is missing'],
  ['crabtalk.forget', { name: LONG }, 'name: has 201 characters'],
  ['crabtalk.forget', { name: 'nothing so called' }, 'nothing here is called "nothing so called"'],
  ['crabtalk.recall', {}, 'query: is missing'],
  ['crabtalk.recall', { query: 'a', limit: 1000 }, 'limit: 1000 is not allowed'],
  ['crabtalk.recall', { query: '' }, 'query: is empty'],
  ['crabtalk.memory', { content: '' }, 'content: is empty'],
  ['crabtalk.memory', { text: 'x' }, 'arguments: "text" is not one of them'],
]

describe.each(STORES)('bad calls on the %s store', (store) => {
  it('are results that say what is wrong and what is allowed, and change nothing', async () => {
    const bench = await Bench.open(store)
    await bench.memory.remember('x', { name: 'Deploys' })
    await bench.memory.learnFact('People', 'x')
    await bench.memory.reflect('x')
    const before = await bench.all()
    const told = []
    for (const [which, args, message] of BAD_CALLS) {
      const { isError, text, structured } = await bench.call(which, args)
      const { error } = structured as Data
      if (isError !== true || !error?.message.startsWith(message)) told.push([which, message, text])
      expect(text, `${which} ${message}`).toBe(`${error?.message}\n${error?.hint}`)
      expect(text.length, `${which} ${message}`).toBeLessThan(1500)
      expect(text, `${which} ${message}`).not.toMatch(/keepsake (list|log|undo|alias)|--\w/)
    }
    expect(told).toEqual([])
    expect(await bench.all()).toBe(before)
    expect(await bench.memory.log()).toHaveLength(3)
  })
})

describe('arguments that look odd but fit', () => {
  it('are taken: null for left out, numbers as text, own keys of any prototype', async () => {
    const bench = await Bench.open('memory')
    await bench.done('default.remember', { content: 'tea', name: null, kind: null, metadata: null, aliases: null })
    await bench.done('default.recall', { query: null, limit: null, days: ' 2 ' })
    const bare = Object.assign(Object.create(null), { query: 'tea', limit: '1' })
    expect((await bench.done('default.recall', bare)).hits).toHaveLength(1)
    expect((await bench.done('default.recall', null)).text).toContain('tea')
    // What stands on a prototype was not sent.
    expect((await bench.done('default.recall', Object.create({ query: 'tea' }))).hits).toBeUndefined()
  })
})
