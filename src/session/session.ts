/**
 * One conversation of an agent: what was said in it, what a model is given of that and of the memory, and what of a captured
 * text is its own. Invariant: nothing is handed out that is not known again when it comes back. What each of these takes is
 * loaded when it is first wanted.
 */
import { InvalidError, isKeepsakeError } from '../errors.ts'
import { withoutInjected } from '../model/injected.ts'
import { oneQuestion } from '../model/one-question.ts'
import { CALL_OPTIONS, type OptionNames, requireList, requireOptions } from '../model/options.ts'
import type { CallOptions } from '../ports/store.ts'
import type { Asked, Context } from '../prompt/context.ts'
import type { PartName, PromptPart } from '../prompt/part.ts'
import type { AlreadyShown } from '../recall/found.ts'
import type { Compacted, CompactOptions } from './compaction.ts'
import type { Captured, Injected, Injections } from './echo/injections.ts'
import type { SessionPlace } from './place.ts'
import type {
  AppendedTurns,
  ImportedTurns,
  ImportOptions,
  Recording,
  SessionView,
  SessionWindow,
  WholeTranscript,
  WindowOptions,
} from './recording.ts'
import type { TurnInput } from './records.ts'
import type { Reset, ResetOptions } from './reset.ts'

/** The parts that are made of memories. The identity and the directive are instructions, which nobody hands back. */
const MARKED: readonly PartName[] = ['memory', 'recap', 'recall']

export interface SessionContextOptions extends Asked, CallOptions {
  /** Ids of turns before the window that the model is shown by you: what they say is not recalled as well. */
  readonly shown?: readonly string[]
}

const IMPORT: OptionNames<ImportOptions> = { given: true, slide: true, ...CALL_OPTIONS }
const WINDOW: OptionNames<WindowOptions> = { size: true, ...CALL_OPTIONS }
const COMPACT: OptionNames<CompactOptions> = { summary: true, reason: true, keep: true, take: true, ...CALL_OPTIONS }
const RESET: OptionNames<ResetOptions> = { through: true, ...CALL_OPTIONS }
const CONTEXT: OptionNames<SessionContextOptions> = { message: true, recap: true, shown: true, ...CALL_OPTIONS }

export class Session {
  readonly key: string
  readonly #place: SessionPlace
  #injections: Promise<Injections> | undefined
  #recording: Promise<Recording> | undefined
  /** What is taken down now. */
  #underWay = 0
  #hasUnkept: () => boolean = () => false

  constructor(place: SessionPlace) {
    this.key = place.key
    this.#place = place
  }

  /** Whether another object of the same session would not know what this one does: the order of what it takes down, and what it gave. */
  get isBusy(): boolean {
    return this.#underWay > 0 || this.#hasUnkept()
  }

  /** Takes down what was said, one turn or several at once. What leaves the window becomes `conversation` entries. */
  async append(turns: TurnInput | readonly TurnInput[], options: CallOptions = {}): Promise<AppendedTurns> {
    requireOptions(options, 'session.append', CALL_OPTIONS)
    return this.#busily(async () => (await this.#recorded()).append(turns, options))
  }

  /** Takes down turns of another program's transcript, each known by its id and so never twice. */
  async import(turns: readonly TurnInput[], options: ImportOptions = {}): Promise<ImportedTurns> {
    requireOptions(options, 'session.import', IMPORT)
    return this.#busily(async () => (await this.#recorded()).import(turns, options))
  }

  /** From the marker on, and what stands for the turns before it. Never writes. */
  async view(options: CallOptions = {}): Promise<SessionView> {
    requireOptions(options, 'session.view', CALL_OPTIONS)
    return (await this.#recorded()).view(options)
  }

  /** All that was ever said, whatever a marker says. Never writes. */
  async transcript(options: CallOptions = {}): Promise<WholeTranscript> {
    requireOptions(options, 'session.transcript', CALL_OPTIONS)
    return (await this.#recorded()).whole(options)
  }

  /** What a model is given of the conversation: the archive, then the last exchanges. Never writes. */
  async window(options: WindowOptions = {}): Promise<SessionWindow> {
    requireOptions(options, 'session.window', WINDOW)
    return (await this.#recorded()).window(options)
  }

  /** Sums up what was said as an archive, which stands for it from now on. `Memory.undo` brings the turns back. */
  async compact(options: CompactOptions): Promise<Compacted> {
    requireOptions(options, 'session.compact', COMPACT)
    return this.#busily(async () => (await this.#recorded()).compact(options))
  }

  /** Begins anew: nothing that was said so far is in the window any more. */
  async reset(options: ResetOptions = {}): Promise<Reset> {
    requireOptions(options, 'session.reset', RESET)
    return this.#busily(async () => (await this.#recorded()).reset(options))
  }

  /** All that a model is given before this turn, as `Memory.context` has it, but known again when it comes back. */
  async context(options: SessionContextOptions = {}): Promise<Context> {
    requireOptions(options, 'session.context', CONTEXT)
    const { shown = [], ...asked } = oneQuestion(options)
    requireList(shown, 'shown')
    const { signal, askedAtMs } = asked
    const call = { askedAtMs, ...(signal ? { signal } : {}) }
    const context = await this.#place.context(asked, this.#shown(call, shown))
    const blocks = context.parts.filter(({ part }) => MARKED.includes(part)).map(({ text }) => ({ text }))
    if (blocks.length > 0) await this.#keep(blocks, call)
    return context
  }

  /** Only the `<recall>` block for this turn; `undefined` where nothing is found, or auto-recall is off. */
  async autoRecall(message: string, options: CallOptions = {}): Promise<PromptPart | undefined> {
    requireOptions(options, 'session.autoRecall', CALL_OPTIONS)
    const call = oneQuestion(options)
    const found = await this.#place.recall(message, call, this.#shown(call))
    if (!found) return undefined
    const { recallBlock } = await import('../prompt/recall-block.ts')
    const part = recallBlock(found, await this.#place.zone())
    if (part) await this.#keep([{ text: part.text }], call)
    return part
  }

  /**
   * What of a captured text is new, to the letter: without the blocks that we marked, and without the sentences and lines that
   * were injected here. `undefined` where nothing is left. For what is captured by itself; what somebody asks to remember is
   * never held back.
   */
  async fresh(text: string, options: CallOptions = {}): Promise<string | undefined> {
    requireOptions(options, 'session.fresh', CALL_OPTIONS)
    if (typeof text !== 'string') throw new InvalidError('text', 'is no text', 'the captured text')
    return (await this.#freshOf([{ text }], options))[0]
  }

  async #freshOf(captured: readonly Captured[], options: CallOptions): Promise<(string | undefined)[]> {
    const own = captured.map((one) => ({ ...one, text: withoutInjected(one.text) }))
    const said = own.filter(({ text }) => text.trim() !== '')
    if (said.length === 0) return own.map(() => undefined)
    const fresh = (await (await this.#injected()).newIn(said, options)).values()
    return own.map(({ text }) => (text.trim() === '' ? undefined : fresh.next().value))
  }

  /** Where the transcript can't be read, nothing is known to be there: what was found is still worth having. */
  #shown(options: CallOptions, turns: readonly string[] = []): AlreadyShown {
    const ids = async (): Promise<ReadonlySet<string>> => {
      try {
        return await (await this.#recorded()).shown(turns, options)
      } catch (error) {
        if (isKeepsakeError(error)) return new Set()
        throw error
      }
    }
    return { session: this.key, ids }
  }

  #keep(given: readonly Injected[], options: CallOptions): Promise<void> {
    return this.#busily(async () => (await this.#injected()).keep(given, options))
  }

  #injected(): Promise<Injections> {
    this.#injections ??= import('./echo/injections.ts').then(({ Injections }) => {
      const injections = new Injections(this.#place)
      this.#hasUnkept = () => injections.hasUnkept
      return injections
    })
    return this.#injections
  }

  async #busily<T>(takeDown: () => Promise<T>): Promise<T> {
    this.#underWay++
    try {
      return await takeDown()
    } finally {
      this.#underWay--
    }
  }

  #recorded(): Promise<Recording> {
    this.#recording ??= import('./recording.ts').then(
      ({ Recording }) =>
        new Recording(this.#place, {
          fresh: (captured, options) => this.#freshOf(captured, options),
          keep: (given, options) => this.#keep(given, options),
          recordsOf: async (given, options) => (await this.#injected()).recordsOf(given, options),
        }),
    )
    return this.#recording
  }
}
