// Durable writes of one entry: alone, and by several processes at once.
import path from 'node:path'
import { openMemory } from '../../dist/index.js'
import { row } from '../table.mjs'
import { openBare } from './bare.mjs'
import { writeAtOnce } from './processes.mjs'
import { inTurns, timed } from './turns.mjs'

const TEXT = 'The staging database moved to eu-west-1'
const WRITERS = 4
const CROWD = 16
const STARTS = 3

export async function writingRows({ address, placeOf, folder, rounds, perRound, barred }) {
  console.error('bench: writing')
  const workspace = placeOf('write')
  const taken = await one({ address, workspace, beside: path.join(folder, 'beside'), rounds: rounds * perRound })
  const each = { count: perRound, text: TEXT }
  const bare = { address, name: 'write' }
  const sides = {
    single: () => writeAtOnce(1, { workspace, ...each }),
    together: () => writeAtOnce(WRITERS, { workspace, ...each }),
    crowd: () => writeAtOnce(CROWD, { workspace, ...each }),
    bare: () => writeAtOnce(WRITERS, { bare, ...each }),
  }
  // Each process writes one before its clock runs.
  const many = await inTurns(STARTS, sides, 0)
  const [what, together] = ['durable remember on Chroma', `an entry of ${WRITERS} writers at once`]
  return [
    // What is new is asked for, the place is looked at, taken, and read back to see whose it is: one add and three short reads.
    row(what, 'ms wall', taken.ours, 'bare add of one record', taken.bare, barred(2.5)),
    row(what, 'ms wall', taken.ours, 'in a folder', taken.folder),
    // They take turns at one log: together they must not come forward slower than one alone by much.
    row(together, 'ms wall', many.together, 'of one writer', many.single, barred(1.5)),
    row(`an entry of ${CROWD} writers at once`, 'ms wall', many.crowd, 'of one writer', many.single),
    row(together, 'ms wall', many.together, 'bare adds by as many clients', many.bare),
  ]
}

async function one({ address, workspace, beside, rounds }) {
  const bare = await openBare(address, 'write')
  const [ours, folder] = [await openMemory({ workspace }), await openMemory({ workspace: beside })]
  let number = 0
  const taken = await inTurns(rounds, {
    ours: timed(() => ours.remember(TEXT)),
    folder: timed(() => folder.remember(TEXT)),
    bare: timed(() => bare.add(`${number++}`, TEXT)),
  })
  await ours.close()
  await folder.close()
  return taken
}
