// `npm run postgres`: a PostgreSQL server to try Keepsake with, in the foreground, reachable from this machine only.
//   --port N           where it listens; default: a free port
//   --path DIR         where its data is kept; default: a temporary folder, removed at the end
//   --password TEXT    default: the one that DIR has, else a random one
//   --fetch            only build pgvector for it, in .cache/postgres
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { expectFree } from './ports.mjs'
import { postgresProgram, removePostgres, startPostgres } from './postgres-program.mjs'

const FAILED = 1
const USAGE = 2
const USER = 'keepsake'

const request = parseRequest()
const program = postgresProgram()
if (program.problem) fail(program.problem, FAILED)
if (request.fetchOnly) await fetchVector()
else await run()

function parseRequest() {
  const options = {
    port: { type: 'string' },
    path: { type: 'string' },
    password: { type: 'string' },
    fetch: { type: 'boolean', default: false },
  }
  try {
    const { values } = parseArgs({ options })
    const port = /^\d{1,5}$/.test(values.port ?? '1') ? Number(values.port ?? 1) : 0
    if (port < 1 || port > 65_535) throw new Error(`${values.port} is not a port; give a number from 1 to 65535`)
    return {
      port: values.port === undefined ? undefined : port,
      folder: values.path === undefined ? undefined : path.resolve(values.path),
      password: values.password,
      fetchOnly: values.fetch,
    }
  } catch (error) {
    return fail(
      `${error.message}\nUsage: npm run postgres -- [--port N] [--path DIR] [--password TEXT] [--fetch]`,
      USAGE,
    )
  }
}

async function fetchVector() {
  const { buildVector } = await import('./postgres-vector.mjs')
  const { problem, vector } = await buildVector()
  if (problem) fail(`PostgreSQL ${program.version} runs here, but without pgvector: ${problem}`, FAILED)
  console.log(`PostgreSQL ${program.version} runs here, with pgvector ${vector}.`)
}

async function run() {
  if (request.port !== undefined)
    await expectFree(request.port).catch((error) => fail(describePortError(error), FAILED))
  const isTemporary = request.folder === undefined
  const folder = request.folder ?? fs.mkdtempSync(path.join(tmpdir(), 'keepsake-postgres-'))
  const { port, password } = request
  const { binFolder } = program
  const starting = startPostgres({ binFolder, folder, port, user: USER, password, isTemporary })
  let isEnding = false
  const end = async (problem) => {
    if (isEnding) return
    isEnding = true
    const server = await starting
    if (!server.problem) await server.stop(isTemporary ? 'immediate' : 'fast')
    if (isTemporary) removePostgres(folder)
    if (problem !== undefined) fail(problem, FAILED)
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end())
  endWithNpm(end)
  const server = await starting
  if (server.problem) return await end(server.problem)
  if (!isEnding) console.log(describe(server, isTemporary))
  const lastLines = await server.ended
  await end(`the server ended by itself: ${lastLines}`)
}

function describe(server, isTemporary) {
  const { version, vector } = program
  const data = path.relative('.', server.folder) || '.'
  return `PostgreSQL ${version}${vector ? ` with pgvector ${vector}` : ', without pgvector,'} answers at 127.0.0.1:${server.port}
  its data       ${isTemporary ? `${server.folder}, removed at the end` : data}
  the password   export PGPASSWORD=${quoteForShell(server.password)}
  a memory here  keepsake init --workspace 'postgres://${USER}@127.0.0.1:${server.port}/${USER}'
  as superuser   psql 'postgres://postgres@127.0.0.1:${server.port}/${USER}'
  to stop it     Ctrl-C`
}

function describePortError({ code, message }) {
  return code === 'EADDRINUSE'
    ? `port ${request.port} is taken; choose another with --port`
    : `can't listen on port ${request.port}: ${message}`
}

function quoteForShell(text) {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** npm runs this in a shell and signals only the shell, which does not forward signals. Nothing forwards a SIGKILL of npm. */
function endWithNpm(end) {
  if (process.env.npm_lifecycle_event === undefined) return
  const shell = process.ppid
  const npm = parentOf(shell)
  setInterval(() => (process.ppid !== shell || parentOf(shell) !== npm) && end(), 200).unref()
}

/** Known on Linux only. */
function parentOf(pid) {
  try {
    return /^PPid:\s*(\d+)$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

function fail(message, status) {
  console.error(`postgres: ${message}`)
  process.exit(status)
}
