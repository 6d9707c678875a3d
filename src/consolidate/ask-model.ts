/**
 * One call of the model, within its time. That it fails is an outcome to be reckoned with; only an abort by the caller is thrown. An
 * answer that comes after the time is over is dropped, whether or not the model heeds the signal.
 */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import type { Completion, Model } from '../ports/complete.ts'
import type { CallOptions } from '../ports/store.ts'
import { parseReply, type Reply } from './parse-reply.ts'

interface AskOptions extends CallOptions {
  readonly timeoutMs: number
  /** About how many tokens the reply will take. */
  readonly expectedTokens?: number
}

export interface ModelFailure {
  readonly failure: KeepsakeError
}

interface Replied {
  readonly reply: Reply
  /** It ended before its end. */
  readonly wasCut: boolean
}

export async function askModel(model: Model, prompt: string, options: AskOptions): Promise<Replied | ModelFailure> {
  const { timeoutMs, signal, expectedTokens } = options
  signal?.throwIfAborted()
  const clock = new AbortController()
  const timer = setTimeout(() => clock.abort(outOfTime(model, timeoutMs)), timeoutMs)
  const either = signal ? AbortSignal.any([signal, clock.signal]) : clock.signal
  try {
    const expected = expectedTokens === undefined ? {} : { expectedTokens }
    const settings = { model: model.name, signal: either, ...expected }
    const answer = (async () => model.complete(prompt, settings))()
    return replyIn(await Promise.race([answer, aborted(either)]), model)
  } catch (error) {
    signal?.throwIfAborted()
    const reason: unknown = clock.signal.aborted ? clock.signal.reason : error
    return { failure: isKeepsakeError(reason) ? reason : failed(model, reason) }
  } finally {
    clearTimeout(timer)
  }
}

/** Anybody's function may be a model: what it gives is looked at before it is believed. */
function replyIn(completion: Completion | undefined, model: Model): Replied | ModelFailure {
  const content: unknown = completion?.content
  const wasCut = completion?.stop === undefined ? undefined : completion.stop === 'length'
  const reply = typeof content === 'string' ? parseReply(content, { wasCut }) : undefined
  return reply ? { reply, wasCut: wasCut === true } : { failure: unreadable(model, content) }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    // A function of one's own may stop everything by itself, before it gives anything.
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function nameOf({ name }: Model): string {
  return name === '' ? 'the model' : `the model "${name}"`
}

function outOfTime(model: Model, timeoutMs: number): KeepsakeError {
  return new KeepsakeError('TIMEOUT', `${nameOf(model)} did not answer within ${timeoutMs} ms`, {
    hint: 'Give it more time with consolidation_timeout (milliseconds), or choose a faster model.',
    data: { timeoutMs },
  })
}

function failed(model: Model, error: unknown): KeepsakeError {
  const reason = error instanceof Error ? error.message : String(error)
  return new KeepsakeError('MODEL', `${nameOf(model)} failed: ${reason}`, {
    hint: 'Try again: keepsake consolidate --retry',
    cause: error,
  })
}

function unreadable(model: Model, content: unknown): KeepsakeError {
  const isEmpty = typeof content !== 'string' || content.trim() === ''
  const what = isEmpty ? 'answered with nothing' : 'sent a reply without "history_entry" and "memory_update"'
  return new KeepsakeError('MODEL', `${nameOf(model)} ${what}`, {
    hint: 'Try again: keepsake consolidate --retry. A model that often does so is too small for this.',
  })
}
