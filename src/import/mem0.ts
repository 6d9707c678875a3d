/**
 * Memories of mem0 as JSON: what `get_all` answers (platform and open source), a list of them, one of them, the `memories.json` of
 * an OpenMemory export, or a line a memory. Each becomes a fact; whose it is, its categories and its own metadata are metadata here.
 */
import type { JsonValue, Metadata } from '../model/entry.ts'
import { type ForeignRecord, isRecord, jsonDocument, jsonLines, jsonOf, listOf, textOf } from './foreign-json.ts'
import { withTheirs } from './foreign-metadata.ts'
import { foreignEnd, foreignTime, times } from './foreign-time.ts'
import type { Candidate, ImportPlan, ImportProblem, ReadOptions, SourceFile } from './plan.ts'

/** Where the text stands: get_all, the vector store's payload, an export, the platform's events. */
const TEXTS = ['memory', 'data', 'content', 'text'] as const
const KEPT = [
  'user_id',
  'agent_id',
  'app_id',
  'app',
  'run_id',
  'actor_id',
  'role',
  'immutable',
  'structured_attributes',
] as const

interface Stated {
  readonly value: unknown
  readonly source: string
}

interface Export {
  readonly memories: readonly Stated[]
  readonly relations: readonly Stated[]
  /** Their names by their ids, which stand for them in an export; so with the user. */
  readonly names: ReadonlyMap<unknown, string>
  readonly problems: readonly ImportProblem[]
}

export function readMem0(files: readonly SourceFile[], options: ReadOptions): ImportPlan {
  const candidates: Candidate[] = []
  const problems: ImportProblem[] = []
  for (const file of files) {
    const { memories, relations, names, problems: unread } = exportIn(file)
    for (const problem of unread) problems.push(problem)
    const made = [
      ...memories.map((stated) => factOf(stated, names, options)),
      ...relations.map((stated) => relationOf(stated)),
    ]
    for (const one of made) {
      if ('problem' in one) problems.push(one)
      else candidates.push(one)
    }
  }
  return { candidates, problems }
}

function exportIn(file: SourceFile): Export {
  const document = jsonDocument(file)
  const listed = (list: unknown, place: string): Stated[] =>
    listOf(list).map((value, index) => ({ value, source: `${file.path}, ${place}[${index}]` }))
  if (Array.isArray(document)) {
    return { memories: listed(document, ''), relations: [], names: new Map(), problems: [] }
  }
  if (isRecord(document) && textIn(document) !== undefined) {
    return { memories: [{ value: document, source: file.path }], relations: [], names: new Map(), problems: [] }
  }
  if (!isRecord(document)) {
    const { records, problems } = jsonLines(file)
    const memories = records.map(({ record, source }) => ({ value: record, source }))
    return { memories, relations: [], names: new Map(), problems }
  }
  const place = ['results', 'memories'].find((key) => Array.isArray(document[key]))
  const problem = 'has neither "results" nor "memories"'
  const user = isRecord(document['user']) ? [document['user']] : []
  const named = [...user, ...listOf(document['categories']).filter(isRecord)]
  return {
    memories: place === undefined ? [] : listed(document[place], place),
    relations: listed(document['relations'], 'relations'),
    names: new Map(named.map(({ id, user_id, name }) => [id, textOf(user_id ?? name) ?? String(id)])),
    problems: place === undefined ? [{ source: file.path, problem }] : [],
  }
}

function textIn(record: ForeignRecord): string | undefined {
  for (const key of TEXTS) if (textOf(record[key]) !== undefined) return textOf(record[key])
  return undefined
}

function factOf(
  { value, source }: Stated,
  names: ReadonlyMap<unknown, string>,
  { zone }: ReadOptions,
): Candidate | ImportProblem {
  if (!isRecord(value)) return { source, problem: 'is not a JSON object' }
  const content = textIn(value)
  if (content === undefined) return { source, problem: 'has no text' }
  if (value['state'] === 'deleted' || value['is_deleted'] === true) return { source, problem: 'is deleted there' }
  const id = textOf(value['id']) ?? textOf(value['memory_id'])
  const { expiration_date: until = null } = value
  const end = until === null ? null : foreignEnd(until, zone)
  return {
    kind: 'fact',
    key: id ?? `${textOf(value['user_id']) ?? ''}#${content}`,
    content,
    metadata: metadataOf(value, names),
    ...times(foreignTime(value['created_at'], zone), foreignTime(value['updated_at'], zone)),
    ...(end === undefined ? {} : { expiresAt: end }),
    source,
  }
}

function metadataOf(record: ForeignRecord, names: ReadonlyMap<unknown, string>): Metadata {
  const metadata = jsonOf(record['metadata'])
  const own = isRecord(metadata)
    ? (metadata as Metadata)
    : metadata === undefined || metadata === null
      ? {}
      : { metadata }
  const kept = KEPT.map((key): [string, JsonValue | undefined] => [key, names.get(record[key]) ?? jsonOf(record[key])])
  const named = listOf(record['category_ids']).flatMap((id) => names.get(id) ?? [])
  const groups = [...listOf(record['categories']), ...named]
  const state = textOf(record['state'])
  const ours = {
    imported_from: 'mem0',
    ...Object.fromEntries(kept.filter(([, value]) => value !== undefined && value !== null && value !== false)),
    ...(groups.length === 0 ? {} : { categories: groups }),
    ...(state === undefined || state === 'active' ? {} : { state }),
  } as Metadata // only what is undefined was not JSON, and that is filtered out
  return withTheirs(ours, own)
}

/** What its graph holds beside the memories. */
function relationOf({ value, source }: Stated): Candidate | ImportProblem {
  if (!isRecord(value)) return { source, problem: 'is not a JSON object' }
  const from = textOf(value['source'])
  const relation = textOf(value['relationship']) ?? textOf(value['relation'])
  const to = textOf(value['target']) ?? textOf(value['destination'])
  if (from === undefined || relation === undefined || to === undefined) return { source, problem: 'is no relation' }
  const content = [from, relation, to].map((part) => part.replaceAll('_', ' ')).join(' ')
  return { kind: 'fact', key: `relation#${content}`, content, metadata: { imported_from: 'mem0', relation }, source }
}
