import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isNightly } from '../../test/tier.ts'
import type { JsonValue } from '../model/entry.ts'
import { BrokenText, type ParseYaml } from './file-entry.ts'
import { FrontMatter } from './front-matter.ts'

const yaml: ParseYaml = (text) => parse(text, { logLevel: 'error' })

function edited(block: string, edits: Readonly<Record<string, JsonValue | undefined>>, eol?: string): string {
  const frontMatter = new FrontMatter(block, yaml, eol)
  for (const [key, value] of Object.entries(edits)) frontMatter.set(key, value)
  return frontMatter.toString()
}

describe('an edit', () => {
  test('replaces one value and keeps its comments', () => {
    const block = '# mine\nname: old   # so called\nother:   "kept"   # too\n'
    expect(edited(block, { name: 'new' })).toBe('# mine\nname: new   # so called\nother:   "kept"   # too\n')
  })

  test('replaces a value of many lines as a whole', () => {
    const block = 'description: >-\n  one\n\n  two\n\nother: 1\n'
    expect(edited(block, { description: 'three' })).toBe('description: three\n\nother: 1\n')
  })

  test('removes a key with the comment right above it, and leaves one that is about more', () => {
    const block = '# the file\n\n# until the trip\nexpires: 2026-11-15T00:00:00Z\n\nother: 1\n'
    expect(edited(block, { expires: undefined })).toBe('# the file\n\nother: 1\n')
    expect(edited('a: 1\n# gone\nexpires: x\n# foot\n', { expires: undefined })).toBe('a: 1\n# foot\n')
    const last = 'a: 1\n\n# about all of it\n\n# until the trip\nexpires: x\n# foot\n'
    expect(edited(last, { expires: undefined })).toBe('a: 1\n\n# about all of it\n\n# foot\n')
    expect(edited('# the file\n\nexpires: x\n', { expires: undefined })).toBe('# the file\n\n')
  })

  test.each([
    ['name: a\nkind: fact\n', 'id', 'name: a\nid: new\nkind: fact\n'],
    ['kind: fact\nname: a\n', 'id', 'kind: fact\nname: a\nid: new\n'],
    ['metadata:\n  a: 1\n', 'name', 'name: new\nmetadata:\n  a: 1\n'],
    ['title: x\n', 'name', 'title: x\nname: new\n'],
    ['# foot\n', 'name', 'name: new\n# foot\n'],
    ['# head\n\nkind: fact\n', 'name', '# head\n\nname: new\nkind: fact\n'],
    ['# about kind\nkind: fact\n', 'name', 'name: new\n# about kind\nkind: fact\n'],
    ['name: a\n\n# theirs\nx: 1\n', 'description', 'name: a\ndescription: new\n\n# theirs\nx: 1\n'],
    ['name: |\n  a\n\nx: 1\n', 'description', 'name: |\n  a\n\ndescription: new\nx: 1\n'],
    ['', 'name', 'name: new\n'],
  ])('puts a new key at its place: %j', (block, key, expected) => {
    expect(edited(block, { [key]: 'new' })).toBe(expected)
  })

  test('writes the line ends of the file', () => {
    expect(edited('a: 1\r\n', { name: 'x', metadata: { b: 1 } }, '\r\n')).toBe(
      'a: 1\r\nname: x\r\nmetadata:\r\n  b: 1\r\n',
    )
  })

  test('of what others refer to keeps every value, if not the style', () => {
    const block = 'name: &n Old\nother: *n\nlist: [1, &x {a: b}]\nagain: *x\n'
    const text = edited(block, { name: 'New' })
    expect(yaml(text)).toEqual({ name: 'New', other: 'Old', list: [1, { a: 'b' }], again: { a: 'b' } })
    expect(edited(block, { id: 'i' })).toBe('name: &n Old\nid: i\nother: *n\nlist: [1, &x {a: b}]\nagain: *x\n')
  })

  test('of a block that is one flow mapping keeps every value', () => {
    expect(edited('{name: a, other: [1, 2]}\n', { name: 'b' })).toBe('name: b\nother: [1,2]\n')
  })

  test('that could only be made by losing a value is refused', () => {
    expect(() => edited('{name: a, other: .nan}\n', { name: 'b' })).toThrow(BrokenText)
    expect(edited('name: "a"\nother: .nan\n', { name: 'b' })).toBe('name: b\nother: .nan\n')
    const exact: ParseYaml = (text) => parse(text, { logLevel: 'error', intAsBigInt: true })
    const frontMatter = new FrontMatter('{name: a, other: 12345678901234567890}\n', exact)
    frontMatter.set('name', 'b')
    expect(() => frontMatter.toString()).toThrow(BrokenText)
  })

  test('does not let the value above swallow the blank lines of the key that goes', () => {
    const block = 'text: |+\n  a\n\nname: x\n\n\nother: 1\n'
    expect(yaml(edited(block, { name: undefined }))).toEqual({ text: 'a\n\n', other: 1 })
    expect(yaml(edited(block, { description: 'd' }))).toEqual({ text: 'a\n\n', name: 'x', description: 'd', other: 1 })
  })
})

// A block as people keep it: every style, comments everywhere, keys of theirs between ours.
const CHUNKS = [
  ['title', '# what it is about\ntitle: "A: B"\n'],
  ['name', 'name: Old name # so called\n'],
  ['description', "description: 'it''s old'\n"],
  ['related', '# links\nrelated:\n- one\n# not this one\n- two\n\n'],
  ['aliases', 'aliases:\n  - a\n\n  - b # short\n'],
  ['text', 'text: |+\n  keep\n    this\n\n\n'],
  ['created', 'created: 2026-11-15T14:03:00Z\n'],
  ['flow', 'flow: {a: [1, 2],\n  b: c}   # both\n'],
  ['metadata', '# ours\nmetadata:\n    deep: {x: 1}\n    # inside\n    flat: yes\n'],
  ['quoted key', '"quoted key": 0o17\n'],
  ['date', 'date: 2026-11-15\n\n'],
] as const

test('any edits leave every other chunk as it is, in its order', () => {
  const edit = fc.tuple(
    fc.constantFrom('name', 'description', 'id', 'kind', 'aliases', 'created', 'expires', 'origin', 'metadata'),
    fc.option(fc.constantFrom<JsonValue>('x', 'a: b', ['p', 'q'], { k: 'v' }), { nil: undefined }),
  )
  fc.assert(
    fc.property(fc.shuffledSubarray([...CHUNKS]), fc.array(edit, { maxLength: 5 }), (chunks, edits) => {
      const block = `${chunks.map(([, text]) => text).join('')}# the end of it\n`
      const frontMatter = new FrontMatter(block, yaml)
      const wanted = new Map<string, unknown>(Object.entries((yaml(block) as object | null) ?? {}))
      for (const [key, value] of edits) {
        frontMatter.set(key, value)
        if (value === undefined) wanted.delete(key)
        else wanted.set(key, value)
      }
      const text = frontMatter.toString()
      expect(yaml(text) ?? {}).toEqual(Object.fromEntries(wanted))
      expect(text.endsWith('# the end of it\n')).toBe(true)
      const touched = new Set<string>(edits.map(([key]) => key))
      let from = 0
      for (const [key, chunk] of chunks) {
        if (touched.has(key)) continue
        for (const line of chunk.trimEnd().split('\n')) {
          const at = text.indexOf(`${line}\n`, from)
          expect(at, `${line} in\n${text}`).toBeGreaterThanOrEqual(from)
          from = at + line.length
        }
      }
    }),
    { numRuns: isNightly ? 2000 : 150 },
  )
})
