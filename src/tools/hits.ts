/** Hits as the default tools give them: as data, and as a text that says the same. */
import type { Entry, JsonValue } from '../model/entry.ts'
import { localTime } from '../model/time.ts'
import { notesOf } from '../prompt/notes.ts'
import { nothingFoundText } from '../prompt/searched-text.ts'
import type { Found, Hit } from '../recall/found.ts'
import type { ToolResult } from './tool.ts'
import { warningsJson } from './written.ts'

export function foundResult(found: Found, zone: string): ToolResult {
  const { hits, searched, warnings } = found
  const { mode, query, entries, matched, omitted } = searched
  const nothing = hits.length === 0 ? [nothingFoundText(searched, zone, optionName)] : []
  const texts = hits.map((hit) => hitText(hit, zone))
  return {
    text: [...nothing, ...texts, ...notesOf(hits.length === 0 ? 0 : omitted, warnings)].join('\n\n'),
    structured: {
      hits: hits.map(hitJson),
      searched: { mode, query, entries, matched, omitted },
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

/** `## Deploys (note, 2026-11-15 14:03, score 0.87)`, then what else there is to say, a line each. */
function hitText({ entry, score, alike }: Hit, zone: string): string {
  const { id, kind, name, key, aliases, description, content, metadata, expiresAt, revision } = entry
  const { day, time } = localTime(entry.updatedAt, zone)
  const title = name ?? key ?? `${day} ${time}`
  const facts = [
    name === null ? `${kind} ${id}` : kind,
    ...(title === `${day} ${time}` ? [] : [`${day} ${time}`]),
    `score ${score.toFixed(2)}`,
  ]
  const lines = [
    `## ${title} (${facts.join(', ')})`,
    ...(aliases.length === 0 ? [] : [`aliases: ${aliases.join(', ')}`]),
    ...(Object.keys(metadata).length === 0 ? [] : [`metadata: ${JSON.stringify(metadata)}`]),
    ...(expiresAt === null ? [] : [`expires: ${expiresAt}`]),
    ...(isRewritten(entry) ? [`revision: ${revision}`] : []),
    ...(alike.length === 0 ? [] : [`nearly the same: ${alike.join(', ')}`]),
  ]
  return [lines.join('\n'), description, content].filter((part) => part !== '').join('\n\n')
}

/** As a whole, by a tool that takes the revision. */
function isRewritten({ kind }: Entry): boolean {
  return kind === 'topic' || kind === 'memory' || kind === 'identity'
}

/** The parameter of that meaning. */
function optionName(option: string): string {
  return option === 'kind' ? 'kinds' : option
}
