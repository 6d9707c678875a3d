// A private PostgreSQL server on the loopback address: how it is found, started, killed and replicated, for people (postgres.mjs) and
// tests alike. It never outlives the process that started it. PostgreSQL refuses to run as root, so root runs it as another user.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './ports.mjs'

/** A copy of the system's server with pgvector; postgres-vector.mjs makes it. `program` in it links to its folder of programs. */
export const PRIVATE_COPY = fileURLToPath(new URL('../.cache/postgres', import.meta.url))
const GUARD = new URL('postgres-guard.sh', import.meta.url)
const HOST = '127.0.0.1'
const SUPERUSER = 'postgres'
const MIN_VERSION = 15
const START_TIMEOUT_MS = 60_000
/** After the postmaster was killed, its children end by themselves as soon as they notice. */
const CHILDREN_TIMEOUT_MS = 1000
const PORT_ATTEMPTS = 3
const UNREACHABLE = "the user that PostgreSQL runs as can't reach"

/**
 * Looks in .cache/postgres, then in PATH, then where systems install it.
 * @returns the folder of its programs, its version and that of its pgvector, if any; or the reason why there is none
 */
export function postgresProgram({ mayBePrivate = true } = {}) {
  const inPath = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder))
  const folders = [...(mayBePrivate ? [path.join(PRIVATE_COPY, 'program')] : []), ...inPath, ...installedFolders()]
  let tooOld
  for (const folder of folders) {
    const version = versionIn(folder)
    if (version === undefined) continue
    if (Number.parseInt(version, 10) < MIN_VERSION) tooOld ??= version
    // Debian's own folder has all its programs; /usr/local/bin may have links to some of them.
    else return describeProgram(path.dirname(fs.realpathSync(path.join(folder, 'initdb'))), version)
  }
  const found =
    tooOld === undefined ? 'no PostgreSQL is installed' : `PostgreSQL ${tooOld} is older than ${MIN_VERSION}`
  return { problem: `${found}; on Debian: apt-get install postgresql` }
}

function describeProgram(binFolder, version) {
  const vector = vectorIn(binFolder)
  return { binFolder, version, ...(vector === undefined ? {} : { vector }) }
}

function vectorIn(binFolder) {
  const { status, stdout } = spawnSync(path.join(binFolder, 'pg_config'), ['--sharedir'], { encoding: 'utf8' })
  const control = status === 0 ? readIfThere(path.join(stdout.trim(), 'extension/vector.control')) : undefined
  return /default_version = '([^']+)'/.exec(control ?? '')?.[1]
}

/** The newest version first. */
function installedFolders() {
  const debian = '/usr/lib/postgresql'
  const versions = fs.existsSync(debian) ? fs.readdirSync(debian) : []
  return [
    ...versions.sort((a, b) => Number(b) - Number(a)).map((version) => path.join(debian, version, 'bin')),
    '/usr/local/pgsql/bin',
    '/usr/local/bin',
  ]
}

function versionIn(folder) {
  if (!['initdb', 'postgres'].every((name) => fs.existsSync(path.join(folder, name)))) return undefined
  const { stdout } = spawnSync(path.join(folder, 'postgres'), ['--version'], { encoding: 'utf8' })
  return /\(PostgreSQL\) (\d+[.\w]*)/.exec(stdout ?? '')?.[1]
}

function readIfThere(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Starts a server on `folder`, which is created if it does not exist, with the database and the role `user`; it answers when this
 * resolves. Everything is in `folder`: its files in `data`, its password in `password`. A new one has pgvector, if the server has it, in
 * every database that does not come from template0: only a superuser may create that extension.
 * @param options.port a free one if not given
 * @param options.password for `user` and for the superuser; if not given, the one that the folder has, else a random one
 * @param options.settings of the server, such as `{ fsync: 'off' }`
 * @param options.isTemporary `folder` is removed even if this process is killed; otherwise the caller removes it
 * @returns the server, or the reason why it does not run
 */
export async function startPostgres({
  binFolder,
  folder,
  port,
  user = 'keepsake',
  password,
  settings,
  isTemporary = false,
}) {
  try {
    const place = preparePlace(binFolder, path.resolve(folder), isTemporary)
    const secret = await prepareCluster(place, user, password)
    return await startCluster(place, { port, user, password: secret, settings })
  } catch (error) {
    return { problem: error.message }
  }
}

/**
 * A streaming replica of a running server, with a physical slot and the name under which `synchronous_standby_names` knows it.
 * @param options.folder must be missing or empty
 */
export async function createReplica({ primary, folder, port, name = 'replica', settings, isTemporary = false }) {
  try {
    const place = preparePlace(primary.binFolder, path.resolve(folder), isTemporary)
    if (fs.existsSync(place.data)) throw new Error(`${folder} has a server's files already`)
    const { port: primaryPort, user, password } = primary
    const connection = Object.entries({ host: HOST, port: primaryPort, user: SUPERUSER, application_name: name })
    const target = connection.map(([key, value]) => `${key}=${value}`).join(' ')
    const options = ['--write-recovery-conf', '--create-slot', `--slot=${name}`, '--checkpoint=fast', '--no-sync']
    await run(place, 'pg_basebackup', ['-D', place.data, '-d', target, ...options], { PGPASSWORD: password })
    writePassword(place, password)
    return await startCluster(place, { port, user, password, settings })
  } catch (error) {
    return { problem: error.message }
  }
}

/** Resolves when the replica accepts writes. */
export async function promote(replica) {
  const place = preparePlace(replica.binFolder, replica.folder, false)
  await run(place, 'pg_ctl', ['promote', '--wait', '--pgdata', place.data])
}

/** Removes a stopped or killed server's folder, with the shared memory that a killed one leaves behind. */
export function removePostgres(folder) {
  const [, , , , , , memory = ''] = (readIfThere(path.join(folder, 'data/postmaster.pid')) ?? '').split('\n')
  const id = /^\s*\d+\s+(\d+)\s*$/.exec(memory)?.[1]
  if (id !== undefined) spawnSync('ipcrm', ['-m', id])
  fs.rmSync(folder, { recursive: true, force: true })
}

/** Where a server runs, and as which user. */
function preparePlace(binFolder, folder, isTemporary) {
  const owner = serverUser()
  const isNew = !fs.existsSync(folder) || fs.readdirSync(folder).length === 0
  fs.mkdirSync(folder, { recursive: true })
  const place = { binFolder, folder, data: path.join(folder, 'data'), owner, isTemporary }
  if (owner === undefined) return place
  if (isNew) {
    fs.chmodSync(folder, 0o711)
    fs.chownSync(folder, owner.uid, owner.gid)
  }
  if (!canReach(folder, owner)) {
    if (isNew) fs.rmdirSync(folder)
    throw new Error(`${UNREACHABLE} ${folder}: it needs the permission x on every folder above`)
  }
  return canReach(path.join(binFolder, 'postgres'), owner) ? place : { ...place, binFolder: copyProgram(place) }
}

/** For root, the user that PostgreSQL runs as. */
function serverUser() {
  if (process.geteuid?.() !== 0) return undefined
  const users = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  const found = [SUPERUSER, 'nobody'].map((name) => users.find((line) => line.startsWith(`${name}:`))).find(Boolean)
  if (found === undefined) throw new Error("PostgreSQL can't run as root, and there is no user postgres or nobody")
  const [, , uid, gid] = found.split(':').map(Number)
  return { uid, gid }
}

function canReach(file, owner) {
  return spawnSync('test', ['-x', file], { cwd: '/', ...owner }).status === 0
}

/** The clone may be in a folder that only root can enter. PostgreSQL finds its files relative to its program. */
function copyProgram({ binFolder, folder, owner }) {
  const copy = path.join(folder, 'program')
  const relative = path.relative(PRIVATE_COPY, binFolder)
  if (relative.startsWith('..')) throw new Error(`${UNREACHABLE} ${binFolder}`)
  if (modifiedAt(copy) !== modifiedAt(PRIVATE_COPY)) {
    fs.rmSync(copy, { recursive: true, force: true })
    // The guard runs as that user too, and removes the folder.
    for (const [command, ...args] of [
      ['cp', '-a', PRIVATE_COPY, copy],
      ['chown', '-R', `${owner.uid}:${owner.gid}`, copy],
    ]) {
      const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr.trim())
    }
  }
  const copied = path.join(copy, relative)
  if (!canReach(path.join(copied, 'postgres'), owner)) throw new Error(`${UNREACHABLE} ${copied}`)
  return copied
}

const modifiedAt = (folder) => fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs

/** Creates the files, the role and the database if they do not exist, completely or not at all. Resolves to the password. */
async function prepareCluster(place, user, password) {
  const known = readIfThere(path.join(place.folder, 'password'))
  const secret = password ?? known ?? randomBytes(12).toString('hex')
  if (!/^[^\0\r\n]+$/.test(secret)) throw new Error("a password can't be empty or have several lines")
  const roles = [...new Set([SUPERUSER, user])]
  const setPasswords = roles.map((role) => `ALTER ROLE ${quoteName(role)} LOGIN PASSWORD ${quoteText(secret)}`)
  if (fs.existsSync(place.data)) {
    if (secret !== known) await runSql(place, place.data, setPasswords)
  } else {
    const created = `${place.data}.new`
    fs.rmSync(created, { recursive: true, force: true })
    await createFiles(place, created)
    const name = quoteName(user)
    const ownRole = user === SUPERUSER ? [] : [`CREATE ROLE ${name}`, `CREATE DATABASE ${name} OWNER ${name}`]
    const extension = vectorIn(place.binFolder) === undefined ? [] : ['CREATE EXTENSION vector']
    await runSql(place, created, [...extension, ...ownRole, ...setPasswords])
    fs.renameSync(created, place.data)
  }
  writePassword(place, secret)
  return secret
}

/** Sorts texts in English order, as most servers do, and not by their bytes. */
async function createFiles(place, data) {
  const { stdout } = await run(place, 'pg_config', ['--configure'])
  const order = stdout.includes('--with-icu') ? ['--locale-provider=icu', '--icu-locale=en'] : []
  await run(place, 'initdb', [
    ...['--pgdata', data, '--username', SUPERUSER, '--encoding=UTF8', '--locale=C', ...order],
    ...['--auth-local=reject', '--auth-host=scram-sha-256', ...(place.isTemporary ? ['--no-sync'] : [])],
  ])
}

/** Runs in template1 and in single-user mode, which needs no password and reports errors as text only. */
async function runSql(place, data, statements) {
  const { stderr } = await run(
    place,
    'postgres',
    ['--single', '-D', data, '-c', 'log_min_error_statement=panic', 'template1'],
    {},
    statements.map((statement) => `${statement};\n`).join(''),
  )
  const problem = /^.*(?:ERROR|FATAL|PANIC): .*$/m.exec(stderr)?.[0]
  if (problem !== undefined) throw new Error(problem)
}

const quoteName = (text) => `"${text.replaceAll('"', '""')}"`
const quoteText = (text) => `'${text.replaceAll("'", "''")}'`

function writePassword({ folder }, password) {
  fs.writeFileSync(path.join(folder, 'password'), password, { mode: 0o600 })
}

/** Runs one of PostgreSQL's programs as the server's user. */
function run(place, program, args, env = {}, input = '') {
  return new Promise((resolve, reject) => {
    const options = { ...place.owner, cwd: place.folder, env: { ...serverEnvironment(), ...env }, maxBuffer: 2 ** 26 }
    const child = execFile(path.join(place.binFolder, program), args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} failed: ${lastLines(stderr) || error.message}`))
      else resolve({ stdout, stderr })
    })
    child.stdin.on('error', () => {}).end(input)
  })
}

/** Without the variables that configure PostgreSQL's programs. */
function serverEnvironment() {
  const { PATH, HOME, TMPDIR, TZ } = process.env
  return { PATH, HOME, TMPDIR, TZ, LC_ALL: 'C' }
}

async function startCluster(place, options) {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort())
    const started = await startOnPort(place, { ...options, port })
    const isPortTaken = started.problem?.includes('could not bind')
    if (options.port !== undefined || !isPortTaken || attempt === PORT_ATTEMPTS) return started
  }
}

/** The guard is the server's parent; it ends the server when its input ends, which this process holds open. */
async function startOnPort(place, { port, user, password, settings = {} }) {
  const fixed = { listen_addresses: HOST, port, unix_socket_directories: '', logging_collector: 'off' }
  // In the folder and not in /dev/shm, where a server that is killed leaves it.
  const shared = place.isTemporary ? { dynamic_shared_memory_type: 'mmap' } : {}
  const args = Object.entries({ ...shared, ...settings, ...fixed }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const atTheEnd = place.isTemporary ? ['QUIT', place.folder] : ['INT', '']
  const server = [path.join(place.binFolder, 'postgres'), '-D', place.data, ...args]
  // As text, because the server's user may be unable to read the file.
  const child = spawn('sh', ['-c', fs.readFileSync(GUARD, 'utf8'), 'postgres-guard', ...atTheEnd, ...server], {
    ...place.owner,
    cwd: place.folder,
    env: serverEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    // In its own process group, so that Ctrl-C reaches only the process that started it.
    detached: true,
  })
  const started = new Server(child, { place, port, user, password })
  const problem = await started.waitUntilReady()
  return problem === undefined ? started : { problem }
}

class Server {
  #child
  #place
  #pid
  #log = ''
  #hasEnded = false

  constructor(child, { place, port, user, password }) {
    this.#child = child
    this.#place = place
    this.folder = place.folder
    this.binFolder = place.binFolder
    this.port = port
    this.user = user
    this.password = password
    child.stdout.setEncoding('utf8').on('data', (text) => {
      this.#pid ??= Number.parseInt(text, 10)
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#log = (this.#log + text).slice(-100_000)
    })
    child.stdin.on('error', () => {})
    // Every process of the server holds the other end of the pipes, so this is when the last of them is gone.
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('close', () => resolve(lastLines(this.#log) || 'it logged nothing'))
    }).finally(() => {
      this.#hasEnded = true
    })
  }

  get pid() {
    return this.#pid
  }

  get log() {
    return this.#log
  }

  get url() {
    return this.urlFor(this.user, this.user)
  }

  get superuserUrl() {
    return this.urlFor(SUPERUSER, this.user)
  }

  urlFor(user, database) {
    const [name, password, place] = [user, this.password, database].map(encodeURIComponent)
    return `postgres://${name}:${password}@${HOST}:${this.port}/${place}`
  }

  /** Resolves to the reason if the server does not become ready. */
  async waitUntilReady() {
    const file = path.join(this.#place.data, 'postmaster.pid')
    for (const until = Date.now() + START_TIMEOUT_MS; Date.now() < until && !this.#hasEnded; await delay(20)) {
      const lines = (readIfThere(file) ?? '').split('\n')
      const isReady = ['ready', 'standby'].includes(lines[7]?.trim())
      if (isReady && this.#pid !== undefined && lines[0] === String(this.#pid)) return undefined
    }
    const state = this.#hasEnded ? 'does not run' : 'does not answer'
    await this.kill()
    return `the server ${state}: ${await this.ended}`
  }

  /** `fast` disconnects clients, `smart` waits for them, `immediate` leaves the server to recover at its next start. */
  async stop(mode = 'fast') {
    this.#signal({ smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' }[mode])
    await this.ended
  }

  /** SIGKILL to the postmaster; resolves when its children are gone too. */
  async kill() {
    // A stopped process starts no more children.
    this.#signal('SIGSTOP')
    const children = this.#hasEnded || this.#pid === undefined ? [] : childrenOf(this.#pid)
    this.#signal('SIGKILL')
    const limit = new AbortController()
    const late = delay(CHILDREN_TIMEOUT_MS, true, { signal: limit.signal, ref: false }).catch(() => false)
    if (await Promise.race([this.ended.then(() => false), late])) for (const pid of children) sendSignal(pid, 'SIGKILL')
    limit.abort()
    await this.ended
  }

  #signal(name) {
    if (this.#hasEnded) return
    if (this.#pid !== undefined) sendSignal(this.#pid, name)
    else if (name === 'SIGKILL') this.#child.stdin.end()
  }
}

function sendSignal(pid, name) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

function childrenOf(parent) {
  return processes()
    .filter(([, ppid]) => ppid === parent)
    .map(([pid]) => pid)
}

/** Not every Linux has `ps`. */
function processes() {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    return stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  }
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(/\) \w (\d+)/.exec(readStat(name))?.[1])])
}

/** A process may end between the listing and this. */
function readStat(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

function lastLines(text) {
  return text.trim().split('\n').slice(-5).join('\n')
}
