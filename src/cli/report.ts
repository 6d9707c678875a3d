/**
 * All that is printed, and the status the process ends with. Under `--json` standard output holds one JSON object, also
 * when something failed; else outcomes go to standard output, warnings and errors to standard error.
 */
import { isKeepsakeError } from '../errors.ts'
import { escapeInvisibleJson, markInvisible } from '../prompt/invisible.ts'
import type { Outcome } from './command.ts'
import { warningsJson } from './entry-json.ts'
import { EXIT_STATUS, type FailureCode } from './exit-status.ts'
import { withoutControls } from './screen.ts'

interface Failure {
  readonly code: FailureCode
  readonly message: string
  readonly hint: string
}

/** Thrown by a command that keeps what it has done before it ends; with what is to be said of that. */
export class Interrupted extends Error {}

export class Report {
  readonly #asJson: boolean
  readonly #quietly: boolean
  #mayBeLost = false
  #isTold = false

  /** Reads the two flags itself: what fails while the rest is read must be told in the right form, too. */
  constructor(args: readonly string[]) {
    const end = args.indexOf('--')
    const flags = end === -1 ? args : args.slice(0, end)
    this.#asJson = flags.includes('--json')
    this.#quietly = flags.includes('--quiet')
  }

  outcome({ json, text, quietText, rawText, warnings, mayBeLost }: Outcome): void {
    this.#mayBeLost = mayBeLost === true
    this.#isTold = true
    if (this.#asJson) {
      if (json) printJson('warnings' in json ? json : { ...json, ...warningsJson(warnings) })
      return
    }
    const shown = this.#quietly ? quietText : text
    if (rawText !== undefined) printRaw(rawText)
    else if (shown !== '') print(shown)
    for (const warning of warnings) complain(`warning: ${warning}`)
  }

  failure(error: unknown): void {
    const failure = failureOf(error)
    process.exitCode = EXIT_STATUS[failure.code]
    if (this.#asJson) {
      printJson({ error: failure })
      return
    }
    complain(failure.message)
    if (failure.hint !== '') printError(failure.hint)
  }

  /** At once: the store is made for being stopped at any moment. */
  interrupted(): never {
    this.failure(INTERRUPTED)
    process.exit()
  }

  /** An answer that says nothing, at once, unless there was one: whatever happened is no failure to whoever called. */
  nothing(): never {
    if (!this.#isTold) print('{}')
    process.exit(0)
  }

  /** A reader that has seen enough (`| head`) is no failure of ours; a full disk behind `>` is. */
  outputFailed(error: NodeJS.ErrnoException): never {
    if (error.code === 'EPIPE' || this.#mayBeLost) process.exit()
    complain(`the output could not be written: ${error.message}`)
    process.exit(EXIT_STATUS.IO)
  }
}

const INTERRUPTED: Failure = {
  code: 'INTERRUPTED',
  message: 'interrupted',
  hint: 'What was being written is there as a whole or not at all.',
}

function failureOf(error: unknown): Failure {
  if (error === INTERRUPTED) return INTERRUPTED
  if (error instanceof Interrupted) return { ...INTERRUPTED, hint: error.message }
  if (isKeepsakeError(error)) return { code: error.code, message: error.message, hint: error.hint ?? '' }
  const message = error instanceof Error ? error.message : String(error)
  const where = error instanceof Error && error.stack !== undefined ? error.stack : message
  return {
    code: 'INTERNAL',
    message: `this should not happen: ${message}`,
    hint: `It is a mistake in keepsake itself. Please report it with this:\n${where}`,
  }
}

/** Prints to standard output, terminal or pipe, without control characters. */
export function print(text: string): void {
  process.stdout.write(`${withoutControls(text)}\n`)
}

/** Prints every byte, unless standard output is a terminal. */
function printRaw(text: string): void {
  if (process.stdout.isTTY) print(markInvisible(text))
  else process.stdout.write(`${text}\n`)
}

function printJson(value: object): void {
  print(escapeInvisibleJson(JSON.stringify(value)))
}

/** On standard error, in the name of the program. */
export function complain(text: string): void {
  printError(`keepsake: ${text}`)
}

/** Where nobody listens to complaints any more, the status still tells. */
export function printError(text: string): void {
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined)
  process.stderr.write(`${markInvisible(text)}\n`)
}
