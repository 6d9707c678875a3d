// The text that every engine gets: passages of the documentation that Debian's packages bring. The packages are fetched
// and unpacked into bench/.cache, nothing is installed and no root is needed; the passages are kept there too.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { passagesUnder } from './passages.mjs'

const CACHE = new URL('../.cache/', import.meta.url).pathname

/** The small ones first: 10,000 passages need only those. In Debian 12 all of them give 123,000. */
const PACKAGES = ['git-doc', 'postgresql-doc', 'sqlite3-doc', 'python3-doc', 'linux-doc']

/** @returns the file with `{packages, passages}`, `count` distinct passages, or the reason why there is none */
export function corpusFile(count) {
  if (!runs('apt-get', '--version') || !runs('dpkg-deb', '--version')) {
    return { problem: 'the passages come from Debian packages, and apt-get and dpkg-deb are not here' }
  }
  const file = path.join(CACHE, `passages-${count}.json`)
  if (!fs.existsSync(file)) {
    fs.writeFileSync(`${file}.new`, JSON.stringify(collect(count)))
    fs.renameSync(`${file}.new`, file)
  }
  return { file }
}

function collect(count) {
  const passages = new Set()
  const packages = []
  for (const name of PACKAGES) {
    const unpacked = fetchPackage(name)
    packages.push(unpacked.label)
    for (const passage of passagesUnder(unpacked.folder)) passages.add(passage)
    fs.rmSync(unpacked.folder, { recursive: true })
    if (passages.size >= count) return { packages, passages: evenly([...passages], count) }
  }
  throw new Error(`${packages.join(', ')} give ${passages.size} passages, not ${count}`)
}

function evenly(values, count) {
  return Array.from({ length: count }, (_, index) => values[Math.floor((index * values.length) / count)])
}

function fetchPackage(name) {
  const folder = path.join(CACHE, 'debs', name)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  console.error(`bench: fetching Debian's ${name}`)
  const wanted = withText(name)
  apt('apt-get', ['download', '-q', wanted], folder)
  const [deb] = fs.readdirSync(folder)
  run('dpkg-deb', ['-x', path.join(folder, deb), folder], folder)
  fs.rmSync(path.join(folder, deb))
  return { folder, label: decodeURIComponent(deb).split('_').slice(0, 2).join(' ') }
}

/** `linux-doc` is empty and depends on the one of this release, `linux-doc-6.1`: that one is meant. */
function withText(name) {
  const depends = [...apt('apt-cache', ['depends', name], CACHE).matchAll(/^ +Depends: (\S+)$/gm)].map(([, on]) => on)
  return depends.find((on) => on.endsWith('-doc') || /-doc-[\d.]+$/.test(on)) ?? name
}

/** Where the machine has no lists of packages, or may not write them, a private copy of them is fetched once. */
function apt(command, args, folder) {
  const own = path.join(CACHE, 'apt')
  const options = fs.existsSync(own) ? privateApt(own) : []
  const { status, stdout } = spawnSync(command, [...options, ...args], { cwd: folder, encoding: 'utf8' })
  if (status === 0) return stdout
  if (options.length > 0) return run(command, [...options, ...args], folder)
  fs.mkdirSync(path.join(own, 'lists', 'partial'), { recursive: true })
  fs.mkdirSync(path.join(own, 'archives', 'partial'), { recursive: true })
  run('apt-get', [...privateApt(own), 'update', '-q'], folder)
  return run(command, [...privateApt(own), ...args], folder)
}

function privateApt(own) {
  return ['-o', `Dir::State::Lists=${own}/lists`, '-o', `Dir::Cache=${own}`, '-o', 'APT::Sandbox::User=']
}

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`)
  return stdout
}

function runs(command, argument) {
  return spawnSync(command, [argument]).status === 0
}
