/** Everything that the file holds, as of one moment, for another store to take over. Never writes. */
import type { TextPlace } from '../../codec/one-file/bytes.ts'
import { damagedFile } from '../../codec/one-file/header.ts'
import { decodeKeptFile } from '../../codec/one-file/named-bytes.ts'
import type { Entry, EntryHead } from '../../model/entry.ts'
import type { KeptFile, MemoryImage, SessionText, Settings } from '../../ports/store.ts'
import { payloadAt } from './file-builder.ts'
import { nameOf, placeOf, type SessionPlaces } from './file-catalogue.ts'
import type { FollowedFile } from './follower.ts'
import { type Hold, holdFile } from './hold.ts'
import type { OneFile } from './one-file.ts'
import { cursorOf, readHistory } from './past.ts'
import { ReadAhead } from './read-ahead.ts'
import { foundHeads } from './reader.ts'

/** `settings`: of a file that is not there yet. */
export function imageOf(state: FollowedFile | undefined, settings: Settings): MemoryImage {
  if (!state) {
    const nothing = async function* (): AsyncGenerator<never> {}
    const history = readHistory(undefined)
    const images = { entries: nothing, sessions: nothing, files: nothing }
    return { settings, cursor: cursorOf(undefined), nextSeq: 1, history, warnings: [], ...images }
  }
  const { file, catalogue } = state
  const hold = holdFile(file)
  const heads = foundHeads(state, {}).map((head) => ({ head, place: catalogue.placeOf(head.id) }))
  const sessions = [...catalogue.sessions()].map((session) => ({ ...session, extents: [...session.extents] }))
  const files = [...catalogue.files].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    settings: catalogue.settings,
    cursor: cursorOf(state),
    nextSeq: catalogue.nextSeq,
    history: readHistory(state, { keep: true }),
    entries: () => entriesOf(hold, heads),
    sessions: () => sessionsOf(hold, sessions.sort(byScopeAndKey)),
    files: () => filesOf(hold, files),
    warnings: state.problem === undefined ? [] : [`${file.path}: ${state.problem}`],
  }
}

async function* entriesOf(
  { file }: Hold,
  heads: readonly { readonly head: EntryHead; readonly place: TextPlace }[],
): AsyncGenerator<Entry> {
  const reading = new ReadAhead(file)
  for (const { head, place } of heads) yield { ...head, content: reading.text(place, () => nameOf(head)) }
}

async function* sessionsOf({ file }: Hold, sessions: readonly SessionPlaces[]): AsyncGenerator<SessionText> {
  for (const { scope, key, extents } of sessions) {
    yield { scope, key, text: wholeTranscript(file, { scope, key, extents }) }
  }
}

export function wholeTranscript(file: OneFile, { key, extents }: SessionPlaces): Uint8Array {
  const pieces = extents.map((extent) => {
    const bytes = file.proved(placeOf(extent))
    if (!bytes) throw damagedFile(file.path, `the session "${key}" is damaged`, extent[0])
    return bytes
  })
  return Buffer.concat(pieces)
}

async function* filesOf({ file }: Hold, files: readonly (readonly [string, number])[]): AsyncGenerator<KeptFile> {
  for (const [, at] of files) yield keptFileAt(file, at)
}

export function keptFileAt(file: OneFile, at: number): KeptFile {
  const { payload } = file.frame(at)
  const { path, entries, place } = decodeKeptFile(payload, { path: file.path, at: payloadAt(at) })
  const begin = place.offset - payloadAt(at)
  return { path, entries, bytes: payload.subarray(begin, begin + place.length) }
}

function byScopeAndKey(a: SessionPlaces, b: SessionPlaces): number {
  if (a.scope !== b.scope) return a.scope < b.scope ? -1 : 1
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}
