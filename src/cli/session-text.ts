/** Sessions as people read them: when, who, and what was said, the archive before the turns. */
import type { ShownArchive } from '../session/archives.ts'
import type { BrokenLine } from '../session/broken-records.ts'
import type { SessionView, WholeTranscript } from '../session/recording.ts'
import type { Marker, Message, Turn } from '../session/records.ts'
import type { SessionSummary } from '../session/summaries.ts'
import { columnWidth, padToWidth } from './display-width.ts'
import { rowsText, timeText } from './entry-text.ts'
import type { Screen } from './screen.ts'

/** As wide as a time. */
const UNKNOWN_TIME = '????-??-?? ??:??'

interface TextPlace {
  readonly screen: Screen
  readonly zone: string
}

interface Texts {
  readonly text: string
  readonly quietText: string
}

export function turnsPhrase(count: number): string {
  return count === 1 ? '1 turn' : `${count} turns`
}

export function markerText({ at, reason, turns, until }: Marker, zone: string): string {
  return `${timeText(at, zone)}, ${reason}, behind ${turnsPhrase(turns)} up to ${timeText(until, zone)}`
}

export function brokenWarnings(source: string, broken: readonly BrokenLine[]): string[] {
  return broken.map(({ line, problem }) => {
    const where = line === undefined ? source : `${source}, line ${line}`
    return `${where}: ${problem}; it was skipped`
  })
}

export function viewText({ key, createdAt, marker, archive, turns }: SessionView, place: TextPlace): Texts {
  const { screen, zone } = place
  const rows: [string, string | undefined][] = [
    ['begun', createdAt === null ? undefined : timeText(createdAt, zone)],
    ['turns', String(turns.length)],
    ['marker', marker && markerText(marker, zone)],
    ['archive', archive && `${archive.name}${archive.missing ? ', which is missing' : ''}`],
  ]
  const body = [...(archive ? [archiveText(archive, screen)] : []), ...turns.map((turn) => turnText(turn, place))]
  return headed(key, rows, body, screen)
}

/** Every turn, and behind the last one that a marker covers, the marker. */
export function transcriptText(key: string, { createdAt, turns, markers }: WholeTranscript, place: TextPlace): Texts {
  const { screen, zone } = place
  const rows: [string, string | undefined][] = [
    ['begun', createdAt === null ? undefined : timeText(createdAt, zone)],
    ['turns', String(turns.length)],
  ]
  const behind = new Map<string, string[]>()
  for (const marker of markers) {
    const stands = marker.archiveName === undefined ? '' : `, archive ${marker.archiveName}`
    const line = `── marker: ${markerText(marker, zone)}${stands}${marker.unmarked ? ', taken back' : ''}`
    behind.set(marker.through, [...(behind.get(marker.through) ?? []), screen.cyan(screen.line(line))])
  }
  const body = turns.flatMap((turn) => {
    const shown = [turnText(turn, place), ...(behind.get(turn.id) ?? [])]
    behind.delete(turn.id)
    return shown
  })
  // A marker behind a turn whose line is broken.
  return headed(key, rows, [...body, ...[...behind.values()].flat()], screen)
}

export function messagesText(messages: readonly Message[], place: TextPlace): string {
  return messages.map((message) => turnText({ tools: [], ...message }, place)).join('\n\n')
}

export function sessionsText(sessions: readonly SessionSummary[], { screen, zone }: TextPlace): string {
  const keys = sessions.map(({ key }) => screen.line(key))
  const width = columnWidth(keys)
  const counts = sessions.map(({ turns }) => turnsPhrase(turns))
  const widest = columnWidth(counts)
  return sessions
    .map(({ createdAt, lastAt }, index) => {
      const [key = '', count = ''] = [keys[index], counts[index]]
      const since = createdAt === null ? 'since when is not known' : `since ${timeText(createdAt, zone)}`
      const last = lastAt === null ? UNKNOWN_TIME : timeText(lastAt, zone)
      return `${last}  ${padToWidth(width, key)}  ${count.padEnd(widest)}  ${screen.dim(since)}`
    })
    .join('\n')
}

function headed(
  key: string,
  rows: readonly (readonly [string, string | undefined])[],
  body: readonly string[],
  screen: Screen,
): Texts {
  const quietText = body.join('\n\n')
  const head = [`${screen.bold(screen.line(key))} (session)`, ...rowsText(rows, screen)].join('\n')
  return { text: body.length === 0 ? head : `${head}\n\n${quietText}`, quietText }
}

function archiveText({ name, content }: ShownArchive, screen: Screen): string {
  return `${screen.cyan(screen.line(`── archive ${name}`))}\n${said(content, screen)}`
}

function turnText(
  { role, at, tools, content }: Pick<Turn, 'role' | 'at' | 'tools' | 'content'>,
  place: TextPlace,
): string {
  const { screen, zone } = place
  const used = tools.length === 0 ? '' : `  ${screen.dim(screen.line(`(${tools.join(', ')})`))}`
  const head = `${screen.dim(timeText(at, zone))}  ${screen.bold(role)}${used}`
  return content === '' ? head : `${head}\n${said(content, screen)}`
}

/** Set in, so that no text can look like a turn of its own. */
function said(content: string, screen: Screen): string {
  return screen.plain(content).replace(/^(?=.)/gm, '  ')
}
