/**
 * One YAML document, or an error that names the line. The library is loaded here, and only once there is a file to read.
 * Its composer calls itself for each level of nesting, and at the end of the stack it may take the process down with it: so
 * the depth is measured first, on the tokens, which are made without recursion.
 */
import type { CST, Document, ParsedNode } from 'yaml'
import { KeepsakeError } from '../errors.ts'

export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A document, and what is needed to walk it. */
export interface ParsedYaml {
  readonly yaml: typeof import('yaml')
  readonly document: Document<ParsedNode>
  readonly positionOf: (offset: number) => Position
}

const DEEPEST = 100

export async function parseYaml(text: string, file: string): Promise<ParsedYaml> {
  const yaml = await import('yaml')
  const lines = new yaml.LineCounter()
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col }
  }
  const shallow = function* (tokens: Iterable<CST.Token>): Generator<CST.Token> {
    for (const token of tokens) {
      const at = tooDeep(token)
      if (at !== undefined) throw brokenYaml(positionOf(at), 'this is nested too deeply')
      yield token
    }
  }
  // Doubled keys are looked for where the file is ours (see refuseDoubled), and the library compares each with each.
  const composer = new yaml.Composer<ParsedNode>({ uniqueKeys: false })
  const tokens = shallow(new yaml.Parser(lines.addNewLine).parse(text))
  const [document, second] = composer.compose(tokens, true, text.length)
  if (!document) throw new Error('unreachable: the composer was told to give one')
  const [broken] = document.errors
  if (broken) throw brokenYaml(positionOf(broken.pos[0]), broken.message)
  if (second) throw brokenYaml(positionOf(second.range[0]), 'a second document begins here, and only one is read')
  return { yaml, document, positionOf }
}

export function placeText({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`
}

export function offsetOf(key: unknown, { yaml }: ParsedYaml): number {
  return (yaml.isNode(key) ? key.range?.[0] : undefined) ?? 0
}

function tooDeep(root: CST.Token): number | undefined {
  const waiting: { readonly token: CST.Token; readonly depth: number }[] = [{ token: root, depth: 0 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { token, depth } = next
    if (depth > DEEPEST) return token.offset
    const inside = 'items' in token ? token.items.flatMap(({ key, value }) => [key, value]) : [valueOfDocument(token)]
    for (const child of inside) if (child) waiting.push({ token: child, depth: depth + 1 })
  }
  return undefined
}

function valueOfDocument(token: CST.Token): CST.Token | undefined {
  return token.type === 'document' ? token.value : undefined
}

/** One of two values would be passed over in silence. */
export function refuseDoubled(keys: readonly { readonly key: string; readonly at: Position }[]): void {
  const seen = new Set<string>()
  for (const { key, at } of keys) {
    if (seen.has(key)) throw brokenYaml(at, `"${key}" stands here a second time`)
    seen.add(key)
  }
}

function brokenYaml(at: Position, problem: string): KeepsakeError {
  return new KeepsakeError('INVALID', `${placeText(at)}: ${problem}`, {
    hint: 'Mend the YAML there, or name another file with --config.',
    data: { ...at },
  })
}
