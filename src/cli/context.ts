/** What a command is given: its arguments, the screen, and the memory, which is opened only if it asks for it. */
import { KeepsakeError } from '../errors.ts'
import type { Arguments } from './arguments.ts'
import type { Asked, Context, Life, Opened, Outcome, Use } from './command.ts'
import { warningsJson } from './entry-json.ts'
import { hasColor, Screen } from './screen.ts'

interface ManagedContext {
  readonly context: Context
  /** Adds the warnings about the opened memory to the outcome. */
  readonly withWarnings: (outcome: Outcome) => Promise<Outcome>
  readonly close: () => Promise<void>
}

export function contextFor(given: Arguments): ManagedContext {
  const asked: Asked = {
    workspace: given.one('workspace') ?? fromEnvironment('KEEPSAKE_WORKSPACE'),
    agent: given.one('agent') ?? fromEnvironment('KEEPSAKE_AGENT'),
    // Only when it is asked for: who is told of another folder does not need one that may be gone.
    get cwd() {
      return currentFolder()
    },
  }
  const isTerminal = process.stdout.isTTY === true
  const screen = new Screen({
    hasColor: hasColor(isTerminal, fromEnvironment),
    get cwd() {
      return asked.cwd
    },
  })
  let opened: Promise<Opened> | undefined
  const opening = (use: Use) => (life?: Life) => {
    opened ??= openAsked({ given, asked }, life, use)
    return opened
  }
  const settled = (): Promise<Opened | undefined> => Promise.resolve(opened).catch(() => undefined)
  return {
    context: { given, asked, screen, open: opening('read'), openToWrite: opening('write') },
    withWarnings: async (outcome) => {
      const { warnings = [] } = (await settled()) ?? {}
      const all = [...warnings, ...outcome.warnings]
      return warnings.length === 0
        ? outcome
        : { ...outcome, json: { ...outcome.json, ...warningsJson(all) }, warnings: all }
    },
    close: async () => (await settled())?.memory.close(),
  }
}

async function openAsked(request: Pick<Context, 'given' | 'asked'>, life: Life | undefined, use: Use): Promise<Opened> {
  const [{ openWorkspace }, { configAsked }] = await Promise.all([
    import('./open-workspace.ts'),
    import('./asked-config.ts'),
  ])
  return openWorkspace(await configAsked(request), life, use)
}

/** A variable that is set to nothing is as good as none. */
function fromEnvironment(name: string): string | undefined {
  return process.env[name] || undefined
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new KeepsakeError('IO', 'the current folder is gone', { hint: 'Change to one that exists.', cause })
  }
}
