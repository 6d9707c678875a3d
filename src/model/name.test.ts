import { describe, expect, it } from 'vitest'
import { isNightly } from '../../test/tier.ts'
import { InvalidError } from '../errors.ts'
import { type Random, seededRandom } from '../testing/random.ts'
import { applyBatch } from './apply.ts'
import { Draft } from './draft.ts'
import type { Entry } from './entry.ts'
import { nameFromContent, normalizeAgentId, normalizeName, refuseReservedName, slug, slugCandidates } from './name.ts'
import { SeqCounter } from './seq.ts'
import { instant } from './time.ts'

const GENERATED = isNightly ? 100_000 : 3_000
const SAFE = /^[\p{L}\p{N}\p{M}]+(-[\p{L}\p{N}\p{M}]+)*$/u
const WINDOWS_DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/

describe('normalizeName', () => {
  it.each([
    ['Deploys', 'Deploys'],
    ['  outer blanks\u00a0', 'outer blanks'],
    ['Cafe\u0301', 'Caf\u00e9'],
    ['x'.repeat(200), 'x'.repeat(200)],
    ['🎉'.repeat(200), '🎉'.repeat(200)],
    ['../../etc/passwd', '../../etc/passwd'],
    ['MEMORY', 'MEMORY'],
  ])('takes %j as %j', (given, name) => {
    expect(normalizeName(given)).toBe(name)
  })

  it.each([
    ['nothing', ''],
    ['blanks', ' \t '],
    ['201 characters', 'x'.repeat(201)],
    ['a line feed', 'a\nb'],
    ['NUL', 'a\0'],
    ['an escape', '\u001b[0m'],
    ['next line', 'a\u0085b'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['a lone surrogate', 'a\ud83d'],
    ['a number', 7],
    ['null', null],
    ['undefined', undefined],
  ])('refuses %s, naming the field', (_, given) => {
    expect(() => normalizeName(given, 'alias')).toThrow(InvalidError)
    expect(() => normalizeName(given, 'alias')).toThrow(/^alias: /)
  })
})

describe('refuseReservedName', () => {
  it('refuses the names of the two pages that every agent has, and only these', () => {
    for (const name of ['MEMORY', 'IDENTITY']) expect(() => refuseReservedName(name)).toThrow(/reserved/)
    for (const name of ['memory', 'Memory', 'MEMORY.md', 'identity ']) refuseReservedName(name)
  })
})

describe('slug', () => {
  it.each([
    ['Deploys', 'deploys'],
    ['How we Deploy', 'how-we-deploy'],
    ['a -- b__c', 'a-b-c'],
    ['--a--', 'a'],
    ['C++', 'c'],
    ['C#', 'c'],
    ['C!', 'c'],
    ['Über uns', 'über-uns'],
    ['Cafe\u0301', 'caf\u00e9'],
    ['東京 タワー', '東京-タワー'],
    ['Привет, мир', 'привет-мир'],
    ['हिन्दी', 'हिन्दी'],
    ['עברית', 'עברית'],
    ['ﬁle Ⅷ', 'file-viii'],
    ['ＡＢＣ１２３', 'abc123'],
    ['a\u200bb\u00adc', 'abc'],
    ['a\u200d\u0301', '\u00e1'],
    ['1½', '11-2'],
    ['v1.2.3', 'v1-2-3'],
    ['../../etc/passwd', 'etc-passwd'],
    ['/absolute/path', 'absolute-path'],
    ['C:\\Windows', 'c-windows'],
    ['.hidden', 'hidden'],
    ['emoji 🎉 party', 'emoji-party'],
    ['..', ''],
    ['?!', ''],
    ['🎉', ''],
    ['', ''],
    ['\u0301', ''],
    ['\u3164', ''],
  ])('makes %j to %j', (name, expected) => {
    expect(slug(name)).toBe(expected)
  })

  it('is the same for every Unicode form and case of a name', () => {
    for (const name of ['Ångström Ḍéploy', 'ﬁancée', 'Ωmega', '각 한글', 'Ệ']) {
      for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const) {
        expect(slug(name.normalize(form))).toBe(slug(name))
        expect(slug(name.toUpperCase().normalize(form))).toBe(slug(name))
      }
    }
  })

  it('has at most 80 characters and 200 bytes, and ends in no dash', () => {
    expect(slug('x'.repeat(200))).toBe('x'.repeat(80))
    expect(slug(`${'x'.repeat(79)} yz`)).toBe('x'.repeat(79))
    expect(slug(`${'x'.repeat(78)} yz`)).toBe(`${'x'.repeat(78)}-y`)
    expect(bytes(slug('語'.repeat(200)))).toBe(198)
    expect(bytes(slug('𠮷'.repeat(200)))).toBe(200)
  })
})

describe('slugCandidates', () => {
  it('counts up from the second', () => {
    expect(first(slugCandidates('Deploys'), 3)).toEqual(['deploys', 'deploys-2', 'deploys-3'])
  })

  it('has a word for a name without letter or digit', () => {
    expect(first(slugCandidates('?!'), 2)).toEqual(['untitled', 'untitled-2'])
  })

  it('passes over what Windows reserves', () => {
    for (const name of ['CON', 'nul', 'Com1', 'lpt9', 'PRN', 'aux', 'COM\u00b9']) {
      expect(first(slugCandidates(name), 1)[0]).toMatch(/^[a-z]{3}\d?-2$/)
    }
    expect(first(slugCandidates('console'), 1)).toEqual(['console'])
    expect(first(slugCandidates('nul.txt'), 1)).toEqual(['nul-txt'])
  })

  it('stays within the limits with its number', () => {
    expect(first(slugCandidates('x'.repeat(200)), 2)[1]).toBe(`${'x'.repeat(78)}-2`)
    for (const candidate of first(slugCandidates('語'.repeat(100)), 120)) {
      expect(bytes(candidate)).toBeLessThanOrEqual(200)
    }
  })
})

describe('normalizeAgentId', () => {
  it.each([
    ['main', 'main'],
    ['Ada', 'ada'],
    ['a.b_c-9', 'a.b_c-9'],
    ['_x', '_x'],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['console', 'console'],
  ])('takes %j as %j', (given, id) => {
    expect(normalizeAgentId(given)).toBe(id)
  })

  it.each(['', '.', '..', '.x', 'x.', 'a/b', 'a\\b', 'a b', 'ü', 'a\n', '\0', 'x'.repeat(65), 'world', 'World'])(
    'refuses %j',
    (given) => {
      expect(() => normalizeAgentId(given)).toThrow(InvalidError)
    },
  )

  it.each(['con', 'NUL', 'com1', 'aux.txt', 'lpt9.'])('refuses %j, which Windows reserves', (given) => {
    expect(() => normalizeAgentId(given)).toThrow(/safe folder name/)
  })

  it.each([null, undefined, 7, {}])('refuses %j, which is not text', (given) => {
    expect(() => normalizeAgentId(given)).toThrow(InvalidError)
  })
})

describe('nameFromContent', () => {
  it.each([
    ['Likes green tea.', 'Likes green tea'],
    ['\n\n# Heading\n\ntext', 'Heading'],
    ['> - * quoted item', 'quoted item'],
    ['---\n!!!\nThe first line with words', 'The first line with words'],
    ['one two three four five six seven eight nine', 'one two three four five six seven eight'],
    [`short ${'x'.repeat(70)}`, 'short'],
    ['x'.repeat(100), 'x'.repeat(60)],
    ['tab\tand\u0007bell', 'tab and bell'],
    ['one\u2028two', 'one two'],
    ['Cafe\u0301', 'Caf\u00e9'],
    ['MEMORY', 'MEMORY (note)'],
    ['?!', 'untitled'],
    ['! ! ! ! ! ! ! ! words come too late', 'untitled'],
    ['\u3164', 'untitled'],
  ])('makes %j to %j', (content, name) => {
    expect(nameFromContent(content)).toBe(name)
  })

  it('looks only so far into a long text, and cuts no character in two', () => {
    expect(nameFromContent(`${'\n'.repeat(1998)}a🎉`)).toBe('a')
    expect(nameFromContent(`${'\n'.repeat(3000)}far away`)).toBe('untitled')
  })
})

describe(`${GENERATED} generated texts`, () => {
  const texts = [...generated(20_261_115, GENERATED)]

  it('are each a clear error or a name in its one form', () => {
    const outcomes = { taken: 0, refused: 0 }
    for (const text of texts) {
      const name = orInvalid(() => normalizeName(text))
      outcomes[name === undefined ? 'refused' : 'taken']++
      if (name === undefined) continue
      if (normalizeName(name) !== name || [...name].length > 200 || /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) {
        expect.fail(`${JSON.stringify(text)} became the name ${JSON.stringify(name)}`)
      }
    }
    expect(outcomes.taken).toBeGreaterThan(GENERATED / 10)
    expect(outcomes.refused).toBeGreaterThan(GENERATED / 10)
  })

  it('make only slugs that are safe as file names, and stable', () => {
    for (const text of texts) {
      const made = slug(text)
      if (made !== '' && (!isSafeSlug(made) || slug(made) !== made || made.normalize('NFKC').toLowerCase() !== made)) {
        expect.fail(`${JSON.stringify(text)} became the slug ${JSON.stringify(made)}`)
      }
    }
  })

  it('make only candidates that are safe as file names, and go on to another one', () => {
    for (const text of texts) {
      const candidates = first(slugCandidates(text), 3)
      const safe = candidates.every((candidate) => isSafeSlug(candidate) && !WINDOWS_DEVICES.test(candidate))
      if (!safe || new Set(candidates).size === 1) {
        expect.fail(`${JSON.stringify(text)} became the candidates ${JSON.stringify(candidates)}`)
      }
    }
  })

  it('are each a clear error or a topic with a file name of its own (every tenth)', () => {
    const outcomes = { taken: 0, refused: 0 }
    for (const text of texts.filter((_, n) => n % 10 === 0)) {
      const entry = orInvalid(() => addedTopic(text))
      outcomes[entry === undefined ? 'refused' : 'taken']++
      if (entry && (!isSafeSlug(slug(entry.name ?? '')) || entry.name !== normalizeName(text))) {
        expect.fail(`${JSON.stringify(text)} became the topic ${JSON.stringify(entry.name)}`)
      }
    }
    expect(outcomes.taken).toBeGreaterThan(GENERATED / 100)
    expect(outcomes.refused).toBeGreaterThan(GENERATED / 100)
  })

  it('are each a clear error or an agent id that is a safe folder name', () => {
    let taken = 0
    for (const text of texts) {
      const id = orInvalid(() => normalizeAgentId(text))
      if (id === undefined) continue
      taken++
      const safe = /^(?!\.)[a-z0-9._-]{1,64}(?<!\.)$/.test(id) && !WINDOWS_DEVICES.test(id.split('.')[0] ?? '')
      if (!safe || id === 'world' || normalizeAgentId(id) !== id) {
        expect.fail(`${JSON.stringify(text)} became the agent ${JSON.stringify(id)}`)
      }
    }
    expect(taken).toBeGreaterThan(GENERATED / 100)
  })

  it('give names as contents that are in their one form', () => {
    for (const text of texts) {
      if (!text.isWellFormed()) continue
      const name = nameFromContent(text)
      if (normalizeName(name) !== name || slug(name) === '' || [...name].length > 190) {
        expect.fail(`${JSON.stringify(text)} got the name ${JSON.stringify(name)}`)
      }
    }
  })
})

function addedTopic(name: string): Entry | undefined {
  const draft = new Draft({ get: () => undefined, head: () => undefined, owner: () => undefined })
  const context = { now: instant(0), zone: 'UTC', newId: () => '', seqs: new SeqCounter(1, () => undefined) }
  const operations = [{ op: 'add', scope: 'world', kind: 'topic', name, content: 'text' }] as const
  return applyBatch(draft, { operations, origin: { by: 'hand' } }, context)[0]?.after
}

function first<T>(items: Iterable<T>, count: number): T[] {
  const out: T[] = []
  for (const item of items) {
    if (out.push(item) === count) break
  }
  return out
}

function isSafeSlug(text: string): boolean {
  return SAFE.test(text) && [...text].length <= 80 && bytes(text) <= 200
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length
}

/** `undefined` for a clear error; any other error fails the test. */
function orInvalid<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof InvalidError && error.hint?.startsWith('Allowed: ')) return undefined
    throw error
  }
}

const NASTY: readonly string[] = [
  ...'/\\.:*?"<>|~%$-_ ()[]{}#+!\'`^&=;,@',
  ...'\0\u0001\t\n\r\u001b\u007f\u0085\u00a0\u00ad\u2028\u2029\ufeff\u3000',
  ...'\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2066\u2069\u061c\u180e',
  ...'\u0300\u0301\u0307\u0308\u0327\u0345\u20dd\u3099\u0338',
  ...'\u115f\u1160\u3164\uffa0\ufe0f',
  ...'ßẞıİſKÅΩςΣσǅŉ½²Ⅷﬁﷺ㍿ａＺ１٣',
  ...'éüñ漢字かなカナ한글กาअिабвאבגعرب',
  ...['🎉', '👨‍👩‍👧', '🏳️‍🌈', '𠮷', '𝔘𝔫𝔦', '\ud800', '\udfff', 'e\u0301', '\u1100\u1161\u11a8', '가'],
]
const WHOLE: readonly string[] = [
  ...['con', 'CON', 'prn', 'Aux', 'NUL', 'com1', 'COM9', 'lpt0', 'com\u00b9', 'con.txt', 'nul.', 'conin$'],
  ...['.', '..', '...', '../..', '/etc/passwd', 'C:\\', '\\\\server\\share', '~', '-', '--help', 'world', 'MEMORY'],
  ...['__proto__', 'constructor', 'untitled', 'untitled-2', 'index.md', 'entries/a'],
]
const PLAIN: readonly string[] = [...'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789']

function* generated(seed: number, count: number): Generator<string> {
  const random = seededRandom(seed)
  for (let n = 0; n < count; n++) yield variant(random, text(random))
}

function text(random: Random): string {
  if (random.chance(10)) return random.pick(WHOLE)
  const length = random.chance(25) ? 60 + random.int(200) : random.int(14)
  const nasty = random.pick([1, 2, 6, 1000])
  return Array.from({ length }, () => random.pick(random.chance(nasty) ? NASTY : PLAIN)).join('')
}

function variant(random: Random, text: string): string {
  switch (random.int(8)) {
    case 0:
      return text.toUpperCase()
    case 1:
      return text.normalize('NFD')
    case 2:
      return text.normalize('NFKC')
    case 3:
      return `${random.pick(NASTY)}${text}${random.pick(NASTY)}`
    case 4:
      return random.pick(WHOLE) + text
    default:
      return text
  }
}
