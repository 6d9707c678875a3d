/**
 * The rule of a purge: which words of purged entries are removed from transcripts, and which other places are reported.
 * Invariant: only texts change. Keys, and the fields that identify a record, its speaker and its time, never do. Pure.
 */
import { type Entry, type JsonValue, type Metadata, type Scope, WORLD } from './entry.ts'
import type { Kind } from './kinds.ts'
import { normalizeAgentId } from './name.ts'
import { shellLine } from './shell-line.ts'
import { isTranscriptMetadata, purgeCount } from './transcript-metadata.ts'

/** Replaces purged words in a transcript. */
export const PURGED = '[purged]'

/** Shorter strings occur in other texts by chance, so they are never cut out of the middle of one. */
const MIN_CUT_CHARACTERS = 24
/** Shorter strings are not searched for, because too many texts contain them. */
const MIN_REPORTED_TEXT = 6
const MIN_REPORTED_LINE = 12

/** Metadata in which Keepsake itself names turns, times and sessions: of archives, and of the history. */
const OWN_METADATA = new Set(['session', 'archive', 'first', 'through', 'since', 'until'])

/** Fields that identify things, in Keepsake's records and in tool calls: `type`, `role`, `call_id`, `createdAt` and the like. */
const STRUCTURAL =
  /^(type|id|role|name|key|call|tools|at|time|timestamp|turn|marker|first|through|until|reason|archive_name|.*(_id|Id|_at|At))$/

const MAX_DEPTH = 500

const NEWLINE = 10

/** A text that a purged entry had, and the agent whose sessions lose it; with `world`, no session does. */
export interface PurgedText {
  readonly agent: Scope
  readonly text: string
}

/** A place that contains words of purged entries and was not changed. */
export type Occurrence =
  | {
      readonly in: 'entry'
      readonly scope: Scope
      readonly id: string
      readonly kind: Kind
      readonly name?: string
      /** Only an earlier version of it has them. */
      readonly earlier?: true
    }
  | { readonly in: 'session'; readonly scope: Scope; readonly key: string }
  /** Relative to the workspace. */
  | { readonly in: 'file'; readonly path: string }

/** The fields of an entry, or of a write to one, that contain texts. */
interface EntryTexts {
  readonly content?: string
  readonly description?: string
  readonly metadata?: Metadata
}

/** The entries and the history of a store, as far as they contain texts. */
interface Versions {
  readonly entries: readonly Entry[]
  readonly changes: Iterable<{ readonly touched: readonly { readonly id: string; readonly after?: Entry }[] }>
}

export interface Redactions {
  /** By agent: what its sessions lose. */
  readonly cuts: ReadonlyMap<Scope, Cuts>
  /** Every string that is cut out of a longer text, in any agent's sessions. */
  readonly long: readonly string[]
  /** Strings that are reported wherever a text has them. */
  readonly reported: readonly string[]
  /** Whether some text is too short to be searched for. */
  readonly hasShortText: boolean
  /** How many lines are too short to be searched for. */
  readonly shortLines: number
}

interface Cuts {
  /** Redacted only where it is a whole text. */
  readonly whole: ReadonlySet<string>
  /** Redacted inside a text, too. Longest first, so that a line does not break up the whole text that contains it. */
  readonly inside: readonly string[]
}

/** Whether nothing else is left of a text. */
export function isPurged(text: string): boolean {
  return text.includes(PURGED) && text.replaceAll(PURGED, '').trim() === ''
}

/** What these entries have or had. `agent`: the one that runs the purge; its sessions lose the texts of world entries. */
export function collectPurged(
  { entries, changes }: Versions,
  ids: ReadonlySet<string>,
  agent: Scope = WORLD,
): { readonly texts: readonly PurgedText[]; readonly scopes: readonly Scope[] } {
  const requester = agent === WORLD ? WORLD : normalizeAgentId(agent)
  const texts = new Map<string, PurgedText>()
  const scopes = new Set<Scope>()
  const collect = (entry: Entry): void => {
    if (!ids.has(entry.id)) return
    scopes.add(entry.scope)
    const owner = entry.scope === WORLD ? requester : entry.scope
    for (const text of entryTexts(entry)) texts.set(`${owner} ${text}`, { agent: owner, text })
  }
  entries.forEach(collect)
  for (const { touched } of changes) for (const { after } of touched) if (after) collect(after)
  return { texts: [...texts.values()], scopes: [...scopes] }
}

/** The content, and each long string of the description and the metadata. Names are not purged: other texts have them for good reason. */
export function entryTexts({ content = '', description = '', metadata = {} }: EntryTexts): readonly string[] {
  const values = Object.entries(metadata).flatMap(([key, value]) => (OWN_METADATA.has(key) ? [] : textsIn(value)))
  const long = [description, ...values].filter((text) => text.trim().length >= MIN_CUT_CHARACTERS)
  return content.trim() === '' ? long : [content, ...long]
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

export function redactionsFor(texts: readonly PurgedText[]): Redactions {
  const agents = [...new Set(texts.map(({ agent }) => agent))]
  const all = texts.map(({ text }) => text.trim())
  const long = cutsFor(all).inside
  const lines = all.flatMap(linesIn)
  const reported = [
    ...long,
    ...all.filter((text) => text.length >= MIN_REPORTED_TEXT),
    ...lines.filter((line) => line.length >= MIN_REPORTED_LINE),
  ]
  const whole = new Set(all)
  return {
    cuts: new Map(
      agents.map((agent) => [agent, cutsFor(texts.flatMap((one) => (one.agent === agent ? one.text.trim() : [])))]),
    ),
    long,
    reported: [...new Set(reported)],
    hasShortText: all.some((text) => text.length < MIN_REPORTED_TEXT),
    shortLines: new Set(lines.filter((line) => line.length < MIN_REPORTED_LINE && !whole.has(line))).size,
  }
}

function cutsFor(texts: readonly string[]): Cuts {
  const long = [...texts, ...texts.flatMap(linesIn)].filter((text) => text.length >= MIN_CUT_CHARACTERS)
  // Also in JSON form: a tool's arguments may be JSON in a string, and a broken line is searched without parsing.
  const forms = new Set([...long, ...long.map((text) => JSON.stringify(text).slice(1, -1))])
  return { whole: new Set(texts), inside: [...forms].sort((a, b) => b.length - a.length) }
}

/** Lines with a letter or a digit: a row of dashes is not worth a search. */
function linesIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => /[\p{L}\p{N}]/u.test(line))
}

/** A transcript without the words that sessions of this agent lose; returns the same object if it has none of them. */
export function redactTranscript(bytes: Uint8Array, agent: Scope, redactions: Redactions): Uint8Array {
  const redacted = redactLines(bytes, agent, redactions)
  return redacted === bytes ? bytes : countPurge(redacted)
}

/** Like redactTranscript, for a part of a transcript; does not count the purge. */
export function redactLines(bytes: Uint8Array, agent: Scope, { cuts }: Redactions): Uint8Array {
  const own = cuts.get(agent)
  if (!own) return bytes
  const lines = splitLines(bytes)
  const redacted = lines.map((line) => redactLine(line, own))
  return redacted.every((line, index) => line === lines[index]) ? bytes : joinLines(redacted)
}

/** The transcript, or its beginning, with one more purge in its metadata, so that readers notice that the text has changed. */
export function countPurge(bytes: Uint8Array): Uint8Array {
  const [first = bytes, ...others] = splitLines(bytes)
  const { mark, value } = parseLine(decoded(first) ?? '')
  if (!isTranscriptMetadata(value)) return bytes
  const metadata = JSON.stringify({ ...value, purges: purgeCount(value) + 1 })
  return joinLines([new TextEncoder().encode(mark + metadata), ...others])
}

/** Whether any text of the transcript contains reported words, or any other string one of the long strings. */
export function transcriptMentions(bytes: Uint8Array, redactions: Redactions): boolean {
  return splitLines(bytes).some((line) => {
    const { value, rest } = parseLine(decoded(line) ?? bytesAsText(line))
    return valueMentions(value ?? rest, redactions)
  })
}

/** Whether a file that people wrote contains reported words. */
export function fileMentions(bytes: Uint8Array, { reported }: Redactions): boolean {
  return hasAny(decoded(bytes) ?? bytesAsText(bytes), reported)
}

/** A line for the report of a purge. */
export function redactedSessionsText(count: number): string[] {
  return count === 0 ? [] : [`${count} session${count === 1 ? '' : 's'} that contained it`]
}

/** Lines for the report of a purge. */
export function shortTextNotice({ hasShortText, shortLines }: Redactions): string[] {
  const lines = `${shortLines} line${shortLines === 1 ? '' : 's'} of fewer than ${MIN_REPORTED_LINE} characters`
  return [
    ...(hasShortText
      ? [`other places with a text of fewer than ${MIN_REPORTED_TEXT} characters, which is too short to search for`]
      : []),
    ...(shortLines > 0
      ? [`other places with its short lines: ${lines} ${shortLines === 1 ? 'was' : 'were'} not searched for`]
      : []),
  ]
}

/** Lines for the report of a purge, which changes no backup. `workspace`: the path of the memory, if a command can name it. */
export function backupNotices(paths: readonly string[], workspace?: string): string[] {
  return paths.map((path) => {
    if (workspace === undefined) return `the backup ${path}: delete it`
    const command = shellLine(['keepsake', 'backup', path, '--force', '--workspace', workspace])
    return `the backup ${path}: delete it, or replace it with: ${command}`
  })
}

/** Lines for the report of a purge. `gitFolder`: the repository that contains the memory. */
export function elsewhereNotices(gitFolder: string | undefined): string[] {
  return [
    ...(gitFolder === undefined ? [] : [`the history of the git repository in ${gitFolder}, if it was committed`]),
    'copies that other programs made: syncs, snapshots, backups elsewhere, an agent that has read it',
  ]
}

/** Entries that contain or contained reported words. */
export function entryOccurrences({ entries, changes }: Versions, redactions: Redactions): Occurrence[] {
  const { visit, found } = occurrenceSearch(redactions)
  for (const entry of entries) visit(entry.id, entry)
  for (const { touched } of changes) for (const { id, after } of touched) visit(id, after)
  return found()
}

/** The same for states that are passed one by one, oldest first for each entry; `undefined`: a state without the words, or none. */
export function occurrenceSearch(redactions: Redactions): {
  readonly visit: (id: string, state: Entry | undefined) => void
  readonly found: () => Occurrence[]
} {
  const found = new Map<string, Occurrence & { in: 'entry' }>()
  const visit = (id: string, entry: Entry | undefined): void => {
    const before = found.get(id)
    if (entry && entryMentions(entry, redactions)) {
      const { scope, kind, name } = entry
      found.set(id, { in: 'entry', scope, id, kind, ...(name === null ? {} : { name }) })
    } else if (before) found.set(id, { ...before, earlier: true })
  }
  return { visit, found: () => [...found.values()] }
}

function entryMentions({ name, aliases, description, content, metadata }: Entry, redactions: Redactions): boolean {
  return valueMentions([name, ...aliases, description, content, ...Object.values(metadata)], redactions)
}

function valueMentions(value: JsonValue, { reported, long }: Redactions): boolean {
  for (const { text, isText } of stringsIn(value)) if (hasAny(text, isText ? reported : long)) return true
  return false
}

function redactLine(line: Uint8Array, cuts: Cuts): Uint8Array {
  const text = decoded(line)
  if (text === undefined) {
    const letters = bytesAsText(line)
    const redacted = cutOut(
      letters,
      cuts.inside.map((word) => bytesAsText(new TextEncoder().encode(word))),
    )
    return redacted === letters ? line : Uint8Array.from(redacted, (letter) => letter.charCodeAt(0))
  }
  const { mark, value, rest } = parseLine(text)
  const before = value === undefined ? rest : JSON.stringify(value)
  const after =
    value === undefined ? cutOut(rest, cuts.inside) : JSON.stringify(mapTexts(value, (one) => redactText(one, cuts)))
  return after === before ? line : new TextEncoder().encode(mark + after)
}

function redactText(text: string, { whole, inside }: Cuts): string {
  return whole.has(text.trim()) ? PURGED : cutOut(text, inside)
}

function cutOut(text: string, words: readonly string[]): string {
  return words.reduce((rest, word) => rest.replaceAll(word, PURGED), text)
}

function hasAny(text: string, words: readonly string[]): boolean {
  return words.some((word) => text.includes(word))
}

/** The value with every text in it mapped. `isStructural`: it is the value of a structural field. */
function mapTexts(value: JsonValue, map: (text: string) => string, isStructural = false): JsonValue {
  if (typeof value === 'string') return isStructural ? value : map(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: JsonValue) => mapTexts(item, map, isStructural))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, map, STRUCTURAL.test(key))]),
  )
}

/** Every string in a value, keys included. */
function* stringsIn(
  value: JsonValue,
  isStructural = false,
): Generator<{ readonly text: string; readonly isText: boolean }> {
  if (typeof value === 'string') yield { text: value, isText: !isStructural }
  else if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) yield* stringsIn(item, isStructural)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield { text: key, isText: false }
      yield* stringsIn(item, STRUCTURAL.test(key))
    }
  }
}

interface ParsedLine {
  /** An editor may have put a byte order mark before the first line. */
  readonly mark: string
  readonly rest: string
  /** Missing if the line is not JSON, or nested too deep. */
  readonly value?: JsonValue
}

function parseLine(line: string): ParsedLine {
  const mark = line.startsWith('\ufeff') ? '\ufeff' : ''
  const rest = line.slice(mark.length)
  try {
    const value = JSON.parse(rest) as JsonValue // JSON.parse gives nothing else
    return isTooDeep(value) ? { mark, rest } : { mark, rest, value }
  } catch {
    return { mark, rest }
  }
}

/** A transcript may come from anywhere, and recursion over a value that is nested thousands of times would overflow the stack. */
export function isTooDeep(value: JsonValue): boolean {
  let level: readonly JsonValue[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}

/** `undefined` if the bytes are not UTF-8. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Each byte as one character. */
function bytesAsText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

/** The lines without their line ends; the last one may be empty. */
function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  let start = 0
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  return [...lines, bytes.subarray(start)]
}

function joinLines(lines: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(lines.reduce((sum, { length }) => sum + length + 1, -1))
  let at = 0
  for (const line of lines) {
    joined.set(line, at)
    at += line.length
    if (at < joined.length) joined[at++] = NEWLINE
  }
  return joined
}
