/** Runs the npm of this machine, and says in our words what went wrong with it. */
import { spawn } from 'node:child_process'
import { KeepsakeError } from '../../errors.ts'

/** Whatever the user's own settings say of other projects: this folder, these very versions, no scripts. */
const ARGUMENTS = [
  'ci',
  '--ignore-scripts',
  '--global=false',
  '--package-lock=true',
  '--dry-run=false',
  '--install-strategy=hoisted',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
]

const MOST_SAID = 65_536

/** `npm ci` in a folder that holds a lock file. It ends with us. */
export async function npmInstall(folder: string): Promise<void> {
  const isWindows = process.platform === 'win32'
  const child = spawn(isWindows ? 'npm.cmd' : 'npm', [...ARGUMENTS, ...(isWindows ? [] : [`--prefix=${folder}`])], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    // npm may be a script that starts another program: a group of its own ends with all that is in it.
    detached: !isWindows,
    shell: isWindows,
  })
  const stop = (): void => {
    try {
      if (isWindows || child.pid === undefined) child.kill()
      else process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has just ended by itself.
    }
  }
  // Before what it writes into is removed.
  process.prependListener('exit', stop)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_SAID)
  })
  try {
    const status = await new Promise<number | null>((resolve, reject) => {
      child.on('close', resolve).on('error', reject)
    })
    if (status !== 0) throw npmFailed(said, folder)
  } catch (error) {
    throw isMissing(error) ? noNpm() : error
  } finally {
    process.off('exit', stop)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES')
}

function noNpm(): KeepsakeError {
  return new KeepsakeError('IO', 'npm is not found, and it is what installs the packages', {
    hint: 'npm comes with Node.js: put it on the PATH. Without it: add the packages to your own project, see docs/embeddings.md.',
  })
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/,
    'Check the network, and the registry and proxy that npm is set to: npm config list',
  ],
  [/ENOSPC|EDQUOT/, 'There is no room on the disk. Make some, and try again.'],
  [/EINTEGRITY/, 'The registry gave other files than were asked for, so nothing was installed. Try: npm cache verify'],
  [/E40[13]/, 'The registry that npm is set to wants you to log in: npm login'],
  [
    /E404|ETARGET/,
    'The registry that npm is set to does not have these versions. Choose another: npm config set registry ADDRESS',
  ],
  [
    /CERT|SELF_SIGNED|SSL/,
    'The certificate of the registry is not trusted here: name the authority in NODE_EXTRA_CA_CERTS, or in npm config set cafile',
  ],
]

/** npm's own words are left out: they hold addresses, and may hold what is in them. */
function npmFailed(said: string, folder: string): KeepsakeError {
  const code = /^npm (?:error|ERR!) code (\S{1,60})/m.exec(said)?.[1]
  const hint = HINTS.find(([codes]) => code !== undefined && codes.test(code))?.[1]
  return new KeepsakeError('IO', `npm could not install the packages${code === undefined ? '' : ` (${code})`}`, {
    hint: hint ?? 'See what npm says of it in the newest file of ~/.npm/_logs, and try again.',
    data: { folder, ...(code === undefined ? {} : { code }) },
  })
}
