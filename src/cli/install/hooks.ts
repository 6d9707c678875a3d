/** The hooks of a client in its file: what `install --hooks` writes there, and what uninstall takes back. */
import { isKeepsakeError } from '../../errors.ts'
import { usageError } from '../arguments.ts'
import type { Context, Outcome } from '../command.ts'
import { rowsText } from '../entry-text.ts'
import type { ClientHooks } from './client-hooks.ts'
import { CLIENT_NAMES, CLIENTS, type Place } from './clients.ts'
import { readConfigFile, writeConfigFile } from './config-file.ts'
import { triedOutcome } from './diff.ts'
import { type HooksEdit, installedHooks, uninstalledHooks } from './hooks-edit.ts'
import { hooksSnippet, type WantedHooks } from './hooks-text.ts'
import { plainJsonWarning } from './plain-json.ts'
import type { Target } from './target.ts'

export interface PlannedHooks {
  readonly title: string
  readonly place: Place
  readonly hooks: ClientHooks
  readonly command: string
  readonly wanted: WantedHooks
}

export function plannedHooks({ client, hooksPlace }: Target, command: string): PlannedHooks {
  const { hooks, title } = client
  if (!hooks || !hooksPlace) throw withoutHooks(title)
  const wanted = Object.entries(hooks.events).map(([event, seconds]) => [event, hooks.entry(command, seconds)])
  return { title, place: hooksPlace, hooks, command, wanted: Object.fromEntries(wanted) }
}

/** Says what is wrong with the file before anything else is written. */
export async function checkHooks({ place, wanted }: PlannedHooks): Promise<void> {
  installedHooks(await readConfigFile(place), wanted)
}

export function printedHooks({ name }: Target, { wanted }: PlannedHooks): Outcome {
  const snippet = hooksSnippet(wanted)
  return {
    json: { client: name, file: null, changed: false, snippet },
    text: snippet,
    quietText: snippet,
    warnings: [],
  }
}

export async function installHooks(context: Context, planned: PlannedHooks): Promise<Outcome> {
  const { given, screen } = context
  const { place, wanted, title, hooks, command } = planned
  const file = await readConfigFile(place)
  const edit = installedHooks(file, wanted)
  const isTried = given.has('dry-run')
  const json = { file: file.path, events: Object.keys(wanted), changed: !isTried && edit.was !== 'same' }
  const done = doneText(title, edit, screen.path('', file.path))
  if (isTried) return triedOutcome(context, file, edit.after, json, done)
  if (edit.after !== file.text) await writeConfigFile(file, edit.after)
  const rows = rowsText(
    [
      ['calls', command],
      ['at', Object.keys(wanted).join(', ')],
      ['check', hooks.check],
    ],
    screen,
  )
  const text = [done, ...(edit.was === 'same' ? [] : rows)].join('\n')
  const warnings = hooks.plainJson ? plainJsonWarning(title, file.path, edit.after) : []
  return { json, text, quietText: '', warnings }
}

/** `undefined` where there are none of ours. */
export async function uninstallHooks(
  context: Context,
  { hooksPlace }: Pick<Target, 'hooksPlace'>,
): Promise<Outcome | undefined> {
  if (!hooksPlace) return undefined
  const { given, screen } = context
  try {
    const file = await readConfigFile(hooksPlace)
    const { was, after } = uninstalledHooks(file)
    if (was === 'absent') return undefined
    const isTried = given.has('dry-run')
    const json = { file: file.path, changed: !isTried }
    if (isTried) return triedOutcome(context, file, after, json, '')
    await writeConfigFile(file, after)
    const path = screen.path('', file.path)
    const text = after === undefined ? `Removed ${path}, which held only hooks` : `Took the hooks out of ${path}`
    return { json, text, quietText: '', warnings: [] }
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    // A file that nobody can read may well have none of ours; the entry of the server can still be taken out.
    return {
      json: { changed: false },
      text: '',
      quietText: '',
      warnings: [`hooks were not looked for: ${error.message}`],
    }
  }
}

/** What was done to the entry of the server, and to the hooks. */
export function bothOutcomes(server: Outcome, hooks: Outcome | undefined): Outcome {
  if (!hooks) return server
  return {
    json: { ...server.json, hooks: hooks.json },
    text: joined(server.text, hooks.text),
    quietText: joined(server.quietText, hooks.quietText),
    warnings: [...server.warnings, ...hooks.warnings],
  }
}

function joined(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n')
}

function doneText(title: string, { was }: HooksEdit, place: string): string {
  if (was === 'same') return `The hooks of ${title} are in ${place} already; nothing was changed`
  return was === 'absent' ? `Hooks for ${title} are in ${place} now` : `Renewed the hooks of ${title} in ${place}`
}

function withoutHooks(title: string): Error {
  const able = CLIENT_NAMES.filter((name) => CLIENTS[name]?.hooks)
  return usageError(`install knows no hooks of ${title}`, `Leave --hooks out; it works for ${able.join(', ')}.`)
}
