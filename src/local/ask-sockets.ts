/** One question to the servers of a workspace, one after the other, until one answers or the time is over. */
import { statSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import type { Found } from '../recall/found.ts'
import type { AskOptions } from './ask-local.ts'
import { foundIn, MOST_QUESTION_BYTES, type Question, questionLine } from './question.ts'

const CONNECT_MS = 200
const ANSWER_MS = 3000
const MOST_ANSWER_BYTES = 67_108_864
/** A server has its socket a moment before it listens; one that was refused for longer is dead. */
const STALE_AFTER_MS = 10_000

export async function askSockets(
  paths: readonly string[],
  question: Question,
  { signal, connectMs = CONNECT_MS, answerMs = ANSWER_MS }: AskOptions = {},
): Promise<Found | undefined> {
  const line = questionLine(question)
  if (Buffer.byteLength(line) > MOST_QUESTION_BYTES) return undefined
  const over = AbortSignal.timeout(answerMs)
  const until = signal ? AbortSignal.any([signal, over]) : over
  for (const path of paths) {
    if (until.aborted) break
    const found = foundIn(await answerAt(path, line, connectMs, until))
    if (found) return found
  }
  signal?.throwIfAborted()
  return undefined
}

/** All that is said there; nothing where nobody listens. */
export function answerAt(path: string, line: string, connectMs: number, until: AbortSignal): Promise<string> {
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
    const tooLate = setTimeout(giveUp, connectMs)
    until.addEventListener('abort', giveUp, { once: true })
    socket.on('connect', () => {
      clearTimeout(tooLate)
      if (line !== '') socket.write(line)
      else giveUp()
    })
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > MOST_ANSWER_BYTES) giveUp()
    })
    socket.on('end', () => end(Buffer.concat(chunks).toString('utf8')))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') clearAway(path)
      giveUp()
    })
  })
}

/** Its name is nobody else's ever again, so nothing that lives is lost. */
function clearAway(path: string): void {
  try {
    if (Date.now() - statSync(path).mtimeMs > STALE_AFTER_MS) unlinkSync(path)
  } catch {
    // someone else did
  }
}
