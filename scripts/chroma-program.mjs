// Chroma's real server, which its npm package carries: how it is started, asked and ended, for people (chroma.mjs), tests and the
// bench alike. It does not end on SIGTERM but hangs with a busy core, so it is always killed; it keeps what it has acknowledged.
import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { withNewerLibc } from './newer-libc.mjs'

/** What its program is linked with. */
const NEEDED_GLIBC = [2, 39]
const STARTS_WITHIN_MS = 30_000
const HOST = '127.0.0.1'
const GUARD = new URL('end-with-parent.mjs', import.meta.url).href

/** @returns the words that run its program on this machine, or the reason why none do */
export function chromaProgram({ node = process.execPath, mayFetch = false } = {}) {
  const found = isGlibcNewEnough() ? { prefix: [] } : withNewerLibc({ mayFetch })
  if (found.problem) return { problem: `the server needs glibc ${NEEDED_GLIBC.join('.')}: ${found.problem}` }
  try {
    const program = fileURLToPath(new URL('cli.mjs', import.meta.resolve('chromadb')))
    return { program: [...found.prefix, node, '--import', GUARD, program] }
  } catch {
    return { problem: 'the package chromadb is not installed' }
  }
}

/**
 * Resolves when it answers. Its process ends with the one that called this, at the latest.
 * @returns its process, its address and `ended`, which resolves to its last words; or the reason why it does not run
 */
export async function startChroma({ program, folder, port }) {
  const [file, ...args] = [...program, 'run', '--path', folder, '--port', String(port), '--host', HOST]
  // The system's certificates would be read at every start, and it asks nobody. What it logs tells when it listens.
  const { NODE_EXTRA_CA_CERTS: _, RUST_LOG: __, ...env } = process.env
  // In a group of its own, so that Ctrl-C goes to the starter alone and can't look like a failure of the server.
  const child = spawn(file, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const said = wordsOf(child)
  let hasEnded = false
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', () => resolve(said.atTheEnd()))
  }).finally(() => {
    hasEnded = true
    process.off('exit', kill)
  })
  const address = `http://${HOST}:${port}`
  for (const until = Date.now() + STARTS_WITHIN_MS; Date.now() < until && !hasEnded; await delay(50)) {
    if (said.isPortTaken()) break
    // Another server may answer there.
    if (said.isListening() && (await answersAt(address))) return { child, address, ended }
  }
  kill()
  return { problem: `the server does not ${hasEnded ? 'run' : 'answer'}: ${await ended}` }
}

export function answersAt(address) {
  return fetch(`${address}/api/v2/heartbeat`, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  )
}

function wordsOf(child) {
  let text = ''
  let isListening = false
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text = (text + chunk).slice(-2000)
      if (!text.includes('server listening on address')) return
      isListening = true
      text = ''
    })
  }
  return {
    isListening: () => isListening,
    /** It says so and stays. */
    isPortTaken: () => /Address \S+ is not available/.test(text),
    atTheEnd: () => lastLinesOf(text),
  }
}

/** It begins with a coloured picture and advertising; an error is at the end. */
function lastLinesOf(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
  const lines = text.replace(/\x1b\[[\d;]*m/g, '').split('\n')
  return (
    lines
      .filter((line) => line.trim() !== '')
      .slice(-5)
      .join('\n') || 'it said nothing'
  )
}

/** Other systems have no glibc to be too old; where the server does not run there, it says so itself. */
function isGlibcNewEnough() {
  const version = process.report.getReport().header.glibcVersionRuntime
  if (version === undefined) return true
  const [major, minor] = version.split('.').map(Number)
  return major > NEEDED_GLIBC[0] || (major === NEEDED_GLIBC[0] && minor >= NEEDED_GLIBC[1])
}
