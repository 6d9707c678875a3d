/**
 * What `recall` without a query gives an agent: world knowledge, its own memory, the last days of its log. Pure text
 * building under a budget; what does not fit is left out as whole entries, the oldest first, and the text says so.
 */
import { estimateTokenCount } from 'tokenx'
import type { Entry } from '../model/entry.ts'
import { localTime } from '../model/time.ts'
import { notesOf } from './notes.ts'

export interface ContextParts {
  /** In any order; shown by name. */
  readonly topics: readonly Entry[]
  readonly memory: Entry | undefined
  /** In any order; shown by day, newest first, and within a day as they came. */
  readonly experiences: readonly Entry[]
  /** The day of the last experience, where the days asked for have none. */
  readonly lastDay: string | undefined
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

const NOTHING = 'Nothing is remembered yet.'
const SEPARATOR = '\n\n---\n\n'

export function contextLoad(parts: ContextParts): ContextLoad {
  const { kept, omitted } = withinBudget(parts)
  const sections = [worldSection(kept.topics), memorySection(kept.memory), logSection(kept.experiences, parts)]
  const shown = sections.filter((section) => section !== '')
  const notes = notesOf(omitted, parts.warnings)
  if (shown.length === 0) return { text: [NOTHING, ...notes].join('\n\n'), omitted }
  return { text: [...shown, ...notes].join(SEPARATOR), omitted }
}

function worldSection(topics: readonly Entry[]): string {
  if (topics.length === 0) return ''
  return ['# World Knowledge', ...topics.map(topicText)].join('\n\n')
}

function memorySection(memory: Entry | undefined): string {
  return memory ? `# Your Memory\n\n${memory.content}` : ''
}

function logSection(experiences: readonly Entry[], { zone, lastDay }: ContextParts): string {
  if (experiences.length === 0) {
    return lastDay === undefined ? '' : `# Recent Experiences\n\nNone in these days; the last are of ${lastDay}.`
  }
  const days = new Map<string, Entry[]>()
  for (const entry of experiences) {
    const { day } = localTime(entry.createdAt, zone)
    days.set(day, [...(days.get(day) ?? []), entry])
  }
  const newestFirst = [...days].sort(([a], [b]) => (a < b ? 1 : -1))
  const texts = newestFirst.map(([day, entries]) =>
    [`## ${day}`, ...entries.map((entry) => logText(entry, zone))].join('\n\n'),
  )
  return ['# Recent Experiences', ...texts].join('\n\n')
}

function topicText(entry: Entry): string {
  return `## ${entry.name}\n\n${entry.content}`
}

function logText(entry: Entry, zone: string): string {
  return `### ${localTime(entry.createdAt, zone).time}\n\n${entry.content}`
}

type Kept = Pick<ContextParts, 'topics' | 'memory' | 'experiences'>

/** The memory first, then topics, then experiences; within each the newest have the better claim. */
function withinBudget(parts: ContextParts): { readonly kept: Kept; readonly omitted: number } {
  let left = parts.budgetTokens
  let omitted = 0
  const take = (text: string): boolean => {
    const cost = estimateTokenCount(text)
    if (cost > left) {
      omitted++
      return false
    }
    left -= cost
    return true
  }
  const memory = parts.memory && take(memorySection(parts.memory)) ? parts.memory : undefined
  const topics = newestWithin(parts.topics, (entry) => entry.updatedAt, topicText, take)
  const experiences = newestWithin(
    parts.experiences,
    (entry) => entry.createdAt,
    (entry) => logText(entry, parts.zone),
    take,
  )
  return {
    kept: {
      memory,
      topics: topics.sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1)),
      experiences: experiences.sort((a, b) => a.seq - b.seq),
    },
    omitted,
  }
}

function newestWithin(
  entries: readonly Entry[],
  timeOf: (entry: Entry) => string,
  textOf: (entry: Entry) => string,
  take: (text: string) => boolean,
): Entry[] {
  const newestFirst = [...entries].sort((a, b) =>
    timeOf(a) < timeOf(b) ? 1 : timeOf(a) > timeOf(b) ? -1 : b.seq - a.seq,
  )
  // What is left out is the oldest: once one does not fit, none that is older is taken in its place.
  let full = false
  return newestFirst.filter((entry) => {
    full = !take(textOf(entry)) || full
    return !full
  })
}
