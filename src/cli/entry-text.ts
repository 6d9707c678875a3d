/** Entries as people read them. */
import type { Memory } from '../memory.ts'
import { type Entry, type EntryHead, WORLD } from '../model/entry.ts'
import { localTime } from '../model/time.ts'
import type { Context } from './command.ts'
import { columnWidth, displayWidth, fittingLength, padToWidth } from './display-width.ts'
import type { Screen } from './screen.ts'

export interface TextPlace {
  readonly screen: Screen
  readonly root: string
  readonly zone: string
}

/** What to call it in a sentence: `the note "deploys"`, `the experience 0197…`, `MEMORY`. */
export function labelOf(entry: EntryHead): string {
  if (entry.kind === 'memory' || entry.kind === 'identity') return entry.name ?? entry.kind
  if (entry.name !== null) return `the ${entry.kind} "${entry.name}"`
  return entry.key === undefined ? `the ${entry.kind} ${entry.id}` : `the ${entry.kind} "${entry.key}"`
}

/** All there is to say about an entry, then its text. */
export function entryText(entry: Entry, { screen, root, zone }: TextPlace): string {
  const { name, key, kind, description, aliases, metadata, createdAt, updatedAt, expiresAt, origin } = entry
  const title = name ?? key ?? shortened(entry.content)
  const rows = rowsText(
    [
      ['created', timeText(createdAt, zone)],
      ['updated', updatedAt === createdAt ? undefined : timeText(updatedAt, zone)],
      ['expires', expiresAt === null ? undefined : timeText(expiresAt, zone)],
      ['file', entry.path === undefined ? undefined : screen.path(root, entry.path)],
      ['aliases', aliases.join(', ') || undefined],
      ['metadata', Object.keys(metadata).length === 0 ? undefined : JSON.stringify(metadata)],
      ['written by', originText(origin)],
      ['revision', entry.revision],
      ['id', entry.id],
    ],
    screen,
  )
  return [
    `${screen.bold(title)} (${kind})`,
    ...(description === '' ? [] : [screen.plain(description)]),
    ...rows,
    '',
    entry.content === '' ? screen.dim('(empty)') : screen.plain(entry.content),
  ].join('\n')
}

/** Lines of a word and what it says, the words in one column; a word with nothing to say has none. */
export function rowsText(rows: readonly (readonly [string, string | undefined])[], screen: Screen): string[] {
  const telling = rows.flatMap(([word, text]) => (text === undefined ? [] : [{ word, text }]))
  const width = Math.max(...telling.map(({ word }) => word.length))
  return telling.map(({ word, text }) => `  ${screen.dim(word.padEnd(width))}  ${screen.plain(text)}`)
}

/** A line an entry. */
export function listText(entries: readonly Entry[], { screen, root, zone }: TextPlace): string {
  const rows = entries.map((entry) => ({
    entry,
    kind: screen.plain(entry.kind),
    title: screen.line(shortened(entry.name ?? entry.key ?? entry.content)),
    path: entry.path === undefined ? '' : screen.path(root, entry.path),
  }))
  const widest = (column: 'kind' | 'title' | 'path'): number => columnWidth(rows.map((row) => row[column]))
  const [kinds, titles, paths] = [widest('kind'), widest('title'), widest('path')]
  const lines = rows.map(({ entry, kind, title, path }) => {
    const named = `${timeText(entry.createdAt, zone)}  ${padToWidth(kinds, kind)}  ${padToWidth(titles, title)}  `
    // What has no name can only be addressed by its id.
    return entry.name === null
      ? `${named}${screen.dim(`${padToWidth(paths, path)}  ${entry.id}`)}`
      : named + screen.dim(path)
  })
  return lines.map((line) => line.trimEnd()).join('\n')
}

/** What --quiet prints of a list: a reference to each entry, one per line. A name counts for an entry of the agent first. */
export async function quietRefs(
  entries: readonly Entry[],
  memory: Memory,
  { given, screen }: Context,
): Promise<string> {
  if (!given.has('quiet')) return ''
  const own = await memory.heads({ scopes: [memory.agent] })
  return refsText(entries, new Set(own.flatMap(({ name, aliases }) => [name, ...aliases])), screen)
}

export function refsText(entries: readonly Entry[], ownNames: ReadonlySet<string | null>, screen: Screen): string {
  const refs = entries.map(({ scope, name, id }) => (scope === WORLD && ownNames.has(name) ? id : (name ?? id)))
  return refs.map((ref) => screen.line(ref)).join('\n')
}

const MAX_COLUMNS = 48

/** One line, its end cut where it is long. */
export function shortened(text: string, columns: number = MAX_COLUMNS): string {
  const line = text.slice(0, 1000).replace(/\s+/g, ' ').trim()
  if (displayWidth(line) <= columns) return line
  return `${line.slice(0, fittingLength(columns - 1, line)).trimEnd()}…`
}

export function timeText(at: string, zone: string): string {
  const local = localTime(at, zone)
  return `${local.day} ${local.time}`
}

export function originText({ by, agent, session }: Entry['origin']): string {
  const words = [by, agent, session === undefined ? undefined : `in session ${session}`]
  return words.filter((word) => word !== undefined).join(' ')
}
