/** The command line on a terminal of its own, as script(1) makes one: what is shown is waited for, what is typed is sent. */
import { spawn, spawnSync } from 'node:child_process'
import { cleanEnvironment, type Desk, MAIN } from './keepsake.ts'

const PROGRAM = 'script'

/** Why there is none here; `undefined` where there is. */
export const noTerminal: string | undefined =
  spawnSync('sh', ['-c', `${PROGRAM} -qec true /dev/null`]).status === 0 ? undefined : `there is no "${PROGRAM}"`

const PATIENCE_MS = 30_000

export interface Terminal {
  /** All that was shown so far, as it was sent to the terminal. */
  shown(): string
  /** Until this is shown, behind what was waited for before. */
  see(wanted: string | RegExp): Promise<string>
  type(text: string): void
  /** The status, once it has ended. */
  ended(): Promise<number | null>
}

export function terminalAt(desk: Desk, args: string, env: Readonly<Record<string, string>>): Terminal {
  return shellAt(desk, `"$NODE" "$MAIN" ${args}`, env)
}

/** A line of the shell, in which $NODE and $MAIN are the program. */
export function shellAt(desk: Desk, line: string, env: Readonly<Record<string, string>>): Terminal {
  const child = spawn(PROGRAM, ['-qec', line, '/dev/null'], {
    cwd: desk.folder,
    env: cleanEnvironment(desk.folder, { NODE: process.execPath, MAIN, TERM: 'xterm', ...env }),
  })
  const status = new Promise<number | null>((resolve) => child.on('close', resolve))
  let shown = ''
  let seen = 0
  let look = (): void => undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    look()
  })
  return {
    shown: () => shown,
    see: (wanted) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${wanted} is not shown: ${JSON.stringify(shown.slice(seen))}`)),
          PATIENCE_MS,
        )
        look = () => {
          const rest = shown.slice(seen)
          const found = typeof wanted === 'string' ? rest.indexOf(wanted) : rest.search(wanted)
          if (found === -1) return
          clearTimeout(timer)
          look = () => undefined
          const length = typeof wanted === 'string' ? wanted.length : (wanted.exec(rest)?.[0].length ?? 0)
          seen += found + length
          resolve(rest.slice(0, found + length))
        }
        look()
      }),
    type: (text) => void child.stdin.write(text),
    ended: () => {
      child.stdin.end()
      return status
    },
  }
}
