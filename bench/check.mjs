// The check of a one-shot command: what hands did to 10,000 files, against a bare loop of stats over the same files. Each in a
// process of its own that has opened the memory already, so that both are as cold, and both pay for the same heap.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openMemory } from '../dist/index.js'
import { median, row } from './table.mjs'

const SELF = new URL(import.meta.url).pathname

if (process.argv[1] === SELF) await measure(process.argv[2], process.argv[3])

export async function benchCheck({ rounds, files }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-'))
  try {
    const workspace = path.join(folder, 'ws')
    await fill(workspace, files)
    const [ours, floor] = [[], []]
    for (let round = 0; round < rounds; round++) {
      ours.push(cpuMs('ours', workspace))
      floor.push(cpuMs('floor', workspace))
    }
    return [
      row(`check of ${files.toLocaleString('en')} files`, 'ms CPU', median(ours), 'bare stat loop', median(floor), 1.3),
    ]
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function fill(workspace, files) {
  const memory = await openMemory({ workspace })
  for (let first = 0; first < files; first += 100) {
    const notes = Array.from({ length: 100 }, (_, n) => ({
      op: 'add',
      scope: 'main',
      kind: 'note',
      name: `Note ${first + n}`,
      content: `What is to be known of number ${first + n}. `.repeat(5),
    }))
    await memory.apply(notes)
  }
  await memory.close()
}

function cpuMs(which, workspace) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, [SELF, which, workspace], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the check failed: ${stderr}`)
  return Number(stdout)
}

async function measure(which, workspace) {
  const memory = await openMemory({ workspace })
  await memory.store.settings()
  const notes = path.join(workspace, 'agents/main/entries')
  const paths = fs.readdirSync(notes).map((name) => `${notes}/${name}`)
  const before = process.cpuUsage()
  let problems = []
  if (which === 'ours') problems = await memory.store.problems()
  else for (const file of paths) if (!fs.lstatSync(file).isFile()) problems.push(file)
  const { user, system } = process.cpuUsage(before)
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  console.log((user + system) / 1000)
}
