/**
 * Asks a running server of this workspace to search, since it has a model loaded and its index at hand. Nobody there, another
 * version, too slow: `undefined`, and the command searches by itself. Where no server runs, this costs one look at a folder.
 */
import type { CallOptions } from '../ports/store.ts'
import type { Found } from '../recall/found.ts'
import type { Question } from './question.ts'
import { identityOf, type LocalPlace, socketsAt } from './socket-place.ts'

export interface AskOptions extends CallOptions {
  /** Until a server greets, so that one that hangs is not waited for; default 300. */
  readonly greetingMs?: number
  /** For all of it; default 3,000. */
  readonly answerMs?: number
}

export async function askLocal(
  place: LocalPlace,
  question: Pick<Question, 'setup' | 'agent' | 'query' | 'options'>,
  options: AskOptions = {},
): Promise<Found | undefined> {
  const sockets = socketsAt(place)
  if (sockets.length === 0) return undefined
  // Node's own module for sockets takes milliseconds to load.
  const { askSockets } = await import('./ask-sockets.ts')
  const workspace = identityOf(place.root)
  return askSockets(sockets, { ...question, version: place.version, workspace }, options)
}
