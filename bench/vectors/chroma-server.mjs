// Chroma's real server, which its npm package carries: one that runs already, or one started here for the length of the bench,
// with its data in a folder that goes afterwards. It does not end when asked to, so it is killed.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { withNewerLibc } from './newer-libc.mjs'

/** What its program is linked with. */
const NEEDED_GLIBC = [2, 39]
const STARTS_WITHIN_MS = 30_000

/** @returns where it answers and how to stop it, or the reason why there is none */
export async function chromaServer({ address, node }) {
  if (address) {
    return (await answers(address)) ? { address, stop() {} } : { problem: `no Chroma answers at ${address}` }
  }
  const { prefix, problem } = isGlibcNewEnough() ? { prefix: [] } : withNewerLibc()
  if (problem) return { problem: `its server needs glibc ${NEEDED_GLIBC.join('.')}: ${problem}` }
  return start([...prefix, node])
}

async function start(command) {
  const program = new URL('cli.mjs', import.meta.resolve('chromadb')).pathname
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-chroma-'))
  const port = await freePort()
  const [file, ...args] = [...command, program, 'run', '--path', folder, '--port', port, '--host', '127.0.0.1'].map(
    String,
  )
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const child = spawn(file, args, { cwd: folder, env, stdio: 'ignore' })
  let failed = false
  child.once('error', () => (failed = true))
  const stop = () => {
    child.kill('SIGKILL')
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  // It would outlive a bench that is broken off.
  process.once('exit', stop)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  const address = `http://127.0.0.1:${port}`
  for (const until = Date.now() + STARTS_WITHIN_MS; Date.now() < until; await delay(100)) {
    if (await answers(address)) return { address, stop }
    if (failed || child.exitCode !== null) break
  }
  stop()
  return { problem: 'its server does not start here' }
}

function answers(address) {
  return fetch(`${address}/api/v2/heartbeat`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Other systems have no glibc to be too old; where the server does not run there, it says so itself. */
function isGlibcNewEnough() {
  const version = process.report.getReport().header.glibcVersionRuntime
  if (version === undefined) return true
  const [major, minor] = version.split('.').map(Number)
  return major > NEEDED_GLIBC[0] || (major === NEEDED_GLIBC[0] && minor >= NEEDED_GLIBC[1])
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
