/** Locks and leases that nobody has let go of. */
import { join } from 'node:path'
import type { Finding } from '../../disk/doctor/finding.ts'
import { lockFinding, lookAtLock, namesIn } from '../../disk/doctor/lock-state.ts'
import { STATE_FOLDER } from '../layout.ts'
import type { Evidence } from './evidence.ts'

export function checkLocks({ root, lock }: Evidence): Finding[] {
  const leases = leasePaths(root).map((path) => lockFinding(path, 'lease', lookAtLock(join(root, path))))
  return [lockFinding(`${STATE_FOLDER}/lock`, 'lock', lock), ...leases].flat()
}

export function leasePaths(root: string): string[] {
  const folder = `${STATE_FOLDER}/leases`
  return namesIn(join(root, folder)).map((name) => `${folder}/${name}`)
}
