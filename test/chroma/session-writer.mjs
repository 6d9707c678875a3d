// One of several processes that append to the same transcript on a real server, until its input ends. It tells before (`try`) and after
// (`done`) each append what became of it: whoever kills it knows what must be there, and what may be.
import { chromaStore } from '../../dist/stores/chroma/store.js'

const [, , place, writer] = process.argv
const SESSION = 'chat: 1 / ü'
const store = chromaStore({ place: JSON.parse(place) })
let isOver = false

process.stdin.on('end', () => (isOver = true)).resume()
for (let n = 1; !isOver; n++) await append(n)
await store.close()

/** What was certainly not written is tried again; what is left open never is. */
async function append(n) {
  const [record, rest] = [
    { writer, n, text: textOf(n) },
    { writer, n, isRest: true },
  ]
  say('try', n)
  for (;;) {
    try {
      await store.sessions.append('main', SESSION, [record, rest])
      return say('done', n)
    } catch (error) {
      if (error.code !== 'IO' && error.code !== 'TIMEOUT') throw error
      if (error.data.unknown === true) return
    }
  }
}

/** Every seventh is longer than a record of the server. */
function textOf(n) {
  return 'and so on… '.repeat(n % 7 === 0 ? 5000 : n % 40)
}

function say(...words) {
  process.stdout.write(`${words.join(' ')}\n`)
}
