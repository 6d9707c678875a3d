import { describe, expect, it } from 'vitest'
import { NotFoundError } from '../errors.ts'
import type { Entry } from '../model/entry.ts'
import type { Found, WhyNot } from '../recall/found.ts'
import { checkRecallTest, parseRecallTests, type RecallTest, type TestedMemory } from './recall-tests.ts'

describe('the tests in a text', () => {
  it('are lines with an arrow, plain or in a list', () => {
    const text = [
      '# What we expect -> of recall',
      '',
      'Some words about it.',
      'when do we deploy -> must find Deploys',
      '- printer → must not find Deploys',
      '2. "smoke tests" ->must find `Release day`',
      '* [ ] `a -> b` -> Must Find "Arrows"',
      '  + deep -> must find A name, with: signs',
    ].join('\r\n')
    expect(parseRecallTests(text)).toEqual([
      { line: 4, query: 'when do we deploy', expect: 'find', name: 'Deploys' },
      { line: 5, query: 'printer', expect: 'not find', name: 'Deploys' },
      { line: 6, query: '"smoke tests"', expect: 'find', name: 'Release day' },
      { line: 7, query: 'a -> b', expect: 'find', name: 'Arrows' },
      { line: 8, query: 'deep', expect: 'find', name: 'A name, with: signs' },
    ])
  })

  it('are not what stands in a comment', () => {
    const text = '<!-- off -> must find A\nx -> oops -->\nb -> must find B\n<!-- never closed\nc -> oops'
    expect(parseRecallTests(text)).toEqual([{ line: 3, query: 'b', expect: 'find', name: 'B' }])
  })

  it.each([
    'x -> find A',
    'x -> must find',
    '-> must find A',
    'x -> must not find  ',
    'x ->',
    'x → should find A',
    'x -> must find A -> B',
  ])('that are broken are an error that names file and line: %j', (line) => {
    expect(() => parseRecallTests(`# Tests\n\n${line}\n`)).toThrow('recall.tests.md:3 is no test')
  })

  it('are none in a text without arrows', () => {
    expect(parseRecallTests('# Nothing yet\n')).toEqual([])
  })
})

describe('checking a test', () => {
  const entries = ['Deploys', 'Posters'].map((name) => ({ id: `id-${name}`, name }) as unknown as Entry) // all it looks at

  /** Finds what is named in the query, in the order it is named. */
  const memory: TestedMemory = {
    async find(ref) {
      const entry = entries.find(({ name }) => name === ref)
      if (!entry) throw new NotFoundError(ref, ref === 'Deploy' ? ['Deploys'] : [])
      return entry
    },
    async search(query) {
      const hits = query.split(' ').flatMap((word) => entries.filter(({ name }) => name === word))
      return { hits: hits.map((entry) => ({ entry })) } as unknown as Found // all it looks at
    },
    async whyNot(query, ref) {
      return { reason: 'no-words', sentence: `None of "${query}" stands in ${ref}.`, warnings: [] } satisfies WhyNot
    },
  }

  function check(query: string, expected: RecallTest['expect'], name: string): Promise<object> {
    return checkRecallTest({ line: 1, query, expect: expected, name }, memory, { limit: 5 })
  }

  it('holds when what must be found is, and says where', async () => {
    expect(await check('Posters Deploys', 'find', 'Deploys')).toMatchObject({ passed: true, rank: 2 })
  })

  it('fails when it is not, and says why', async () => {
    const failed = await check('Posters', 'find', 'Deploys')
    expect(failed).toMatchObject({ passed: false, sentence: 'None of "Posters" stands in id-Deploys.' })
  })

  it('fails when what must not be found is, and says where', async () => {
    expect(await check('Posters Deploys', 'not find', 'Deploys')).toMatchObject({
      passed: false,
      rank: 2,
      sentence: 'It is hit 2 of 2.',
    })
  })

  it('holds when it is not', async () => {
    expect(await check('Posters', 'not find', 'Deploys')).toEqual({
      line: 1,
      query: 'Posters',
      expect: 'not find',
      name: 'Deploys',
      passed: true,
    })
  })

  it('says that nothing is called so, whichever way it ends', async () => {
    expect(await check('Posters', 'find', 'Deploy')).toMatchObject({
      passed: false,
      sentence: 'Nothing here is called "Deploy". Did you mean "Deploys"?',
    })
    expect(await check('Posters', 'not find', 'Gone')).toMatchObject({
      passed: true,
      sentence: 'Nothing here is called "Gone".',
    })
  })
})
