// One of several processes that remember things in one memory on a real server, until its input ends. It tells before (`try`) and after
// (`done`) each what became of it: whoever kills it knows what must be there, and what may be.
import { chromaStore } from '../../dist/stores/chroma/store.js'

const [, , place, writer] = process.argv
const store = chromaStore({ place: JSON.parse(place) })
let isOver = false

process.stdin.on('end', () => (isOver = true)).resume()
for (let n = 1; !isOver; n++) await write(n)
await store.close()

/** Two entries in one batch. What was certainly not written is tried again; what is left open never is. */
async function write(n) {
  const add = (part) => ({
    op: 'add',
    scope: 'main',
    kind: 'note',
    name: `${writer} ${n} ${part}`,
    content: `${part} of ${n}`,
  })
  say('try', n)
  for (;;) {
    try {
      await store.apply({ operations: [add('first'), add('second')], origin: { by: 'agent' } })
      return say('done', n)
    } catch (error) {
      if (error.code !== 'IO' && error.code !== 'TIMEOUT') throw error
      if (error.data.unknown === true) return
    }
  }
}

function say(...words) {
  process.stdout.write(`${words.join(' ')}\n`)
}
