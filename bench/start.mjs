// Starting: a whole process that shows one entry, against a Node that does nothing. CPU time, clean environment.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openMemory } from '../dist/index.js'
import { processCpuMs } from './process-cpu.mjs'
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
      ours.push(processCpuMs([CLI, 'show', 'Deploy checklist', '--workspace', workspace]))
      floor.push(processCpuMs(['-e', '0']))
    }
    return [row('keepsake show', 'ms CPU', median(ours), 'node -e 0', median(floor), 4)]
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
