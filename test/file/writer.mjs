// A process that writes to a memory in one file. It waits for the end of its input, so that several start at once, and prints a line for each
// acknowledged write: the number of the change, and the name.
//   node writer.mjs PATH NAME COUNT KIND     KIND: entries | sessions | purges
import { writeSync } from 'node:fs'
import { fileStore } from '../../dist/stores/file/store.js'

const [path, name, count, kind] = process.argv.slice(2)
const origin = { by: 'agent', agent: name.replaceAll(' ', '-') }
/** One purge per this many writes. */
const PURGE_EVERY = 20

const WRITES = {
  async entries(store, n) {
    const { change } = await store.apply({ operations: [note(`${name} ${n}`)], origin })
    return change.number
  },
  // An append is not a change, so an entry after it shows its place in the order.
  async sessions(store, n) {
    await store.sessions.append('main', name, [{ n }])
    return WRITES.entries(store, n)
  },
  async purges(store, n) {
    if (n % PURGE_EVERY === 0) {
      const { entries } = await store.apply({ operations: [note(`${name} purged ${n}`)], origin })
      await store.purge([entries[0].id], { origin })
    }
    return WRITES.entries(store, n)
  },
}

function note(called) {
  return { op: 'add', scope: 'main', kind: 'note', name: called, content: `text of ${called}` }
}

const store = fileStore({ path, lockWaitMs: 60_000, timezone: 'UTC' })
writeSync(1, 'ready\n')
for await (const _ of process.stdin);
for (let n = 0; n < Number(count); n++) {
  const number = await WRITES[kind](store, n)
  writeSync(1, `${number} ${name} ${n}\n`)
}
await store.close()
