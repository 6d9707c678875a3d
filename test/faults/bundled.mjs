// A program of the fault tests as one file, made once for what is in dist/, and started with V8's code cache: to load and compile
// the library's two hundred modules would take most of the time of a game, and a run plays hundreds. The file is CommonJS, which
// is what can be cached, so the programs have no await at their top level.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
const dist = fileURLToPath(new URL('../../dist', import.meta.url))

/** The path of what runs the bundle of `<name>.mjs`. It is inside the project, where its packages are found. */
export function bundled(name) {
  const folder = join(here, '.build', `${name}-${contentKey()}`)
  if (!existsSync(folder)) bundle(name, folder)
  return join(folder, 'start.cjs')
}

/** The first program to finish writes the cache, with the functions it used. */
const START = `const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { constants, Script } = require('node:vm')
const [file, cache] = ['program.cjs', 'cache'].map((name) => __dirname + '/' + name)
const isCached = existsSync(cache)
const program = '(function (require, __filename, __dirname) {' + readFileSync(file, 'utf8') + '\\n})'
const script = new Script(program, {
  filename: file,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  ...(isCached ? { cachedData: readFileSync(cache) } : {}),
})
script.runInThisContext()(require, file, __dirname)
process.on('exit', () => {
  if (isCached || existsSync(cache)) return
  writeFileSync(cache + process.pid, script.createCachedData())
  renameSync(cache + process.pid, cache)
})
`

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
    bundle: true,
    format: 'cjs',
    define: { 'import.meta.url': 'importMetaUrl', 'import.meta.dirname': '__dirname' },
    banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
    write: false,
  })
  dropOld()
  const temporary = `${folder}.${randomUUID()}`
  mkdirSync(temporary, { recursive: true })
  writeFileSync(join(temporary, 'program.cjs'), outputFiles[0].contents)
  writeFileSync(join(temporary, 'start.cjs'), START)
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
