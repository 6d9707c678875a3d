// A second process: from its start to its first answer, and its next answer when another has written meanwhile.
import { openMemory } from '../../dist/index.js'
import { median, row } from '../table.mjs'
import { openBare } from './bare.mjs'
import { openInProcess } from './processes.mjs'
import { inTurns, timed, wallMs } from './turns.mjs'

const CHANGES = 100
const STARTS = 5

export async function catchingUpRows({ address, moved, workspace, query, at, barred }) {
  console.error('bench: catching up')
  const name = 'moved'
  const sides = {
    ours: () => openInProcess({ workspace: moved, query }),
    folder: () => openInProcess({ workspace, query }),
    bare: () => openInProcess({ bare: { address, name } }),
  }
  // The first builds the index that the others read.
  const opened = await inTurns(STARTS, sides, 1)
  const later = { ours: await afterOthers(moved, query), folder: await afterOthers(workspace, query) }
  const bare = await openBare(address, name)
  const ids = Array.from({ length: CHANGES }, (_, index) => `${index}`)
  const got = await inTurns(STARTS, { bare: timed(() => bare.get(ids)) })
  const [what, after] = [`open to first answer by words ${at}`, `first answer after ${CHANGES} changes by another`]
  return [
    // The same texts come over the same wire; beyond that the program is loaded, and the index for words is read.
    row(what, 'ms wall', opened.ours, 'bare get of all, 300 at once', opened.bare, barred(2)),
    row(what, 'ms wall', opened.ours, 'of the folder', opened.folder),
    row(after, 'ms wall', later.ours, `bare get of ${CHANGES} records`, got.bare),
    row(after, 'ms wall', later.ours, 'in the folder', later.folder),
  ]
}

/** Both are in one process, and know of each other only by the store. */
async function afterOthers(workspace, query) {
  const [reader, writer] = [await openMemory({ workspace }), await openMemory({ workspace })]
  const taken = []
  await reader.search(query, { mode: 'lexical' })
  for (let round = 0; round < 3; round++) {
    for (let change = 0; change < CHANGES; change++) await writer.remember(`Round ${round} told of change ${change}.`)
    taken.push(await wallMs(() => reader.search(query, { mode: 'lexical' })))
  }
  await reader.close()
  await writer.close()
  return median(taken)
}
