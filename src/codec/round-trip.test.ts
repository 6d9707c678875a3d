import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isNightly } from '../../test/tier.ts'
import { normalizeDescription, stripFinalNewlines } from '../model/content.ts'
import type { Metadata, Origin } from '../model/entry.ts'
import { canonicalJson, normalizeMetadata } from '../model/json.ts'
import { normalizeName } from '../model/name.ts'
import { parseCard, serializeCard } from './card.ts'
import { BrokenText, type FileEntry, type ParseYaml } from './file-entry.ts'
import { type LogFlavour, parseLog, replaceBlocks, serializeBlock, textToAppend } from './log.ts'
import { parsePage, serializePage } from './page.ts'

const RUNS = isNightly ? 500 : 40
const DAMAGED = isNightly ? 3400 : 150

const yaml: ParseYaml = (text) => parse(text, { logLevel: 'error' })
const noYaml: ParseYaml = () => {
  throw new Error('what we write must be read without the library')
}

// Lines that mean something somewhere: to us, to YAML, to Markdown, to an HTML comment, to a prompt.
const LINES = [
  '---',
  '--- ',
  '...',
  '## 12:00',
  '## 23:59',
  '## 24:00',
  '# 2026-11-15',
  '## 2026-02-27T14:30:00.000Z',
  '<!-- {"id":"x"} -->',
  '<!-- {',
  '-->',
  '</memory>',
  '```',
  '~~~md',
  'name: x',
  'metadata:',
  '  tags: [x]',
  'tags: [a]',
  'tags:',
  '  a: 1',
  'a: b # c',
  '\uFEFF',
  '\uFEFF---',
  '\\',
  '"',
  "'",
  '\t',
  '   ',
  '\u2028',
  '\u0085',
  'x'.repeat(600),
]

const line = fc.oneof(
  fc.constantFrom(...LINES),
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(...LINES)).map(([n, text]) => '\\'.repeat(n) + text),
  fc.tuple(fc.constantFrom(...LINES), fc.constantFrom(' ', '\r', 'x', '\t')).map(([text, end]) => text + end),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
)

const nastyText = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n', '\r', '\n\n', '')), { maxLength: 8 })
  .map((parts) =>
    stripFinalNewlines(
      parts
        .map(([text, end]) => text + end)
        .join('')
        .replaceAll('\0', ''),
    ),
  )

const nastyName = fc
  .oneof(line, fc.constantFrom('2024', '1.10', 'yes', 'null', '- a', 'a: b', 'C# # x', '~', '2026-11-15', '__proto__'))
  .filter(isName)

const instant = fc
  .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2200-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString())

const metadata: fc.Arbitrary<Metadata> = fc
  .array(
    fc.tuple(
      fc.oneof(
        nastyName,
        fc.string({ unit: 'binary', maxLength: 6 }),
        fc.constantFrom('tags', '', 'a: b', 'k'.repeat(2000)),
      ),
      fc.oneof(
        fc.constant(null),
        fc.jsonValue({ maxDepth: 3 }),
        nastyText,
        fc.array(nastyName, { maxLength: 3 }),
        fc.double(),
        instant,
      ),
    ),
    { maxLength: 4 },
  )
  .map((pairs) => withoutNul(Object.fromEntries(pairs.map(([key, value]) => [key, finite(value)]))))
  .map(normalizeMetadata)

function withoutNul(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '\\u0001'))
}

const origin: fc.Arbitrary<Origin> = fc.record(
  {
    by: fc.constantFrom('agent', 'hand', 'consolidation', 'raw-fallback', 'import', 'undo'),
    agent: fc.constantFrom('main', 'a-1'),
    session: nastyName,
  },
  { requiredKeys: ['by'] },
)

const described = {
  id: fc.uuid(),
  name: nastyName,
  aliases: fc.uniqueArray(nastyName, { maxLength: 4 }),
  description: nastyText.map(normalizeDescription),
  metadata,
  content: nastyText,
}

const pageEntry: fc.Arbitrary<FileEntry> = fc.record(described, {
  requiredKeys: ['aliases', 'description', 'metadata', 'content'],
})

const cardEntry: fc.Arbitrary<FileEntry> = fc.record(
  {
    ...described,
    kind: fc.constantFrom('note', 'fact', 'archive'),
    createdAt: instant,
    updatedAt: instant,
    expiresAt: instant,
    origin,
  },
  { requiredKeys: ['aliases', 'description', 'metadata', 'content'] },
)

const logEntry: fc.Arbitrary<FileEntry> = fc.record(
  {
    id: fc.uuid(),
    key: nastyName,
    aliases: fc.constant([]),
    description: described.description,
    metadata,
    createdAt: instant,
    updatedAt: instant,
    expiresAt: instant,
    origin,
    content: nastyText,
  },
  { requiredKeys: ['aliases', 'description', 'metadata', 'content'] },
)

const heading = {
  time: fc.constantFrom('00:00', '09:05', '23:59'),
  instant,
} as const

/** Whether the model takes it for a name as it is. */
function isName(text: string): boolean {
  try {
    return normalizeName(text) === text
  } catch {
    return false
  }
}

function finite(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? 0 : value
}

/** An entry without what a file leaves out because it goes without saying. */
function told(entry: FileEntry): FileEntry {
  const { kind, updatedAt, ...rest } = entry
  return {
    ...rest,
    ...(kind === undefined || kind === 'note' ? {} : { kind }),
    ...(updatedAt === undefined || updatedAt === entry.createdAt ? {} : { updatedAt }),
  }
}

function expectSame(actual: FileEntry, wanted: FileEntry): void {
  // As text, because toEqual takes a user's own "__proto__" for the prototype.
  const [read, given] = [actual, wanted].map((entry) => canonicalJson(normalizeMetadata(told(entry))))
  expect(read).toBe(given)
}

describe('a card', () => {
  test('reads back as it was written, without the YAML library', () => {
    fc.assert(
      fc.property(cardEntry, (entry) => {
        expectSame(parseCard(serializeCard(entry, undefined, noYaml), noYaml), entry)
      }),
      { numRuns: RUNS },
    )
  })

  test('rewritten over any other card reads as the new one', () => {
    fc.assert(
      fc.property(cardEntry, cardEntry, (before, entry) => {
        const previous = serializeCard(before, undefined, noYaml)
        expectSame(parseCard(serializeCard(entry, previous, noYaml), noYaml), entry)
      }),
      { numRuns: RUNS },
    )
  })

  test('rewritten over any readable text reads as the new one', () => {
    fc.assert(
      fc.property(nastyText, nastyText, cardEntry, (block, body, entry) => {
        const previous = `---\n${block}\n---\n${body}`
        expectSame(parseCard(serializeCard(entry, previous, yaml), yaml), entry)
      }),
      { numRuns: RUNS },
    )
  })

  test('written with what was read of it changes no byte', () => {
    fc.assert(
      fc.property(nastyText, cardEntry, fc.constantFrom('', '\n', '\r\n\r\n', '\n\n\n'), (text, entry, end) => {
        for (const previous of [text + end, serializeCard(entry, undefined, noYaml) + end]) {
          const read = readOrUndefined(() => parseCard(previous, yaml))
          if (read) expect(serializeCard(read, previous, yaml)).toBe(previous)
        }
      }),
      { numRuns: RUNS },
    )
  })
})

describe('a page', () => {
  test('reads back as it was written, bare or not, without the YAML library', () => {
    fc.assert(
      fc.property(pageEntry, (entry) => {
        const bare = { bare: true }
        expectSame(parsePage(serializePage(entry, undefined, noYaml, { bare: false }), noYaml), entry)
        expect(parsePage(serializePage(entry, undefined, noYaml, bare), noYaml, bare).content).toBe(entry.content)
      }),
      { numRuns: RUNS },
    )
  })

  test('rewritten over any other page reads as the new one', () => {
    fc.assert(
      fc.property(pageEntry, pageEntry, nastyText, (before, entry, text) => {
        for (const previous of [serializePage(before, undefined, noYaml, { bare: false }), text]) {
          expectSame(parsePage(serializePage(entry, previous, yaml, { bare: false }), yaml), entry)
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('written with what was read of it changes no byte', () => {
    fc.assert(
      fc.property(nastyText, fc.constantFrom('', '\n', '\r\n\r\n'), fc.boolean(), (text, end, bare) => {
        const read = readOrUndefined(() => parsePage(text + end, yaml, { bare }))
        if (read) expect(serializePage(read, text + end, yaml, { bare })).toBe(text + end)
      }),
      { numRuns: RUNS },
    )
  })
})

describe.each<LogFlavour>(['time', 'instant'])('a log of headings by %s', (flavour) => {
  const blocks = fc.array(fc.tuple(fc.oneof(heading[flavour]), logEntry), { minLength: 1, maxLength: 5 })
  const title = flavour === 'time' ? '2026-11-15' : undefined

  function fileOf(entries: readonly (readonly [string, FileEntry])[]): string {
    let text = ''
    for (const [time, entry] of entries) {
      text += textToAppend(text.slice(-2), title, serializeBlock(entry, time, flavour))
    }
    return text
  }

  test('holds what was appended to it, in order', () => {
    fc.assert(
      fc.property(blocks, (entries) => {
        const { head, blocks } = parseLog(fileOf(entries), flavour)
        expect(head).toBe(title === undefined ? '' : `# ${title}\n\n`)
        expect(blocks.map((block) => block.heading)).toEqual(entries.map(([time]) => time))
        for (const [index, [, entry]] of entries.entries()) {
          const block = blocks[index]
          expect(block?.problem).toBe(undefined)
          expectSame(block?.entry ?? entry, entry)
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('changes one block and no byte of the others', () => {
    fc.assert(
      fc.property(blocks, logEntry, fc.nat(), fc.boolean(), (entries, entry, seed, removes) => {
        const index = seed % entries.length
        const file = parseLog(fileOf(entries), flavour)
        const time = file.blocks[index]?.heading ?? ''
        const text = replaceBlocks(file, new Map([[index, removes ? undefined : serializeBlock(entry, time, flavour)]]))
        const after = parseLog(text, flavour)
        const others = <T>(list: readonly T[]): T[] => list.filter((_, at) => at !== index)
        const raws = (file: typeof after): string[] => file.blocks.map((block) => block.raw)
        expect(removes ? raws(after) : others(raws(after))).toEqual(others(raws(file)))
        if (removes) return
        expectSame(after.blocks[index]?.entry ?? entry, entry)
        if (index < entries.length - 1) expect(after.blocks[index]?.raw.endsWith('\n\n')).toBe(true)
      }),
      { numRuns: RUNS },
    )
  })

  test('keeps text before the first heading as an entry of its own', () => {
    fc.assert(
      fc.property(logEntry, blocks, (entry, entries) => {
        const first = serializeBlock(entry, '', flavour)
        const text = `# 2026-11-15\n\n${first}\n${entries.map(([time, one]) => serializeBlock(one, time, flavour)).join('\n')}`
        const file = parseLog(flavour === 'time' ? text : text.slice(14), flavour)
        expect(file.blocks[0]?.heading).toBe('')
        expectSame(file.blocks[0]?.entry ?? entry, entry)
        expect(file.blocks).toHaveLength(entries.length + 1)
      }),
      { numRuns: RUNS },
    )
  })

  test('rejoins byte for byte, whatever the text', () => {
    fc.assert(
      fc.property(nastyText, fc.string({ unit: 'binary' }), (text, junk) => {
        for (const whole of [text, `${text}\n${junk}`, `\uFEFF${text}`]) {
          const file = parseLog(whole, flavour)
          expect(file.head + file.blocks.map((block) => block.raw).join('')).toBe(whole)
        }
      }),
      { numRuns: RUNS },
    )
  })
})

describe('damaged files', () => {
  const damage = fc.array(
    fc.record({ at: fc.nat(), byte: fc.nat(255), how: fc.constantFrom('flip', 'cut', 'insert', 'drop', 'copy') }),
    { minLength: 1, maxLength: 6 },
  )
  type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never

  function damaged(text: string, hits: Damage): string {
    let bytes = [...new TextEncoder().encode(text)]
    for (const { at, byte, how } of hits) {
      const where = bytes.length === 0 ? 0 : at % bytes.length
      if (how === 'flip') bytes[where] = byte
      else if (how === 'cut') bytes = bytes.slice(0, Math.max(where, 4))
      else if (how === 'insert') bytes.splice(where, 0, byte)
      else if (how === 'drop') bytes.splice(where, byte % 16)
      else bytes.splice(where, 0, ...bytes.slice(byte, byte + 40))
    }
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(bytes))
  }

  // Made once: making entries takes ten times as long as reading them.
  const seed = { numRuns: 80, seed: 1 }
  const cards = fc.sample(cardEntry, seed).map((entry) => serializeCard(entry, undefined, noYaml))
  const pages = fc.sample(pageEntry, seed).map((entry) => serializePage(entry, undefined, noYaml, { bare: false }))
  const logs = fc.sample(logEntry, seed).map((entry) => `# 2026-11-15\n\n${serializeBlock(entry, '12:00', 'time')}`)

  test('are read or refused, never anything else', () => {
    fc.assert(
      fc.property(fc.nat(79), damage, (index, hits) => {
        const [card = '', page = '', log = ''] = [cards[index], pages[index], logs[index]]
        const cardText = damaged(card, hits)
        const cardRead = readOrUndefined(() => parseCard(cardText, yaml))
        if (cardRead) expect(serializeCard(cardRead, cardText, yaml)).toBe(cardText)
        const pageText = damaged(page, hits)
        const pageRead = readOrUndefined(() => parsePage(pageText, yaml))
        if (pageRead) expect(serializePage(pageRead, pageText, yaml, { bare: false })).toBe(pageText)
        const logText = damaged(log, hits)
        for (const flavour of ['time', 'instant'] as const) {
          const file = parseLog(logText, flavour)
          expect(file.head + file.blocks.map((block) => block.raw).join('')).toBe(logText)
        }
      }),
      { numRuns: DAMAGED },
    )
  })

  test('that are still readable can be rewritten', () => {
    fc.assert(
      fc.property(fc.nat(79), fc.nat(79), damage, (before, after, hits) => {
        const entry = parseCard(cards[after] ?? '', noYaml)
        const written = serializeCard(entry, damaged(cards[before] ?? '', hits), yaml)
        // A line that says in no readable way when it ends stays until a time is set.
        const { undated: _, ...read } = parseCard(written, yaml)
        expectSame(read, entry)
      }),
      { numRuns: isNightly ? 1000 : 100 },
    )
  })
})

function readOrUndefined(read: () => FileEntry): FileEntry | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof BrokenText) return undefined
    throw error
  }
}
