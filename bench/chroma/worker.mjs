// A process of its own for the bench of the Chroma store. As `open` it tells how long it took from its start to its first answer; as
// `write` it waits for a line on its input, so that all begin at once, writes, and tells when it began and ended.
import { once } from 'node:events'
import { openMemory } from '../../dist/index.js'
import { openBare } from './bare.mjs'

const { task, workspace, bare, query, count, text } = JSON.parse(process.argv[2])
if (task === 'open') await open()
else await write()

async function open() {
  if (bare) {
    const texts = await (await openBare(bare.address, bare.name)).getAll()
    return tell({ ms: performance.now(), found: texts.length })
  }
  const memory = await openMemory({ workspace })
  const { hits } = await memory.search(query, { mode: 'lexical' })
  tell({ ms: performance.now(), found: hits.length, rss: process.memoryUsage().rss })
  await memory.close()
}

async function write() {
  const memory = bare ? undefined : await openMemory({ workspace })
  const collection = bare && (await openBare(bare.address, bare.name))
  const one = (index) => (memory ? memory.remember(text) : collection.add(`${process.pid}-${index}`, text))
  await one('first')
  process.stdout.write('ready\n')
  await once(process.stdin, 'data')
  const began = Date.now()
  for (let index = 0; index < count; index++) await one(index)
  tell({ began, ended: Date.now() })
  await memory?.close()
  process.stdin.destroy()
}

function tell(result) {
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
