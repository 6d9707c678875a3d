import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintsOf } from './fingerprints.ts'
import { newPart } from './new-part.ts'

const TEXT = `## Boiler

The boiler was serviced on the third of May by the plumber from Elm Street, who said that it will last two more winters.
The spare key hangs behind the blue door of the shed.
Tina: tall, red hair`
const KEY = 'The spare key hangs behind the blue door of the shed.'

const prints = new Set(fingerprintsOf(TEXT))

describe('newPart', () => {
  it.each([
    ['the text', TEXT],
    ['a line', KEY],
    ['a short line as a whole', 'tina: Tall, RED hair!'],
    ['a part of it', 'was serviced on the third of May by the plumber from Elm Street, who said'],
    [
      'what begins and ends inside a word',
      `er from Elm Street, who said that it will last two more winters. ${KEY} Tina: ta`,
    ],
    ['with words around it', `As far as I know: ${KEY} OK?`],
    ['with a yes before it', `Yes, ${KEY}`],
    ['with words before it that affirm it', `That is right: ${KEY}`],
    ['with its sentences in another order', `Tina: tall, red hair\n${KEY}\n${TEXT.split('\n')[2]}`],
  ])('leaves nothing of %s', (_, text) => {
    expect(newPart(text, prints)).toBeUndefined()
  })

  it.each([
    ['a short answer', 'yes'],
    ['two words of it', 'red hair'],
    ['a few words of it', 'by the plumber from Elm'],
    [
      'its words in another order',
      'who said that the plumber from Elm Street was serviced by the boiler on two more winters?',
    ],
    ['news on the same subject', 'The plumber from Elm Street came again, and the boiler will have to be replaced.'],
    ['a sentence that is denied', `That is no longer so: ${KEY}`],
    [
      'a sentence that goes on',
      'The spare key hangs behind the blue door of the shed: no longer so, my sister has it.',
    ],
    ['another number in it', TEXT.split('\n')[2]?.replace('two', '2') ?? ''],
    ['another date in it', TEXT.split('\n')[2]?.replace('third of May', 'ninth of June') ?? ''],
    ['another name in it', TEXT.split('\n')[2]?.replace('Elm', 'Oak') ?? ''],
    ['another last word, without a full stop', 'the spare key hangs behind the blue door of the house'],
    ['another first word', 'One spare key hangs behind the blue door of the shed.'],
    ['a no before it', `No, ${KEY}`],
    ['a side behind it', KEY.replace('.', ', on the right.')],
    ['a word put in', KEY.replace('hangs', 'never hangs')],
    ['a word left out', KEY.replace('blue ', '')],
    [
      'a short sentence that was said before, among others',
      'I saw her again. Tina: tall, red hair. She has a dog now.',
    ],
    ['nothing', ''],
    ['blanks and marks', '  \n--\n'],
  ])('gives back to the letter: %s', (_, text) => {
    expect(newPart(text, prints)).toBe(text)
  })

  it.each([
    ['behind', `${KEY} I lost my umbrella near gate 21.`, 'I lost my umbrella near gate 21.'],
    ['before', `I lost my umbrella near gate 21. ${KEY}`, 'I lost my umbrella near gate 21.'],
    ['between', `${KEY}\n\n- my passport is  X1234567\n\n${KEY}`, '- my passport is  X1234567'],
    ['around', `First this.\nThen that. ${KEY}\nAnd more.`, 'First this.\nThen that. \nAnd more.'],
    ['behind the whole text', `${TEXT}\n\nAlso I moved to Oak Street.\n`, 'Also I moved to Oak Street.'],
    ['in a word before', `Done. ${KEY}`, 'Done.'],
    ['in a word behind', `${KEY}\nyes`, 'yes'],
    ['in an answer', `Yes. ${KEY}`, 'Yes.'],
    ['behind a lead-in', `Here is what I remember: ${KEY} My sister has it now.`, 'My sister has it now.'],
    ['as code', `${KEY}\n\`\`\`js\n  let a = 1\n\n  b()\n\`\`\``, '```js\n  let a = 1\n\n  b()\n```'],
  ])('gives back what is new %s of what is repeated', (_, text, own) => {
    expect(newPart(text, prints)).toBe(own)
  })

  it('takes a sentence that is put together from the words of others for new', () => {
    const tickets = Array.from(
      { length: 90 },
      (_, n) =>
        `Ticket ${n}: the customer from region ${n % 9} reported that the login page does not load, see team ${n % 4}.`,
    )
    const known = new Set(tickets.flatMap(fingerprintsOf))
    for (const text of tickets) expect(newPart(text, known)).toBeUndefined()
    for (let n = 0; n < 90; n++) {
      const other = `Ticket ${n}: the customer from region ${(n + 1) % 9} reported that the login page does not load, see team ${(n + 2) % 4}.`
      expect(newPart(other, known)).toBe(other)
    }
  })

  it('gives back a block of code as a whole when one line of it is new', () => {
    const code = '```js\nconst boiler = connect("cellar", { port: 7 })\nboiler.start()\nawait boiler.ready()\n```'
    const known = new Set(fingerprintsOf(code))
    const other = code.replace('start()', 'stop(3)')
    expect(newPart(code, known)).toBeUndefined()
    expect(newPart(`Look:\n${other}`, known)).toBe(`Look:\n${other}`)
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
      expect([text, newPart(text, own)]).toEqual([text, undefined])
    }
    for (const text of [name, `${name} is something else now`, 'Who is this about?', `${content} no more`]) {
      expect([text, newPart(text, own)]).toEqual([text, text])
    }
  })

  it('knows scripts that do not part words', () => {
    const known = new Set(fingerprintsOf('锅炉在五月三日由榆树街的水管工维修过，他说还能用两个冬天。'))
    expect(newPart('榆树街的水管工维修过，他说还能用两个冬天', known)).toBeUndefined()
    for (const text of [
      '水管工昨天又来了，他说锅炉得在冬天之前换掉才行',
      '锅炉在六月九日由榆树街的水管工维修过，他说还能用两个冬天。',
    ]) {
      expect(newPart(text, known)).toBe(text)
    }
    expect(newPart('锅炉在五月三日由榆树街的水管工维修过，他说还能用两个冬天。我的护照是九号。', known)).toBe(
      '我的护照是九号。',
    )
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
        expect(newPart(disguised.toLowerCase(), known)).toBeUndefined()
      }),
    )
  })

  it('gives back a sentence of any words to the letter, wherever it stands among what is repeated', () => {
    const words = (prefix: string): fc.Arbitrary<string> =>
      fc.array(fc.nat(99), { minLength: 3, maxLength: 20 }).map((some) => some.map((n) => `${prefix}${n}`).join(' '))
    fc.assert(
      fc.property(fc.array(words('old'), { minLength: 1, maxLength: 6 }), words('new'), fc.nat(6), (old, own, at) => {
        const known = new Set(fingerprintsOf(old.join('.\n')))
        const mixed = [...old.slice(0, at), own, ...old.slice(at)].map((sentence) => `${sentence}.`).join('\n')
        expect(newPart(mixed, known)).toContain(`${own}.`)
      }),
    )
  })

  it.each(['a ', '京', 'b. ', 'c\n', '1. ', '    1.\n'])(
    'looks at each word of a long text a few times: %j',
    (part) => {
      const looks = (text: string, injected: string): number => {
        const known = new Set(fingerprintsOf(injected))
        let count = 0
        newPart(text, {
          has: (print) => {
            count++
            return known.has(print)
          },
        })
        return count
      }
      const [short, long] = [part.repeat(1000), part.repeat(2000)]
      expect(looks(long, long)).toBeLessThan(2.2 * looks(short, short) + 1000)
      expect(looks(long, TEXT)).toBeLessThan(2.2 * looks(short, TEXT) + 1000)
    },
  )

  // Work far from linear would run into the test's timeout.
  it.each(['...', '."', '> ', '\n', ' ', '<br ', '{"', 'x'])(
    'reads a long text without words in one pass: %j',
    (part) => {
      const text = part.repeat(200_000 / part.length)
      expect([text, undefined]).toContain(newPart(text, prints))
      expect(fingerprintsOf(text).length).toBeLessThan(10)
    },
  )
})
