/** One question to the servers of a workspace, one after the other, until one answers or the time is over. */
import { statSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import type { Found } from '../recall/found.ts'
import type { AskOptions } from './ask-local.ts'
import { foundIn, GREETING, MOST_QUESTION_BYTES, type Question, questionLine } from './question.ts'

/** A server that is busy greets within that; one that hangs costs every command as much. */
const GREETING_MS = 300
/** After that, nobody else is asked: however many hang, a command does not wait for all of them. */
const ASKING_MS = 800
const ANSWER_MS = 3000
const MOST_ANSWER_BYTES = 67_108_864
/** A server has its socket a moment before it listens; one that was refused for longer is dead. */
const STALE_AFTER_MS = 10_000

export async function askSockets(
  paths: readonly string[],
  question: Question,
  { signal, greetingMs = GREETING_MS, answerMs = ANSWER_MS }: AskOptions = {},
): Promise<Found | undefined> {
  const line = questionLine(question)
  if (Buffer.byteLength(line) > MOST_QUESTION_BYTES) return undefined
  const over = AbortSignal.timeout(answerMs)
  const until = signal ? AbortSignal.any([signal, over]) : over
  const begunMs = performance.now()
  for (const path of paths) {
    if (until.aborted || performance.now() - begunMs > ASKING_MS) break
    const found = foundIn(await answerAt(path, line, greetingMs, until))
    if (found) return found
  }
  signal?.throwIfAborted()
  return undefined
}

/** All that is said there after the greeting; nothing where nobody listens, or who listens does not greet in time. */
export function answerAt(path: string, line: string, greetingMs: number, until: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const socket = connect({ path })
    const end = (text: string): void => {
      clearTimeout(tooLate)
      until.removeEventListener('abort', giveUp)
      socket.destroy()
      resolve(text)
    }
    const giveUp = (): void => end('')
    // What came while this process itself was busy is read first.
    const tooLate = setTimeout(() => setImmediate(() => size >= GREETING.length || giveUp()), greetingMs)
    until.addEventListener('abort', giveUp, { once: true })
    socket.on('connect', () => {
      if (line !== '') socket.write(line)
      else giveUp()
    })
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      if (size >= GREETING.length) clearTimeout(tooLate)
      if (size > MOST_ANSWER_BYTES) giveUp()
    })
    socket.on('end', () => end(afterGreeting(Buffer.concat(chunks).toString('utf8'))))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') clearAway(path)
      giveUp()
    })
  })
}

function afterGreeting(text: string): string {
  return text.startsWith(GREETING) ? text.slice(GREETING.length) : ''
}

/** Its name is nobody else's ever again, so nothing that lives is lost. */
function clearAway(path: string): void {
  try {
    if (Date.now() - statSync(path).mtimeMs > STALE_AFTER_MS) unlinkSync(path)
  } catch {
    // someone else did
  }
}
