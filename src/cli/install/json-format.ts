/** Our entry in a client's JSON file; comments and trailing commas are kept, whether the client reads them or not. */

import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '../../model/entry.ts'
import type { Entry } from './clients.ts'
import { brokenAt, type ConfigFormat, newlineOf } from './config-format.ts'
import { emptied, withMember, withoutMember, withValue } from './json-edits.ts'
import { type Member, memberOf, type ObjectNode, othersIn, plainValue, readTree, tokensBetween } from './json-tree.ts'
import { SERVER_NAME } from './server-command.ts'

/** `servers`: the keys that lead to the client's servers. */
export function jsonFormat(servers: readonly string[]): ConfigFormat {
  const keys = [...servers, SERVER_NAME]

  const put = (text: string | undefined, value: JsonValue): string => {
    if (text === undefined) return `${wholeText(keys, value, '\n')}\n`
    const root = rootOf(text)
    if (!root) return afterComments(text, wholeText(keys, value, newlineOf(text)))
    const { object, missing } = descend(text, root, keys)
    const [name = '', ...inner] = missing
    return withMember(text, object, name, nested(inner, value))
  }

  const removed = (text: string, written?: Entry): string | undefined => {
    const { object, member } = found(text, keys)
    const marked = withValue(text, object, member, null)
    for (const before of befores(text, keys)) {
      const isSure = hasObject(before) || (written && put(before, written) === text)
      if (isSure && put(before, null) === marked) return before
    }
    return withoutMember(text, object, member)
  }

  const updated = (text: string, entry: Entry): string =>
    Object.entries(entry).reduce((now, [name, value]) => {
      const { value: ours } = found(now, keys).member
      if (ours.type !== 'object') throw new Error('unreachable: an entry of ours is an object')
      const member = memberOf(ours, name)
      if (!member) return withMember(now, ours, name, value)
      return isDeepStrictEqual(plainValue(member.value), value) ? now : withValue(now, ours, member, value)
    }, text)

  return {
    entryIn: (text) => {
      const root = rootOf(text)
      const { missing, object } = root ? descend(text, root, keys.slice(0, -1)) : { missing: keys, object: undefined }
      const member = object && missing.length === 0 ? memberOf(object, SERVER_NAME) : undefined
      return member && plainValue(member.value)
    },
    added: put,
    updated,
    replaced: (text, entry) => {
      const { object, member } = found(text, keys)
      return withValue(text, object, member, entry)
    },
    removed,
    snippet: (entry) => wholeText(keys, entry, '\n'),
    others: (text) => {
      const root = rootOf(text)
      return root ? othersIn(root, keys) : []
    },
  }
}

/** What has none is no configuration that a client reads; to go back to that, it must be sure that install made it one. */
function hasObject(text: string | undefined): boolean {
  return text !== undefined && rootOf(text) !== undefined
}

function rootOf(text: string): ObjectNode | undefined {
  const root = readTree(text)
  if (root === undefined || root.type === 'object') return root
  throw brokenAt(text, root.start, 'it should hold an object in braces')
}

/** The innermost object that is there, and the keys that are not. */
function descend(
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

function found(text: string, keys: readonly string[]): { readonly object: ObjectNode; readonly member: Member } {
  const root = rootOf(text)
  const object = root && descend(text, root, keys.slice(0, -1)).object
  const member = object && memberOf(object, keys.at(-1) ?? '')
  if (!object || !member) throw new Error(`unreachable: ${keys.join('.')} was found before`)
  return { object, member }
}

/** All that the text can have been before the member was put in, undefined for no file. */
function* befores(text: string, keys: readonly string[]): Generator<string | undefined> {
  const { object, member } = found(text, keys)
  if (object.members.length > 1) {
    yield withoutMember(text, object, member)
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
function afterComments(text: string, object: string): string {
  const last = tokensBetween(text, 0, text.length).at(-1)
  const newline = newlineOf(text)
  return last?.text.startsWith('//') && last.end === text.length ? text + newline + object + newline : text + object
}

function wholeText(keys: readonly string[], value: JsonValue, newline: string): string {
  return JSON.stringify(nested(keys, value), null, 2).replaceAll('\n', newline)
}

function nested(keys: readonly string[], value: JsonValue): JsonValue {
  return keys.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value)
}
