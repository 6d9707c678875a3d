// One process that embeds a workspace by letters:
//   node embedding-worker.mjs FOLDER [PAUSE_MS]
// Says `embedding` before it begins and the outcome, as JSON, when it is done. A pause before each batch makes it slow.
import { setTimeout } from 'node:timers/promises'
import { openMemory } from '../../dist/index.js'
import { Letters } from './letters.mjs'

const [folder, pauseMs = '0'] = process.argv.slice(2)
const embed = new Letters()
if (pauseMs !== '0') embed.before = () => setTimeout(Number(pauseMs))
void embedAll()

async function embedAll() {
  const memory = await openMemory({ workspace: folder, timezone: 'UTC', embed })
  console.log('embedding')
  const embedded = await memory.embed()
  console.log(JSON.stringify(embedded))
  await memory.close()
}
