// `npm run chroma`: Chroma's real server for development, in the foreground, on this machine alone.
//   --port N      where it listens; 8000 unless told
//   --path DIR    where its data is; .cache/chroma unless told
//   --fetch       only fetch what it needs to run here, and end
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromaProgram, startChroma } from './chroma-program.mjs'
import { expectFree } from './ports.mjs'

const FOLDER = fileURLToPath(new URL('../.cache/chroma', import.meta.url))
const FAILED = 1
const USAGE = 2

const { port, folder, fetchOnly } = asked()
const { program, problem } = chromaProgram({ mayFetch: true })
if (problem) fail(problem, FAILED)
if (fetchOnly) {
  console.log("Chroma's server has all that it needs to run here.")
  process.exit(0)
}
await expectFree(port).catch((error) => fail(whyNot(error), FAILED))
fs.mkdirSync(folder, { recursive: true })
await run()

function asked() {
  const options = {
    port: { type: 'string', default: '8000' },
    path: { type: 'string', default: FOLDER },
    fetch: { type: 'boolean', default: false },
  }
  try {
    const { values } = parseArgs({ options })
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : 0
    if (port < 1 || port > 65_535) throw new Error(`${values.port} is no port; give a number from 1 to 65535`)
    return { port, folder: path.resolve(values.path), fetchOnly: values.fetch }
  } catch (error) {
    return fail(`${error.message}\nUsage: npm run chroma -- [--port N] [--path DIR] [--fetch]`, USAGE)
  }
}

/** The server ends with this process; where it ends by itself, this fails. */
async function run() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(0))
  endWithNpm()
  const started = await startChroma({ program, folder, port })
  if (started.problem) fail(started.problem, FAILED)
  console.log(`Chroma answers at ${started.address}
  its data       ${path.relative('.', folder) || '.'}
  a memory here  keepsake move --to chroma://127.0.0.1:${port}
  then           keepsake recall "…" --workspace chroma://127.0.0.1:${port}
  to stop it     Ctrl-C`)
  fail(`the server ended by itself: ${await started.ended}`, FAILED)
}

/** npm passes a signal on to the shell that it runs this in, and the shell keeps it for itself. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return
  const shell = process.ppid
  setInterval(() => process.ppid !== shell && process.exit(0), 200).unref()
}

function whyNot({ code, message }) {
  return code === 'EADDRINUSE'
    ? `port ${port} is taken, perhaps by a server that runs already; choose another with --port`
    : `can't listen on port ${port}: ${message}`
}

function fail(message, status) {
  console.error(`chroma: ${message}`)
  process.exit(status)
}
