/** `keepsake init`: makes a workspace, so that the next command finds it. Running it again changes nothing. */
import { join } from 'node:path'
import { WORKSPACE_FOLDER } from '../../config/find-workspace.ts'
import { identityOutside } from '../../config/identity-place.ts'
import { type Asked, loadConfig } from '../../config/load-config.ts'
import { settingsFileOf } from '../../config/open-store.ts'
import { isUrl } from '../../config/value-types.ts'
import { isKeepsakeError } from '../../errors.ts'
import { openLasting } from '../../memory/lasting-store.ts'
import { shellLine } from '../../model/shell-line.ts'
import type { Settings } from '../../ports/store.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { rowsText } from '../entry-text.ts'
import { isMade } from '../is-made.ts'
import { addOwnWorkspace, ownership } from '../own-workspaces.ts'
import type { Screen } from '../screen.ts'

const NEXT: readonly (readonly [command: string, what: string])[] = [
  ['remember "The coffee machine is fixed."', "a line in today's log"],
  ['remember "Run make ship." --name deploys', 'a note with a name'],
  ['learn "Staging server" "Its name is heron."', 'a topic that every agent sees'],
  ['recall', 'all of it, as an agent reads it'],
]

export const init: Command = {
  verb: 'init',
  operands: [],
  about: [
    'Makes the workspace .keepsake in this folder; or the one that --workspace names, or an agent.yaml here or above.',
    'Commands that run here or in a folder below use it from then on. Running it again changes nothing. A name that ends',
    'in .keepsake, such as memory.keepsake, is a memory in one file; postgres://HOST/DATABASE is one on a PostgreSQL server,',
    'chroma://HOST:PORT one on a Chroma server; all others are folders of Markdown files.',
  ],
  options: [
    { name: 'layout', value: 'agents|flat', about: 'a folder for each agent (default), or one agent at the root' },
    { name: 'timezone', value: 'ZONE', about: "where its days begin and end; default: the system's zone" },
    { name: 'own', about: 'confirm that the workspace is yours: models then follow its directive and identity' },
  ],
  examples: [
    'keepsake init',
    'keepsake init --timezone Europe/Berlin',
    'keepsake init --workspace ~/notes --layout flat',
    'keepsake init --workspace memory.keepsake',
    'keepsake init --workspace postgres://db.example/team',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, asked, screen } = context
  const pins = { layout: option(context, 'layout'), timezone: option(context, 'timezone') }
  const config = await configAsked(context, pins, join(asked.cwd, WORKSPACE_FOLDER))
  const { onCreated, distrust } = ownership(config)
  const store = await openLasting(config, { onCreated })
  const { workspace: root } = config.values
  const { wanted, wasThere, settings } = await made(store, root).finally(() => store.close())
  // Another process may have been faster: then the workspace is the one that it made.
  const created = !wasThere && settings.id === wanted.id
  if (given.has('own') || (created && isUrl(root))) addOwnWorkspace(config, settings, identityOutside(config))
  const notOwn = distrust(settings, identityOutside(config))
  const isNamed = given.has('workspace') || given.has('config')
  const isFound = !isNamed || (await isFoundFrom(asked.cwd, root))
  return {
    json: { workspace: root, created, own: notOwn === undefined, settings },
    text: initText(
      {
        root,
        settingsFile: settingsFileOf(config),
        created,
        notes: ownershipNotes(notOwn, given.has('own')),
        isFound,
        settings,
      },
      screen,
    ),
    quietText: '',
    warnings: [],
  }
}

async function made(
  store: Awaited<ReturnType<typeof openLasting>>,
  root: string,
): Promise<{ readonly wanted: Settings; readonly settings: Settings; readonly wasThere: boolean }> {
  const wanted = await store.settings()
  const wasThere = await isMade(store, root)
  if (!wasThere) await store.init()
  return { wanted, wasThere, settings: await store.settings() }
}

function option({ given }: Context, name: string): Asked | undefined {
  const text = given.one(name)
  return text === undefined ? undefined : { text, source: `--${name}` }
}

async function isFoundFrom(cwd: string, root: string): Promise<boolean> {
  try {
    return (await loadConfig({ from: cwd })).values.workspace === root
  } catch (error) {
    if (isKeepsakeError(error)) return false // an agent.yaml that is broken leads nowhere
    throw error
  }
}

function ownershipNotes(notOwn: string | undefined, isAsked: boolean): readonly string[] {
  if (notOwn !== undefined) return ['', `Models get its directive and identity only as quoted data: ${notOwn}`]
  return isAsked ? ['', 'It is on the list of your own workspaces, so models follow its directive and identity.'] : []
}

interface Made {
  readonly root: string
  /** The one file is its own. */
  readonly settingsFile: string | undefined
  readonly created: boolean
  readonly notes: readonly string[]
  /** Whether commands that are called here come to it by themselves. */
  readonly isFound: boolean
  readonly settings: Settings
}

function initText({ root, settingsFile, created, notes, isFound, settings }: Made, screen: Screen): string {
  const place = screen.path('', root)
  const rows = rowsText(
    [
      ['layout', settings.layout],
      ['time zone', settings.timezone],
      ['settings', settingsFile === root ? undefined : settingsFile && screen.path('', settingsFile)],
    ],
    screen,
  )
  return [
    created ? `Made a workspace in ${place}` : `There is a workspace in ${place} already; nothing was changed`,
    ...rows,
    ...notes,
    ...(created ? ['', 'Try next:', ...nextLines(isFound ? '' : ` --workspace ${shellLine([place])}`)] : []),
  ].join('\n')
}

function nextLines(option: string): string[] {
  const commands = NEXT.map(([command, what]) => ({ command: `keepsake ${command}${option}`, what }))
  const width = Math.max(...commands.map(({ command }) => command.length))
  return commands.map(({ command, what }) => `  ${command.padEnd(width)}   ${what}`)
}
