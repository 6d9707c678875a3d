/**
 * Where all tests have their temporary folders: in RAM where the system has room there, for a sync of a real disk takes as long as
 * a hundred of the writes that most tests are about, and no test that is not about the disk can tell the two apart.
 * The nightly run keeps them on disk. Anything left behind is removed with the folder.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isNightly } from './tier.ts'

const IN_MEMORY = '/dev/shm'
const NEEDED_BYTES = 2 * 1024 ** 3

export default function useMemory(): () => void {
  const { env } = process
  const state = mkdtempSync(join(tmpdir(), 'keepsake-state-'))
  // Tests create workspaces; none of them goes into the list of the person who runs the tests.
  env['XDG_STATE_HOME'] = state
  const folder = memoryFolder(env)
  return () => {
    for (const path of [state, ...(folder === undefined ? [] : [folder])])
      rmSync(path, { recursive: true, force: true })
  }
}

function memoryFolder(env: NodeJS.ProcessEnv): string | undefined {
  if (isNightly || env['TMPDIR_ON_DISK'] || !hasRoom()) return undefined
  removeLeftovers()
  const folder = mkdtempSync(join(IN_MEMORY, `ks-${process.pid}-`))
  // As the system's own: some tests become another user.
  chmodSync(folder, 0o1777)
  env['TMPDIR_ON_DISK'] = tmpdir()
  env['TMPDIR'] = folder
  return folder
}

/** Removes the folders of runs that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(IN_MEMORY)) {
    const pid = Number(/^ks-(\d+)-/.exec(name)?.[1])
    if (pid > 0 && !existsSync(`/proc/${pid}`)) rmSync(join(IN_MEMORY, name), { recursive: true, force: true })
  }
}

/** Not so in many containers: there it is small, and no program can be run from it. */
function hasRoom(): boolean {
  try {
    const mounted = readFileSync('/proc/self/mounts', 'utf8').split('\n')
    const [, , type, options = ''] = mounted.findLast((line) => line.split(' ')[1] === IN_MEMORY)?.split(' ') ?? []
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return type === 'tmpfs' && !options.split(',').includes('noexec') && bavail * bsize > NEEDED_BYTES
  } catch {
    return false
  }
}
