/**
 * The file of the official MCP memory server: a line an entity or a relation, or what `read_graph` answers. An entity becomes a
 * note: its observations as a list, then the relations that begin at it.
 */
import { isKeepsakeError } from '../errors.ts'
import type { JsonValue } from '../model/entry.ts'
import { canonicalJson, normalizeMetadata } from '../model/json.ts'
import { type ForeignRecord, isRecord, jsonDocument, jsonLines, listOf, textOf } from './foreign-json.ts'
import { withTheirs } from './foreign-metadata.ts'
import type { Candidate, ImportPlan, ImportProblem, SourceFile } from './plan.ts'

interface Entity {
  readonly name: string
  /** More than one where it stands there twice. */
  readonly types: Set<string>
  readonly observations: Set<string>
  /** Further keys, which some versions write; of each all that was said, by its JSON. */
  readonly others: Map<string, Map<string, JsonValue>>
  readonly relations: Set<string>
  readonly source: string
}

/** What stands in one place of the file. */
interface Stated {
  readonly value: unknown
  readonly type: unknown
  readonly source: string
}

export function readServerMemory(files: readonly SourceFile[]): ImportPlan {
  const entities = new Map<string, Entity>()
  const problems: ImportProblem[] = []
  for (const file of files) {
    for (const stated of statedIn(file, problems)) {
      for (const problem of take(stated, entities)) problems.push({ source: stated.source, ...problem })
    }
  }
  return { candidates: [...entities.values()].map(noteOf), problems }
}

function statedIn(file: SourceFile, problems: ImportProblem[]): Stated[] {
  const graph = jsonDocument(file)
  if (isRecord(graph) && (Array.isArray(graph['entities']) || Array.isArray(graph['relations']))) {
    const of = (key: 'entities' | 'relations', type: string): Stated[] =>
      listOf(graph[key]).map((value, index) => ({ value, type, source: `${file.path}, ${key}[${index}]` }))
    return [...of('entities', 'entity'), ...of('relations', 'relation')]
  }
  const lines = jsonLines(file)
  for (const problem of lines.problems) problems.push(problem)
  return lines.records.map(({ record, source }) => ({ value: record, type: record['type'], source }))
}

/** The problems with it, if there are any. */
function take({ value, type, source }: Stated, entities: Map<string, Entity>): Omit<ImportProblem, 'source'>[] {
  if (!isRecord(value)) return [{ problem: 'is not a JSON object' }]
  if (type === 'entity') {
    const name = textOf(value['name'])
    if (name === undefined) return [{ problem: 'is an entity without a name' }]
    return takeEntity(value, entityCalled(name, source, entities))
  }
  if (type !== 'relation') return [{ problem: 'is neither an entity nor a relation' }]
  const [from, to, relation] = [textOf(value['from']), textOf(value['to']), textOf(value['relationType'])]
  if (from === undefined || to === undefined) {
    return [{ problem: 'is a relation that does not say from where to where' }]
  }
  entityCalled(from, source, entities).relations.add(`${relation ?? 'relates to'} [[${to}]]`)
  return []
}

function takeEntity(
  { name: _, entityType, observations, ...others }: ForeignRecord,
  entity: Entity,
): Omit<ImportProblem, 'source'>[] {
  const types = listOf(entityType)
    .filter((type) => type !== '')
    .map(textOf)
  const texts = listOf(observations).map(textOf)
  for (const type of types) if (type !== undefined) entity.types.add(type)
  for (const text of texts) if (text !== undefined) entity.observations.add(text)
  const unfit = Object.entries(others).flatMap(([key, value]) => takeOther(key, value, entity) ?? [])
  return [
    ...unfit,
    ...(types.includes(undefined) ? ['has an entityType that is no text; the rest was taken'] : []),
    ...(texts.includes(undefined) ? ['has an observation that is no text; the others were taken'] : []),
  ].map((problem) => ({ problem, taken: true }))
}

/** The problem with it, if there is one: a key that no entry can hold costs only itself. */
function takeOther(key: string, given: unknown, { others }: Entity): string | undefined {
  if (given === null || (key === 'type' && given === 'entity')) return undefined
  try {
    const [value = null] = Object.values(normalizeMetadata({ [key]: given }))
    others.set(key, (others.get(key) ?? new Map<string, JsonValue>()).set(canonicalJson(value), value))
    return undefined
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return `${error.message}; that key was left out`
  }
}

/** A relation may begin at an entity that has no line of its own. */
function entityCalled(name: string, source: string, entities: Map<string, Entity>): Entity {
  const known = entities.get(name)
  if (known) return known
  const made: Entity = {
    name,
    types: new Set(),
    observations: new Set(),
    others: new Map(),
    relations: new Set(),
    source,
  }
  entities.set(name, made)
  return made
}

function noteOf({ name, types, observations, others, relations, source }: Entity): Candidate {
  const list = (items: Iterable<string>): string => [...items].map(listItem).join('\n')
  const parts = [
    ...(observations.size > 0 ? [list(observations)] : []),
    ...(relations.size > 0 ? [`Relations:\n${list(relations)}`] : []),
  ]
  const oneOrAll = (values: Iterable<JsonValue>): JsonValue => {
    const [first = null, ...more] = values
    return more.length === 0 ? first : [first, ...more]
  }
  const theirs = Object.fromEntries([...others].map(([key, said]) => [key, oneOrAll(said.values())]))
  return {
    kind: 'note',
    key: name,
    name,
    // An entity of which nothing was observed is still known to be there.
    content: parts.join('\n\n') || name,
    ...(types.size === 0 ? {} : { description: [...types].join(', ') }),
    metadata: withTheirs(
      { imported_from: 'server-memory', ...(types.size === 0 ? {} : { entity_type: oneOrAll(types) }) },
      theirs,
    ),
    source,
  }
}

function listItem(text: string): string {
  return `- ${text.trim().replace(/\r?\n/g, '\n  ')}`
}
