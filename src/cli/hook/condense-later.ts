/**
 * Condensing after a hook: a process of its own, which nobody waits for, since a model takes longer than a client gives a hook.
 * Nothing is told of how it ends: where it fails, all that was said is kept, and `keepsake consolidate --retry` tries again.
 */
import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import type { Config } from '../../config/load-config.ts'

export function condenseLater(session: string, { file, values }: Config): void {
  const program = process.argv[1]
  if (program === undefined || file === undefined) return
  const where = ['--workspace', values.workspace, '--agent', values.agent, '--config', file]
  const child = spawn(process.execPath, [program, 'consolidate', '--quiet', ...where, '--', session], {
    cwd: dirname(file),
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  // What can't be started now is condensed by the next "keepsake consolidate --all".
  child.on('error', () => undefined)
  child.unref()
}
