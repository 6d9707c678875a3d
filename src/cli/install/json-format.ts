/** Our entry in a client's JSON file; comments and trailing commas are kept, whether the client reads them or not. */

import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '../../model/entry.ts'
import type { Entry } from './clients.ts'
import { type ConfigFormat, newlineOf } from './config-format.ts'
import { withMember, withoutPart, withValue } from './json-edits.ts'
import { afterComments, befores, descend, found, hasObject, nested, rootOf, wholeText } from './json-paths.ts'
import { memberOf, othersIn, plainValue } from './json-tree.ts'
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
      // No client can read an empty file, and one that install made may have lost its last line end since.
      if (isSure && put(before, null) === marked) return before || undefined
    }
    return withoutPart(text, object, member)
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
