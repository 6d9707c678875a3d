/**
 * Our hooks in a client's JSON file: put in beside those of others, renewed, and taken out. Taking out what was put in gives
 * the bytes of before, as for the entry of the server. Pure.
 */
import type { JsonValue } from '../../model/entry.ts'
import type { Entry } from './clients.ts'
import { brokenAt, newlineOf } from './config-format.ts'
import { emptied, withItem, withMember, withoutPart, withValue } from './json-edits.ts'
import { afterComments, befores, descend, found, hasObject, nested, rootOf, wholeText } from './json-paths.ts'
import { type ArrayNode, memberOf, type Node, type ObjectNode, plainValue } from './json-tree.ts'
import { isHookCommand, namesHook } from './server-command.ts'

const HOOKS = 'hooks'

/** What each event is to call. */
export type WantedHooks = Readonly<Record<string, Entry>>

/** A hook that speaks of ours, and all that it stands in. */
interface Found {
  readonly event: string
  readonly command: string
  readonly groups: ArrayNode
  readonly group: ObjectNode
  readonly list: ArrayNode
  readonly hook: ObjectNode
}

/** The events that have one of ours, with its command. */
export function hooksIn(text: string): readonly { readonly event: string; readonly command: string }[] {
  return oursIn(text).map(({ event, command }) => ({ event, command }))
}

/** The commands in which a person calls ours among other things. */
export function mixedCommandsIn(text: string): readonly string[] {
  const commands = hooksNamingUs(text).map(({ command }) => command)
  return [...new Set(commands.filter((command) => !isHookCommand(command)))]
}

/** With a hook of ours for each event; one that is there gets the command, and keeps what else it says. */
export function withHooks(before: string | undefined, wanted: WantedHooks): string | undefined {
  let text = before
  for (const [event, entry] of Object.entries(wanted)) {
    const command = String(entry['command'])
    const isThere = text !== undefined && oursIn(text).some((ours) => ours.event === event)
    text = text !== undefined && isThere ? withCommand(text, event, command) : put(text, event, { [HOOKS]: [entry] })
  }
  return text
}

/** Without ours; undefined: without the file, for it was made for them, or would be empty, which no client can read. */
export function withoutHooks(before: string): string | undefined {
  let text: string | undefined = before
  // What was put in last goes first.
  for (let last = oursIn(text).at(-1); last; last = text === undefined ? undefined : oursIn(text).at(-1)) {
    text = without(text ?? '', last)
  }
  return text || undefined
}

/** All that is there but ours, and what is empty without them, to be compared. */
export function othersBesideHooks(text: string): unknown {
  const root = rootOf(text)
  const ours = new Set(oursIn(text).map(({ hook }) => hook.start))
  const kept = (group: Node): unknown => {
    const list = group.type === 'object' ? memberOf(group, HOOKS)?.value : undefined
    if (group.type !== 'object' || list?.type !== 'array') return [plainValue(group)]
    const left = list.items.filter((hook) => !ours.has(hook.start))
    if (left.length === list.items.length) return [plainValue(group)]
    const rest = group.members.map(({ name, value }) => [
      name,
      value === list ? left.map(plainValue) : plainValue(value),
    ])
    return left.length === 0 ? [] : [Object.fromEntries(rest)]
  }
  return root?.members.flatMap(({ name, value }) => {
    if (name !== HOOKS || value.type !== 'object') return [[name, plainValue(value)]]
    const events = value.members.flatMap(({ name: event, value: groups }) => {
      const left = groups.type === 'array' ? groups.items.flatMap(kept) : plainValue(groups)
      return Array.isArray(left) && left.length === 0 ? [] : [[event, left]]
    })
    return events.length === 0 ? [] : [[name, events]]
  })
}

/** As one would paste them. */
export function hooksSnippet(wanted: WantedHooks): string {
  const groups = Object.entries(wanted).map(([event, entry]) => [event, [{ [HOOKS]: [entry] }]])
  return wholeText([HOOKS], Object.fromEntries(groups), '\n')
}

function oursIn(text: string): readonly Found[] {
  return hooksNamingUs(text).filter(({ command }) => isHookCommand(command))
}

function hooksNamingUs(text: string): readonly Found[] {
  const root = rootOf(text)
  const events = root && memberOf(root, HOOKS)?.value
  if (events?.type !== 'object') return []
  return events.members.flatMap(({ name: event, value: groups }) =>
    groups.type !== 'array'
      ? []
      : groups.items.flatMap((group) => {
          const list = group.type === 'object' ? memberOf(group, HOOKS)?.value : undefined
          if (group.type !== 'object' || list?.type !== 'array') return []
          return list.items.flatMap((hook): Found[] => {
            const command = hook.type === 'object' ? memberOf(hook, 'command')?.value : undefined
            if (hook.type !== 'object' || command?.type !== 'plain' || typeof command.value !== 'string') return []
            const named = { event, command: command.value, groups, group, list, hook }
            return isHookCommand(named.command) || namesHook(named.command) ? [named] : []
          })
        }),
  )
}

function put(text: string | undefined, event: string, group: JsonValue): string {
  if (text === undefined) return `${wholeText([HOOKS, event], [group], '\n')}\n`
  const root = rootOf(text)
  if (!root) return afterComments(text, wholeText([HOOKS, event], [group], newlineOf(text)))
  const { object, missing } = descend(text, root, [HOOKS])
  const groups = missing.length === 0 ? memberOf(object, event)?.value : undefined
  if (groups?.type === 'array') return withItem(text, groups, group)
  if (groups) throw brokenAt(text, groups.start, `"${event}" should be a list in brackets`)
  const [name = '', ...inner] = [...missing, event]
  return withMember(text, object, name, nested(inner, [group]))
}

function withCommand(before: string, event: string, command: string): string {
  const isOld = (ours: Found): boolean => ours.event === event && ours.command !== command
  let text = before
  for (let old = oursIn(text).find(isOld); old; old = oursIn(text).find(isOld)) {
    const member = memberOf(old.hook, 'command')
    if (!member) throw new Error('unreachable: it was found by its command')
    text = withValue(text, old.hook, member, command)
  }
  return text
}

function without(text: string, { event, groups, group, list, hook }: Found): string | undefined {
  if (list.items.length > 1) return withoutPart(text, list, hook)
  const marked = `${text.slice(0, group.start)}null${text.slice(group.end)}`
  for (const before of beforesOf(text, event, groups, group)) {
    const isSure = hasObject(before) || put(before, event, plainValue(group) as JsonValue) === text // read from JSON
    if (isSure && put(before, event, null) === marked) return before
  }
  if (groups.items.length > 1) return withoutPart(text, groups, group)
  const { object, member } = found(text, [HOOKS, event])
  if (object.members.length > 1) return withoutPart(text, object, member)
  const hooks = found(text, [HOOKS])
  return withoutPart(text, hooks.object, hooks.member)
}

/** All that the text can have been before the group was put in, undefined for no file. */
function* beforesOf(text: string, event: string, groups: ArrayNode, group: ObjectNode): Generator<string | undefined> {
  if (groups.items.length > 1) {
    yield withoutPart(text, groups, group)
    return
  }
  yield* befores(text, [HOOKS, event])
  yield* emptied(text, groups, group)
}
