/**
 * Lines that a person types on a terminal, with editing and a history that ends with the chat. While an answer comes, keys are heard
 * but not shown: else they would stand in the middle of it. What was typed meanwhile is there at the next prompt. Pasted lines are one
 * message: the terminal is asked to mark where a paste begins and ends.
 */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import { markInvisible } from '../../prompt/invisible.ts'
import type { Lines } from './lines.ts'

const MARK_PASTES = '\x1b[?2004h'
const MARK_NO_PASTES = '\x1b[?2004l'

export function terminalLines(input: ReadStream, output: WriteStream, stopped: AbortSignal): Lines {
  const echo = new Echo(output)
  const reader = createInterface({ input, output: echo, terminal: true })
  const isDumb = process.env['TERM'] === 'dumb'
  const pasted = new Pasted(input)
  if (!isDumb) output.write(MARK_PASTES)
  const early: string[] = []
  let waiting: ((line: string | undefined) => void) | undefined
  let answering: AbortController | undefined
  let isClosed = false
  const hand = (line: string | undefined): void => {
    echo.isMuted = true
    waiting?.(line)
    waiting = undefined
  }
  reader.on('line', (line) => {
    const message = pasted.with(line)
    if (message === undefined) return
    if (waiting) hand(message)
    else early.push(message)
  })
  // Back from Ctrl-Z, readline reads no more unless it is told to, and the shell has turned the marks off.
  reader.on('SIGCONT', () => {
    if (!isDumb) output.write(MARK_PASTES)
    reader.resume()
  })
  reader.on('SIGINT', () => (answering ? answering.abort() : reader.close()))
  reader.on('close', () => {
    isClosed = true
    if (!isDumb) output.write(MARK_NO_PASTES)
    // The shell's own prompt begins on a line of its own.
    if (waiting) output.write('\n')
    hand(undefined)
  })
  stopped.addEventListener('abort', () => reader.close(), { once: true })
  const read = (prompt: string): Promise<string | undefined> => {
    if (isClosed) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      waiting = resolve
      echo.isMuted = false
      reader.setPrompt(prompt)
      reader.prompt(true)
    })
  }
  return {
    next(prompt) {
      const typed = early.shift()
      if (typed === undefined) return read(prompt)
      output.write(`${prompt}${markInvisible(typed)}\n`)
      return Promise.resolve(typed)
    },
    ask(question) {
      early.length = 0
      pasted.drop()
      // What stands on the line by now, before and behind the cursor.
      reader.write(null, { ctrl: true, name: 'u' })
      reader.write(null, { ctrl: true, name: 'k' })
      return read(question)
    },
    async during(work) {
      const controller = new AbortController()
      answering = controller
      try {
        return await work(AbortSignal.any([controller.signal, stopped]))
      } finally {
        answering = undefined
      }
    },
    close: () => reader.close(),
  }
}

/** The lines of a paste, up to the one that is sent with Enter. */
class Pasted {
  #isPasting = false
  #lines: string[] = []

  constructor(input: ReadStream) {
    input.on('keypress', (_: unknown, key?: { readonly name?: string }) => {
      if (key?.name === 'paste-start') this.#isPasting = true
      if (key?.name === 'paste-end') this.#isPasting = false
    })
  }

  /** The whole message; `undefined` while more of it comes. */
  with(line: string): string | undefined {
    this.#lines.push(line)
    if (this.#isPasting) return undefined
    const message = this.#lines.join('\n')
    this.#lines = []
    return message
  }

  /** What came of one so far. */
  drop(): void {
    this.#lines = []
  }
}

/** What readline shows of the typing, as long as it may. */
class Echo extends Writable {
  isMuted = true
  readonly #terminal: WriteStream

  constructor(terminal: WriteStream) {
    super()
    this.#terminal = terminal
    terminal.on('resize', () => this.emit('resize'))
  }

  /** Readline asks for it, to know where a line breaks. */
  get columns(): number {
    return this.#terminal.columns
  }

  override _write(chunk: Uint8Array, _: unknown, done: () => void): void {
    if (!this.isMuted) this.#terminal.write(chunk)
    done()
  }
}
