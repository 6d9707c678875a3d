// A process that writes to a memory on PostgreSQL until it has COUNT acknowledged writes, and prints a line for each: `done NUMBER NAME`. After
// an unknown outcome it looks for the entry, as a user would, and prints `found NAME`, or writes it again.
//   node writer.mjs URL NAME COUNT
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parsePostgresAddress } from '../../dist/model/postgres-address.js'
import { postgresStore } from '../../dist/stores/postgres/store.js'

const [url, name, count] = process.argv.slice(2)
const store = postgresStore({ place: parsePostgresAddress(url), lockWaitMs: 60_000, timezone: 'UTC' })
const origin = { by: 'agent', agent: name }

writeSync(1, 'ready\n')
for await (const _ of process.stdin);
for (let n = 0; n < Number(count); n++) {
  const called = `${name} ${n}`
  const operations = [{ op: 'add', scope: name, kind: 'note', name: called, content: `text of ${called}` }]
  for (;;) {
    try {
      const { change } = await store.apply({ operations, origin })
      writeSync(1, `done ${change.number} ${called}\n`)
      break
    } catch (error) {
      if (error.code !== 'IO') throw error
      writeSync(2, `${called}: ${error.message}\n`)
      await sleep(50)
      if (await isThere(called)) {
        writeSync(1, `found ${called}\n`)
        break
      }
    }
  }
}
await store.close()

async function isThere(called) {
  for (;;) {
    try {
      return (await store.resolve(name, called)) !== undefined
    } catch (error) {
      if (error.code !== 'IO') throw error
      await sleep(50)
    }
  }
}
