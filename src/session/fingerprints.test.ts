import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintsOf, isEcho } from './fingerprints.ts'

const TEXT = `## Boiler

The boiler was serviced on the third of May by the plumber from Elm Street, who said that it will last two more winters.
The spare key hangs behind the blue door.
Tina: tall, red hair`

const prints = new Set(fingerprintsOf(TEXT))

/** Even of a busy machine; what is not linear takes minutes. */
const MUCH_MS = 20_000

describe('isEcho', () => {
  it.each([
    ['the text', TEXT],
    ['a line', 'The spare key hangs behind the blue door.'],
    ['a short line as a whole', 'tina: Tall, RED hair!'],
    ['a part of it', 'serviced on the third of May by the plumber from Elm Street, who said'],
    ['with words around it', 'As far as I know: the spare key hangs behind the blue door. OK?'],
  ])('knows %s again', (_, text) => {
    expect(isEcho(text, prints)).toBe(true)
  })

  it.each([
    ['a short answer', 'yes'],
    ['two words of it', 'red hair'],
    ['a few words of it', 'by the plumber from Elm'],
    [
      'the same words in another order',
      'who said that the plumber from Elm Street was serviced by the boiler on two more winters?',
    ],
    [
      'news on the same subject',
      'The plumber from Elm Street came again, and the boiler will have to be replaced before the winter.',
    ],
    [
      'a quote with more that is new than old',
      'The spare key hangs behind the blue door: that is no longer so. I gave it to my sister when we went to the coast.',
    ],
    ['nothing', ''],
  ])('takes for new: %s', (_, text) => {
    expect(isEcho(text, prints)).toBe(false)
  })

  it.each([
    ['Gate', 'Gate code is 4711'],
    ['Wifi', 'Password: blue-horse'],
    ['Ada', 'Ada prefers tea'],
    ['Deploy day', 'Deploys run on Fridays only'],
    ['Kim', 'Kim: 5 May 1990'],
  ])('knows a short entry again, with its heading and without: %s', (name, content) => {
    const own = new Set(fingerprintsOf(`From your memory.\n\n## ${name}\n\n${content}`))
    for (const text of [content, `## ${name}\n\n${content}`, `${name} ${content}`, `- ${name}: ${content}`]) {
      expect([text, isEcho(text, own)]).toEqual([text, true])
    }
    for (const text of [name, `${name} is something else now`, 'Who is this about?']) {
      expect([text, isEcho(text, own)]).toEqual([text, false])
    }
  })

  it('takes for new what has much to say besides, though half of it and more is repeated', () => {
    const old = Array.from({ length: 300 }, (_, n) => `old${n}`).join(' ')
    const added = (count: number): string => Array.from({ length: count }, (_, n) => `new${n}`).join(' ')
    const known = new Set(fingerprintsOf(old))
    expect(isEcho(`${old} ${added(70)}`, known)).toBe(true)
    expect(isEcho(`${old} ${added(100)}`, known)).toBe(false)
  })

  it('knows scripts that do not part words', () => {
    const chinese = new Set(fingerprintsOf('锅炉在五月三日由榆树街的水管工维修过，他说还能用两个冬天。'))
    expect(isEcho('榆树街的水管工维修过，他说还能用两个冬天', chinese)).toBe(true)
    expect(isEcho('水管工昨天又来了，他说锅炉得在冬天之前换掉才行', chinese)).toBe(false)
  })

  it('knows any text again, however its case, blanks, marks and accents are written', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcdeéñöstß東京'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.array(word, { minLength: 12, maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (words, width) => {
        const known = new Set(fingerprintsOf(words.join(' ')))
        const disguised = words
          .map((text, n) => (n % 2 === 0 ? `**${text.toUpperCase()}**` : text.normalize('NFD')))
          .map((text, n) => text + (n % width === 0 ? '\r\n> ' : '\t'))
          .join('')
        expect(isEcho(disguised.toLowerCase(), known)).toBe(true)
      }),
    )
  })
})

describe('fingerprintsOf', () => {
  it('has about one number for every two words, and no more than four thousand', () => {
    const words = Array.from({ length: 400 }, (_, n) => `word${n}`)
    expect(fingerprintsOf(words.join(' ')).length).toBeLessThanOrEqual(200)
    const long = Array.from({ length: 20_000 }, (_, n) => `word${n}`).join(' ')
    expect(fingerprintsOf(long).length).toBeLessThanOrEqual(4000)
    expect(isEcho(long, new Set(fingerprintsOf(long)))).toBe(true)
  })

  it('prints a line the same wherever it stands', () => {
    const line = 'The spare key hangs behind the blue door of the shed'
    const known = new Set(fingerprintsOf(`An odd line before it\n${line}`))
    expect(fingerprintsOf(line).every((print) => known.has(print))).toBe(true)
  })

  it('takes time that is proportional to the text', () => {
    const begin = performance.now()
    for (const text of ['a '.repeat(100_000), 'x'.repeat(200_000), '京'.repeat(100_000), '\n'.repeat(200_000)]) {
      isEcho(text, new Set(fingerprintsOf(text)))
    }
    expect(performance.now() - begin).toBeLessThan(MUCH_MS)
  })
})
