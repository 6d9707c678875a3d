/**
 * One conversation of an agent, as far as the memory takes part in it: what it is given before a turn, and what of a captured
 * text is its own. Invariant: nothing is handed out that is not known again when it comes back.
 */
import { InvalidError } from '../errors.ts'
import { withoutInjected } from '../model/injected.ts'
import type { CallOptions } from '../ports/store.ts'
import type { Context, Turn } from '../prompt/context.ts'
import type { PartName, PromptPart } from '../prompt/part.ts'
import type { Found } from '../recall/found.ts'
import type { Injections, Transcript } from './injections.ts'

export interface SessionPlace extends Transcript {
  readonly recall: (message: string, options: CallOptions) => Promise<Found | undefined>
  readonly zone: () => Promise<string>
  readonly context: (options: Turn & CallOptions) => Promise<Context>
}

/** The parts that are made of memories. The identity and the directive are instructions, which nobody hands back. */
const MARKED: readonly PartName[] = ['memory', 'recap', 'recall']

export class Session {
  readonly key: string
  readonly #place: SessionPlace
  #injections: Promise<Injections> | undefined

  constructor(place: SessionPlace) {
    this.key = place.key
    this.#place = place
  }

  /** All that a model is given before this turn, as `Memory.context` has it, but known again when it comes back. */
  async context(options: Turn & CallOptions = {}): Promise<Context> {
    const context = await this.#place.context(options)
    const blocks = context.parts.filter(({ part }) => MARKED.includes(part)).map(({ text }) => text)
    const { signal } = options
    if (blocks.length > 0) await (await this.#opened()).keep(blocks, signal ? { signal } : {})
    return context
  }

  /** Only the `<recall>` block for this turn; `undefined` where nothing is found, or auto-recall is off. */
  async autoRecall(message: string, options: CallOptions = {}): Promise<PromptPart | undefined> {
    const found = await this.#place.recall(message, options)
    if (!found) return undefined
    const { recallBlock } = await import('../prompt/recall-block.ts')
    const part = recallBlock(found, await this.#place.zone())
    if (part) await (await this.#opened()).keep([part.text], options)
    return part
  }

  /**
   * What of a captured text is new, to the letter: without the blocks that we marked, and without the sentences and lines that
   * were injected here. `undefined` where nothing is left. For what is captured by itself; what somebody asks to remember is
   * never held back.
   */
  async fresh(text: string, options: CallOptions = {}): Promise<string | undefined> {
    if (typeof text !== 'string') throw new InvalidError('text', 'is no text', 'the captured text')
    const own = withoutInjected(text)
    if (own.trim() === '') return undefined
    return (await this.#opened()).newIn(own, options)
  }

  /** Loaded when it is first wanted: most who open a memory have no session. */
  #opened(): Promise<Injections> {
    this.#injections ??= import('./injections.ts').then(({ Injections }) => new Injections(this.#place))
    return this.#injections
  }
}
