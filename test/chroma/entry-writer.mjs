// One of several processes that write to one memory on a real server, until stdin ends. It prints `try N` before each write and
// `done N` after it. It repeats a failed write with the same id until it is saved.
import { chromaStore } from '../../dist/stores/chroma/store.js'

const [, , place, writer] = process.argv
const store = chromaStore({ place: JSON.parse(place), requestMs: 10_000 })
let isOver = false

process.stdin.on('end', () => (isOver = true)).resume()
for (let n = 1; !isOver; n++) await write(n)
await store.close()

async function write(n) {
  const id = crypto.randomUUID()
  const operation = {
    op: 'add',
    id,
    scope: 'main',
    kind: 'fact',
    name: `${writer} ${n}`,
    content: `${writer} wrote ${n}`,
  }
  console.log(`try ${n}`)
  while (!(await isWritten(operation)));
  console.log(`done ${n}`)
}

async function isWritten(operation) {
  try {
    await store.apply({ operations: [operation], origin: { by: 'agent' } })
    return true
  } catch (error) {
    // The attempt before has written it after all, perhaps while this one was planned.
    if (error.code === 'CONFLICT' || error.data?.owner === operation.id) return true
    if (error.code === 'IO' || error.code === 'TIMEOUT') return false
    throw error
  }
}
