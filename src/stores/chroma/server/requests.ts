/**
 * Requests to one server: each within the time limit, as many at once as the smallest server takes, and every failure told by
 * server-errors.ts. The server is looked at before the first one, and again after it could not be reached. A read that broke off is asked
 * once more, because the server may have been restarted since; a write never is: who knows what it was for decides that.
 */
import { setMaxListeners } from 'node:events'
import type { AdminClient, ChromaClient } from 'chromadb'
import { isKeepsakeError, KeepsakeError } from '../../../errors.ts'
import { abortable } from '../../../model/abortable.ts'
import { addressOf, type ServerPlace } from '../../../model/server-address.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { type Clients, loadClients } from './client.ts'
import { Gate } from './gate.ts'
import { clientError, isUnreachable, tooSlow } from './server-errors.ts'
import { type ServerFacts, serverFacts } from './server-facts.ts'
import { withOutcome } from './unknown-outcome.ts'

/** Two less than Chroma's cloud allows for a collection. */
const AT_ONCE = 8

/** What one request is sent with. */
export interface Line {
  readonly client: ChromaClient
  readonly admin: AdminClient
  readonly signal: AbortSignal
}

interface Ready {
  readonly clients: Clients
  readonly facts: ServerFacts
}

export class Requests {
  readonly place: ServerPlace
  /** How long one may take. */
  readonly requestMs: number
  readonly #gate: Gate = new Gate(AT_ONCE)
  readonly #end: AbortController = new AbortController()
  #ready: Promise<Ready> | undefined

  constructor(place: ServerPlace, requestMs: number) {
    this.place = place
    this.requestMs = requestMs
  }

  /** What the server takes; throws what is wrong with it or with the place. */
  async check({ signal }: CallOptions = {}): Promise<ServerFacts> {
    const { facts } = await abortable(() => this.#look(), signal)
    return facts
  }

  read<T>(run: (line: Line) => Promise<T>, options?: CallOptions): Promise<T> {
    return this.#inTime(options, async (signal) => {
      try {
        return await this.#send(run, signal)
      } catch (error) {
        if (!isUnreachable(error)) throw error
        return this.#send(run, signal)
      }
    })
  }

  write<T>(run: (line: Line) => Promise<T>, options?: CallOptions): Promise<T> {
    const sending = { isSent: false }
    return this.#inTime(options, (signal) => this.#send(run, signal, sending), sending)
  }

  close(): void {
    const message = `the connection to ${addressOf(this.place)} is closed`
    this.#end.abort(new KeepsakeError('CLOSED', message, { hint: 'Open the memory again.' }))
  }

  async #send<T>(run: (line: Line) => Promise<T>, signal: AbortSignal, sending?: { isSent: boolean }): Promise<T> {
    const { clients, facts } = await this.#look()
    const { place } = this
    return this.#gate.pass(async () => {
      signal.throwIfAborted()
      if (sending) sending.isSent = true
      const client = clients.forRecords(place, facts, signal)
      try {
        return await abortable(() => run({ client, admin: clients.forDatabases(place, signal), signal }), signal)
      } catch (error) {
        signal.throwIfAborted()
        const told = clientError(error, { place, isWrite: sending !== undefined })
        if (isUnreachable(told)) this.#ready = undefined
        throw told
      }
    })
  }

  /** For all who wait at once. What went wrong is looked at again by the next one. */
  #look(): Promise<Ready> {
    this.#ready ??= this.#inTime({}, async (signal) => {
      const [clients, facts] = await Promise.all([loadClients(), serverFacts(this.place, signal)])
      return { clients, facts }
    }).catch((error: unknown) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  /** The limit holds whether the client heeds the signal or not. */
  async #inTime<T>(
    { signal }: CallOptions = {},
    run: (signal: AbortSignal) => Promise<T>,
    sending = { isSent: false },
  ): Promise<T> {
    const limit = new AbortController()
    const late = (): void => limit.abort(tooSlow({ place: this.place, isWrite: sending.isSent }, this.requestMs))
    const timer = setTimeout(late, this.requestMs)
    const stop = (reason: unknown): void => limit.abort(sending.isSent ? leftOpen(reason) : reason)
    const unlink = [signal, this.#end.signal].map((outer) => linked(outer, stop))
    try {
      return await abortable(() => run(limit.signal), limit.signal)
    } finally {
      clearTimeout(timer)
      for (const undo of unlink) undo()
    }
  }
}

/** What was sent may be done all the same. A reason that is not ours is the caller's own: who gives it knows that it came in between. */
function leftOpen(reason: unknown): unknown {
  return isKeepsakeError(reason) ? withOutcome(reason, { unknown: true }) : reason
}

/** By hand: a signal made of several is collected as garbage while a client that holds it weakly still waits for it. */
function linked(outer: AbortSignal | undefined, aborted: (reason: unknown) => void): () => void {
  if (!outer) return () => undefined
  // As many as there are requests under way, each taken off at its end: no reason for a warning on somebody's console.
  setMaxListeners(0, outer)
  const stop = (): void => aborted(outer.reason)
  if (outer.aborted) stop()
  else outer.addEventListener('abort', stop, { once: true })
  return () => outer.removeEventListener('abort', stop)
}
