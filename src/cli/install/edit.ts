/**
 * What install and uninstall would make of a client's file with MCP servers: read, compare, edit. Nothing is written here, and
 * nothing let out but what was before plus or minus our entry.
 */
import { isDeepStrictEqual } from 'node:util'
import { KeepsakeError } from '../../errors.ts'
import { checked, type Meant } from './checked-edit.ts'
import { type Client, commandOf, type Entry, httpEntry, tokenIn, urlIn } from './clients.ts'
import { type ConfigFile, LEFT } from './config-file.ts'
import type { ConfigFormat } from './config-format.ts'
import { jsonFormat } from './json-format.ts'
import { isServerCommand, isServerUrl, SERVER_NAME } from './server-command.ts'
import { tomlFormat } from './toml-format.ts'

export interface Edit {
  readonly was: 'absent' | 'same' | 'ours' | 'foreign'
  /** The whole file; undefined: none. */
  readonly after: string | undefined
  /** What someone else wrote into an entry of ours that goes, by name. */
  readonly lost?: readonly string[]
}

export function formatOf({ format, servers }: Client): ConfigFormat {
  return format === 'json' ? jsonFormat(servers) : tomlFormat(servers)
}

/** `force`: also where another program's entry has our name. */
export function installed(client: Client, file: ConfigFile, entry: Entry, force: boolean): Edit {
  const format = formatOf(client)
  const hint = `${LEFT} To do it by hand, put this into it:\n${format.snippet(entry)}`
  return checked({ file, hint, isMeant: isAsMeant(format, entry) }, (text) => {
    const current = text === undefined ? undefined : format.entryIn(text)
    if (text === undefined || current === undefined) return { was: 'absent', after: format.added(text, entry) }
    const was = whose(current, entry)
    if (was === 'same') return { was, after: text }
    // An entry that starts a server shares no fields with one that has an address.
    const isSameForm = (urlIn(current) === undefined) === (urlIn(entry) === undefined)
    if (was === 'ours' && isSameForm) return { was, after: format.updated(text, entry) }
    if (was === 'foreign' && !force) throw foreign(file, 'replace', hint)
    return { was, after: format.replaced(text, entry) }
  })
}

export function uninstalled(client: Client, file: ConfigFile, force: boolean): Edit {
  const format = formatOf(client)
  const hint = `${LEFT} Take the entry "${SERVER_NAME}" out by hand.`
  return checked({ file, hint, isMeant: isAsMeant(format, undefined) }, (text) => {
    const current = text === undefined ? undefined : format.entryIn(text)
    if (text === undefined || current === undefined) return { was: 'absent', after: text }
    const was = whose(current)
    if (was === 'foreign' && !force) throw foreign(file, 'remove', hint)
    if (was === 'foreign') return { was, after: format.removed(text) }
    const values = current as Entry // it has a command or an address, so it is an object
    return { was, after: format.removed(text, written(client, values)), lost: notWritten(client, values) }
  })
}

function whose(current: unknown, wanted: Entry = {}): Edit['was'] {
  if (!isServerCommand(commandOf(current)) && !isServerUrl(urlIn(current))) return 'foreign'
  const values = current as Readonly<Record<string, unknown>> // has a command or an address, so it is an object
  const wants = Object.entries(wanted)
  const isSame = wants.length > 0 && wants.every(([name, value]) => isDeepStrictEqual(values[name], value))
  return isSame ? 'same' : 'ours'
}

/** What install writes where it says no more than what is there; undefined where more is there. */
function written(client: Client, current: Entry): Entry | undefined {
  const entry = entryLike(client, current)
  return [entry, { ...entry, ...client.trusted }].find((each) => isDeepStrictEqual(current, each))
}

/** An entry of the same form, with the same command, or address and token. */
function entryLike(client: Client, current: Entry): Entry {
  const url = urlIn(current)
  return url === undefined ? client.entry(commandOf(current)) : httpEntry(client, url, tokenIn(client, current))
}

function notWritten(client: Client, current: Entry): readonly string[] {
  const names = Object.keys({ ...entryLike(client, current), ...client.trusted })
  return Object.keys(current).filter((name) => !names.includes(name))
}

function isAsMeant(format: ConfigFormat, wanted: Entry | undefined): Meant['isMeant'] {
  return (before, after) => {
    const entry = format.entryIn(after)
    const isThere = wanted === undefined ? entry === undefined : whose(entry, wanted) === 'same'
    return isThere && isDeepStrictEqual(format.others(after), format.others(before))
  }
}

function foreign({ path }: ConfigFile, deed: string, hint: string): KeepsakeError {
  return new KeepsakeError('CONFLICT', `${path} has an entry "${SERVER_NAME}" that starts something else`, {
    hint: `To ${deed} it say --force. ${hint}`,
    data: { path },
  })
}
