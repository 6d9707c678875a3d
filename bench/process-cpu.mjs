// What a whole Node process costs, from its start to its end: CPU time, clean environment.
import { spawnSync } from 'node:child_process'

/** The system tells a parent what its child took, to the microsecond; bash prints it, and Node does not. */
const TIMED = 'TIMEFORMAT="%3U %3S"; { time "$@" >/dev/null 2>&3; } 3>&1'

/** `input`: what the process reads from its standard input. */
export function processCpuMs(args, input = '') {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync('bash', ['-c', TIMED, 'bash', process.execPath, ...args], {
    env: { ...env, LC_ALL: 'C' },
    encoding: 'utf8',
    input,
  })
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stdout}${stderr}`)
  return stderr
    .trim()
    .split(' ')
    .reduce((sum, seconds) => sum + Number(seconds) * 1000, 0)
}
