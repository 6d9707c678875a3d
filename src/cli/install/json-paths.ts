/** Places in a client's JSON file by the keys that lead to them, and what the file was before something was put there. */
import type { JsonValue } from '../../model/entry.ts'
import { brokenAt, newlineOf } from './config-format.ts'
import { emptied, withoutPart } from './json-edits.ts'
import { type Member, memberOf, type ObjectNode, readTree, tokensBetween } from './json-tree.ts'

/** What has none is no configuration that a client reads; to go back to that, it must be sure that install made it one. */
export function hasObject(text: string | undefined): boolean {
  return text !== undefined && rootOf(text) !== undefined
}

export function rootOf(text: string): ObjectNode | undefined {
  const root = readTree(text)
  if (root === undefined || root.type === 'object') return root
  throw brokenAt(text, root.start, 'it should hold an object in braces')
}

/** The innermost object that is there, and the keys that are not. */
export function descend(
  text: string,
  root: ObjectNode,
  keys: readonly string[],
): { object: ObjectNode; missing: readonly string[] } {
  let object = root
  for (const [index, key] of keys.entries()) {
    const value = memberOf(object, key)?.value
    if (!value) return { object, missing: keys.slice(index) }
    if (value.type !== 'object') throw brokenAt(text, value.start, `"${key}" should be an object in braces`)
    object = value
  }
  return { object, missing: [] }
}

export function found(text: string, keys: readonly string[]): { readonly object: ObjectNode; readonly member: Member } {
  const root = rootOf(text)
  const object = root && descend(text, root, keys.slice(0, -1)).object
  const member = object && memberOf(object, keys.at(-1) ?? '')
  if (!object || !member) throw new Error(`unreachable: ${keys.join('.')} was found before`)
  return { object, member }
}

/** All that the text can have been before the member was put in, undefined for no file. */
export function* befores(text: string, keys: readonly string[]): Generator<string | undefined> {
  const { object, member } = found(text, keys)
  if (object.members.length > 1) {
    yield withoutPart(text, object, member)
    return
  }
  if (keys.length > 1) yield* befores(text, keys.slice(0, -1))
  else yield* beforesOfRoot(text, object)
  yield* emptied(text, object, member)
}

function* beforesOfRoot(text: string, root: ObjectNode): Generator<string | undefined> {
  yield undefined
  const [head, newline] = [text.slice(0, root.start), newlineOf(text)]
  const foot = text.slice(root.end)
  if (foot === '') yield head
  if (foot === newline && head.endsWith(newline)) yield head.slice(0, -newline.length)
}

/** A comment that ends with the file would swallow what comes behind it. */
export function afterComments(text: string, object: string): string {
  const last = tokensBetween(text, 0, text.length).at(-1)
  const newline = newlineOf(text)
  return last?.text.startsWith('//') && last.end === text.length ? text + newline + object + newline : text + object
}

export function wholeText(keys: readonly string[], value: JsonValue, newline: string): string {
  return JSON.stringify(nested(keys, value), null, 2).replaceAll('\n', newline)
}

export function nested(keys: readonly string[], value: JsonValue): JsonValue {
  return keys.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value)
}
