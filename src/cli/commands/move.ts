/** `keepsake move`: the memory in another store, with everything that it is; the one that it is now stays. */
import { dirname, isAbsolute, relative } from 'node:path'
import { CONFIG_FILE } from '../../config/find-workspace.ts'
import { identityOutside } from '../../config/identity-place.ts'
import type { Config } from '../../config/load-config.ts'
import { isUrl } from '../../config/value-types.ts'
import { agentOf, openLasting } from '../../memory/lasting-store.ts'
import { compareImages } from '../../move/compare-images.ts'
import { isPresentOnly, type Moved, moveMemory } from '../../move/move-memory.ts'
import { countImage, type ImageCounts } from '../../move/watched-image.ts'
import type { Movable, Store } from '../../ports/store.ts'
import { usageError } from '../arguments.ts'
import { DRY_RUN } from '../ask.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { warningsJson } from '../entry-json.ts'
import { isMade } from '../is-made.ts'
import { countRows, moveProgress } from '../move-progress.ts'
import { findMemory, noMemoryAt } from '../named-place.ts'
import { keepOwnership } from '../own-workspaces.ts'
import { refuseSamePlace } from '../same-place.ts'
import type { Screen } from '../screen.ts'

export const move: Command = {
  verb: 'move',
  operands: [],
  about: [
    'Copies the whole memory to TARGET: every entry with its id, times, aliases and metadata, every change, session and',
    'document. A new TARGET with a name that ends in .keepsake becomes one file, postgres://HOST/DATABASE a memory on that',
    'PostgreSQL server, chroma://HOST:PORT one on that Chroma server, any other a folder of Markdown files. The copy is',
    'compared with its source, entry by entry and change by change, before it can be used. The source is not changed, and',
    'stays in use until you name the copy in agent.yaml or with --workspace. An interrupted move leaves nothing at TARGET,',
    'and the next one starts over. If TARGET holds this memory already, nothing happens; if it holds anything else, nothing',
    'is changed. A Chroma server keeps present entries only: a move to it needs --without-history, and says what stays',
    'behind.',
  ],
  options: [
    { name: 'to', value: 'TARGET', about: 'a file or a folder that is not there yet, or a server' },
    { name: 'without-history', about: 'copy present entries only; a Chroma server takes nothing else' },
    DRY_RUN,
  ],
  examples: [
    'keepsake move --to memory.keepsake',
    'keepsake move --to notes --workspace memory.keepsake',
    'keepsake move --to memory.keepsake --dry-run',
    'keepsake move --to postgres://db.example/team',
    'keepsake move --to chroma://127.0.0.1:8000 --without-history',
    'keepsake move --to notes --workspace postgres://db.example/team',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const config = await configAsked(context)
  refuseSamePlace(config.values.workspace, (await targetOf(context, config.values.agent)).values.workspace, '--to')
  const from = await openLasting(config)
  try {
    // A store opens a missing memory as an empty one, and a copy of that would block the move of the right memory later.
    if (!(await findMemory(config, from))) throw noMemoryAt(config.values.workspace)
    const target = await targetOf(context, await agentOf(config, from))
    const to = await openLasting(target)
    const progress = moveProgress(given)
    const withoutHistory = given.has('without-history')
    const places = { config, target, isPresentOnly: isPresentOnly(from, to) }
    try {
      checkWithoutHistory(from, to, withoutHistory)
      if (given.has('dry-run')) return tried(await wouldMove(from, to, target), places, context.screen)
      const moved = await moveMemory(from, to, { onProgress: progress.show, withoutHistory })
      progress.end()
      keepOwnership([config, await from.settings()], [target, await to.settings()])
      return done(moved, places, context.screen)
    } finally {
      progress.end()
      await to.close()
    }
  } finally {
    await from.close()
  }
}

/** History is never left behind silently, nor where the target could keep it. */
function checkWithoutHistory(from: Store, to: Store, isGiven: boolean): void {
  const hasMore = from.capabilities.history === true || from.capabilities.sessions === true
  const reason = to.capabilities.moveHistory
  if (reason === true && isGiven) {
    throw usageError('--without-history is for a target that keeps no history', 'Leave it out: everything is copied.')
  }
  if (reason === true || isGiven || !hasMore) return
  throw usageError(
    `${reason}: the history, sessions and files of this one would stay behind`,
    'To copy the present entries anyway, add --without-history. This memory stays as it is.',
  )
}

/** Read as `--workspace` is; whose memory it is, the source says. */
function targetOf(context: Context, agent: string): Promise<Config> {
  const text = context.given.one('to')
  if (text === undefined) {
    throw usageError(
      'move needs --to TARGET',
      'Name a file that ends in .keepsake, a folder, or postgres://HOST/DATABASE.',
    )
  }
  return configAsked(context, {
    workspace: { text, source: '--to' },
    agent: { text: agent, source: 'the source' },
  })
}

interface Plan extends ImageCounts {
  readonly warnings: readonly string[]
  /** How what is there differs; missing when nothing is there. */
  readonly differences?: readonly string[]
}

async function wouldMove(from: Store & Movable, to: Store & Movable, target: Config): Promise<Plan> {
  const image = await from.image()
  const counts = await countImage(image)
  if (!(await isMade(to, target.values.workspace))) return { ...counts, warnings: image.warnings }
  return {
    ...counts,
    warnings: image.warnings,
    differences: await compareImages(image, await to.image(), { presentOnly: isPresentOnly(from, to) }),
  }
}

interface Places {
  /** Only entries are copied and compared. */
  readonly isPresentOnly: boolean
  readonly config: Config
  readonly target: Config
}

function tried(
  { differences, warnings, ...all }: Plan,
  { config, target, isPresentOnly }: Places,
  screen: Screen,
): Outcome {
  const places = { from: config.values.workspace, to: target.values.workspace }
  const counts = isPresentOnly ? { ...all, changes: 0, sessions: 0, files: 0 } : all
  const place = screen.path('', places.to)
  const head =
    differences === undefined
      ? `Would move the memory to ${place}`
      : differences.length === 0
        ? `${place} holds this memory already`
        : `${place} is there already, and is not this memory: ${screen.line(differences[0] ?? '')}`
  return {
    json: {
      ...places,
      ...counts,
      dryRun: true,
      ...(differences === undefined ? {} : { alreadyThere: differences.length === 0, differences }),
      ...warningsJson(warnings),
    },
    text: [head, ...countRows(counts, screen), 'Nothing was changed.'].join('\n'),
    quietText: '',
    warnings,
  }
}

function done({ warnings, ...moved }: Moved, { config, target, isPresentOnly }: Places, screen: Screen): Outcome {
  const { alreadyThere, entries, changes, sessions, files } = moved
  const places = { from: config.values.workspace, to: target.values.workspace }
  const [source, place] = [screen.path('', places.from), screen.path('', places.to)]
  return {
    json: { ...places, ...moved, ...warningsJson(warnings) },
    text: [
      alreadyThere ? `${place} holds this memory already; nothing was changed` : `Moved the memory to ${place}`,
      ...countRows({ entries, changes, sessions, files }, screen),
      ...(alreadyThere
        ? []
        : [isPresentOnly ? 'The entries were compared: they are equal.' : 'Both sides were compared: they are equal.']),
      `${source} stays as it is, and is still what commands use here. To use the new one, write in ${configLabel(config, screen)}:`,
      ...configLines(config, target),
      ...identityLines(config, place),
    ].join('\n'),
    quietText: '',
    warnings,
  }
}

function configLabel({ file }: Config, screen: Screen): string {
  return file === undefined ? `a new ${CONFIG_FILE}` : screen.path('', file)
}

/** Relative to the file that it is written in, where it lies beside or below it. */
function configLines({ file }: Config, { values: { backend, workspace } }: Config): string[] {
  const fromFile = file === undefined || isUrl(workspace) ? workspace : relative(dirname(file), workspace)
  const path = fromFile.startsWith('..') || isAbsolute(fromFile) ? workspace : fromFile
  return ['  spec:', '    memory:', `      backend: ${backend}`, `      workspace: ${yamlWord(path)}`]
}

/** It lay outside, and was taken along: what still named the old place would be refused, or read in place of it. */
function identityLines(config: Config, place: string): string[] {
  if (identityOutside(config) === undefined) return []
  return [`And take the line identity_file out of it: the identity is in ${place} now.`]
}

function yamlWord(text: string): string {
  return /^[\w./:+-]+$/.test(text) ? text : JSON.stringify(text)
}
