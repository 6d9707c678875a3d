// Recalling: a whole process that searches 10,000 entries of real text by words, against a Node that does nothing. CPU
// time, clean environment.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fillWorkspace } from './filled-workspace.mjs'
import { processCpuMs } from './process-cpu.mjs'
import { corpusFile } from './search/corpus.mjs'
import { drawQueries } from './search/queries.mjs'
import { median, row } from './table.mjs'

const CLI = new URL('../dist/cli/main.js', import.meta.url).pathname

export async function benchRecall({ rounds, entries }) {
  const { file, problem } = corpusFile(entries)
  if (problem) {
    console.error(`bench: recall is left out: ${problem}`)
    return []
  }
  const { passages } = JSON.parse(fs.readFileSync(file, 'utf8'))
  const queries = drawQueries(passages, { measured: rounds, warmup: 1 })
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-'))
  try {
    const workspace = path.join(folder, 'ws')
    await fillWorkspace(workspace, passages)
    requireHits(workspace, queries.warmup[3][0])
    const [ours, floor] = [[], []]
    for (const words of queries.measured[3]) {
      ours.push(processCpuMs(recall(workspace, words)))
      floor.push(processCpuMs(['-e', '0']))
    }
    const what = `keepsake recall at ${entries.toLocaleString('en')} entries`
    return [row(what, 'ms CPU', median(ours), 'node -e 0', median(floor), 5)]
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function recall(workspace, words, ...more) {
  return [CLI, 'recall', words.join(' '), '--workspace', workspace, ...more]
}

/** Also the call that makes the index, which is not what is measured. */
function requireHits(workspace, words) {
  const { stdout, stderr } = spawnSync(process.execPath, recall(workspace, words, '--json'), { encoding: 'utf8' })
  if (!(JSON.parse(stdout || '{}').hits?.length > 0)) throw new Error(`recall found nothing: ${stdout}${stderr}`)
}
