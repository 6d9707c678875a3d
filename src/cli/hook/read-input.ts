/**
 * All of standard input, within bounds of size and time: a client waits for its hooks, so one whose input says nothing or never
 * ends must not wait for it. What was said by then counts.
 */
import type { Readable } from 'node:stream'

const MOST_MS = 2000
/** A client that leaves its end open has said all when it is whole and nothing more comes for so long. */
const SILENCE_MS = 150
/** Far more than a person pastes. What is longer is read and dropped: a client may mind a pipe that breaks. */
const MOST_BYTES = 16_777_216

export function readInput(input: Readable): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let size = 0
    let silence: NodeJS.Timeout | undefined
    const said = (): string => (size > MOST_BYTES ? '' : new TextDecoder().decode(Buffer.concat(chunks)))
    const end = (): void => {
      clearTimeout(silence)
      clearTimeout(deadline)
      // Else an input that stays open would keep the process.
      input.destroy()
      resolve(said())
    }
    const deadline = setTimeout(end, MOST_MS)
    input.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      if (size <= MOST_BYTES) chunks.push(chunk)
      clearTimeout(silence)
      silence = setTimeout(() => isWhole(said()) && end(), SILENCE_MS)
    })
    input.on('end', end).on('error', end)
  })
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
