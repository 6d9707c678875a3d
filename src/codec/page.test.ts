import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { BrokenText, type FileEntry, type ParseYaml } from './file-entry.ts'
import { parsePage, serializePage } from './page.ts'

const yaml: ParseYaml = (text) => parse(text, { logLevel: 'error' })
const page = { bare: false }
const bare = { bare: true }

function entry(content: string, more: Partial<FileEntry> = {}): FileEntry {
  return { aliases: [], description: '', metadata: {}, content, ...more }
}

describe('a page', () => {
  test('is its text where there is no more to say', () => {
    expect(serializePage(entry('# C\n\nA language.'), undefined, yaml, page)).toBe('# C\n\nA language.\n')
    expect(parsePage('# C\n\nA language.\n', yaml)).toEqual(entry('# C\n\nA language.'))
  })

  test('says what its path does not', () => {
    const given = entry('A language.', {
      name: 'C++',
      aliases: ['cpp'],
      description: 'Fast.',
      metadata: { year: 1985 },
    })
    const text = '---\nname: C++\ndescription: Fast.\naliases: [cpp]\nmetadata:\n  year: 1985\n---\n\nA language.\n'
    expect(serializePage(given, undefined, yaml, page)).toBe(text)
    expect(parsePage(text, yaml)).toEqual(given)
  })

  test.each([
    ['---\na: b\n---\ntext', '---\n---\n\n---\na: b\n---\ntext\n'],
    ['---\nnot yaml: [\n---', '---\n---\n\n---\nnot yaml: [\n---\n'],
    ['\uFEFF---\n---', '---\n---\n\n\uFEFF---\n---\n'],
    ['---\njust a rule', '---\njust a rule\n'],
    ['\n---\na: b\n---', '\n---\na: b\n---\n'],
  ])('with a text that starts like front matter is told apart: %j', (content, text) => {
    expect(serializePage(entry(content), undefined, yaml, page)).toBe(text)
    expect(parsePage(text, yaml)).toEqual(entry(content))
  })

  test('loses its front matter with the last thing it said', () => {
    const text = '---\nname: X\n---\n\nText.\n'
    expect(serializePage(entry('Text.'), text, yaml, page)).toBe('Text.\n')
    expect(serializePage(entry('Text.'), '---\nname: X\n# mine\n---\n\nText.\n', yaml, page)).toBe(
      '---\n# mine\n---\n\nText.\n',
    )
    expect(serializePage(entry('---\n---'), '---\nname: X\n---\n---\n---\n', yaml, page)).toBe('---\n---\n---\n---\n')
  })

  test('keeps keys that are not its own, also those that a card would read', () => {
    const text = '---\ncreated: long ago # roughly\nkind: recipe\norigin: my uncle\n---\nText.\n'
    expect(parsePage(text, yaml)).toEqual(entry('Text.'))
    expect(serializePage(entry('New.', { name: 'N' }), text, yaml, page)).toBe(
      '---\nname: "N"\ncreated: long ago # roughly\nkind: recipe\norigin: my uncle\n---\nNew.\n',
    )
  })

  test('with front matter that is none is broken', () => {
    expect(() => parsePage('---\nSome text\n---\nMore.\n', yaml)).toThrow(BrokenText)
  })
})

describe('a bare page', () => {
  test('is never parsed for front matter and never given one', () => {
    const content = '---\nname: [\n---\nText.'
    expect(parsePage(`${content}\n`, yaml, bare)).toEqual(entry(content))
    expect(serializePage(entry(content, { name: 'X', description: 'D' }), undefined, yaml, bare)).toBe(`${content}\n`)
  })

  test('may be empty', () => {
    expect(serializePage(entry(''), undefined, yaml, bare)).toBe('')
    expect(serializePage(entry(''), 'Old.\n', yaml, bare)).toBe('')
    expect(parsePage('', yaml, bare)).toEqual(entry(''))
  })

  test('keeps its line ends when its text stays', () => {
    expect(serializePage(entry('Text.'), 'Text.\r\n\r\n', yaml, bare)).toBe('Text.\r\n\r\n')
    expect(serializePage(entry('Text.'), 'Text.', yaml, bare)).toBe('Text.')
  })

  test('with NUL characters is broken', () => {
    expect(() => parsePage('a\0', yaml, bare)).toThrow(BrokenText)
  })
})
