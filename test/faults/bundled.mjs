// A program of the fault tests as a few files, made once for what is in dist/: to load the library's two hundred modules one by one
// took most of the time of a game, and a run plays thousands.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
const dist = fileURLToPath(new URL('../../dist', import.meta.url))

/** The path of the bundle of `<name>.mjs`. It lies inside of the project, where its packages are found. */
export function bundled(name) {
  const folder = join(here, '.build', `${name}-${contentKey()}`)
  if (!existsSync(folder)) bundle(name, folder)
  return join(folder, `${name}.mjs`)
}

let key

function contentKey() {
  if (key !== undefined) return key
  const hash = createHash('sha256')
  for (const file of [...filesOf(here, /\.mjs$/), ...filesOf(dist, /\.js$/)])
    hash.update(file).update(readFileSync(file))
  key = hash.digest('hex').slice(0, 16)
  return key
}

function filesOf(folder, names) {
  const isOurs = (path) => names.test(path) && !path.startsWith('.build') && !path.startsWith('cli')
  return readdirSync(folder, { recursive: true })
    .filter(isOurs)
    .sort()
    .map((path) => join(folder, path))
}

// Workers may bundle at once: each in its own folder, which then takes the name; nobody sees half of it.
function bundle(name, folder) {
  const { outputFiles } = buildSync({
    entryPoints: [join(here, `${name}.mjs`)],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
    write: false,
  })
  dropOld()
  const temporary = `${folder}.${randomUUID()}`
  mkdirSync(temporary, { recursive: true })
  for (const { path, contents } of outputFiles) writeFileSync(join(temporary, basename(path)), contents)
  try {
    renameSync(temporary, folder)
  } catch (error) {
    rmSync(temporary, { recursive: true })
    if (!existsSync(folder)) throw error
  }
}

function dropOld() {
  const build = join(here, '.build')
  if (!existsSync(build)) return
  const old = readdirSync(build).filter((name) => /-worker-|^worker-/.test(name) && isOfYesterday(join(build, name)))
  for (const name of old) rmSync(join(build, name), { recursive: true, force: true })
}

function isOfYesterday(path) {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > 86_400_000
}
