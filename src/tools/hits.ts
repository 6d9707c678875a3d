/** Hits as the default tools give them: as data, and as a text that says the same. */
import type { Entry, JsonValue } from '../model/entry.ts'
import { localTime } from '../model/time.ts'
import { notesOf } from '../prompt/notes.ts'
import { MODE_TEXTS, meaningText, nothingFoundText } from '../prompt/searched-text.ts'
import type { Found, Hit } from '../recall/found.ts'
import { said } from './parameters.ts'
import type { ToolResult } from './tool.ts'
import { warningsJson } from './written.ts'

export function foundResult(found: Found, zone: string): ToolResult {
  const { hits, searched, warnings } = found
  const { mode, vectors, wordsOnly, query, entries, matched, omitted } = searched
  const nothing = hits.length === 0 ? [nothingFoundText(searched, zone, optionName)] : []
  const texts = hits.map((hit) => hitText(hit, zone))
  return {
    text: [...nothing, ...texts, ...searchedNote(found), ...notesOf(hits.length === 0 ? 0 : omitted, warnings)].join(
      '\n\n',
    ),
    structured: {
      hits: hits.map(hitJson),
      searched: { mode, ...said({ vectors, wordsOnly }), query, entries, matched, omitted },
      ...(nothing[0] === undefined ? {} : { message: nothing[0] }),
      ...warningsJson(warnings),
    },
  }
}

function hitJson({ entry, score, alike }: Hit): JsonValue {
  const { id, kind, name, key, aliases, description, content, metadata, createdAt, updatedAt, expiresAt, revision } =
    entry
  return {
    id,
    kind,
    name: name ?? key ?? null,
    description,
    content,
    score,
    createdAt,
    updatedAt,
    metadata,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(isRewritten(entry) ? { revision } : {}),
    ...(alike.length === 0 ? {} : { alike }),
  }
}

/** An empty answer has said it already. */
function searchedNote({ hits, searched }: Found): string[] {
  if (hits.length === 0) return []
  const { mode, entries, matched } = searched
  const counts = `Searched ${entries} ${entries === 1 ? 'entry' : 'entries'}, ${MODE_TEXTS[mode]}; ${matched} matched.`
  return [`(${[counts, ...meaningText(searched)].join(' ')})`]
}

/** `## Deploys (note, 2026-11-15 14:03, score 0.87)`, then what else there is to say, a line each. */
function hitText({ entry, score, alike }: Hit, zone: string): string {
  const { id, kind, name, key, aliases, description, content, metadata, createdAt, updatedAt, expiresAt, revision } =
    entry
  const when = timeText(updatedAt, zone)
  const title = name ?? key ?? when
  const facts = [kind, ...(title === when ? [] : [when]), `score ${score.toFixed(2)}`]
  const lines = [
    `## ${title} (${facts.join(', ')})`,
    `id: ${id}`,
    ...(createdAt === updatedAt ? [] : [`created: ${timeText(createdAt, zone)}`]),
    ...(aliases.length === 0 ? [] : [`aliases: ${aliases.join(', ')}`]),
    ...(Object.keys(metadata).length === 0 ? [] : [`metadata: ${JSON.stringify(metadata)}`]),
    ...(expiresAt === null ? [] : [`expires: ${expiresAt}`]),
    ...(isRewritten(entry) ? [`revision: ${revision}`] : []),
    ...(alike.length === 0 ? [] : [`nearly the same: ${alike.join(', ')}`]),
  ]
  return [lines.join('\n'), description, content].filter((part) => part !== '').join('\n\n')
}

function timeText(at: string, zone: string): string {
  const { day, time } = localTime(at, zone)
  return `${day} ${time}`
}

/** As a whole, by a tool that takes the revision. */
function isRewritten({ kind }: Entry): boolean {
  return kind === 'topic' || kind === 'memory' || kind === 'identity'
}

/** The parameter of that meaning. */
function optionName(option: string): string {
  return option === 'kind' ? 'kinds' : option
}
