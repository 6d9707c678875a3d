// Runs the tests of the file store with the other versions of Node that we support, which are installed from npm into a cache folder.
// Also checks that the command line prints no warning about their built-in SQLite.
//   node scripts/other-nodes.mjs [VERSION …]
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const VERSIONS = ['22.23.3', '24.21.0']
const TESTS = ['src/stores/engine', 'test/file/']
const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(root, '.cache', 'nodes')

const requested = process.argv.slice(2)
for (const version of requested.length > 0 ? requested : VERSIONS) {
  const node = install(version)
  check(node, version)
  console.log(`\n── node ${version}: ${TESTS.join(' ')}`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const projects = ['unit', 'integration'].flatMap((name) => ['--project', name])
  run(node, [vitest, 'run', ...projects, ...TESTS], { stdio: 'inherit' })
}

/** Returns the path of this version's executable. */
function install(version) {
  const { platform, arch } = process
  const name = `node-${platform}-${arch}`
  const folder = join(cache, version)
  const node = join(folder, 'node_modules', name, 'bin', 'node')
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true })
    const args = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
    execFileSync('npm', [...args, `${name}@${version}`], { stdio: 'inherit' })
  }
  const found = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  if (found !== `v${version}`) throw new Error(`${node} is ${found}, not v${version}`)
  return node
}

/** Throws if a command prints a warning, on the first use of SQLite or a later one. */
function check(node, version) {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-node-'))
  try {
    const workspace = ['--workspace', join(folder, 'memory.keepsake')]
    const cli = join(root, 'dist/cli/main.js')
    for (const args of [['remember', 'tea at four'], ['recall', 'tea'], ['undo'], ['doctor']]) {
      const { stderr } = run(node, [cli, ...args, ...workspace], { encoding: 'utf8' })
      if (/Warning/.test(stderr)) throw new Error(`node ${version}: keepsake ${args[0]} printed: ${stderr}`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(node, args, options) {
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) }
  const ended = spawnSync(node, args, { cwd: root, env, ...options })
  if (ended.status !== 0) throw new Error(`${node} ${args.join(' ')} ended with ${ended.status}: ${ended.stderr ?? ''}`)
  return ended
}
