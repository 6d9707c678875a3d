/**
 * The memory of an OpenClaw workspace: MEMORY.md becomes the agent's own, a dated file of `memory/` experiences of its day, and
 * every other file there a note.
 */
import { isDay, startOfDay } from '../model/time.ts'
import { dailySections } from './daily-sections.ts'
import { withTheirs } from './foreign-metadata.ts'
import { foreignTime, times } from './foreign-time.ts'
import { readMarkdown, stemOf, tagsOf } from './markdown-file.ts'
import type { Candidate, ImportPlan, ImportProblem, ReadOptions, SourceFile } from './plan.ts'

/** Older versions wrote it small. */
const MEMORY = /^memory\.md$/i
const FOLDER = /^memory\//
const DATED = /^(\d{4}-\d\d-\d\d)(-.+)?$/
const SESSION_TITLE = /^# Session: (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC\b/m

const FROM = { imported_from: 'openclaw' }

export function readOpenClaw(files: readonly SourceFile[], options: ReadOptions): ImportPlan {
  const problems: ImportProblem[] = []
  const candidates = files.flatMap((file) => candidatesOf(file, options, problems))
  return { candidates: candidates.sort(byTime), problems }
}

/** A day may have several files; its log is in the order in which things were. What else there is comes first. */
function byTime(a: Candidate, b: Candidate): number {
  const [x, y] = [a, b].map(({ kind, createdAt = '' }) => (kind === 'experience' ? createdAt : '')) as [string, string] // of two, two
  return x < y ? -1 : x > y ? 1 : 0
}

function candidatesOf(file: SourceFile, options: ReadOptions, problems: ImportProblem[]): Candidate[] {
  const { path, text, modifiedAt } = file
  if (MEMORY.test(path)) {
    return [{ kind: 'memory', key: path, content: text, ...times(modifiedAt, modifiedAt), source: path }]
  }
  const [, day = '', more] = DATED.exec(stemOf(path)) ?? []
  if (!isDay(day)) return [noteOf(file, options, problems)]
  return more === undefined ? daily(file, day, options) : [session(file, day, more.slice(1), options)]
}

function daily({ path, text }: SourceFile, day: string, { zone }: ReadOptions): Candidate[] {
  let time = '00:00'
  let createdAt = startOfDay(day, zone)
  return dailySections(text, day).map((section) => {
    // Asking for the instant takes longer than all the rest.
    if (section.time !== undefined && section.time !== time) {
      createdAt = foreignTime(`${day} ${section.time}`, zone) ?? createdAt
    }
    time = section.time ?? time
    return {
      kind: 'experience',
      key: `${path}#${section.key}`,
      content: section.content,
      metadata: FROM,
      createdAt,
      source: `${path}, line ${section.line}`,
    }
  })
}

/** What was kept of one conversation when it ended: one text, of that moment. */
function session({ path, text }: SourceFile, day: string, about: string, { zone }: ReadOptions): Candidate {
  const [, at] = SESSION_TITLE.exec(text) ?? []
  const createdAt = (at === undefined ? undefined : foreignTime(`${at}Z`, zone)) ?? startOfDay(day, zone)
  return { kind: 'experience', key: path, content: text, metadata: { ...FROM, about }, createdAt, source: path }
}

function noteOf(file: SourceFile, options: ReadOptions, problems: ImportProblem[]): Candidate {
  const { path, modifiedAt } = file
  const { keys, content, problems: unread } = readMarkdown(file, options)
  const { metadata, problems: leftOut } = keys.others(['title', 'name', 'description', 'tags'], path)
  problems.push(...unread, ...leftOut)
  const [description, tags] = [keys.text('description'), tagsOf(keys.get('tags'))]
  return {
    kind: 'note',
    key: path,
    name: keys.text('title') ?? keys.text('name') ?? path.replace(FOLDER, '').replace(/\.md$/i, ''),
    content,
    ...(description === undefined ? {} : { description }),
    metadata: withTheirs({ ...FROM, ...(tags.length === 0 ? {} : { tags }) }, metadata),
    ...times(modifiedAt, modifiedAt),
    source: path,
  }
}
