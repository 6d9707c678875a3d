// Starting: a whole process that shows one entry, against a Node that does nothing. CPU time, clean environment.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openMemory } from '../dist/index.js'
import { median, row } from './table.mjs'

const CLI = new URL('../dist/cli/main.js', import.meta.url).pathname

export async function benchStart({ rounds }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-'))
  try {
    const workspace = path.join(folder, 'ws')
    const memory = await openMemory({ workspace })
    await memory.remember('Run the smoke tests first', { name: 'Deploy checklist' })
    await memory.close()
    const ours = []
    const floor = []
    for (let round = 0; round < rounds; round++) {
      ours.push(cpuMs([CLI, 'show', 'Deploy checklist', '--workspace', workspace]))
      floor.push(cpuMs(['-e', '0']))
    }
    return [row('keepsake show', 'ms CPU', median(ours), 'node -e 0', median(floor), 4)]
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function cpuMs(args) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const started = cpuOfChildren()
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`)
  return cpuOfChildren() - started
}

/** Milliseconds of CPU that ended children of this process have used: fields 16 and 17 of its own stat, in ticks of 10 ms. */
function cpuOfChildren() {
  const stat = fs.readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}
