/**
 * One member put into an object of a JSON text, and taken out of it. What is put in stands last and looks like what stands
 * around it: the same indentation and line ends, a trailing comma where there is one, all on one line where all is. An
 * object that was empty shows it by a blank line, so that taking out knows it from one that was made for the member.
 */
import type { JsonValue } from '../../model/entry.ts'
import { indentationAt, newlineOf } from './config-format.ts'
import { type Member, type ObjectNode, readTree, type Token, tokensBetween } from './json-tree.ts'

const USUAL_INDENTATION = '  '

export function withMember(text: string, object: ObjectNode, name: string, value: JsonValue): string {
  const members = object.members
  const last = members.at(-1)
  return last ? afterLast(text, object, last, [name, value]) : intoEmpty(text, object, [name, value])
}

function afterLast(
  text: string,
  object: ObjectNode,
  last: Member,
  [name, value]: readonly [string, JsonValue],
): string {
  const closing = object.end - 1
  const tokens = tokensBetween(text, last.end, closing)
  const hasTrailingComma = tokens.some((token) => token.text === ',')
  const at = tokens.at(-1)?.end ?? last.end
  const member = isOnOneLine(text, object)
    ? ` ${JSON.stringify(name)}: ${onOneLine(value)}`
    : startOfLine(text, object) + memberText(text, object, name, value)
  return [
    text.slice(0, last.end),
    hasTrailingComma ? '' : ',',
    text.slice(last.end, at),
    member,
    hasTrailingComma ? ',' : '',
    text.slice(at),
  ].join('')
}

function intoEmpty(text: string, object: ObjectNode, [name, value]: readonly [string, JsonValue]): string {
  const newline = newlineOf(text)
  const [inside, closing] = [object.start + 1, object.end - 1]
  const member = startOfLine(text, object) + memberText(text, object, name, value)
  const put = text.slice(inside, closing).includes('\n')
    ? member + newline
    : newline + member + newline + indentationAt(text, object.start)
  return text.slice(0, inside) + put + text.slice(inside)
}

/** What `object` was when it was empty, if its one member was put in by `intoEmpty`; else texts that are not that. */
export function emptied(text: string, object: ObjectNode, { end }: Member): readonly string[] {
  if (tokensBetween(text, end, object.end - 1).some((token) => token.text === ',')) return []
  const after = text.slice(end, object.end - 1)
  const newline = newlineOf(text)
  return [newline + indentationAt(text, object.start), newline].flatMap((put) =>
    after.startsWith(put)
      ? [text.slice(0, object.start + 1) + after.slice(put.length) + text.slice(object.end - 1)]
      : [],
  )
}

/** Comments stay, also those beside it. */
export function withoutMember(text: string, object: ObjectNode, member: Member): string {
  const members = object.members
  const index = members.findIndex(({ start }) => start === member.start)
  const [previous, next] = [members[index - 1], members[index + 1]]
  const from = previous?.end ?? object.start + 1
  const before = tokensBetween(text, from, member.start)
  const after = tokensBetween(text, member.end, next?.start ?? object.end - 1)
  const comma = [...after, ...before].find((token) => token.text === ',')
  const start = (before.at(-1)?.end ?? from) + lineEndToKeep(text, before.at(-1), member.end)
  const cuts = [{ start, end: member.end }, ...(comma ? [comma] : [])]
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

function startOfLine(text: string, object: ObjectNode): string {
  return newlineOf(text) + indentationOf(text, object)
}

function memberText(text: string, object: ObjectNode, name: string, value: JsonValue): string {
  return `${JSON.stringify(name)}: ${rendered(text, indentationOf(text, object), value)}`
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

function isOnOneLine(text: string, object: ObjectNode): boolean {
  return !text.slice(object.start, object.end).includes('\n')
}

/** Of the members of `object`: as the first that begins a line, else one step more than the line of the object. */
function indentationOf(text: string, object: ObjectNode): string {
  const first = object.members.find(({ start }) => beginsLine(text, start))
  return first ? indentationAt(text, first.start) : indentationAt(text, object.start) + unitOf(text)
}

/** One step: as the members of the whole have it. */
function unitOf(text: string): string {
  const root = readTree(text)
  const first = root?.type === 'object' && root.members.find(({ start }) => beginsLine(text, start))
  return (first && indentationAt(text, first.start)) || USUAL_INDENTATION
}

function beginsLine(text: string, offset: number): boolean {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return start > 0 && text.slice(start, offset).trim() === ''
}
