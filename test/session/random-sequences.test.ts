/**
 * Random sequences of what may happen to a session, against a plain model of it: turns, what stands for them, what was reset. Some are
 * done by another process, and at some the transcript can't be told, as after a crash.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import { Memory, type Session, type Summed } from '../../src/memory.ts'
import { derivedId } from '../../src/model/id.ts'
import { isFallback } from '../../src/session/archive.ts'
import { windowStart } from '../../src/session/window.ts'
import { isNightly } from '../tier.ts'
import { PLACES, type Place } from './places.ts'
import { untold } from './untold.ts'

type Step =
  | { readonly do: 'say' }
  | { readonly do: 'reset' }
  | {
      readonly do: 'compact'
      readonly reason: 'compact' | 'trim' | 'new'
      readonly raw: boolean
      readonly keep: number
      readonly by: 'keep' | 'take'
    }
  | { readonly do: 'undo'; readonly nth: number }
  | { readonly do: 'redo'; readonly nth: number }
type Run = readonly (Step & { readonly elsewhere: boolean; readonly crash: boolean })[]

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: 'say' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'reset' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('compact' as const),
      reason: fc.constantFrom('compact', 'compact', 'trim', 'new'),
      raw: fc.boolean(),
      keep: fc.nat(2),
      by: fc.constantFrom('keep' as const, 'take' as const),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('undo' as const, 'redo' as const), nth: fc.nat(2) }) },
)
const run: fc.Arbitrary<Run> = fc.array(
  fc.tuple(step, fc.boolean(), fc.nat(3)).map(([one, elsewhere, luck]) => ({ ...one, elsewhere, crash: luck === 0 })),
  { minLength: 3, maxLength: 14 },
)

/** One making of an archive. Turns are numbers. */
interface Made {
  readonly change: number
  readonly id: string
  readonly text: string
  readonly first: number
  readonly through: number
  readonly reason: string
  readonly isFallback: boolean
  readonly replaced: readonly Made[]
  /** The change that took it back. */
  undo?: number
}

class Model {
  turns = 0
  readonly resets: number[] = []
  readonly made: Made[] = []
  readonly there = new Set<Made>()

  get start(): number {
    const through = [...this.there].filter((one) => !one.isFallback).map((one) => one.through)
    return Math.max(-1, ...this.resets, ...through) + 1
  }

  /** What may be shown in the place of what has gone; `undefined`: nothing. */
  get recaps(): readonly (string | undefined)[] {
    const last = this.start - 1
    const reaching = [...this.there].filter((one) => !one.isFallback && one.through === last)
    const isNew = this.resets.includes(last) || reaching.some(({ reason }) => reason === 'new')
    return isNew || reaching.length === 0 ? [undefined] : reaching.map(({ text }) => text)
  }

  rawsIn(first: number, through: number): Made[] {
    return [...this.there].filter((one) => one.isFallback && one.first >= first && one.first <= through)
  }
}

const textOf = (turn: number): string => `${turn % 2 === 0 ? 'question' : 'answer'} ${turn}`

class Trial {
  readonly #place: Place
  readonly #model = new Model()
  readonly #memory: Memory
  #lastOfEntries: Made | undefined

  constructor(place: Place) {
    this.#place = place
    this.#memory = place.open({ contextWindowSize: 2 })
  }

  async run(steps: Run): Promise<void> {
    for (const one of steps) {
      const memory = one.elsewhere ? this.#place.open({ contextWindowSize: 2 }) : this.#memory
      const at = one.crash ? new Memory(untold(memory.store), 'main', Date.now, { contextWindowSize: 2 }) : memory
      await this.#do(one, at)
      await this.#check()
      // The next write tells the transcript what it has missed.
      if (one.crash) await this.#say(this.#place.open({ contextWindowSize: 2 }).session('chat'))
    }
    await this.#check()
  }

  async #do(one: Step, memory: Memory): Promise<void> {
    const session = memory.session('chat')
    if (one.do === 'say') await this.#say(session)
    else if (one.do === 'reset') await this.#reset(session)
    else if (one.do === 'compact') await this.#compact(session, one)
    else if (one.do === 'undo') await this.#undo(memory, one.nth)
    else await this.#redo(memory, one.nth)
  }

  async #say(session: Session): Promise<void> {
    const n = this.#model.turns
    try {
      await session.append([
        { role: 'user', content: textOf(n), id: `t${n}` },
        { role: 'assistant', content: textOf(n + 1), id: `t${n + 1}` },
      ])
    } catch (error) {
      if (isCrash(error)) return
      throw error
    }
    this.#model.turns += 2
  }

  async #reset(session: Session): Promise<void> {
    const { start, turns, recaps, resets } = this.#model
    try {
      const { reset } = await session.reset()
      const isAnything = start < turns || recaps[0] !== undefined
      expect(reset).toBe(isAnything)
      if (isAnything) resets.push(Math.max(start, turns) - 1)
    } catch (error) {
      if (!isCrash(error)) throw error
    }
  }

  async #compact(session: Session, { reason, raw, keep, by }: Step & { readonly do: 'compact' }): Promise<void> {
    const model = this.#model
    const [first, end] = [model.start, model.turns - 2 * keep]
    const text = `${raw ? 'raw' : 'sum'} ${model.made.length}`
    const summary = ({ turns, previous }: { turns: readonly unknown[]; previous?: string }): Summed => {
      expect(turns).toHaveLength(end - first)
      expect(model.recaps).toContain(previous)
      const historyOf = (id: string): string => derivedId('main', `history\0${id}`)
      return {
        text,
        ...(raw ? { raw } : {}),
        origin: { by: raw ? 'raw-fallback' : 'consolidation', agent: 'main', session: 'chat' },
        beside: async ({ id }) => ({
          operations: [
            { op: 'add', scope: 'main', kind: 'history', id: historyOf(id), content: text, metadata: { archive: id } },
          ],
          expect: { [historyOf(id)]: null },
        }),
      }
    }
    // One turn more than an exchange ends with is lowered to there.
    const cut = by === 'keep' ? { keep } : { take: () => Math.max(0, end - first + (keep > 0 ? 1 : 0)) }
    const before = new Set((await this.#memory.log()).map(({ change }) => change.number))
    try {
      const { compacted } = await session.compact({ summary, reason, ...cut })
      expect(compacted).toBe(end > first)
    } catch (error) {
      if (!isCrash(error)) throw error
    }
    const log = await this.#memory.log()
    const made = log.find(
      ({ change, touched }) => !before.has(change.number) && touched.some(({ after }) => after?.kind === 'archive'),
    )
    const archive = made?.touched.find(({ after }) => after?.kind === 'archive')?.after
    if (!made || !archive) return
    const replaced = model.rawsIn(first, end - 1)
    expect(archive.content).toBe(text)
    for (const one of replaced) model.there.delete(one)
    const own: Made = {
      change: made.change.number,
      id: archive.id,
      text,
      first,
      through: end - 1,
      reason,
      isFallback: isFallback(archive),
      replaced,
    }
    expect(own.isFallback).toBe(raw && reason !== 'new')
    model.made.push(own)
    model.there.add(own)
    this.#lastOfEntries = own
  }

  async #undo(memory: Memory, nth: number): Promise<void> {
    const { made, there } = this.#model
    const one = made.filter(({ undo }) => undo === undefined).at(-1 - nth)
    if (!one) return
    const number = await this.#take(memory, one.change, one === this.#lastOfEntries)
    if (number === undefined) return
    one.undo = number
    there.delete(one)
    for (const raw of one.replaced) there.add(raw)
    this.#lastOfEntries = one
  }

  async #redo(memory: Memory, nth: number): Promise<void> {
    const { made, there } = this.#model
    const one = made.filter(({ undo }) => undo !== undefined).at(-1 - nth)
    if (one?.undo === undefined) return
    const number = await this.#take(memory, one.undo, one === this.#lastOfEntries)
    if (number === undefined) return
    delete one.undo
    there.add(one)
    for (const raw of one.replaced) there.delete(raw)
    this.#lastOfEntries = one
  }

  /** `undefined`: something else builds on it, which can't be where nothing was done since. */
  async #take(memory: Memory, change: number, isLast: boolean): Promise<number | undefined> {
    try {
      return (await memory.undo({ changes: [change] })).change?.number
    } catch (error) {
      if (isLast || !isKeepsakeError(error) || !['CONFLICT', 'NAME_TAKEN'].includes(error.code)) throw error
      return undefined
    }
  }

  async #check(): Promise<void> {
    const model = this.#model
    const { start, turns, there, recaps } = model
    for (const memory of [this.#memory, this.#place.open({ contextWindowSize: 2 })]) {
      const view = await memory.session('chat').view()
      const live = Array.from({ length: turns - start }, (_, n) => textOf(start + n))
      expect(view.turns.map(({ content }) => content)).toEqual(live)
      expect(recaps).toContain(view.archive?.content)
      expect(view.archive?.missing).toBeUndefined()
      const window = await memory.session('chat').window()
      expect(window.turns).toEqual(view.turns.slice(windowStart(view.turns, 2)))
      expect(window.archive).toEqual(view.archive)
    }
    const texts = (await this.#memory.list({ kinds: ['archive'] })).map(({ content }) => content)
    const wanted = [...there].map(({ text }) => text)
    expect(texts.sort()).toEqual(wanted.sort())
    // In one change with their archives, and taken back in one; that of a raw one which was replaced stays.
    const history = (await this.#memory.list({ kinds: ['history'] })).map(({ content }) => content)
    const told = model.made.filter(({ undo }) => undo === undefined).map(({ text }) => text)
    expect(history.sort()).toEqual(told.sort())
    const said = (await this.#memory.list({ kinds: ['conversation'] })).map(({ content }) => content)
    expect(new Set(said).size).toBe(said.length)
    const left = Array.from({ length: start }, (_, n) => textOf(n))
    expect(left.filter((text) => !said.includes(text))).toEqual([])
  }
}

/** Of a write that could not tell the transcript. */
function isCrash(error: unknown): boolean {
  return isKeepsakeError(error) && error.message === 'crashed'
}

describe.each(PLACES)('any sequence in %s', (name, newPlace) => {
  const few = name === 'files' ? 5 : 30
  it('leaves the session as a plain model has it', { timeout: isNightly ? 3_600_000 : 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(run, async (steps) => {
        const place = newPlace()
        try {
          await new Trial(place).run(steps)
        } finally {
          await place.remove()
        }
      }),
      { numRuns: isNightly ? few * 100 : few },
    )
  })
})
