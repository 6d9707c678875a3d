/**
 * `agent.yaml` as far as it is ours: the pairs of `spec.memory`, each with its place in the file. The rest of the file belongs
 * to other programs and is not looked at. Values stay as they are written, and aliases are followed one by one, so that a
 * file which unfolds to gigabytes costs nothing.
 */
import { KeepsakeError } from '../errors.ts'
import { offsetOf, type ParsedYaml, type Position, parseYaml, placeText, refuseDoubled } from './parse-yaml.ts'
import { readTextFile } from './read-text-file.ts'

export interface Pair {
  readonly key: string
  readonly at: Position
  readonly value: Written
}

/** A value as it is written; the pairs of a mapping are worked out when they are asked for. */
export type Written =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'nothing' | 'a list' | 'an alias of nothing' }
  | { readonly is: 'a mapping'; readonly pairs: () => readonly Pair[] }

export interface Section {
  /** Whether there is a `spec.memory`. Without one, agents are given no memory. */
  readonly enabled: boolean
  readonly pairs: readonly Pair[]
}

export async function readAgentYaml(file: string): Promise<Section> {
  const parsed = await parseYaml(readTextFile(file), file)
  const root = pairsOf(written(parsed.document.contents, parsed), { file, line: 1, column: 1 }, 'the file')
  const spec = onlyOne(root, 'spec')
  const memory = spec && onlyOne(pairsOf(spec.value, spec.at, 'spec'), 'memory')
  return { enabled: memory !== undefined, pairs: memory ? pairsOf(memory.value, memory.at, 'spec.memory') : [] }
}

function onlyOne(pairs: readonly Pair[], wanted: string): Pair | undefined {
  const found = pairs.filter(({ key }) => key === wanted)
  refuseDoubled(found)
  return found[0]
}

function written(node: unknown, parsed: ParsedYaml): Written {
  const { isAlias, isMap, isScalar, isSeq } = parsed.yaml
  const target = isAlias(node) ? node.resolve(parsed.document) : node
  if (isMap(target)) return { is: 'a mapping', pairs: () => target.items.map((item) => pairOf(item, parsed)) }
  if (isSeq(target)) return { is: 'a list' }
  if (isAlias(node) && target === undefined) return { is: 'an alias of nothing' }
  if (!isScalar(target) || target.value === null) return { is: 'nothing' }
  return { is: 'text', text: target.source ?? String(target.value) }
}

function pairOf({ key, value }: { readonly key: unknown; readonly value: unknown }, parsed: ParsedYaml): Pair {
  const name = written(key, parsed)
  return {
    key: name.is === 'text' ? name.text : '',
    at: parsed.positionOf(offsetOf(key, parsed)),
    value: written(value, parsed),
  }
}

/** Nothing at all is a mapping without pairs. */
function pairsOf(value: Written, at: Position, what: string): readonly Pair[] {
  if (value.is === 'nothing') return []
  if (value.is === 'a mapping') return value.pairs()
  throw new KeepsakeError('INVALID', `${placeText(at)}: ${what} is ${value.is}, not a mapping`, {
    hint: 'Allowed: a mapping, that is lines of "key: value", as docs/config.md shows them.',
    data: { field: what, ...at },
  })
}
