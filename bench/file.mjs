// The store in one file against bare SQLite: the same driver, pragmas, tables and statements, in the same run. Times are CPU time, except where a
// row says otherwise.
// The memory is generated from a seed. Each step runs in its own process, with the Node that runs the bench.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { median, row } from './table.mjs'

const WORKER = new URL('./file/worker.mjs', import.meta.url).pathname
const FEW = 1000
/** 31 % of the entries are rewritten once: 131,000 changes of 100,000 entries. */
const CHANGES_PER_ENTRY = 1.31
const MAX_STEP_MS = 50
const HELD_AT = 100_000

export function benchFile({ entries, rounds, perRound, opens, purges }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-'))
  const at = (name) => path.join(folder, `${name}.keepsake`)
  const copyOf = (from, name) => {
    fs.copyFileSync(at(from), at(name))
    return at(name)
  }
  const changes = Math.round(entries * CHANGES_PER_ENTRY)
  try {
    console.error('bench: filling files')
    const few = { entries: FEW, changes: FEW * CHANGES_PER_ENTRY }
    run('fill', { file: at('small'), ...few, isIndexed: true })
    const sizes = run('fill', { file: at('big'), entries, changes, isIndexed: true })
    console.error('bench: writing')
    const files = Object.fromEntries(
      ['big', 'small', 'eight', 'bareBig', 'bareSmall'].map((name) => [
        name,
        copyOf(/big/i.test(name) ? 'big' : 'small', `write-${name}`),
      ]),
    )
    const writes = run('writes', { files, rounds, perRound })
    for (const file of Object.values(files)) fs.rmSync(file, { force: true })
    console.error('bench: opening')
    const warmUp = copyOf('small', 'warm-up')
    const open = inTurns(opens, {
      store: () => foundAll(run('openStore', { file: at('big'), warmUp })),
      recall: () => foundAll(run('openRecall', { file: at('big'), warmUp })),
      bare: () => foundAll(run('openBareFile', { file: at('big'), warmUp })),
    })
    console.error('bench: undoing and reading the log')
    copyOf('big', 'copy')
    const past = inTurns(opens, {
      write: () => run('write', { file: at('copy'), warmUp }),
      undo: () => run('undo', { file: at('copy'), warmUp }),
      log: () => run('log', { file: at('copy'), warmUp }),
    })
    console.error('bench: purging')
    const bare = copyOf('big', 'vacuum')
    const purge = run('purges', { files: { ours: copyOf('big', 'purge'), bare }, count: purges })
    return rowsOf({ entries, changes, sizes, writes, open, past, purge })
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function run(step, given) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const argument = JSON.stringify({ step, ...given })
  const { status, stdout, stderr } = spawnSync(process.execPath, [WORKER, argument], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${step} failed: ${stderr}`)
  return JSON.parse(stdout)
}

function foundAll({ ms, value }) {
  if (value !== 10) throw new Error(`found ${value} entries, not 10`)
  return { ms }
}

/** Alternates between the sides. @returns the median of each */
function inTurns(rounds, sides) {
  const out = Object.fromEntries(Object.keys(sides).map((side) => [side, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [side, measure] of Object.entries(sides)) out[side].push(measure().ms)
  }
  return Object.fromEntries(Object.entries(out).map(([side, times]) => [side, median(times)]))
}

function rowsOf({ entries, changes, sizes, writes, open, past, purge }) {
  const at = `at ${entries.toLocaleString('en')} entries`
  const atFew = `at ${FEW.toLocaleString('en')} entries`
  const atChanges = `at ${changes.toLocaleString('en')} changes`
  const bar = (value) => (entries >= HELD_AT ? value : undefined)
  const cpu = (what, ours, against, theirs, limit) => row(what, 'ms CPU', ours, against, theirs, limit)
  const within = (what, ours) => cpu(`${what} ${atChanges}`, ours, 'the limit', MAX_STEP_MS, bar(1))
  return [
    cpu(`apply ${at}`, writes.cpu.big, 'bare statements', writes.cpu.bareBig, bar(1.5)),
    cpu(`apply ${atFew}`, writes.cpu.small, 'bare statements', writes.cpu.bareSmall, bar(1.5)),
    row(`apply ${at}`, 'ms wall', writes.wall.big, 'bare statements', writes.wall.bareBig),
    cpu(`apply ${at}`, writes.cpu.big, atFew, writes.cpu.small, bar(1.3)),
    cpu('8 applies at once', writes.cpu.eight, 'one apply', writes.cpu.small),
    cpu(`open to first answer ${at}`, open.store, 'bare open, index, query', open.bare, bar(1.5)),
    cpu(`open to first recall ${at}`, open.recall, 'open to first answer', open.store),
    cpu(`purge ${at}`, purge.ours, 'bare VACUUM, checkpoint', purge.bare, bar(2)),
    within('open a copy, write, close', past.write),
    within('open a copy, undo, close', past.undo),
    within('open a copy, log of 20, close', past.log),
    row(`file without index ${at}`, 'MB', sizes.plainBytes / 1e6, 'with index', sizes.bytes / 1e6),
  ]
}
