// The store in one file: applying at many entries against few, opening until the first answer by words, against SQLite, MiniSearch and
// the floor. Every program runs under one Node. Times of opening are CPU time of a fresh process, times of writing are wall time.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openMemory } from '../dist/index.js'
import { fillWorkspace } from './filled-workspace.mjs'
import { corpusFile } from './search/corpus.mjs'
import { startEngine } from './search/engine-process.mjs'
import { measureLoads } from './search/measure.mjs'
import { ensurePackages, nodeForAll } from './search/own-packages.mjs'
import { drawQueries } from './search/queries.mjs'
import { row } from './table.mjs'

const WORKER = new URL('./file/worker.mjs', import.meta.url).pathname
const FEW = 1000
const SOME = 10_000
const HELD_AT = 100_000

export async function benchFile({ entries, opens, ...size }) {
  ensurePackages()
  const { node, hasSqlite } = nodeForAll()
  if (!hasSqlite) console.error('bench: SQLite is left out, for this Node has no node:sqlite')
  const corpus = corpusFile(entries)
  if (corpus.problem) {
    console.error(`bench: file is left out: ${corpus.problem}`)
    return []
  }
  const { passages } = JSON.parse(fs.readFileSync(corpus.file, 'utf8'))
  const words = drawQueries(passages, { measured: 1, warmup: 0 }).measured[3][0]
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-'))
  try {
    const sizes = await fill(folder, passages, words)
    const peers = [...(hasSqlite ? ['sqlite-memory'] : []), 'minisearch']
    for (const name of peers) sizes[name] = await build({ name, node, corpus: corpus.file, folder })
    const out = Object.fromEntries(['one-file', ...peers].map((name) => [name, {}]))
    await measureLoads(Object.keys(out), node, folder, words, opens, out)
    const writes = measureWrites({ folder, node, hasSqlite, passages: corpus.file, ...size })
    if (hasSqlite) sizes.plain = fs.statSync(path.join(folder, 'plain')).size
    return rowsOf({ entries, loads: out, sizes, writes })
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** The file and a small one, with what they take; and what a file and a folder of the same few take, for a folder fills slowly. */
async function fill(folder, passages, words) {
  console.error('bench: filling files and a folder')
  await fillWorkspace(path.join(folder, 'small.keepsake'), passages.slice(0, FEW))
  const big = await fillFile(path.join(folder, 'one-file.keepsake'), passages, words)
  fs.renameSync(path.join(folder, 'one-file.keepsake'), path.join(folder, 'one-file'))
  const some = passages.slice(0, SOME)
  const [file, workspace] = [path.join(folder, 'some.keepsake'), path.join(folder, 'workspace')]
  const beside = await fillFile(file, some, words)
  await fillWorkspace(workspace, some)
  await inMemory(workspace, (memory) => memory.search(words.join(' ')))
  return { big, beside, folder: bytesUnder(workspace) }
}

/** Folded, and with an index for the first answer. */
async function fillFile(file, passages, words) {
  await fillWorkspace(file, passages)
  await inMemory(file, (memory) => memory.store.fold())
  const withoutIndex = fs.statSync(file).size
  await inMemory(file, (memory) => memory.search(words.join(' ')))
  await inMemory(file, (memory) => memory.store.fold())
  return { withIndex: fs.statSync(file).size, withoutIndex }
}

async function inMemory(workspace, run) {
  const memory = await openMemory({ workspace })
  await run(memory)
  await memory.close()
}

function bytesUnder(folder) {
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((found) => found.isFile())
    .reduce((sum, { parentPath, name }) => sum + fs.statSync(path.join(parentPath, name)).size, 0)
}

async function build({ name, node, corpus, folder }) {
  console.error(`bench: building the index of ${name}`)
  const engine = await startEngine({ name, node, corpus })
  try {
    await engine.run('build')
    return await engine.run('save', { file: path.join(folder, name) })
  } finally {
    engine.stop()
  }
}

function measureWrites({ folder, node, hasSqlite, ...given }) {
  console.error('bench: writing')
  const copied = (from, to) => {
    fs.copyFileSync(path.join(folder, from), path.join(folder, to))
    return path.join(folder, to)
  }
  const files = {
    big: path.join(folder, 'one-file'),
    small: path.join(folder, 'small.keepsake'),
    floor: copied('one-file', 'floor'),
    ...(hasSqlite && { sqlite: path.join(folder, 'sqlite-memory'), plain: copied('sqlite-memory', 'plain') }),
  }
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const asked = JSON.stringify({ files, ...given })
  const { status, stdout, stderr } = spawnSync(node, [WORKER, asked], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`writing failed: ${stderr}`)
  return JSON.parse(stdout)
}

function rowsOf({ entries, loads, sizes, writes }) {
  const at = `at ${entries.toLocaleString('en')} entries`
  const bar = (value) => (entries >= HELD_AT ? value : undefined)
  const { medians, fold, applyBytes } = writes
  const ours = loads['one-file'].load.p50
  const sqlite = loads['sqlite-memory']?.load.p50
  const applied = (against, theirs, limit) => row(`apply ${at}`, 'ms wall', medians.big, against, theirs, limit)
  // The tail grows to half of the file before it is folded into it.
  const foldPerMb = fold.ms / (fold.bytes / 2 / 1e6)
  return [
    applied(`at ${FEW.toLocaleString('en')} entries`, medians.small, bar(1.3)),
    ...(sqlite === undefined
      ? []
      : [applied('SQLite, FTS5', medians.sqlite), applied('SQLite, no index', medians.plain)]),
    applied(`append of ${applyBytes} bytes, fdatasync`, medians.floor),
    row('8 applies at once', 'ms wall', medians.eight, 'one apply', medians.small),
    row(`open to first answer ${at}`, 'ms CPU', ours, 'MiniSearch, its snapshot', loads.minisearch.load.p50, bar(0.2)),
    ...(sqlite === undefined ? [] : [row(`open to first answer ${at}`, 'ms CPU', ours, 'SQLite, FTS5', sqlite)]),
    row(`fold ${at}`, 'ms wall', fold.ms, 'copy of the file, fdatasync', fold.copyMs),
    row('fold, for each MB of tail', 'ms wall', foldPerMb, 'applies of an MB', (medians.big * 1e6) / applyBytes),
    row('longest stall by a fold', 'ms wall', fold.stallMs, 'the fold', fold.ms),
    row(
      `file with index at ${SOME.toLocaleString('en')} entries`,
      ...sizesOf(sizes.beside.withIndex, 'folder with index', sizes.folder),
    ),
    ...(sqlite === undefined
      ? []
      : [
          row(`file with index ${at}`, ...sizesOf(sizes.big.withIndex, 'SQLite, FTS5', sizes['sqlite-memory'])),
          row(`file without index ${at}`, ...sizesOf(sizes.big.withoutIndex, 'SQLite, no index', sizes.plain)),
        ]),
  ]
}

function sizesOf(ours, against, theirs) {
  return ['MB', ours / 1e6, against, theirs / 1e6]
}
