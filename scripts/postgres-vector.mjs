// PostgreSQL with pgvector, where the system has only PostgreSQL: a private copy of the system's server in .cache/postgres, with pgvector
// built from Debian's source, because Debian 12 has no package of it. It installs nothing and needs no root. The copy appears whole or
// not at all.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { PRIVATE_COPY, postgresProgram } from './postgres-program.mjs'

const VERSION = '0.8.0'
const SOURCE = `pool/main/p/pgvector/pgvector_${VERSION}.orig.tar.gz`
const SHA256 = '867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0'
const MIRRORS = ['http://deb.debian.org/debian', 'http://snapshot.debian.org/archive/debian/20251001T000000Z']
const APT_HELPER = '/usr/lib/apt/apt-helper'
/** pgvector's own without -march=native, so that the copy runs on any processor of this architecture. */
const COMPILER_FLAGS = [
  ...['-O2', '-fPIC', '-shared', '-fwrapv', '-fno-strict-aliasing', '-ftree-vectorize'],
  ...['-fassociative-math', '-fno-signed-zeros', '-fno-trapping-math'],
]

/** @returns the version of pgvector that the server of `postgresProgram` has now, or the reason why it has none */
export async function buildVector() {
  const system = postgresProgram({ mayBePrivate: false })
  const present = postgresProgram()
  if (present.problem) return present
  // If the system's server was updated, the copy is built again.
  if (present.vector && (system.problem || present.version === system.version)) return { vector: present.vector }
  if (system.problem) return system
  if (system.vector) {
    fs.rmSync(PRIVATE_COPY, { recursive: true, force: true })
    return { vector: system.vector }
  }
  return await buildPrivately(system)
}

async function buildPrivately({ binFolder, version }) {
  if (process.platform !== 'linux') return { problem: 'it is built here on Linux only' }
  console.error(`Building pgvector ${VERSION} for PostgreSQL ${version} in .cache/postgres: nothing is installed.`)
  // The server runs as another user when root starts it.
  process.umask(0o022)
  fs.mkdirSync(path.dirname(PRIVATE_COPY), { recursive: true })
  const work = fs.mkdtempSync(`${PRIVATE_COPY}-`)
  try {
    const folders = findFolders(binFolder)
    const headers = findHeaders(folders.headers, Number.parseInt(version, 10), work)
    const source = await fetchSource(work)
    const library = compile(source, headers, work)
    const tree = copyServer(folders, work)
    addExtension(source, library, tree)
    replaceCopy(tree.root, work)
  } catch (error) {
    return { problem: error.message }
  } finally {
    fs.rmSync(work, { recursive: true, force: true })
  }
  const { vector } = postgresProgram()
  return vector === VERSION ? { vector } : { problem: 'it was built, but the server does not list it' }
}

function findFolders(binFolder) {
  const ask = (option) => run('/', path.join(binFolder, 'pg_config'), [option]).trim()
  return {
    bin: ask('--bindir'),
    share: ask('--sharedir'),
    library: ask('--pkglibdir'),
    headers: ask('--includedir-server'),
  }
}

/** The system's if they are installed; else those of Debian's package, unpacked without its many dependencies. */
function findHeaders(installed, major, work) {
  if (fs.existsSync(path.join(installed, 'postgres.h'))) return installed
  const name = `postgresql-server-dev-${major}`
  const folder = path.join(work, 'headers')
  fs.mkdirSync(folder)
  const problem = download(name, folder)
  if (problem) throw new Error(`the server's headers are missing, and ${name} can't be fetched: ${problem}`)
  const [deb] = fs.readdirSync(folder).filter((file) => file.endsWith('.deb'))
  run(folder, 'dpkg-deb', ['-x', deb, 'root'])
  const found = path.join(folder, `root/usr/include/postgresql/${major}/server`)
  if (!fs.existsSync(path.join(found, 'postgres.h'))) throw new Error(`${name} has no postgres.h where it belongs`)
  return found
}

/** The system's package lists may be missing or outdated. */
function download(name, folder) {
  const get = (options) => {
    const { status, stderr, error } = spawnSync('apt-get', [...options, '-q', 'download', name], {
      cwd: folder,
      encoding: 'utf8',
    })
    return status === 0 ? undefined : (error?.message ?? stderr.trim())
  }
  if (get([]) === undefined) return undefined
  const state = path.join(folder, 'apt')
  for (const part of ['lists/partial', 'archives/partial']) fs.mkdirSync(path.join(state, part), { recursive: true })
  const settings = { 'Dir::State::Lists': path.join(state, 'lists'), 'Dir::Cache': state, 'APT::Sandbox::User': '' }
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`])
  // A source that does not answer is no reason to give up.
  spawnSync('apt-get', [...options, '-q', 'update'], { cwd: folder })
  return get(options)
}

async function fetchSource(work) {
  const problems = []
  for (const mirror of new Set([...readAptMirrors(), ...MIRRORS])) {
    const url = `${mirror}/${SOURCE}`
    try {
      const archive = path.join(work, 'pgvector.tar.gz')
      await fetchFile(url, archive)
      const sum = createHash('sha256').update(fs.readFileSync(archive)).digest('hex')
      if (sum !== SHA256) throw new Error(`its SHA-256 is ${sum}`)
      run(work, 'tar', ['-xzf', archive])
      return path.join(work, `pgvector-${VERSION}`)
    } catch (error) {
      problems.push(`${url}: ${error.message}`)
    }
  }
  throw new Error(`its source can't be fetched:\n${problems.join('\n')}`)
}

/** Reads both formats of apt. Mirrors of other projects and of security updates don't have pgvector. */
function readAptMirrors() {
  const folder = '/etc/apt/sources.list.d'
  const parts = fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : []
  return ['/etc/apt/sources.list', ...parts]
    .filter((file) => fs.existsSync(file))
    .flatMap((file) => fs.readFileSync(file, 'utf8').split('\n'))
    .filter((line) => /^\s*(?:deb|URIs:)\s/.test(line))
    .flatMap((line) => line.match(/https?:\/\/\S+/g) ?? [])
    .map((url) => url.replace(/\/+$/, ''))
    .filter((url) => /\/debian$/.test(url))
}

/** apt-helper knows the proxy that apt uses. */
async function fetchFile(url, file) {
  if (fs.existsSync(APT_HELPER)) {
    run('/', APT_HELPER, ['-o', 'APT::Sandbox::User=', 'download-file', url, file])
    return
  }
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
  fs.writeFileSync(file, Buffer.from(await answer.arrayBuffer()))
}

function compile(source, headers, work) {
  const library = path.join(work, 'vector.so')
  const files = fs.readdirSync(path.join(source, 'src')).filter((name) => name.endsWith('.c'))
  run(path.join(source, 'src'), 'cc', [...COMPILER_FLAGS, `-I${headers}`, '-o', library, ...files, '-lm'])
  return library
}

/** PostgreSQL finds its other folders relative to that of its programs, so the copy keeps their layout. */
function copyServer(folders, work) {
  const root = path.join(work, 'root')
  const prefix = commonFolder(commonFolder(folders.bin, folders.share), folders.library)
  const place = (folder) => path.join(root, path.relative(prefix, folder))
  for (const folder of [folders.bin, folders.share, folders.library]) {
    fs.mkdirSync(path.dirname(place(folder)), { recursive: true })
    run('/', 'cp', ['-a', folder, place(folder)])
  }
  // Only the JIT compiler uses it, and it is larger than all the rest.
  fs.rmSync(path.join(place(folders.library), 'bitcode'), { recursive: true, force: true })
  fs.symlinkSync(path.relative(prefix, folders.bin), path.join(root, 'program'))
  return { root, share: place(folders.share), library: place(folders.library) }
}

function commonFolder(one, other) {
  const parts = other.split(path.sep)
  const same = one.split(path.sep)
  const end = same.findIndex((part, n) => part !== parts[n])
  return same.slice(0, end === -1 ? undefined : end).join(path.sep) || path.sep
}

function addExtension(source, library, tree) {
  const extension = path.join(tree.share, 'extension')
  const sql = path.join(source, 'sql')
  fs.copyFileSync(library, path.join(tree.library, 'vector.so'))
  fs.copyFileSync(path.join(source, 'vector.control'), path.join(extension, 'vector.control'))
  fs.copyFileSync(path.join(sql, 'vector.sql'), path.join(extension, `vector--${VERSION}.sql`))
  for (const name of fs.readdirSync(sql).filter((file) => file.startsWith('vector--'))) {
    fs.copyFileSync(path.join(sql, name), path.join(extension, name))
  }
}

/** If another process has made a copy meanwhile, that one stays. */
function replaceCopy(root, work) {
  if (fs.existsSync(PRIVATE_COPY)) fs.renameSync(PRIVATE_COPY, path.join(work, 'old'))
  try {
    fs.renameSync(root, PRIVATE_COPY)
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  }
}

function run(folder, command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  if (status === 0) return stdout
  throw new Error(`${path.basename(command)} failed: ${error?.message ?? stderr.trim().slice(-2000)}`)
}
