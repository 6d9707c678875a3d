// A newer C library beside the system's, for a program that needs one. Debian 13's packages are fetched by the machine's own
// apt, which checks their signatures, from the sources it has, and unpacked into bench/.cache: nothing is installed, no root is needed.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const FOLDER = new URL('../.cache/libc/', import.meta.url).pathname
const LIBRARIES = path.join(FOLDER, 'root/usr/lib/x86_64-linux-gnu')
const SOURCES = '/etc/apt/sources.list.d/debian.sources'
const PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6']

/** @returns what to put before a command so that it runs with that library, or the reason why there is none */
export function withNewerLibc() {
  const loader = path.join(LIBRARIES, 'ld-linux-x86-64.so.2')
  if (!fs.existsSync(loader)) {
    const problem = fetchLibraries()
    if (problem) return { problem }
  }
  return { prefix: [loader, '--library-path', LIBRARIES] }
}

function fetchLibraries() {
  if (process.arch !== 'x64' || !fs.existsSync(SOURCES) || !/bookworm/.test(fs.readFileSync(SOURCES, 'utf8'))) {
    return 'a newer C library is fetched on Debian 12 for x64 only'
  }
  console.error("bench: fetching Debian 13's C library into bench/.cache")
  fs.rmSync(FOLDER, { recursive: true, force: true })
  for (const folder of ['sources', 'lists/partial', 'archives/partial', 'root']) {
    fs.mkdirSync(path.join(FOLDER, folder), { recursive: true })
  }
  const sources = fs.readFileSync(SOURCES, 'utf8').replaceAll('bookworm', 'trixie')
  fs.writeFileSync(path.join(FOLDER, 'sources/debian.sources'), sources)
  try {
    apt('update')
    apt('download', ...PACKAGES)
    const debs = fs.readdirSync(FOLDER).filter((name) => name.endsWith('.deb'))
    for (const deb of debs) run('dpkg-deb', ['-x', deb, 'root'])
  } catch (error) {
    return error.message
  }
}

function apt(...args) {
  const settings = {
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': `${FOLDER}sources`,
    'Dir::State::Lists': `${FOLDER}lists`,
    'Dir::Cache': FOLDER,
    'APT::Sandbox::User': '',
  }
  run('apt-get', [...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]), '-q', ...args])
}

function run(command, args) {
  const { status, stderr, error } = spawnSync(command, args, { cwd: FOLDER, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.at(-1)} failed: ${error?.message ?? stderr}`)
}
