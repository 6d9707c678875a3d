/** `keepsake init`: makes a workspace, so that the next command finds it. Running it again changes nothing. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findWorkspace } from '../../config/find-workspace.ts'
import { InvalidError } from '../../errors.ts'
import type { Settings } from '../../ports/store.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { rowsText } from '../entry-text.ts'
import type { Screen } from '../screen.ts'
import { workspaceToMake } from '../workspace-place.ts'

const SETTINGS_FILE = 'keepsake.yaml'

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
    'Makes the workspace .keepsake in this folder (or the one of --workspace). Commands that run here or in a',
    'folder below use it from then on. Running it again changes nothing.',
  ],
  options: [
    { name: 'layout', value: 'agents|flat', about: 'a folder for each agent (default), or one agent at the root' },
    { name: 'timezone', value: 'ZONE', about: "where its days begin and end; default: the system's zone" },
  ],
  examples: [
    'keepsake init',
    'keepsake init --timezone Europe/Berlin',
    'keepsake init --workspace ~/notes --layout flat',
  ],
  run,
}

async function run({ given, asked, screen }: Context): Promise<Outcome> {
  const { filesystemStore } = await import('../../stores/filesystem/store.ts')
  const [layout, timezone] = [parseLayout(given.one('layout')), given.one('timezone')]
  const store = filesystemStore({
    root: workspaceToMake(asked.workspace, asked.cwd),
    ...(asked.agent === undefined ? {} : { agent: asked.agent }),
    ...(layout === undefined ? {} : { layout }),
    ...(timezone === undefined ? {} : { timezone }),
  })
  const { root } = store
  const wanted = await store.settings()
  const wasThere = existsSync(join(root, SETTINGS_FILE))
  if (!wasThere) await store.init()
  const settings = await store.settings()
  await store.close()
  // Another process may have been faster: then the workspace is the one that it made.
  const created = !wasThere && settings.id === wanted.id
  const isFound = !given.has('workspace') || findWorkspace(asked.cwd) === root
  return {
    json: { workspace: root, created, settings },
    text: initText({ root, created, isFound, settings }, screen),
    quietText: '',
    warnings: [],
  }
}

interface Made {
  readonly root: string
  readonly created: boolean
  /** Whether commands that are called here come to it by themselves. */
  readonly isFound: boolean
  readonly settings: Settings
}

function initText({ root, created, isFound, settings }: Made, screen: Screen): string {
  const folder = screen.path('', root)
  const rows = rowsText(
    [
      ['layout', settings.layout],
      ['time zone', settings.timezone],
      ['settings', screen.path(root, SETTINGS_FILE)],
    ],
    screen,
  )
  return [
    created ? `Made a workspace in ${folder}` : `There is a workspace in ${folder} already; nothing was changed`,
    ...rows,
    ...(created ? ['', 'Try next:', ...nextLines(isFound ? '' : ` --workspace ${folder}`)] : []),
  ].join('\n')
}

function nextLines(option: string): string[] {
  const commands = NEXT.map(([command, what]) => ({ command: `keepsake ${command}${option}`, what }))
  const width = Math.max(...commands.map(({ command }) => command.length))
  return commands.map(({ command, what }) => `  ${command.padEnd(width)}   ${what}`)
}

function parseLayout(layout: string | undefined): Settings['layout'] | undefined {
  if (layout === undefined || layout === 'agents' || layout === 'flat') return layout
  throw new InvalidError('layout', `"${layout}" is not a layout`, 'agents, flat')
}
