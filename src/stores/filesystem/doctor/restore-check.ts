/** A restore that was stopped between its last steps: the workspace is missing, and complete ones lie beside its place. */
import { isKeepsakeError } from '../../../errors.ts'
import { type Finding, finding } from '../../disk/doctor/finding.ts'
import { statFile } from '../../disk/reading.ts'
import { type RestoreTraces, restoreTraces } from '../backup/switch-workspace.ts'
import type { Scene } from './evidence.ts'

/** What to do about a missing workspace, where a restore tells. */
export function interruptedRestore({ root }: Scene): Finding | undefined {
  const { restored, before } = tracesOf(root)
  const [newest, old] = [restored.at(-1), before.at(-1)]
  if (newest === undefined && old === undefined) return undefined
  const choices = [
    ...(newest === undefined ? [] : [`${moveTo(root, newest)} (what was restored)`]),
    ...(old === undefined ? [] : [`${moveTo(root, old)} (what was there before)`]),
  ]
  const problem = 'there is no workspace here, but a restore left one beside: it was interrupted'
  return finding('restore-interrupted', '.', problem, `Bring it back: ${choices.join(', or ')}`)
}

function tracesOf(root: string): RestoreTraces {
  try {
    return restoreTraces(root)
  } catch (error) {
    if (isKeepsakeError(error)) return { restored: [], before: [] } // a folder that we may not look into
    throw error
  }
}

/** A folder that is there, empty, would be moved into. */
function moveTo(root: string, from: string): string {
  return `${statFile(root) ? `rmdir ${word(root)} && ` : ''}mv ${word(from)} ${word(root)}`
}

/** As a shell takes it for one word. */
function word(path: string): string {
  return /^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
