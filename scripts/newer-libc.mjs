// A newer C library beside the system's, for a program that needs one. Debian 13's packages are fetched by the machine's own
// apt, which checks their signatures, from the sources it has, and unpacked into .cache/libc: nothing is installed, no root is
// needed. The folder appears whole or not at all, so whoever finds it can use it.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../.cache/libc', import.meta.url))
const LIBRARIES = 'usr/lib/x86_64-linux-gnu'
const SOURCES = '/etc/apt/sources.list.d/debian.sources'
const PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6']

/**
 * @param mayFetch whether it may be fetched over the network where it is missing
 * @returns what to put before a command so that it runs with that library, or the reason why there is none
 */
export function withNewerLibc({ mayFetch }) {
  const libraries = path.join(FOLDER, LIBRARIES)
  const loader = path.join(libraries, 'ld-linux-x86-64.so.2')
  if (!fs.existsSync(loader)) {
    const problem = mayFetch ? fetchLibraries() : 'there is none in .cache/libc; `npm run chroma -- --fetch` fetches it'
    if (problem) return { problem }
  }
  return { prefix: [loader, '--library-path', libraries] }
}

function fetchLibraries() {
  if (process.arch !== 'x64' || !fs.existsSync(SOURCES) || !/bookworm/.test(fs.readFileSync(SOURCES, 'utf8'))) {
    return 'a newer C library is fetched on Debian 12 for x64 only'
  }
  console.error("Fetching Debian 13's C library into .cache/libc: nothing is installed.")
  fs.mkdirSync(path.dirname(FOLDER), { recursive: true })
  const work = fs.mkdtempSync(`${FOLDER}-`)
  try {
    unpackInto(work)
    put(path.join(work, 'root'))
  } catch (error) {
    return error.message
  } finally {
    fs.rmSync(work, { recursive: true, force: true })
  }
}

function unpackInto(work) {
  for (const folder of ['sources', 'lists/partial', 'archives/partial', 'root']) {
    fs.mkdirSync(path.join(work, folder), { recursive: true })
  }
  const sources = fs.readFileSync(SOURCES, 'utf8').replaceAll('bookworm', 'trixie')
  fs.writeFileSync(path.join(work, 'sources/debian.sources'), sources)
  apt(work, 'update')
  apt(work, 'download', ...PACKAGES)
  for (const deb of fs.readdirSync(work).filter((name) => name.endsWith('.deb'))) {
    run(work, 'dpkg-deb', ['-x', deb, 'root'])
  }
}

/** Another process may have been faster; its library is as good. */
function put(root) {
  try {
    fs.renameSync(root, FOLDER)
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  }
}

function apt(work, ...args) {
  const settings = {
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': path.join(work, 'sources'),
    'Dir::State::Lists': path.join(work, 'lists'),
    'Dir::Cache': work,
    'APT::Sandbox::User': '',
  }
  run(work, 'apt-get', [
    ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
    '-q',
    ...args,
  ])
}

function run(work, command, args) {
  const { status, stderr, error } = spawnSync(command, args, { cwd: work, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.at(-1)} failed: ${error?.message ?? stderr.trim()}`)
}
