// A workspace of real text, and questions to it: every second passage is a note with a file of its own, the others stand in the
// logs of a hundred days.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openMemory } from '../dist/index.js'
import { corpusFile } from './search/corpus.mjs'
import { drawQueries } from './search/queries.mjs'

const PER_BATCH = 100

/** The rows that `measure` gives; none, and the reason on standard error, where there is no text. The folder is gone afterwards. */
export async function inFilledWorkspace(bench, { rounds, entries }, measure) {
  const { file, problem } = corpusFile(entries)
  if (problem) {
    console.error(`bench: ${bench} is left out: ${problem}`)
    return []
  }
  const { passages } = JSON.parse(fs.readFileSync(file, 'utf8'))
  const { measured, warmup } = drawQueries(passages, { measured: rounds, warmup: 1 })
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-'))
  try {
    const workspace = path.join(folder, 'ws')
    await fillWorkspace(workspace, passages)
    return await measure({ folder, workspace, queries: measured[3], first: warmup[3][0] })
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function fillWorkspace(workspace, passages) {
  const memory = await openMemory({ workspace })
  for (let first = 0; first < passages.length; first += PER_BATCH) {
    const batch = passages.slice(first, first + PER_BATCH)
    await memory.apply(batch.map((content, index) => entry(memory.agent, first + index, content)))
  }
  await memory.close()
}

function entry(scope, number, content) {
  if (number % 2 === 0) return { op: 'add', scope, kind: 'note', name: `Note ${number}`, content }
  const createdAt = new Date(Date.UTC(2026, 0, 1 + (number % 100), 12)).toISOString()
  return { op: 'add', scope, kind: 'experience', createdAt, content }
}
