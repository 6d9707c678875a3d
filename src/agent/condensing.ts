/**
 * When an agent condenses a session: before it answers, where before the question more messages are live than `memory_window`, down to
 * half of that; and when the user begins anew. What fails keeps everything, so a turn never fails for it.
 */
import type { Consolidated, ConsolidateOptions } from '../consolidate/consolidated.ts'
import type { GivenModel } from '../consolidate/given-model.ts'
import { partedByRaw } from '../consolidate/raw-archives.ts'
import { isKeepsakeError } from '../errors.ts'
import type { Memory, Turn } from '../memory.ts'
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

  /** `asked`: what the user just said. It neither counts nor is condensed. */
  async onOverflow(
    session: string,
    asked: Turn,
    telling: Telling,
    call: CallOptions,
  ): Promise<Consolidated | undefined> {
    const { memoryWindow } = this.#memory.settings
    const { turns } = await this.#memory.session(session).view(call)
    const live = turns.findLastIndex(({ id }) => id === asked.id)
    if (live <= memoryWindow) this.#retryFrom.delete(session)
    if (live <= memoryWindow || live < (this.#retryFrom.get(session) ?? 0)) return undefined
    const failed = (): void => void this.#retryFrom.set(session, live + MESSAGES_BEFORE_RETRY)
    try {
      const how = { reason: 'trim', keepMessages: Math.floor(memoryWindow / 2), before: asked.id } as const
      const consolidated = await this.#condense(session, how, telling, call)
      // One exchange may be longer than what is kept: the next message may end it.
      if (consolidated.outcome === 'nothing') return undefined
      if (consolidated.outcome === 'condensed') this.#retryFrom.delete(session)
      else {
        failed()
        telling.warn(notYet(consolidated))
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
    return {
      text: `Session cleared. ${kept(condensed)}. To condense it later: keepsake consolidate --retry`,
      condensed,
    }
  }

  async #condense(
    session: string,
    how: Pick<ConsolidateOptions, 'reason' | 'keepMessages' | 'before'>,
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

function notYet(fallen: Consolidated): string {
  const isPartlyDone = partedByRaw(fallen).summaries.length > 0
  return isPartlyDone
    ? `only the first part of the conversation is condensed so far, ${failedFor(fallen)}; the rest stays in the session`
    : `the conversation is not condensed yet, ${failedFor(fallen)}; all of it stays in the session`
}

function kept(fallen: Consolidated): string {
  const { summaries, raw } = partedByRaw(fallen)
  const names = raw.map(({ name, id }) => `"${name ?? id}"`).join(', ')
  const where = names === '' ? '' : ` in ${names}`
  return summaries.length > 0
    ? `Only its first part is condensed, ${failedFor(fallen)}; the rest is kept${where}`
    : `It is not condensed, ${failedFor(fallen)}; all that was said is kept${where}`
}
