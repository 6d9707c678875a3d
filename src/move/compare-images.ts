/**
 * Whether two images are of the same memory: settings, entries, every change with what it did, transcripts and kept files,
 * each to the letter. Apart from that: `path`, a courtesy of stores that have files, and the epoch, which every store begins
 * for itself. Read side by side, so that neither has to fit into RAM.
 */
import type { Entry } from '../model/entry.ts'
import type { KeptFile, MemoryImage, Recorded, SessionText, Touched } from '../ports/store.ts'
import { pairUp } from './pair-up.ts'
import { areSameBytes, differentKey, isSame } from './same-value.ts'

export interface CompareOptions {
  readonly signal?: AbortSignal
  /** How many entries were compared. */
  readonly onProgress?: (entries: number) => void
  /** The first image is of a later moment than what was copied: transcripts may have gone on since. */
  readonly later?: LaterSessions
  /** Compares present entries only, and ignores their `seq`: for a store that keeps nothing else. */
  readonly presentOnly?: boolean
}

export interface LaterSessions {
  /** How many bytes of each transcript were copied, by `sessionId`; none of what was not there then. */
  readonly copied: ReadonlyMap<string, number>
  readonly onWentOn: (session: string) => void
}

export function sessionId({ scope, key }: Pick<SessionText, 'scope' | 'key'>): string {
  return `${scope}\0${key}`
}

/** What more of them would say is said by the first few. */
const MOST_DIFFERENCES = 20

/** How they differ, as sentences, at most so many; none when they are equal. */
export async function compareImages(
  a: MemoryImage,
  b: MemoryImage,
  options: CompareOptions = {},
): Promise<readonly string[]> {
  const found: string[] = []
  const revisions = new Map<string, string>()
  for await (const difference of differences(a, b, revisions, options)) {
    found.push(difference)
    if (found.length === MOST_DIFFERENCES) break
  }
  return found
}

async function* differences(
  a: MemoryImage,
  b: MemoryImage,
  revisions: Map<string, string>,
  options: CompareOptions,
): AsyncGenerator<string> {
  if (options.presentOnly) return yield* comparedEntries(a, b, revisions, options)
  const setting = differentKey(a.settings, b.settings)
  if (setting !== undefined) yield `the setting "${setting}" differs`
  if (a.cursor.number !== b.cursor.number) {
    yield `the last change is ${a.cursor.number} here and ${b.cursor.number} there`
  }
  if (a.nextSeq !== b.nextSeq) yield `the next seq is ${a.nextSeq} here and ${b.nextSeq} there`
  yield* comparedEntries(a, b, revisions, options)
  yield* comparedHistory(a, b, options)
  yield* comparedSessions(a, b, options)
  yield* comparedFiles(a, b, revisions, options)
}

async function* comparedEntries(
  a: MemoryImage,
  b: MemoryImage,
  revisions: Map<string, string>,
  { signal, onProgress, presentOnly = false }: CompareOptions,
): AsyncGenerator<string> {
  let count = 0
  for await (const [first, second] of pairUp(a.entries(), b.entries(), ({ id }) => id)) {
    signal?.throwIfAborted()
    onProgress?.(++count)
    if (first) revisions.set(first.id, first.revision)
    const difference = entryDifference(first, second, presentOnly)
    if (difference !== undefined) yield difference
  }
}

function entryDifference(first: Entry | undefined, second: Entry | undefined, ignoresSeq: boolean): string | undefined {
  const entry = first ?? second
  if (!entry) return undefined
  const label = `the ${entry.kind} ${JSON.stringify(entry.name ?? entry.key ?? entry.id)} of ${entry.scope}`
  if (!first || !second) return `${label} is only ${first ? 'here' : 'there'}`
  const other = ignoresSeq ? { ...second, seq: first.seq } : second
  const key = differentKey(withoutPath(first), withoutPath(other))
  return key === undefined ? undefined : `${label} differs in its ${key}`
}

async function* comparedHistory(a: MemoryImage, b: MemoryImage, { signal }: CompareOptions): AsyncGenerator<string> {
  if (a.history.since !== b.history.since) {
    yield `the past is known since ${a.history.since ?? 'the beginning'} here and ${b.history.since ?? 'the beginning'} there`
  }
  if (!isSame(byId(a.history.entries), byId(b.history.entries))) yield 'what was there when the past begins differs'
  const others = b.history.changes()[Symbol.asyncIterator]()
  try {
    for await (const recorded of a.history.changes()) {
      signal?.throwIfAborted()
      const { value: other, done } = await others.next()
      const { number } = recorded.change
      if (done) return yield `change ${number} and what came after it are only here`
      if (!isSame(plain(recorded), plain(other))) yield `change ${number} differs`
    }
    const more = await others.next()
    if (!more.done) yield `change ${more.value.change.number} and what came after it are only there`
  } finally {
    await others.return?.()
  }
}

function plain({ change, touched }: Recorded): object {
  return { change, touched: Object.fromEntries(touched.map((one) => [one.id, plainTouched(one)])) }
}

function plainTouched({ before, after }: Touched): object {
  return { before: before && withoutPath(before), after: after && withoutPath(after) }
}

async function* comparedSessions(
  a: MemoryImage,
  b: MemoryImage,
  { signal, later }: CompareOptions,
): AsyncGenerator<string> {
  for await (const [now, second] of pairUp(a.sessions(), b.sessions(), sessionId)) {
    signal?.throwIfAborted()
    const first = later ? copiedOf(now, later.copied) : now
    const label = sessionLabel(now ?? second)
    if (first?.text.length !== now?.text.length) later?.onWentOn(label)
    if (first && second ? areSameBytes(first.text, second.text) : first === second) continue
    yield `${label} ${first && second ? 'differs' : `is only ${first ? 'here' : 'there'}`}`
  }
}

/** A transcript as it was when it was copied: it is only ever appended to. */
function copiedOf(now: SessionText | undefined, copied: ReadonlyMap<string, number>): SessionText | undefined {
  const length = now && copied.get(sessionId(now))
  return length === undefined ? undefined : now && { ...now, text: now.text.subarray(0, length) }
}

function sessionLabel(session: SessionText | undefined): string {
  return `session ${JSON.stringify(session?.key)} of ${session?.scope}`
}

/**
 * A kept file counts while all whose texts are in it are as they were; one of which something has changed since is written
 * anew by who has files, and may have become another there.
 */
async function* comparedFiles(
  a: MemoryImage,
  b: MemoryImage,
  revisions: ReadonlyMap<string, string>,
  { signal }: CompareOptions,
): AsyncGenerator<string> {
  const isCurrent = ({ entries }: KeptFile): boolean =>
    entries.every(({ id, revision }) => revisions.get(id) === revision)
  const rewritten = new Set<string>()
  const onlyThere: KeptFile[] = []
  for await (const [first, second] of pairUp(a.files(), b.files(), ({ path }) => path)) {
    signal?.throwIfAborted()
    if (first && !isCurrent(first)) for (const { id } of first.entries) rewritten.add(id)
    else if (first && second) {
      if (!areSameBytes(first.bytes, second.bytes)) yield `the file ${first.path} differs`
    } else if (first) yield `the file ${first.path} is only here`
    else if (second) onlyThere.push({ ...second, bytes: new Uint8Array() })
  }
  for (const { path, entries } of onlyThere) {
    if (!entries.some(({ id }) => rewritten.has(id))) yield `the file ${path} is only there`
  }
}

function byId(entries: readonly Entry[]): object {
  return Object.fromEntries(entries.map((entry) => [entry.id, withoutPath(entry)]))
}

function withoutPath({ path: _, ...entry }: Entry): object {
  return entry
}
