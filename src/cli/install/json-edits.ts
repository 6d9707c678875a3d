/**
 * One part put into an object or a list of a JSON text, and taken out of it. What is put in stands last and looks like what
 * stands around it: the same indentation and line ends, a trailing comma where there is one, all on one line where all is.
 * What was empty shows it by a blank line, so that taking out knows it from what was made for the part.
 */
import type { JsonValue } from '../../model/entry.ts'
import { indentationAt, newlineOf } from './config-format.ts'
import {
  type ArrayNode,
  type Member,
  type ObjectNode,
  readTree,
  type Span,
  type Token,
  tokensBetween,
} from './json-tree.ts'

const USUAL_INDENTATION = '  '

type Container = ObjectNode | ArrayNode

export function withMember(text: string, object: ObjectNode, name: string, value: JsonValue): string {
  return withPart(text, object, `${JSON.stringify(name)}: `, value)
}

export function withItem(text: string, list: ArrayNode, value: JsonValue): string {
  return withPart(text, list, '', value)
}

/** `label`: what stands before the value. */
function withPart(text: string, container: Container, label: string, value: JsonValue): string {
  const last = partsOf(container).at(-1)
  const isShort = last && isOnOneLine(text, container)
  const shown = label + (isShort ? onOneLine(value) : rendered(text, indentationOf(text, container), value))
  if (!last) return intoEmpty(text, container, startOfLine(text, container) + shown)
  return afterLast(text, container, last, (isShort ? ' ' : startOfLine(text, container)) + shown)
}

function afterLast(text: string, container: Container, last: Span, put: string): string {
  const tokens = tokensBetween(text, last.end, container.end - 1)
  const hasTrailingComma = tokens.some((token) => token.text === ',')
  const at = tokens.at(-1)?.end ?? last.end
  return [
    text.slice(0, last.end),
    hasTrailingComma ? '' : ',',
    text.slice(last.end, at),
    put,
    hasTrailingComma ? ',' : '',
    text.slice(at),
  ].join('')
}

function intoEmpty(text: string, container: Container, part: string): string {
  const newline = newlineOf(text)
  const [inside, closing] = [container.start + 1, container.end - 1]
  const put = text.slice(inside, closing).includes('\n')
    ? part + newline
    : newline + part + newline + indentationAt(text, container.start)
  return text.slice(0, inside) + put + text.slice(inside)
}

/** What `container` was when it was empty, if its one part was put in by `intoEmpty`; else texts that are not that. */
export function emptied(text: string, container: Container, { end }: Span): readonly string[] {
  if (tokensBetween(text, end, container.end - 1).some((token) => token.text === ',')) return []
  const after = text.slice(end, container.end - 1)
  const newline = newlineOf(text)
  return [newline + indentationAt(text, container.start), newline].flatMap((put) =>
    after.startsWith(put)
      ? [text.slice(0, container.start + 1) + after.slice(put.length) + text.slice(container.end - 1)]
      : [],
  )
}

/** Comments stay, also those beside it. */
export function withoutPart(text: string, container: Container, part: Span): string {
  const parts = partsOf(container)
  const index = parts.findIndex(({ start }) => start === part.start)
  const [previous, next] = [parts[index - 1], parts[index + 1]]
  const from = previous?.end ?? container.start + 1
  const before = tokensBetween(text, from, part.start)
  const after = tokensBetween(text, part.end, next?.start ?? container.end - 1)
  const comma = [...after, ...before].find((token) => token.text === ',')
  const start = (before.at(-1)?.end ?? from) + lineEndToKeep(text, before.at(-1), part.end)
  const cuts = [{ start, end: part.end }, ...(comma ? [comma] : [])]
  return cuts
    .sort((a, b) => b.start - a.start)
    .reduce((rest, cut) => rest.slice(0, cut.start) + rest.slice(cut.end), text)
}

/** How much of what stands behind a comment must stay, lest the comment go on with what stands behind the member. */
function lineEndToKeep(text: string, last: Token | undefined, end: number): number {
  if (!last?.text.startsWith('//') || /^,?[ \t]*\r?\n/.test(text.slice(end))) return 0
  return text.startsWith('\r\n', last.end) ? 2 : 1
}

/** `value` in the place of one that is there. */
export function withValue(text: string, object: ObjectNode, { value: old }: Member, value: JsonValue): string {
  const put = isOnOneLine(text, object) ? onOneLine(value) : rendered(text, indentationOf(text, object), value)
  return text.slice(0, old.start) + put + text.slice(old.end)
}

function startOfLine(text: string, container: Container): string {
  return newlineOf(text) + indentationOf(text, container)
}

function rendered(text: string, indentation: string, value: JsonValue): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', newlineOf(text) + indentation)
}

function onOneLine(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${onOneLine(each)}`)
  return `{${members.join(', ')}}`
}

function isOnOneLine(text: string, container: Container): boolean {
  return !text.slice(container.start, container.end).includes('\n')
}

/** Of the parts: as the first that begins a line, else one step more than the line of what holds them. */
function indentationOf(text: string, container: Container): string {
  const first = partsOf(container).find(({ start }) => beginsLine(text, start))
  return first ? indentationAt(text, first.start) : indentationAt(text, container.start) + unitOf(text)
}

/** One step: as the members of the whole have it. */
function unitOf(text: string): string {
  const root = readTree(text)
  const first = root?.type === 'object' && root.members.find(({ start }) => beginsLine(text, start))
  return (first && indentationAt(text, first.start)) || USUAL_INDENTATION
}

function partsOf(container: Container): readonly Span[] {
  return container.type === 'object' ? container.members : container.items
}

function beginsLine(text: string, offset: number): boolean {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return start > 0 && text.slice(start, offset).trim() === ''
}
