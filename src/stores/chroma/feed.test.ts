/** Who has followed the feed up to a record that lies far back. What the feed tells otherwise: the contract, folding.test.ts. */
import { expect, it } from 'vitest'
import { addNote, addNotes, RamServer } from '../../../test/chroma/ram-server.ts'

/** So many changes a machine holds. */
const HELD = 1000

/** Some purge records in a row, of what was not there: they tell of no change. */
it.each([
  [1, 63],
  [1, 64],
  [3, 61],
  [80, 1],
])('goes on from behind %i purges of nothing, and %i records that are not held either', async (purges, records) => {
  const server = new RamServer()
  const [reader, writer] = [server.store(), server.store()]
  await addNotes(writer, 1, 5)
  for (let n = 0; n < purges; n++) await writer.purge([`gone ${n}`])
  const { cursor } = await reader.changes('now')
  await addNotes(writer, 6, 5 + records)
  await Promise.all(Array.from({ length: HELD }, (_, n) => addNote(writer, `held ${n}`)))
  const { restarted, changes } = await reader.changes(cursor)
  expect([restarted, changes.length]).toEqual([false, records + HELD])
})
