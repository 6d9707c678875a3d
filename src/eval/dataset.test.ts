import { describe, expect, it } from 'vitest'
import { parseDataset } from './dataset.ts'

const DOC = { id: 'd1', text: 'The heron is on staging.' }
const QUERY = { id: 'q1', text: 'heron', relevant: ['d1'] }

function asJson(scope: object): string {
  return JSON.stringify({ name: 'birds', scopes: [scope] })
}

function lines(...objects: object[]): string {
  return objects.map((object) => `${JSON.stringify(object)}\n`).join('')
}

describe('a data set as one object', () => {
  it('gives its scopes, docs and queries', () => {
    const doc = { ...DOC, title: 'The heron', session: 's1', time: '8 May, 2023', speaker: 'Ann' }
    const query = { ...QUERY, category: 'single-hop', grades: { d1: 3 } }
    const set = parseDataset(asJson({ id: 'one', docs: [doc], queries: [query] }), 'x/birds-file.json')
    expect(set).toEqual({
      name: 'birds',
      scopes: [
        {
          id: 'one',
          docs: [{ ...DOC, title: 'The heron', session: 's1', time: '8 May, 2023' }],
          queries: [{ id: 'q1', text: 'heron', gains: new Map([['d1', 3]]), category: 'single-hop' }],
        },
      ],
    })
  })

  it('takes a relevant doc without a grade for worth 1, and ids that are numbers for their digits', () => {
    const query = { id: 7, text: 'heron', relevant: [1, 2], grades: { 2: 4 } }
    const { scopes } = parseDataset(asJson({ id: 1, docs: [{ id: 1, text: 'a' }], queries: [query] }), 'x.json')
    expect(scopes[0]?.id).toBe('1')
    expect(scopes[0]?.docs[0]?.id).toBe('1')
    const read = scopes[0]?.queries[0]
    expect([read?.id, [...(read?.gains ?? [])]]).toEqual([
      '7',
      [
        ['1', 1],
        ['2', 4],
      ],
    ])
  })

  it('is called as its file where it has no name', () => {
    const text = JSON.stringify({ scopes: [{ docs: [DOC], queries: [QUERY] }] })
    expect(parseDataset(text, 'some/folder/own.questions.json').name).toBe('own.questions')
  })
})

describe('a data set as lines', () => {
  it('puts docs and queries into their scopes, whatever the order', () => {
    const text = lines(
      { type: 'query', scope: 'b', ...QUERY },
      { type: 'doc', scope: 'a', ...DOC },
      { type: 'doc', scope: 'b', ...DOC },
      { type: 'query', scope: 'a', ...QUERY },
    )
    const { name, scopes } = parseDataset(`\n${text}`, 'own.jsonl')
    expect(name).toBe('own')
    expect(scopes.map(({ id, docs, queries }) => [id, docs.length, queries.length])).toEqual([
      ['b', 1, 1],
      ['a', 1, 1],
    ])
  })

  it('has one scope where none is named', () => {
    const { scopes } = parseDataset(lines({ type: 'doc', ...DOC }, { type: 'query', ...QUERY }), 'own.jsonl')
    expect(scopes).toHaveLength(1)
    expect(scopes[0]?.queries[0]?.gains).toEqual(new Map([['d1', 1]]))
  })
})

describe('a broken data set is an error that names the place', () => {
  const scope = { id: 'one', docs: [DOC], queries: [QUERY] }

  it.each([
    ['', 'x.json is not JSON'],
    ['[]', 'x.json is not a JSON object'],
    ['{}', 'x.json has no list "scopes"'],
    [asJson({ ...scope, docs: 5 }), 'x.json: scope 1 has no list "docs"'],
    [asJson({ ...scope, queries: undefined }), 'x.json: scope 1 has no list "queries"'],
    [asJson({ ...scope, docs: [DOC, null] }), 'x.json: scope 1, doc 2 is not a JSON object'],
    [asJson({ ...scope, docs: [{ id: 'd1' }] }), 'x.json: scope 1, doc 1 has no "text"'],
    [asJson({ ...scope, docs: [{ text: 'a' }] }), 'x.json: scope 1, doc 1 "id" is not text'],
    [asJson({ ...scope, docs: [DOC, DOC] }), 'x.json: scope 1 has two docs with the id "d1"'],
    [asJson({ ...scope, queries: [{ ...QUERY, text: ' ' }] }), 'x.json: scope 1, query 1 has no "text"'],
    [asJson({ ...scope, queries: [{ ...QUERY, relevant: 'd1' }] }), 'x.json: scope 1, query 1 has no list "relevant"'],
    [asJson({ ...scope, queries: [{ ...QUERY, grades: { d1: 0 } }] }), 'grade of "d1" is not a number above 0'],
    [asJson({ ...scope, queries: [] }), 'x.json has no query with a relevant doc'],
    [asJson({ ...scope, queries: [{ ...QUERY, relevant: [] }] }), 'x.json has no query with a relevant doc'],
  ])('%j', (text, message) => {
    expect(() => parseDataset(text, 'x.json')).toThrow(message)
  })

  it.each([
    [`${lines({ type: 'doc', ...DOC })}{oops`, 'x.jsonl:2 is not JSON'],
    [lines(DOC), 'x.jsonl:1 "type" is neither "doc" nor "query"'],
    [lines({ type: 'doc', ...DOC }), 'x.jsonl has no query with a relevant doc'],
    [lines({ type: 'doc', ...DOC }, { type: 'doc', ...DOC }), 'scope "all" has two docs'],
  ])('by line: %j', (text, message) => {
    expect(() => parseDataset(text, 'x.jsonl')).toThrow(message)
  })
})
