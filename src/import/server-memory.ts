/**
 * The file of the official MCP memory server: a line an entity or a relation, or what `read_graph` answers. An entity becomes a
 * note: its observations as a list, then the relations that begin at it.
 */
import { isRecord, jsonDocument, jsonLines, listOf, textOf } from './foreign-json.ts'
import type { Candidate, ImportPlan, ImportProblem, SourceFile } from './plan.ts'

interface Entity {
  readonly name: string
  type: string | undefined
  readonly observations: Set<string>
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
      const problem = take(stated, entities)
      if (problem !== undefined) problems.push({ source: stated.source, ...problem })
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

/** The problem with it, if there is one. */
function take(
  { value, type, source }: Stated,
  entities: Map<string, Entity>,
): Omit<ImportProblem, 'source'> | undefined {
  if (!isRecord(value)) return { problem: 'is not a JSON object' }
  if (type === 'entity') {
    const name = textOf(value['name'])
    if (name === undefined) return { problem: 'is an entity without a name' }
    const entity = entityCalled(name, source, entities)
    entity.type ??= textOf(value['entityType'])
    const observations = listOf(value['observations']).map(textOf)
    for (const observation of observations) if (observation !== undefined) entity.observations.add(observation)
    if (!observations.includes(undefined)) return undefined
    return { problem: 'has an observation that is no text; the others were taken', taken: true }
  }
  if (type !== 'relation') return { problem: 'is neither an entity nor a relation' }
  const [from, to, relation] = [textOf(value['from']), textOf(value['to']), textOf(value['relationType'])]
  if (from === undefined || to === undefined) return { problem: 'is a relation that does not say from where to where' }
  entityCalled(from, source, entities).relations.add(`${relation ?? 'relates to'} [[${to}]]`)
  return undefined
}

/** A relation may begin at an entity that has no line of its own. */
function entityCalled(name: string, source: string, entities: Map<string, Entity>): Entity {
  const known = entities.get(name)
  if (known) return known
  const made = { name, type: undefined, observations: new Set<string>(), relations: new Set<string>(), source }
  entities.set(name, made)
  return made
}

function noteOf({ name, type, observations, relations, source }: Entity): Candidate {
  const list = (items: Iterable<string>): string => [...items].map(listItem).join('\n')
  const parts = [
    ...(observations.size > 0 ? [list(observations)] : []),
    ...(relations.size > 0 ? [`Relations:\n${list(relations)}`] : []),
  ]
  return {
    kind: 'note',
    key: name,
    name,
    // An entity of which nothing was observed is still known to be there.
    content: parts.join('\n\n') || name,
    ...(type === undefined ? {} : { description: type }),
    metadata: { imported_from: 'server-memory', ...(type === undefined ? {} : { entity_type: type }) },
    source,
  }
}

function listItem(text: string): string {
  return `- ${text.trim().replace(/\r?\n/g, '\n  ')}`
}
