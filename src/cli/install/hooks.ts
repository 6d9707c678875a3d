/** The hooks of a client in its file: what `install --hooks` writes there, and what uninstall takes back. */
import { isKeepsakeError, KeepsakeError } from '../../errors.ts'
import { usageError } from '../arguments.ts'
import type { Context, Outcome } from '../command.ts'
import { rowsText } from '../entry-text.ts'
import type { ClientHooks } from './client-hooks.ts'
import { CLIENT_NAMES, CLIENTS, type Place } from './clients.ts'
import { type ConfigFile, checkWritable, readConfigFile, writeConfigFile } from './config-file.ts'
import { triedOutcome } from './diff.ts'
import { type HooksEdit, installedHooks, uninstalledHooks } from './hooks-edit.ts'
import { hooksIn, hooksSnippet, type WantedHooks } from './hooks-text.ts'
import { plainJsonWarning } from './plain-json.ts'
import { isNpx } from './server-command.ts'
import { simpleCommand } from './simple-command.ts'
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
export async function checkHooks({ given }: Context, { place, wanted }: PlannedHooks): Promise<void> {
  const file = await readConfigFile(place)
  const { after } = installedHooks(file, wanted)
  if (after !== file.text && !given.has('dry-run')) await checkWritable(file)
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
  const mixed = mixedWarnings(edit, screen.path('', file.path))
  if (isTried) {
    const tried = triedOutcome(context, file, edit.after, json, done)
    return { ...tried, warnings: [...tried.warnings, ...mixed] }
  }
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
  return { json, text, quietText: '', warnings: [...warnings, ...mixed] }
}

/** `undefined` where there are none of ours. */
export async function uninstallHooks(
  context: Context,
  { hooksPlace }: Pick<Target, 'hooksPlace'>,
): Promise<Outcome | undefined> {
  if (!hooksPlace) return undefined
  const { given, screen } = context
  const found = await lookedFor(hooksPlace)
  if ('problem' in found) return unchanged([`hooks were not looked for: ${found.problem}`])
  const { file, edit } = found
  const { was, after } = edit
  const path = screen.path('', file.path)
  const warnings = mixedWarnings(edit, path)
  if (was === 'absent') return warnings.length === 0 ? undefined : unchanged(warnings)
  const isTried = given.has('dry-run')
  const json = { file: file.path, changed: !isTried }
  if (isTried) {
    const tried = triedOutcome(context, file, after, json, '')
    return { ...tried, warnings: [...tried.warnings, ...warnings] }
  }
  await writeConfigFile(file, after)
  const text = after === undefined ? `Removed ${path}, which held only hooks` : `Took the hooks out of ${path}`
  return { json, text, quietText: '', warnings }
}

/** A file that nobody can read may well have none of ours; the entry of the server can still be taken out. */
async function lookedFor(
  place: Place,
): Promise<{ readonly file: ConfigFile; readonly edit: HooksEdit } | { readonly problem: string }> {
  try {
    const file = await readConfigFile(place)
    return { file, edit: uninstalledHooks(file) }
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return { problem: error.message }
  }
}

/** Warns of hooks of 0.1, which stay when only the server's entry is installed. */
export async function registryHookWarnings(
  { screen }: Context,
  { name, hooksPlace }: Pick<Target, 'name' | 'hooksPlace'>,
): Promise<readonly string[]> {
  const found = hooksPlace ? await lookedFor(hooksPlace) : undefined
  if (!found || 'problem' in found) return []
  const { path, text = '' } = found.file
  if (!hooksIn(text).some(({ command }) => isNpx(simpleCommand(command)?.[0]))) return []
  return [
    `${screen.path('', path)} still has hooks that run "npx -y keepsake", which is not this program on the npm registry: replace them with "keepsake install ${name} --hooks"`,
  ]
}

function unchanged(warnings: readonly string[]): Outcome {
  return { json: { changed: false }, text: '', quietText: '', warnings }
}

function mixedWarnings({ mixed = [] }: HooksEdit, path: string): readonly string[] {
  return mixed.map(
    (command) =>
      `${path} has a hook that names "keepsake hook" among other things; it was left as it is: ${JSON.stringify(command)}`,
  )
}

/** Does the second of two files. Where that fails, what was done to the first is told with it. */
export async function afterFirst<T>(first: Outcome | undefined, second: () => Promise<T>): Promise<T> {
  try {
    return await second()
  } catch (error) {
    if (!isKeepsakeError(error) || !first || !isChange(first)) throw error
    const [done = ''] = first.text.split('\n')
    const hint = [error.hint, `Before that, this was done: ${done}.`].filter((text) => text !== undefined).join(' ')
    throw new KeepsakeError(error.code, error.message, { hint, data: error.data, cause: error })
  }
}

function isChange({ json = {} }: Outcome): boolean {
  return 'changed' in json && json.changed === true
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
