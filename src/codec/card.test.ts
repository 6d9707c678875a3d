import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseCard, serializeCard } from './card.ts'
import { BrokenText, type FileEntry, type ParseYaml } from './file-entry.ts'

const yaml: ParseYaml = (text) => parse(text, { logLevel: 'error' })
const id = '0190c5e2-7b1a-7c3d-8e4f-0123456789ab'
const at = '2026-11-15T14:03:00.000Z'
const later = '2026-11-16T09:00:00.000Z'
const empty: FileEntry = { aliases: [], description: '', metadata: {}, content: 'Text.' }

const full: FileEntry = {
  id,
  kind: 'fact',
  name: 'Deploys',
  aliases: ['shipping', 'release: day'],
  description: 'How we ship.',
  metadata: { team: 'core', tags: ['ops'], limits: { days: [1, 2] } },
  createdAt: at,
  updatedAt: later,
  expiresAt: later,
  origin: { by: 'agent', agent: 'main', session: 's1' },
  content: 'Ship on Friday.\n\nNever on Monday.',
}

const FULL = `---
name: Deploys
description: How we ship.
id: ${id}
kind: fact
aliases: [shipping, "release: day"]
created: ${at}
updated: ${later}
expires: ${later}
origin: {"by":"agent","agent":"main","session":"s1"}
metadata:
  team: core
  tags: [ops]
  limits: {"days":[1,2]}
---

Ship on Friday.

Never on Monday.
`

describe('a card of ours', () => {
  test('says all that the entry is, in our order', () => {
    expect(serializeCard(full, undefined, yaml)).toBe(FULL)
    expect(parseCard(FULL, yaml)).toEqual(full)
  })

  test('leaves out what goes without saying', () => {
    const entry: FileEntry = {
      ...empty,
      id,
      kind: 'note',
      name: 'A',
      createdAt: at,
      updatedAt: at,
      origin: { by: 'agent' },
    }
    const text = `---\nname: A\nid: ${id}\ncreated: ${at}\norigin: agent\n---\n\nText.\n`
    expect(serializeCard(entry, undefined, yaml)).toBe(text)
    expect(parseCard(text, yaml)).toEqual({ ...empty, id, name: 'A', createdAt: at, origin: { by: 'agent' } })
  })

  test('keeps a key called __proto__ as the user wrote it', () => {
    const metadata = JSON.parse('{"__proto__":{"__proto__":1},"constructor":2}') as FileEntry['metadata']
    const text = serializeCard({ ...empty, metadata }, undefined, yaml)
    const read = parseCard(text, yaml).metadata
    expect(JSON.stringify(read)).toBe('{"__proto__":{"__proto__":1},"constructor":2}')
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['1']).toBe(undefined)
  })
})

describe('a card by hand', () => {
  test('without front matter is its text', () => {
    expect(parseCard('Just a thought.\n\n', yaml)).toEqual({ ...empty, content: 'Just a thought.' })
    expect(parseCard('', yaml)).toEqual({ ...empty, content: '' })
  })

  test.each([
    ['name: 2024', { name: '2024' }],
    ['name: 1.10 # version', { name: '1.10' }],
    ['name: True', { name: 'True' }],
    ['name: 0x1F', { name: '0x1F' }],
    ['name: 2026-11-15', { name: '2026-11-15' }],
    ['name:', {}],
    ['name: "  Padded "', { name: 'Padded' }],
    ['description: 42', { description: '42' }],
    ['description: |\n  two\n  lines\n', { description: 'two lines' }],
    ['aliases: one', { aliases: ['one'] }],
    ['aliases: 1.10', { aliases: ['1.10'] }],
    ['aliases:', { aliases: [] }],
    ['aliases:\n- one\n- 2024\n- true', { aliases: ['one', '2024', 'true'] }],
    ['aliases: [a, a, "b"]', { aliases: ['a', 'b'] }],
    ['created: 2026-11-15T15:03:00+01:00', { createdAt: at }],
    ['created: 2026-11-15', { createdAt: '2026-11-15T00:00:00.000Z' }],
    ['created: !!timestamp 2026-11-15T14:03:00Z', { createdAt: at }],
    ['kind: note', { kind: 'note' }],
    ['origin: hand', { origin: { by: 'hand' } }],
    ['origin:\n  by: import\n  session: s', { origin: { by: 'import', session: 's' } }],
    ['tags: [a, b]', { metadata: { tags: ['a', 'b'] } }],
    ['tags: a', { metadata: { tags: 'a' } }],
    ['tags:', {}],
    ['metadata:\n  n: 1\ntags: [a]', { metadata: { n: 1, tags: ['a'] } }],
    ['metadata: {when: !!timestamp 2026-11-15T14:03:00Z}', { metadata: { when: at } }],
    ['metadata:', {}],
    ['whatever: {x: 1}\n# comment', {}],
    ['name: x\nexpires: 7', { name: 'x', undated: 'line 3: expires: 7 is not a time such as 2026-11-15T14:03:00Z' }],
  ])('is understood: %j', (block, said) => {
    expect(parseCard(`---\n${block}\n---\nText.\n`, yaml)).toEqual({ ...empty, ...said })
  })

  test.each([
    ['---\nname: x\n', /never closed/, 1],
    ['---\nname: x\ncreated: 15.11.2026\n---\n', /created: "15.11.2026" is not a time/, 3],
    ['---\nupdated: soon\n---\n', /updated: "soon" is not a time/, 2],
    ['---\nid: 7\n---\n', /id: 7 is not a UUID/, 2],
    ['---\nname: x\n\n# c\nkind: recipe\n---\n', /kind: "recipe" is not a kind; here can be note, fact, archive/, 5],
    ['---\nkind: topic\n---\n', /kind: "topic" has another place/, 2],
    ['---\nkind: [a]\n---\n', /is not a kind/, 2],
    ['---\nname: [a]\n---\n', /name: is not text/, 2],
    ['---\nname: "a\\nb"\n---\n', /name: holds control characters/, 2],
    ['---\naliases: {a: b}\n---\n', /aliases: is not text/, 2],
    ['---\naliases: [1.10]\n---\n', /put it in quotes/, 2],
    ['---\naliases: [[a]]\n---\n', /put it in quotes/, 2],
    ['---\norigin: my uncle\n---\n', /origin: "my uncle" is none of agent, user, hand/, 2],
    ['---\norigin: {agent: x}\n---\n', /origin: undefined is none of/, 2],
    ['---\norigin: [x]\n---\n', /does not say by whom/, 2],
    ['---\nmetadata: text\n---\n', /metadata: "text" is not a mapping/, 2],
    ['---\nmetadata: {a: .nan}\n---\n', /NaN is not a JSON number/, 2],
    ['---\nmetadata: {a: !!binary aGk=}\n---\n', /is not JSON/, 2],
    ['---\nmetadata: {a: "\\ud800"}\n---\n', /broken Unicode/, 2],
    [`---\nmetadata: {a: ${'['.repeat(50)}${']'.repeat(50)}}\n---\n`, /nested too deeply/, 2],
    ['---\ntags: [a]\nmetadata:\n  tags: [b]\n---\n', /tags: stand both here and under metadata/, 2],
    ['---\na: 1\na: 2\n---\n', /"a" stands here twice/, 3],
    ['---\n- a\n---\n', /not a mapping/, 2],
    ['---\na: [\n---\n', /not YAML/, 2],
    ['text\n\0', /NUL/, 2],
  ])('that can not be understood says why and where: %j', (text, problem, line) => {
    try {
      parseCard(text, yaml)
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(BrokenText)
      expect(error).toMatchObject({ line, problem: expect.stringMatching(problem) })
    }
  })
})

const HAND = `\uFEFF---  \r
# My note about shipping\r
\r
title: "Shipping: a guide"   # kept\r
name: 'Deploys'\r
\r
# how it is found\r
aliases:\r
- shipping\r
# old name\r
- release\r
created: 2026-11-15T15:03:00+01:00 # Berlin\r
tags: [ops,   team]\r
description: >-\r
  How we\r
  ship.\r
related:\r
    - [a, b]\r
# the end\r
---\r
Ship on Friday.\r
\r
Never on Monday.\r
\r
`

describe('a rewrite of a card by hand', () => {
  const read = parseCard(HAND, yaml)

  test('that changes nothing changes no byte', () => {
    expect(serializeCard(read, HAND, yaml)).toBe(HAND)
  })

  // What each edit takes out of the text and puts in its place; all other bytes must stay.
  test.each<[string, Partial<FileEntry>, string, string]>([
    ['name', { name: 'New: name' }, "name: 'Deploys'", 'name: "New: name"'],
    ['description', { description: 'Short.' }, 'description: >-\r\n  How we\r\n  ship.', 'description: Short.'],
    ['no description', { description: '' }, 'description: >-\r\n  How we\r\n  ship.', 'description: ""'],
    ['id', { id }, '  ship.\r\n', `  ship.\r\nid: ${id}\r\n`],
    ['kind', { kind: 'archive' }, '  ship.\r\n', '  ship.\r\nkind: archive\r\n'],
    [
      'aliases',
      { aliases: ['a', 'b c'] },
      'aliases:\r\n- shipping\r\n# old name\r\n- release\r\n',
      'aliases: [a, b c]\r\n',
    ],
    ['no aliases', { aliases: [] }, '# how it is found\r\naliases:\r\n- shipping\r\n# old name\r\n- release\r\n', ''],
    ['created', { createdAt: later }, '2026-11-15T15:03:00+01:00', later],
    ['updated', { updatedAt: later }, '# Berlin\r\n', `# Berlin\r\nupdated: ${later}\r\n`],
    ['expires', { expiresAt: later }, '# Berlin\r\n', `# Berlin\r\nexpires: ${later}\r\n`],
    ['origin', { origin: { by: 'undo' } }, '# Berlin\r\n', '# Berlin\r\norigin: undo\r\n'],
    ['metadata', { metadata: { ...read.metadata, size: 1 } }, '# Berlin\r\n', '# Berlin\r\nmetadata:\r\n  size: 1\r\n'],
    ['tags', { metadata: { tags: ['ops', 'x: y'] } }, 'tags: [ops,   team]', 'tags: [ops, "x: y"]'],
    ['no tags', { metadata: {} }, 'tags: [ops,   team]\r\n', ''],
    ['content', { content: 'Ship\nnow.' }, 'Ship on Friday.\r\n\r\nNever on Monday.\r\n\r\n', 'Ship\nnow.\r\n'],
    [
      'content that starts with a line break',
      { content: '\nShip.' },
      'Ship on Friday.\r\n\r\nNever on Monday.\r\n\r\n',
      '\r\n\nShip.\r\n',
    ],
    ['no content', { content: '' }, 'Ship on Friday.\r\n\r\nNever on Monday.\r\n\r\n', ''],
  ])('that changes the %s changes just that', (_, change, before, after) => {
    const entry = { ...read, ...change }
    const text = serializeCard(entry, HAND, yaml)
    expect(HAND.split(before)).toHaveLength(2)
    expect(text).toBe(HAND.replace(before, () => after))
    expect(parseCard(text, yaml)).toEqual(entry)
  })

  test('keeps a description that is still to be filled in', () => {
    const text = '---\nname: A\ndescription:\n---\nText.\n'
    expect(serializeCard({ ...empty, name: 'B' }, text, yaml)).toBe('---\nname: B\ndescription:\n---\nText.\n')
  })

  test('puts front matter before a text that had none, and leaves the text as it was', () => {
    expect(serializeCard({ ...empty, name: 'A' }, 'Text.', yaml)).toBe('---\nname: A\n---\n\nText.')
    expect(serializeCard({ ...empty, name: 'A' }, 'Text.\r\n\r\n', yaml)).toBe(
      '---\r\nname: A\r\n---\r\n\r\nText.\r\n\r\n',
    )
  })

  test('puts tags under metadata where the file has no line for them', () => {
    expect(serializeCard({ ...empty, metadata: { tags: ['a'] } }, '---\nx: 1\n---\n\nText.\n', yaml)).toBe(
      '---\nx: 1\nmetadata:\n  tags: [a]\n---\n\nText.\n',
    )
  })

  test('writes tags so that they are read again, whatever they are and wherever the file had them', () => {
    const files = ['x: 1', 'tags:', 'tags: [a]', 'metadata:\n  tags: [a]', 'tags:\nmetadata:\n  tags: [a]\n  b: 1']
    for (const block of files) {
      for (const metadata of [
        {},
        { tags: null },
        { tags: [] },
        { tags: ['a'] },
        { tags: ['b'] },
        { b: 1, tags: 'c' },
      ]) {
        const text = serializeCard({ ...empty, metadata }, `---\n${block}\n---\nText.\n`, yaml)
        expect(parseCard(text, yaml).metadata, text).toEqual(metadata)
      }
    }
  })

  test('moves updated only when it no longer goes without saying', () => {
    const text = `---\ncreated: ${at}\nupdated: ${at}\n---\n\nText.\n`
    const entry = { ...empty, createdAt: at, updatedAt: at }
    expect(serializeCard(entry, text, yaml)).toBe(text)
    expect(serializeCard({ ...entry, updatedAt: later }, text, yaml)).toBe(
      `---\ncreated: ${at}\nupdated: ${later}\n---\n\nText.\n`,
    )
    expect(serializeCard({ ...entry, createdAt: later, updatedAt: later }, text, yaml)).toBe(
      `---\ncreated: ${later}\n---\n\nText.\n`,
    )
    const bare = `---\ncreated: ${at}\n---\n\nText.\n`
    expect(parseCard(serializeCard({ ...entry, createdAt: later }, bare, yaml), yaml)).toMatchObject({
      createdAt: later,
      updatedAt: at,
    })
  })

  test('does not build on a text that does not parse', () => {
    expect(serializeCard({ ...empty, name: 'A' }, '---\nname: [\n---\n', yaml)).toBe('---\nname: A\n---\n\nText.\n')
  })
})
