// Writing: a durable `remember` against the bare program, eight at once against one, and 100,000 entries against 1,000.
// All of one comparison runs in one process, in turns, so that the machine's noise meets both sides alike.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openMemory } from '../dist/index.js'
import { openBare } from './bare-remember.mjs'
import { median, row } from './table.mjs'

const TEXT = 'The staging database moved to eu-west-1'

export async function benchRemember({ rounds, perRound, large }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-'))
  try {
    return [
      await againstBare(folder, rounds, perRound),
      await eightAgainstOne(folder, rounds, perRound),
      await largeAgainstSmall(folder, rounds, perRound, large),
    ]
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function againstBare(folder, rounds, perRound) {
  const bare = openBare(path.join(folder, 'bare'))
  const memory = await openMemory({ workspace: path.join(folder, 'ours') })
  const [ours, floor] = await inTurns(rounds, [
    () => times(perRound, () => memory.remember(TEXT)),
    () => times(perRound, () => bare.remember()),
  ])
  await memory.close()
  bare.close()
  return row('durable remember', 'ms wall', median(ours), 'bare program, same system calls', median(floor), 1.5)
}

async function eightAgainstOne(folder, rounds, perRound) {
  const memory = await openMemory({ workspace: path.join(folder, 'eight') })
  const [eight, one] = await inTurns(rounds, [
    () => times(Math.ceil(perRound / 4), () => Promise.all(Array.from({ length: 8 }, () => memory.remember(TEXT)))),
    () => times(perRound, () => memory.remember(TEXT)),
  ])
  await memory.close()
  return row('8 remembers at once', 'ms wall', median(eight), 'one remember', median(one), 2.5)
}

async function largeAgainstSmall(folder, rounds, perRound, large) {
  const [small, big] = [await filled(path.join(folder, 'small'), 1000), await filled(path.join(folder, 'big'), large)]
  const [bigTimes, smallTimes] = await inTurns(rounds, [
    () => times(perRound, () => big.remember(TEXT)),
    () => times(perRound, () => small.remember(TEXT)),
  ])
  await small.close()
  await big.close()
  return row(`remember at ${large} entries`, 'ms wall', median(bigTimes), 'at 1000 entries', median(smallTimes), 1.3)
}

async function filled(workspace, count) {
  const memory = await openMemory({ workspace })
  for (let first = 0; first < count; first += 1000) {
    const operations = Array.from({ length: Math.min(1000, count - first) }, (_, index) => ({
      op: 'add',
      scope: memory.agent,
      ...(index % 2 === 0 ? { kind: 'note', name: `Note ${first + index}` } : { kind: 'experience' }),
      content: `${TEXT}, and this is number ${first + index} of what was said about it.`,
    }))
    await memory.apply(operations)
  }
  return memory
}

async function times(count, run) {
  const out = []
  for (let index = 0; index < count; index++) {
    const started = performance.now()
    await run()
    out.push(performance.now() - started)
  }
  return out
}

async function inTurns(rounds, sides) {
  const out = sides.map(() => [])
  // Rounds that do not count, until both sides are compiled.
  for (let round = 0; round < 12; round++) for (const side of sides) await side()
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of sides.entries()) out[index].push(...(await side()))
  }
  return out
}
