/**
 * Condensing by the names of its own design, for programs that keep messages and memory themselves: a conversation and the memory in,
 * a history entry and the new memory out. One call of the model at a time, in the order that they were asked for; one that fails does
 * not keep the next from its turn. Writes nothing: `consolidate` of the library does all of it at once.
 */
import { historyText } from '../consolidate/history-text.ts'
import { parseReply } from '../consolidate/parse-reply.ts'
import { planMemory, type ReviewReason } from '../consolidate/plan.ts'
import { rawHistoryText } from '../consolidate/raw-history-text.ts'
import { InvalidError, KeepsakeError } from '../errors.ts'
import { LARGEST_MEMORY_BYTES, wholeNumber } from '../model/number.ts'
import { requireList, requireOptions } from '../model/options.ts'
import { instant, parseZone } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import { consolidationPrompt } from '../prompt/consolidation-prompt.ts'
import type { Said } from '../prompt/said.ts'

export interface ConversationEntry {
  readonly role: string
  readonly content: string
  readonly timestamp?: string
  readonly toolsUsed?: readonly string[]
}

export interface ConsolidationResult {
  /** Begins with its time. Missing only where there was nothing to condense. */
  readonly historyEntry?: string
  /** The whole new memory. Missing where nothing changed. */
  readonly memoryUpdate?: string
  /** A rewrite that is not to be applied unseen: it drops most of the memory unasked, makes it too long for any model, or may be cut. */
  readonly refused?: { readonly memoryUpdate: string; readonly reason: ReviewReason; readonly detail: string }
}

export type PromptFn = (message: string, options: { model: string }) => Promise<{ content: string }>

export interface ConsolidationServiceOptions {
  /** Default: the system's. */
  readonly clock?: Clock
  /** Whose times the model reads and writes; default UTC. */
  readonly zone?: string
}

const DEFAULT_MEMORY_BYTES = 8192

export class ConsolidationService {
  readonly #prompt: PromptFn
  readonly #model: string
  readonly #maxMemorySize: number
  readonly #clock: Clock
  readonly #zone: string
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    promptFn: PromptFn,
    model: string,
    maxMemorySize: number = DEFAULT_MEMORY_BYTES,
    options: ConsolidationServiceOptions = {},
  ) {
    requireOptions(options, 'ConsolidationService', { clock: true, zone: true })
    const { clock = Date.now, zone = 'UTC' } = options
    if (typeof promptFn !== 'function')
      throw new InvalidError('promptFn', 'is no function', 'a function that asks a model')
    this.#prompt = promptFn
    this.#model = model
    this.#maxMemorySize = wholeNumber(maxMemorySize, 'maxMemorySize', 1, LARGEST_MEMORY_BYTES)
    this.#clock = clock
    this.#zone = parseZone(zone)
  }

  /** Rejects with what the model's function threw, and with MODEL where its reply has neither of the two in it. */
  async consolidate(messages: readonly ConversationEntry[], currentMemory: string): Promise<ConsolidationResult> {
    requireList(messages ?? null, 'messages')
    if (typeof currentMemory !== 'string')
      throw new InvalidError('currentMemory', 'is not text', 'text, which may be empty')
    if (messages.length === 0) return {}
    const conversation = messages.map(saidOf)
    const turn = this.#last.then(() => this.#condense(conversation, currentMemory))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #condense(conversation: readonly Said[], memory: string): Promise<ConsolidationResult> {
    const [now, zone] = [instant(this.#clock()), this.#zone]
    const wasAskedToCompress = new TextEncoder().encode(memory).length > this.#maxMemorySize
    const compress = wasAskedToCompress ? { compressTo: this.#maxMemorySize } : {}
    const message = consolidationPrompt({ memory, conversation, now, zone, ...compress })
    const reply = readable(await this.#prompt(message, { model: this.#model }))
    const { historyEntry, memoryUpdate, doubtfulMemory, doubt } = reply
    const update = memoryUpdate ?? doubtfulMemory
    const plan = planMemory({ seen: memory, now: memory, update, doubt, wasAskedToCompress })
    return {
      historyEntry:
        historyEntry === undefined ? rawHistoryText(conversation, now, zone) : historyText(historyEntry, now, zone),
      ...(plan.is === 'update' ? { memoryUpdate: plan.content } : {}),
      ...(plan.is === 'review'
        ? { refused: { memoryUpdate: plan.content, reason: plan.reason, detail: plan.detail } }
        : {}),
    }
  }
}

function saidOf(entry: ConversationEntry, index: number): Said {
  const { role, content, timestamp, toolsUsed } = entry ?? {}
  if (typeof role !== 'string' || typeof content !== 'string') {
    throw new InvalidError(`messages[${index}]`, 'is no message', 'an object with a role and a content, both text')
  }
  return {
    role,
    content,
    ...(timestamp === undefined ? {} : { at: timestamp }),
    ...(toolsUsed === undefined ? {} : { tools: toolsUsed }),
  }
}

function readable(completion: { readonly content: string }): NonNullable<ReturnType<typeof parseReply>> {
  const content: unknown = completion?.content
  const reply = typeof content === 'string' ? parseReply(content) : undefined
  if (reply) return reply
  throw new KeepsakeError('MODEL', 'the reply of the model has neither a history entry nor a memory in it', {
    hint: 'Keep the messages and try again, or ask another model.',
    data: { reply: typeof content === 'string' ? content.slice(0, 200) : typeof content },
  })
}
