/** Loaded before every test file that must stay in one process: starting another process fails the test. */
import childProcess, { ChildProcess } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

function refuse(): never {
  throw new Error('a test that starts a process is called *.ci.test.ts, or is in test/smoke')
}

Object.assign(ChildProcess.prototype, { spawn: refuse })
Object.assign(childProcess, { execFileSync: refuse, execSync: refuse, spawnSync: refuse })
syncBuiltinESMExports()
