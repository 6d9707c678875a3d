/**
 * Condensing after a hook: a process of its own, which nobody waits for, since a model takes longer than a client gives a hook.
 * Nothing is told of how it ends: where it fails, all that was said is kept, and `keepsake consolidate --retry` tries again.
 */
import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { foreignIn } from '../../complete/foreign-in.ts'
import type { Config } from '../../config/load-config.ts'

/** Why it is not done, for the person; `undefined`: it is. The process looks anew, for the file may change until then. */
export function condenseLater(session: string, { file, values }: Config): string | undefined {
  const program = process.argv[1]
  if (program === undefined || file === undefined || values.llm === null) return undefined
  const foreign = foreignIn(values.llm, process.env)
  if (foreign !== undefined) {
    return `this session is saved, but not condensed. Run "keepsake consolidate --all" yourself if agent.yaml is right: its ${foreign}`
  }
  const where = ['--workspace', values.workspace, '--agent', values.agent, '--config', file]
  const child = spawn(process.execPath, [program, 'consolidate', '--quiet', '--unattended', ...where, '--', session], {
    cwd: dirname(file),
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  // What can't be started now is condensed by the next "keepsake consolidate --all".
  child.on('error', () => undefined)
  child.unref()
  return undefined
}
