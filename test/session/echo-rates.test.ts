/**
 * How often the echo guard errs, on real chats: turns of a conversation are injected, and the whole conversation comes back.
 * An echo that passes is a memory that feeds on itself, a new turn that is held back is lost. The rates are printed.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDataset } from '../../src/eval/dataset.ts'
import { docEntries } from '../../src/eval/doc-entries.ts'
import { memoryStore, openMemory } from '../../src/index.ts'
import { fingerprintsOf } from '../../src/session/echo/fingerprints.ts'
import { newPart } from '../../src/session/echo/new-part.ts'
import { isNightly, needPublicData, PUBLIC_DATA } from '../tier.ts'

/** Below that, nobody can tell. */
const SHORTEST = 3
/** Of a shorter text a half is too short to tell. */
const LONG = 16

interface Rate {
  readonly of: number
  readonly wrong: number
}

const MEASURED = ['echoes', 'halves', 'held', 'lost', 'mixed', 'mixedLost', 'mixedEchoes'] as const
type Rates = Record<(typeof MEASURED)[number], Rate>

/** The words in a row: what is compared here must not know how the guard compares. */
function plain(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `
}

function countOf(words: string): number {
  return words.split(' ').filter(Boolean).length
}

const LEAD_IN = ' here is what i remember '

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n/)
    .map(plain)
    .filter((sentence) => sentence.split(' ').length >= SHORTEST + 2)
}

function ratesOf(name: string): Rates {
  const file = join(PUBLIC_DATA, `${name}.json`)
  const tally = Object.fromEntries(MEASURED.map((of) => [of, { of: 0, wrong: 0 }])) as Record<
    keyof Rates,
    { of: number; wrong: number }
  >
  const count = (of: keyof Rates, isWrong: boolean): void => {
    tally[of].of++
    if (isWrong) tally[of].wrong++
  }
  const { scopes } = parseDataset(readFileSync(file, 'utf8'), file)
  for (const { docs } of scopes.filter((_, n) => isNightly || n % 4 === 0)) {
    const texts = docs.map(({ text }) => text)
    // Every third: more than a session ever injects of what is said in it.
    const injected = [...new Set(texts.filter((_, n) => n % 3 === 0))]
    const prints = new Set(injected.flatMap(fingerprintsOf))
    const given = plain(injected.join('\n'))
    for (const text of injected) {
      const words = text.split(/\s+/)
      if (words.length >= SHORTEST) count('echoes', newPart(text, prints) !== undefined)
      if (words.length < LONG) continue
      const quarter = Math.floor(words.length / 4)
      const half = words.slice(quarter, words.length - quarter).join(' ')
      const back = plain(newPart(`Here is what I remember: ${half}`, prints) ?? '').replace(LEAD_IN, ' ')
      tally.halves.of += countOf(plain(half))
      tally.halves.wrong += countOf(back)
    }
    for (const [n, text] of texts.filter((text) => !injected.includes(text)).entries()) {
      const own = plain(text)
      const sentences = sentencesOf(text)
      // What was said before is not lost.
      const lostOf = (back: string): string[] =>
        sentences.filter((sentence) => !back.includes(sentence) && !given.includes(sentence))
      const fresh = newPart(text, prints)
      const lost = fresh === text ? [] : lostOf(plain(fresh ?? ''))
      count('held', lost.length > 0 && fresh === undefined)
      for (const sentence of sentences) count('lost', lost.includes(sentence))
      const echo = injected[n % injected.length] ?? ''
      const mixture = n % 2 === 0 ? `${echo}\n\n${text}` : `${text} ${echo}`
      const back = plain(newPart(mixture, prints) ?? '')
      const mixedLost = lostOf(back)
      count('mixed', mixedLost.length > 0)
      for (const sentence of sentences) count('mixedLost', mixedLost.includes(sentence))
      for (const sentence of sentencesOf(echo)) {
        if (!own.includes(sentence)) count('mixedEchoes', back.includes(sentence))
      }
    }
  }
  return tally
}

function percent({ of, wrong }: Rate): number {
  return (100 * wrong) / of
}

describe('the echo guard on real chats', () => {
  needPublicData()

  it.each([
    // People talking to each other.
    { name: 'locomo', ofHalves: 9 },
    // A developer and an assistant, who print the same code and ask the same questions again with a few words changed.
    ...(isNightly ? [{ name: 'beam100k', ofHalves: 5 }] : []),
  ])('errs on $name in no whole echo, at most $ofHalves % of the words of halves, and 1 % of what is new', (bars) => {
    const rates = ratesOf(bars.name)
    const line = (what: string, rate: Rate): string =>
      `${what} ${rate.wrong} of ${rate.of} (${percent(rate).toFixed(2)} %)`
    const lines = [
      line('echoes passed', rates.echoes),
      line('words of halves passed', rates.halves),
      line('new turns held back', rates.held),
      line('new sentences lost', rates.lost),
      line('in mixtures: new turns that lost a sentence', rates.mixed),
      line('new sentences lost', rates.mixedLost),
      line('echoed sentences passed', rates.mixedEchoes),
    ]
    console.log(`${bars.name}: ${lines.join(', ')}`)
    expect(rates.mixed.of).toBeGreaterThan(200)
    expect(rates.echoes.wrong).toBe(0)
    expect(percent(rates.halves)).toBeLessThanOrEqual(bars.ofHalves)
    for (const of of ['held', 'lost', 'mixed', 'mixedLost'] as const) expect(percent(rates[of])).toBeLessThanOrEqual(1)
  })

  it('holds back in a session what it was given, and lets pass what else was said in the same conversation', async () => {
    const file = join(PUBLIC_DATA, 'locomo.json')
    const [scope] = parseDataset(readFileSync(file, 'utf8'), file).scopes
    if (!scope) throw new Error('the set is empty')
    const { operations, lastMs } = docEntries(scope.docs, 'main', Date.now())
    const clock = (): number => lastMs
    const memory = await openMemory({ store: memoryStore({ clock, settings: { timezone: 'UTC' } }), clock })
    await memory.apply(operations)
    const session = memory.session('chat')
    let given = ''
    for (const { text } of scope.queries.slice(0, 60)) given += (await session.autoRecall(text))?.text ?? ''
    const texts = operations.map(({ content }) => content).filter((text) => text.split(/\s+/).length >= SHORTEST)
    const [wrong, of] = [
      { passed: 0, held: 0 },
      { echoes: 0, fresh: 0 },
    ]
    for (const text of texts) {
      const isGiven = given.includes(text)
      const isFresh = (await session.fresh(text)) === text
      if (isGiven) of.echoes++
      else of.fresh++
      if (isGiven && isFresh) wrong.passed++
      if (!isGiven && !isFresh) wrong.held++
    }
    console.log(
      `one session: echoes passed ${wrong.passed} of ${of.echoes}, new held back ${wrong.held} of ${of.fresh}`,
    )
    expect(of.echoes).toBeGreaterThan(50)
    expect(of.fresh).toBeGreaterThan(200)
    expect(wrong.passed).toBe(0)
    expect(percent({ of: of.fresh, wrong: wrong.held })).toBeLessThanOrEqual(1)
  })
})
