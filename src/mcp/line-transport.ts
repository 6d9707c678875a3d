/**
 * A message a line on two streams. Own code, because the SDK's transport leaves a line that it can't read without an answer,
 * ends the connection at one that is too long, and drops what is being answered when the input ends. Here each line gets an
 * answer, whatever it is, and an input that ends (`printf … | keepsake mcp`) is answered before the end; what takes too long
 * for that is answered with an error.
 */
import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'
import { endsOf, idAtEnds } from './line-ends.ts'
import { answeredBy, cancelledBy } from './message.ts'

const MOST_BYTES = 16 * 1024 * 1024
const MOST_MB = MOST_BYTES / (1024 * 1024)

/** For the answers that are under way when the input ends; a client waits two seconds before it kills. */
const LAST_ANSWERS_MS = 1400

/** What is left of that after the event loop stood still, as it does while a large memory is opened: that may be the answer. */
const AFTER_STANDSTILL_MS = 200
const TURN_MS = 50

/** JSON-RPC's code for an error of the server's own sort. */
const CUT_OFF = {
  code: -32000,
  message: 'the server has ended before this was answered; what it was to write is there as a whole or not at all',
} as const

const NEWLINE = 10

/** Sees each message on its way; what leaves waits for it. */
export interface Passage {
  arriving(message: JSONRPCMessage): void
  leaving(message: JSONRPCMessage): Promise<void>
}

export class LineTransport implements Transport {
  /** Once nothing more is read or written. */
  readonly closed: Promise<void>
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: Writable
  readonly #passage: Passage
  /** How many there are under each id: a client may use one twice, and each is answered. */
  readonly #unanswered = new Map<RequestId, number>()
  #line: Buffer[] = []
  #lineBytes = 0
  #isClosed = false
  #hasEnded = false
  #lastAnswers: NodeJS.Timeout | undefined
  #hasCutOff = false
  #settle: () => void = () => undefined

  constructor(input: Readable, output: Writable, passage: Passage) {
    this.#input = input
    this.#output = output
    this.#passage = passage
    this.closed = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** Whether its input ended and something was not answered in time. */
  get hasCutOff(): boolean {
    return this.#hasCutOff
  }

  async start(): Promise<void> {
    this.#output.on('error', this.#broke)
    this.#input.on('data', this.#take).on('end', this.#ended).on('close', this.#ended).on('error', this.#broke)
    if (this.#input.readableEnded || this.#input.destroyed) this.#ended()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#passage.leaving(message)
    if (this.#isClosed) return
    const written = new Promise<void>((resolve) => this.#output.write(`${JSON.stringify(message)}\n`, () => resolve()))
    const answered = answeredBy(message)
    if (answered !== undefined) this.#answered(answered)
    await written
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#lastAnswers)
    this.#input.off('data', this.#take).off('end', this.#ended).off('close', this.#ended)
    this.#input.destroy()
    this.#hasCutOff = this.#hasEnded && this.#unanswered.size > 0
    for (const [id, count] of this.#unanswered) {
      this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: CUT_OFF })}\n`.repeat(count))
    }
    this.onclose?.()
    this.#settle()
  }

  /** The other side is gone: there is nobody to tell. */
  readonly #broke = (): void => {
    this.close()
  }

  readonly #ended = (): void => {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#endLine()
    this.#waitForAnswers(LAST_ANSWERS_MS)
    this.#closeWhenAnswered()
  }

  #waitForAnswers(leftMs: number): void {
    const begin = performance.now()
    this.#lastAnswers = setTimeout(() => {
      const byTheClock = leftMs - (performance.now() - begin)
      const left = Math.min(Math.max(byTheClock, AFTER_STANDSTILL_MS), leftMs - TURN_MS)
      if (left > 0) this.#waitForAnswers(left)
      else this.close()
    }, TURN_MS)
  }

  #answered(id: RequestId): void {
    this.#settleOne(id)
    this.#closeWhenAnswered()
  }

  #settleOne(id: RequestId): void {
    const left = (this.#unanswered.get(id) ?? 0) - 1
    if (left > 0) this.#unanswered.set(id, left)
    else this.#unanswered.delete(id)
  }

  #closeWhenAnswered(): void {
    if (this.#hasEnded && this.#unanswered.size === 0) this.close()
  }

  readonly #take = (chunk: Buffer): void => {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#append(rest.subarray(0, end))
      this.#endLine()
      rest = rest.subarray(end + 1)
    }
    this.#append(rest)
  }

  /** Of a line that is too long only the length and its ends are kept. */
  #append(bytes: Buffer): void {
    this.#lineBytes += bytes.length
    this.#line.push(bytes)
    if (this.#lineBytes > MOST_BYTES) this.#line = endsOf(this.#line)
  }

  #endLine(): void {
    const [parts, bytes] = [this.#line, this.#lineBytes]
    this.#line = []
    this.#lineBytes = 0
    if (bytes > MOST_BYTES) {
      const refusal = `a message has at most ${MOST_MB} MB; this one was passed over`
      this.#refuse(ProtocolErrorCode.InvalidRequest, refusal, idAtEnds(parts))
    } else if (bytes > 0) {
      this.#read(Buffer.concat(parts))
    }
  }

  #read(line: Buffer): void {
    let message: unknown
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(line)
      if (text.trim() === '') return
      message = JSON.parse(text)
    } catch {
      this.#refuse(ProtocolErrorCode.ParseError, 'this line is not JSON in UTF-8')
      return
    }
    if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message))
      this.#deliver(message)
    else if (Array.isArray(message))
      this.#refuse(ProtocolErrorCode.InvalidRequest, 'a line holds one message, no batch')
    else this.#refuse(ProtocolErrorCode.InvalidRequest, 'this is no JSON-RPC 2.0 message', idOf(message))
  }

  #deliver(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#unanswered.set(message.id, (this.#unanswered.get(message.id) ?? 0) + 1)
    // A cancelled call is never answered.
    const cancelled = cancelledBy(message)
    if (cancelled !== undefined) this.#settleOne(cancelled)
    try {
      this.#passage.arriving(message)
      this.onmessage?.(message)
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** An id that could not be read is null, as JSON-RPC has it. */
  #refuse(code: number, message: string, id: RequestId | null = null): void {
    if (!this.#isClosed) this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)
  }
}

function idOf(message: unknown): RequestId | null {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
