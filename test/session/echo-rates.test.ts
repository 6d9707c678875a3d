/**
 * How often the echo guard errs, on real chats: turns of a conversation are injected, and the whole conversation comes back.
 * An echo that passes is a memory that feeds on itself, a new turn that is held back is lost. The rates are printed.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDataset } from '../../src/eval/dataset.ts'
import { docEntries } from '../../src/eval/doc-entries.ts'
import { memoryStore, openMemory } from '../../src/index.ts'
import { fingerprintsOf, isEcho } from '../../src/session/fingerprints.ts'

const DATA = resolve(import.meta.dirname, '../../../shared/data/dev')
const MISSING = existsSync(DATA) ? undefined : 'there is no ../shared/data/dev to measure with'

/** Below that, nobody can tell. */
const SHORTEST = 3
/** Of a shorter text a half is too short to tell. */
const LONG = 16

interface Rate {
  readonly of: number
  readonly wrong: number
}

interface Rates {
  readonly echoes: Rate
  readonly halves: Rate
  readonly fresh: Rate
}

function ratesOf(name: string): Rates {
  const file = join(DATA, `${name}.json`)
  const tally = { echoes: [0, 0], halves: [0, 0], fresh: [0, 0] } as Record<keyof Rates, [of: number, wrong: number]>
  const count = (of: keyof Rates, isWrong: boolean): void => {
    tally[of][0]++
    if (isWrong) tally[of][1]++
  }
  for (const { docs } of parseDataset(readFileSync(file, 'utf8'), file).scopes) {
    const texts = docs.map(({ text }) => text)
    // Every third: more than a session ever injects of what is said in it.
    const injected = new Set(texts.filter((_, n) => n % 3 === 0))
    const prints = new Set([...injected].flatMap(fingerprintsOf))
    for (const text of texts) {
      const words = text.split(/\s+/)
      if (!injected.has(text)) count('fresh', isEcho(text, prints))
      else if (words.length >= SHORTEST) count('echoes', !isEcho(text, prints))
      if (!injected.has(text) || words.length < LONG) continue
      const quarter = Math.floor(words.length / 4)
      const half = words.slice(quarter, words.length - quarter).join(' ')
      count('halves', !isEcho(`Here is what I remember: ${half}`, prints))
    }
  }
  const rate = ([of, wrong]: [number, number]): Rate => ({ of, wrong })
  return { echoes: rate(tally.echoes), halves: rate(tally.halves), fresh: rate(tally.fresh) }
}

function percent({ of, wrong }: Rate): number {
  return (100 * wrong) / of
}

if (MISSING !== undefined) console.warn(`SKIPPED: ${MISSING}`)

describe.skipIf(MISSING !== undefined)('the echo guard on real chats', () => {
  it.each([
    // People talking to each other.
    { name: 'locomo', ofEchoes: 0, ofHalves: 3, ofFresh: 0.3 },
    // A developer and an assistant, who print the same code and ask the same questions again with a few words changed.
    { name: 'beam100k', ofEchoes: 0, ofHalves: 1, ofFresh: 6 },
  ])('errs on $name in at most $ofFresh % of what is new, $ofHalves % of halves and $ofEchoes % of echoes', (bars) => {
    const { echoes, halves, fresh } = ratesOf(bars.name)
    const line = (what: string, rate: Rate): string =>
      `${what} ${rate.wrong} of ${rate.of} (${percent(rate).toFixed(2)} %)`
    const text = [line('echoes passed', echoes), line('halves passed', halves), line('new held back', fresh)].join(', ')
    console.log(`${bars.name}: ${text}`)
    expect(fresh.of).toBeGreaterThan(200)
    expect(percent(echoes)).toBeLessThanOrEqual(bars.ofEchoes)
    expect(percent(halves)).toBeLessThanOrEqual(bars.ofHalves)
    expect(percent(fresh)).toBeLessThanOrEqual(bars.ofFresh)
  })

  it('holds back in a session what it was given, and lets pass what else was said in the same conversation', async () => {
    const file = join(DATA, 'locomo.json')
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
