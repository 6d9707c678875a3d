/** What a command is given: its arguments, the screen, and the memory, which is opened only if it asks for it. */
import { KeepsakeError } from '../errors.ts'
import type { Arguments } from './arguments.ts'
import type { Asked, Context, Life, Opened } from './command.ts'
import { hasColor, Screen } from './screen.ts'

export function contextFor(given: Arguments): { readonly context: Context; readonly close: () => Promise<void> } {
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
    isTerminal,
    hasColor: hasColor(isTerminal, fromEnvironment),
    get cwd() {
      return asked.cwd
    },
  })
  let opened: Promise<Opened> | undefined
  const open = (life: Life = 'short'): Promise<Opened> => {
    opened ??= openAsked({ given, asked }, life)
    return opened
  }
  return {
    context: { given, asked, screen, open },
    close: async () => {
      const { memory } = (await opened?.catch(() => undefined)) ?? {}
      await memory?.close()
    },
  }
}

async function openAsked(request: Pick<Context, 'given' | 'asked'>, life: Life): Promise<Opened> {
  const [{ openWorkspace }, { configAsked }] = await Promise.all([
    import('./open-workspace.ts'),
    import('./asked-config.ts'),
  ])
  return openWorkspace(await configAsked(request), life)
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
