/**
 * When an agent condenses a session: before a turn, where more messages are live than `memory_window`, down to half of that; and
 * when the user begins anew. What fails keeps everything, so a turn never fails for it.
 */
import type { Consolidated } from '../consolidate/consolidated.ts'
import type { GivenModel } from '../consolidate/given-model.ts'
import { isKeepsakeError } from '../errors.ts'
import type { Memory } from '../memory.ts'
import type { CallOptions } from '../ports/store.ts'
import type { Telling } from './events.ts'

/** A model that has just failed likely fails again, and the user waits for it. */
const MESSAGES_BEFORE_RETRY = 10

export class Condensing {
  readonly #memory: Memory
  readonly #model: GivenModel
  /** By session: from how many live messages on it is tried again. */
  readonly #retryFrom = new Map<string, number>()

  constructor(memory: Memory, model: GivenModel) {
    this.#memory = memory
    this.#model = model
  }

  async onOverflow(session: string, telling: Telling, call: CallOptions): Promise<Consolidated | undefined> {
    const { memoryWindow } = this.#memory.settings
    const { turns } = await this.#memory.session(session).view(call)
    if (turns.length <= memoryWindow) this.#retryFrom.delete(session)
    if (turns.length <= memoryWindow || turns.length < (this.#retryFrom.get(session) ?? 0)) return undefined
    const failed = (): void => void this.#retryFrom.set(session, turns.length + MESSAGES_BEFORE_RETRY)
    try {
      const keepMessages = Math.floor(memoryWindow / 2)
      const consolidated = await this.#condense(session, { reason: 'trim', keepMessages }, telling, call)
      // One exchange may be longer than what is kept: the next message may end it.
      if (consolidated.outcome === 'nothing') return undefined
      if (consolidated.outcome === 'condensed') this.#retryFrom.delete(session)
      else {
        failed()
        telling.warn(
          `the conversation is not condensed yet, ${failedFor(consolidated)}; all of it stays in the session`,
        )
      }
      return consolidated
    } catch (error) {
      call.signal?.throwIfAborted()
      if (!isKeepsakeError(error)) throw error
      failed()
      telling.warn(`the conversation is not condensed yet: ${error.message}`)
      return undefined
    }
  }

  /** Words for the user, too. */
  async onNew(
    session: string,
    telling: Telling,
    call: CallOptions,
  ): Promise<{ readonly text: string; readonly condensed: Consolidated }> {
    const condensed = await this.#condense(session, { reason: 'new' }, telling, call)
    this.#retryFrom.delete(session)
    if (condensed.outcome !== 'fell back') return { text: 'Session cleared.', condensed }
    const text = `Session cleared. It is not condensed, ${failedFor(condensed)}; ${kept(condensed)}. To condense it later: keepsake consolidate --retry`
    return { text, condensed }
  }

  async #condense(
    session: string,
    how: { readonly reason: 'trim' | 'new'; readonly keepMessages?: number },
    telling: Telling,
    call: CallOptions,
  ): Promise<Consolidated> {
    const told = (step: string): void => {
      if (step === 'asking' && !isTold) {
        isTold = true
        telling.tell({ type: 'condensing' })
      }
    }
    let isTold = false
    // Most turns of most agents never need it.
    const { consolidate } = await import('../consolidate/consolidate.ts')
    const consolidated = await consolidate(this.#memory, session, { model: this.#model, ...how, told, ...call })
    if (consolidated.outcome !== 'nothing' || how.reason === 'new') telling.tell({ type: 'condensed', consolidated })
    telling.warn(...consolidated.warnings)
    if (consolidated.review)
      telling.warn(`a rewrite of MEMORY.md (${consolidated.review.reason}) waits for you: keepsake review`)
    return consolidated
  }
}

function failedFor({ failure }: Consolidated): string {
  return `for the model failed${failure ? ` (${failure.message})` : ''}`
}

function kept({ archives }: Consolidated): string {
  const where = archives.map(({ name, id }) => `"${name ?? id}"`).join(', ')
  return `all that was said is kept${where === '' ? '' : ` in ${where}`}`
}
