/**
 * What `recall` without a query gives an agent: world knowledge, its own memory, the last days of its log. Pure text
 * building under a budget; what does not fit is left out as whole entries, the oldest first, and the text says so. The memory
 * has the first claim, and is cut only where it alone is too long. All of the text is counted but its notes, which are
 * short however much they are about. Each text is escaped on its own; the heading before the next keeps the two apart.
 */
import type { Entry } from '../model/entry.ts'
import { localTime } from '../model/time.ts'
import { isBeyond, shownWithin, tokensOf } from './budget.ts'
import { neutral } from './neutral.ts'
import { notesOf } from './notes.ts'

export interface ContextParts {
  /** In any order; shown by name. */
  readonly topics: readonly Entry[]
  readonly memory: Entry | undefined
  /** In any order; shown by day, newest first, and within a day as they came. */
  readonly experiences: readonly Entry[]
  /** How many days of the log were asked for. */
  readonly days: number
  /** The day of the last experience, where the days asked for have none. */
  readonly lastDay: string | undefined
  /** How many entries of other kinds there are; looked at where there is none of these. */
  readonly others: number
  readonly zone: string
  readonly budgetTokens: number
  /** What could not be read. */
  readonly warnings: readonly string[]
}

export interface ContextLoad {
  readonly text: string
  /** How many entries were left out for the budget. */
  readonly omitted: number
}

const SEPARATOR = '\n\n---\n\n'
const WORLD_TITLE = '# World Knowledge'
const LOG_TITLE = '# Recent Experiences'

export function contextLoad(parts: ContextParts): ContextLoad {
  const { kept, omitted } = withinBudget(parts)
  const notes = notesOf(omitted, parts.warnings).map(neutral)
  if (isEmpty(parts)) return { text: [emptyText(parts), ...notes].join('\n\n'), omitted }
  const sections = [worldSection(kept.topics), kept.memory, logSection(kept.experiences, parts.zone), noLogText(parts)]
  const shown = sections.filter((section) => section !== '')
  if (shown.length > 0) return { text: [...shown, ...notes].join(SEPARATOR), omitted }
  return { text: [`Nothing fits a budget of ${parts.budgetTokens} tokens.`, ...notes].join('\n\n'), omitted }
}

function isEmpty({ topics, memory, experiences }: ContextParts): boolean {
  return topics.length === 0 && memory === undefined && experiences.length === 0
}

/** Where there is none of what was asked for: what there is besides, so that nobody takes the memory for empty. */
function emptyText({ days, lastDay, others, warnings }: ContextParts): string {
  if (lastDay === undefined && others === 0 && warnings.length === 0) return 'Nothing is remembered yet.'
  const missing =
    days === 0 ? 'no shared knowledge and no MEMORY.md' : 'no shared knowledge, no MEMORY.md and no log of these days'
  return [
    warnings.length === 0 ? `There is ${missing}.` : `N${missing.slice(1)} could be read.`,
    ...(lastDay === undefined ? [] : [`The last log is of ${lastDay}.`]),
    ...(others === 0 ? [] : [othersText(others)]),
  ].join(' ')
}

/** Not how to search: each preset does that its own way, and one not at all. */
function othersText(count: number): string {
  return count === 1
    ? 'There is 1 other entry; a search finds it.'
    : `There are ${count} other entries; a search finds them.`
}

function worldSection(topics: readonly Entry[]): string {
  if (topics.length === 0) return ''
  return [WORLD_TITLE, ...topics.map(topicText)].join('\n\n')
}

/** Where the rest of it is, every reader can be told in the same way: the file. */
function memorySection(memory: Entry | undefined, budgetTokens: number): string {
  if (!memory) return ''
  const note = '(MEMORY.md is too long to be shown whole; the rest is in the file.)'
  const show = (text: string, isCut: boolean): string =>
    neutral(['# Your Memory', ...(text === '' ? [] : [text]), ...(isCut ? [note] : [])].join('\n\n'))
  return shownWithin(memory.content, budgetTokens, show).text
}

function logSection(experiences: readonly Entry[], zone: string): string {
  if (experiences.length === 0) return ''
  const days = new Map<string, string[]>()
  for (const entry of experiences) {
    const heading = dayHeading(entry, zone)
    const texts = days.get(heading) ?? []
    texts.push(logText(entry, zone))
    days.set(heading, texts)
  }
  const newestFirst = [...days].sort(([a], [b]) => (a < b ? 1 : -1))
  return [LOG_TITLE, ...newestFirst.flatMap(([heading, texts]) => [heading, ...texts])].join('\n\n')
}

function noLogText({ experiences, lastDay }: ContextParts): string {
  if (experiences.length > 0 || lastDay === undefined) return ''
  return `${LOG_TITLE}\n\nNone in these days; the last are of ${lastDay}.`
}

function topicText(entry: Entry): string {
  return neutral(`## ${entry.name}\n\n${entry.content}`)
}

function dayHeading(entry: Entry, zone: string): string {
  return `## ${localTime(entry.createdAt, zone).day}`
}

function logText(entry: Entry, zone: string): string {
  return neutral(`### ${localTime(entry.createdAt, zone).time}\n\n${entry.content}`)
}

interface Kept {
  readonly topics: readonly Entry[]
  /** As it is shown. */
  readonly memory: string
  readonly experiences: readonly Entry[]
}

/** The memory first, then topics, then experiences; within each the newest have the better claim. */
function withinBudget(parts: ContextParts): { readonly kept: Kept; readonly omitted: number } {
  const memory = memorySection(parts.memory, parts.budgetTokens)
  const around = [memory, noLogText(parts)].filter((section) => section !== '')
  const room = parts.budgetTokens - tokensOf(around.join(SEPARATOR))
  const topics = newestWithin(parts.topics, {
    timeOf: (entry) => entry.updatedAt,
    textOf: topicText,
    headingsOf: () => [around.length > 0 ? WORLD_TITLE + SEPARATOR : WORLD_TITLE],
    room,
    left: room,
  })
  const isFirst = around.length === 0 && topics.taken.length === 0
  const experiences = newestWithin(parts.experiences, {
    timeOf: (entry) => entry.createdAt,
    textOf: (entry) => logText(entry, parts.zone),
    headingsOf: (entry) => [isFirst ? LOG_TITLE : SEPARATOR + LOG_TITLE, `\n\n${dayHeading(entry, parts.zone)}`],
    room,
    left: topics.left,
  })
  const given = parts.topics.length + parts.experiences.length
  return {
    kept: {
      memory,
      topics: topics.taken.sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1)),
      experiences: experiences.taken.sort((a, b) => a.seq - b.seq),
    },
    omitted: given - topics.taken.length - experiences.taken.length,
  }
}

interface Sort {
  readonly timeOf: (entry: Entry) => string
  readonly textOf: (entry: Entry) => string
  /** What stands above it, with the blank lines and rules around: each counts with the first entry that needs it. */
  readonly headingsOf: (entry: Entry) => readonly string[]
  /** In tokens: what there is for all entries of all sorts. */
  readonly room: number
  /** What the sorts before have left of it. */
  readonly left: number
}

function newestWithin(
  entries: readonly Entry[],
  { timeOf, textOf, headingsOf, room, left: leftBefore }: Sort,
): { readonly taken: Entry[]; readonly left: number } {
  const newestFirst = [...entries].sort((a, b) =>
    timeOf(a) < timeOf(b) ? 1 : timeOf(a) > timeOf(b) ? -1 : b.seq - a.seq,
  )
  const taken: Entry[] = []
  const shown = new Set<string>()
  let left = leftBefore
  for (const entry of newestFirst) {
    if (isBeyond(entry.content.length, room)) continue
    const own = tokensOf(`\n\n${textOf(entry)}`)
    const headings = headingsOf(entry)
    // One that would not fit with all others left out is passed over alone.
    if (own + tokensOfAll(headings) > room) continue
    const missing = headings.filter((heading) => !shown.has(heading))
    const tokens = own + tokensOfAll(missing)
    // What is left out is the oldest: once one does not fit, none that is older is taken in its place.
    if (tokens > left) break
    taken.push(entry)
    for (const heading of missing) shown.add(heading)
    left -= tokens
  }
  return { taken, left }
}

function tokensOfAll(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + tokensOf(text), 0)
}
