// Recalling: a whole process that searches 10,000 entries of real text by words, against a Node that does nothing.
// Every second entry is a note with a file of its own, the others stand in the logs of a hundred days. CPU time, clean
// environment.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openMemory } from '../dist/index.js'
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
    await fill(workspace, passages)
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

async function fill(workspace, passages) {
  const memory = await openMemory({ workspace })
  for (let first = 0; first < passages.length; first += 100) {
    await memory.apply(
      passages.slice(first, first + 100).map((content, index) => entry(memory.agent, first + index, content)),
    )
  }
  await memory.close()
}

function entry(scope, number, content) {
  if (number % 2 === 0) return { op: 'add', scope, kind: 'note', name: `Note ${number}`, content }
  const createdAt = new Date(Date.UTC(2026, 0, 1 + (number % 100), 12)).toISOString()
  return { op: 'add', scope, kind: 'experience', createdAt, content }
}

function recall(workspace, words, ...more) {
  return [CLI, 'recall', words.join(' '), '--workspace', workspace, ...more]
}

/** Also the call that makes the index, which is not what is measured. */
function requireHits(workspace, words) {
  const { stdout, stderr } = spawnSync(process.execPath, recall(workspace, words, '--json'), { encoding: 'utf8' })
  if (!(JSON.parse(stdout || '{}').hits?.length > 0)) throw new Error(`recall found nothing: ${stdout}${stderr}`)
}
