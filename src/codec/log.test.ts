import { describe, expect, test } from 'vitest'
import type { FileEntry } from './file-entry.ts'
import { blockWith, parseLog, replaceBlocks, serializeBlock, textToAppend } from './log.ts'

const id = '0190c5e2-7b1a-7c3d-8e4f-0123456789ab'
const at = '2026-11-15T14:03:00.000Z'

function entry(content: string, more: Partial<FileEntry> = {}): FileEntry {
  return { aliases: [], description: '', metadata: {}, content, ...more }
}

describe('a block', () => {
  test('is the heading, the comment, a blank line and the text', () => {
    expect(serializeBlock(entry('Shipped.', { id }), '14:03', 'time')).toBe(
      `## 14:03\n<!-- {"id":"${id}"} -->\n\nShipped.\n`,
    )
    expect(serializeBlock(entry('Shipped.', { id }), at, 'instant')).toBe(
      `## ${at}\n<!-- {"id":"${id}"} -->\n\nShipped.\n`,
    )
    expect(serializeBlock(entry('Shipped.'), '14:03', 'time')).toBe('## 14:03\n\nShipped.\n')
  })

  test('says its attributes in one order, each only when there is something to say', () => {
    const full = entry('Text.', {
      id,
      key: 'mood',
      description: 'D',
      createdAt: at,
      updatedAt: '2026-11-16T00:00:00.000Z',
      expiresAt: '2026-12-15T00:00:00.000Z',
      origin: { by: 'agent', agent: 'main', session: 's1' },
      metadata: { a: [1, null] },
    })
    const text = serializeBlock(full, '14:03', 'time')
    expect(text.split('\n')[1]).toBe(
      `<!-- {"id":"${id}","key":"mood","description":"D","at":"${at}","updated":"2026-11-16T00:00:00.000Z",` +
        '"expires":"2026-12-15T00:00:00.000Z","origin":{"by":"agent","agent":"main"},"session":"s1","metadata":{"a":[1,null]}} -->',
    )
    expect(parseLog(text, 'time').blocks[0]?.entry).toEqual(full)
    const plain = serializeBlock(
      entry('Text.', { createdAt: at, updatedAt: at, origin: { by: 'hand' } }),
      '14:03',
      'time',
    )
    expect(plain.split('\n')[1]).toBe(`<!-- {"at":"${at}","origin":"hand"} -->`)
  })

  test('has a comment that nothing inside can close', () => {
    const metadata = { a: '--> <b> <!-- -- --- -', '-->': '\n\u2028' }
    const [, comment = ''] = serializeBlock(entry('x', { metadata }), '14:03', 'time').split('\n')
    const inner = comment.slice('<!-- '.length, -' -->'.length)
    expect(inner).not.toMatch(/--|[<>\u2028]/)
    expect(JSON.parse(inner)).toEqual({ metadata })
  })

  test.each([
    ['## 14:03', '\\## 14:03'],
    ['## 14:03\r\nx', '\\## 14:03\r\nx'],
    ['\\## 14:03', '\\\\## 14:03'],
    ['\\\\\\<!-- {', '\\\\\\\\<!-- {'],
    ['# 2026-11-15', '\\# 2026-11-15'],
    ['<!-- {"id":1} -->', '\\<!-- {"id":1} -->'],
    ['## 24:00\n## 14:03 Standup\n ## 14:03\n# 2026-13-01\n\\x\n<!-- x -->', undefined],
    ['## 2026-02-27T14:30:00.000Z', undefined],
    ['---\n</memory>\n```\n## 14:03x', undefined],
  ])('escapes a line that looks like ours, and no other: %j', (content, written = content) => {
    const text = serializeBlock(entry(content), '14:03', 'time')
    expect(text).toBe(`## 14:03\n\n${written}\n`)
    expect(parseLog(text, 'time').blocks.map((block) => block.entry.content)).toEqual([content])
  })

  test('of a history escapes what a history takes for a heading', () => {
    const content = `## ${at}\n## 14:03\n# 2026-11-15\n## 2026-02-30T00:00:00.000Z`
    const text = serializeBlock(entry(content), at, 'instant')
    expect(text).toBe(`## ${at}\n\n\\## ${at}\n## 14:03\n# 2026-11-15\n## 2026-02-30T00:00:00.000Z\n`)
    expect(parseLog(text, 'instant').blocks.map((block) => block.entry.content)).toEqual([content])
  })
})

describe('a log by hand', () => {
  test('is valid without our marks', () => {
    const text = '# 2026-11-15\n## 09:00\nStood up.\n## 10:00\n\n\nSat down.\n\n\n'
    const { head, blocks } = parseLog(text, 'time')
    expect(head).toBe('# 2026-11-15\n')
    expect(blocks).toEqual([
      { raw: '## 09:00\nStood up.\n', heading: '09:00', entry: entry('Stood up.') },
      { raw: '## 10:00\n\n\nSat down.\n\n\n', heading: '10:00', entry: entry('\nSat down.') },
    ])
  })

  test('may come from a Windows editor', () => {
    const text = `\uFEFF# 2026-11-15\r\n\r\n## 09:00\r\n<!-- {"id":"${id}"} -->\r\n\r\nOne\r\ntwo.\r\n\r\n## 10:00\r\nThree.`
    const { head, blocks } = parseLog(text, 'time')
    expect(head).toBe('\uFEFF# 2026-11-15\r\n\r\n')
    expect(blocks.map((block) => [block.heading, block.entry])).toEqual([
      ['09:00', entry('One\r\ntwo.', { id })],
      ['10:00', entry('Three.')],
    ])
  })

  test('may have text before the first heading, which is an entry', () => {
    const { head, blocks } = parseLog('# 2026-11-15\n\n# 2026-11-16\n\n\nPlans.\n\n## 09:00\nx', 'time')
    expect(head).toBe('# 2026-11-15\n\n# 2026-11-16\n\n\n')
    expect(blocks[0]).toEqual({ raw: 'Plans.\n\n', heading: '', entry: entry('Plans.') })
    expect(parseLog('# History\n\n## 09:00\n', 'instant').blocks).toEqual([
      { raw: '# History\n\n## 09:00\n', heading: '', entry: entry('# History\n\n## 09:00') },
    ])
  })

  test('may have a blank line between heading and comment, as formatters put it', () => {
    const [block] = parseLog(`## 09:00\n\n<!-- {"id":"${id}"} -->\n\nx\n`, 'time').blocks
    expect(block?.entry).toEqual(entry('x', { id }))
  })

  test('may be empty, or have headings only', () => {
    expect(parseLog('', 'time')).toEqual({ head: '', blocks: [] })
    expect(parseLog('# 2026-11-15\n\n', 'time')).toEqual({ head: '# 2026-11-15\n\n', blocks: [] })
    expect(parseLog('## 09:00\n## 09:00', 'time').blocks.map((block) => block.entry.content)).toEqual(['', ''])
  })
})

describe('a bad block', () => {
  test.each([
    ['<!-- {"id":"x', /does not end on its line/, { undated: expect.any(String) }],
    ['<!-- {"id":} -->', /not JSON/, { undated: expect.any(String) }],
    ['<!-- {} {} -->', /not JSON/, { undated: expect.any(String) }],
    ['<!-- { todo: me } -->', /not JSON/, { undated: expect.any(String) }],
    ['<!-- {"id":"7"} -->', /id: "7" is not a UUID/, {}],
    [
      `<!-- {"id":"${id}","expires":"soon","key":"k"} -->`,
      /expires: "soon" is not a time/,
      { id, key: 'k', undated: expect.any(String) },
    ],
    [
      `<!-- {"id":"${id}","at":7,"metadata":[]} -->`,
      /at: 7 is not a time.*metadata: this is not a mapping/,
      { id, undated: expect.stringMatching(/^at: 7 is not a time[^;]*$/) },
    ],
    ['<!-- {"origin":"uncle"} -->', /origin: "uncle"/, {}],
    ['<!-- {"session":7} -->', /session: is not text/, {}],
    ['<!-- {"key":""} -->', /key: is empty/, {}],
  ])('has a problem and what can be read of it: %s', (comment, problem, said) => {
    const text = `## 09:00\n\nfirst\n\n## 10:00\n${comment}\n\nsecond\n\n## 11:00\n<!-- {"id":"${id}"} -->\n\nthird\n`
    const [first, second, third] = parseLog(text, 'time').blocks
    expect(first).toEqual({ raw: '## 09:00\n\nfirst\n\n', heading: '09:00', entry: entry('first') })
    expect(second?.problem).toMatch(problem)
    expect(second?.entry).toEqual(entry('second', said))
    expect(third?.entry).toEqual(entry('third', { id }))
    expect(third?.problem).toBe(undefined)
  })

  test('may be one with NUL characters', () => {
    expect(parseLog('## 09:00\n\na\0\n', 'time').blocks[0]?.problem).toMatch(/NUL/)
  })
})

describe('appending', () => {
  const block = '## 09:00\n\nx\n'

  test.each([
    ['', '2026-11-15', `# 2026-11-15\n\n${block}`],
    ['', undefined, block],
    ['x\n', '2026-11-15', `\n${block}`],
    ['\n\n', '2026-11-15', block],
    ['\n', undefined, `\n${block}`],
    ['xx', '2026-11-15', `\n\n${block}`],
    ['\r\n', undefined, `\n${block}`],
  ])('after %j (title %s) leaves one blank line before the block', (end, title, text) => {
    expect(textToAppend(end, title, block)).toBe(text)
  })
})

describe('replacing a block', () => {
  const file = parseLog('# 2026-11-15\n\n## 09:00\na\n## 10:00\n\nb\n\n\n## 11:00\n\nc', 'time')

  test.each([
    [0, 'NEW\n', '# 2026-11-15\n\nNEW\n\n## 10:00\n\nb\n\n\n## 11:00\n\nc'],
    [1, 'NEW\n', '# 2026-11-15\n\n## 09:00\na\nNEW\n\n## 11:00\n\nc'],
    [2, 'NEW\n', '# 2026-11-15\n\n## 09:00\na\n## 10:00\n\nb\n\n\nNEW\n'],
    [0, undefined, '# 2026-11-15\n\n## 10:00\n\nb\n\n\n## 11:00\n\nc'],
    [2, undefined, '# 2026-11-15\n\n## 09:00\na\n## 10:00\n\nb\n\n\n'],
  ])('number %i by %j leaves every other byte', (index, block, text) => {
    expect(replaceBlocks(file, new Map([[index, block]]))).toBe(text)
  })
})

describe('the block with a text', () => {
  const text = '# 2026-11-15\n\nbefore all\n\n## 09:00\n\none\n\n## 10:00\r\n\r\ntwo, three\n## 99:99\nfour\n\n## 11:00'

  test.each(['one', '09:00', 'two', 'three', 'four', '11:00'])(
    '%s is the one that parsing all of them gives',
    (sought) => {
      const all = parseLog(text, 'time').blocks
      expect(blockWith(text, sought, 'time')).toEqual(all.find(({ raw }) => raw.includes(sought)))
    },
  )

  test('is none where it stands before the first heading, or nowhere', () => {
    for (const sought of ['before', '2026', 'five']) expect(blockWith(text, sought, 'time')).toBeUndefined()
  })
})

// Work far from linear would run into the test's timeout.
test('a hostile file of 300,000 characters is read and written in one pass', () => {
  const large = (text: string): string => text.repeat(300_000 / text.length)
  for (const text of [
    large('\n'),
    large('\\'),
    large('#'),
    large('\r\n'),
    large('<!-- {'),
    `## 14:03\n<!-- {"metadata":${large('{"a":')} -->`,
    `## 14:03\n<!-- {${large(' ')}-->`,
    `## ${large('1')}`,
    large('\\\n'),
    large('## 14:03\n'),
    large('\\## 14:03\n'),
    large('# 2026-11-15\n'),
    large('## 14:03\n<!-- {"a":\n'),
    `## 14:03\n<!-- {"metadata":{"a":${large('[')}${large(']')}}} -->`,
  ]) {
    const file = parseLog(text, 'time')
    expect(file.head.length + file.blocks.reduce((sum, block) => sum + block.raw.length, 0)).toBe(text.length)
    serializeBlock(entry(text), '14:03', 'time')
  }
})

test('a line of a megabyte comes back', () => {
  const content = `${'\\'.repeat(1_000_000)}## 14:03\n${'x'.repeat(1_000_000)}`
  expect(parseLog(serializeBlock(entry(content), '14:03', 'time'), 'time').blocks[0]?.entry.content).toBe(content)
})
