// One of many writers on one log of a real server: it appends what it is, over and over, until its input ends, and tells before (`try`) and
// after (`won`, `open`, `not`) each append what became of it. Whoever kills it knows what must be there, and what may be.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { NumberedLog } from '../../dist/stores/chroma/log/numbered-log.js'
import { connect } from '../../dist/stores/chroma/server/connection.js'

const [, , given, writer] = process.argv
const { server, place } = JSON.parse(given)
const connection = connect(server)
const log = new NumberedLog(connection.log, place)
const known = { position: 0, tag: undefined }
let isOver = false

process.stdin.on('end', () => (isOver = true)).resume()
for (let n = 1; !isOver; n++) await append(`${writer}-${n}`, textOf(`${writer}-${n}`, n))
connection.close()

/** What was certainly not written is tried again; what is left open never is. */
async function append(what, text) {
  say('try', what)
  for (let outcome = 'not'; outcome === 'not' || outcome === 'lost'; ) {
    await catchUp()
    const position = known.position + 1
    const tag = crypto.randomUUID()
    outcome = await log.append(position, text, { tag }).catch(outcomeOf)
    if (outcome !== 'lost') say(outcome, what, position)
    if (outcome === 'won') Object.assign(known, { position, tag })
  }
}

async function catchUp() {
  for (;;) {
    try {
      const records = known.tag === undefined ? await log.read(known.position) : await log.follow(known)
      if (!records) throw new Error(`what it knew is gone: ${JSON.stringify(known)}`)
      const last = records.at(-1)
      if (last) Object.assign(known, { position: last.position, tag: last.tag })
      return
    } catch (error) {
      if (error.code !== 'IO' && error.code !== 'TIMEOUT') throw error
      await sleep(30)
    }
  }
}

function outcomeOf(error) {
  if (error.code !== 'IO' && error.code !== 'TIMEOUT') throw error
  return error.data.unknown === true ? 'open' : 'not'
}

/** Every ninth is longer than a record. Each begins with what proves the rest. */
function textOf(what, n) {
  const rest = `${what} ${'and so on… '.repeat(n % 9 === 0 ? 7000 : n % 40)}`
  return `${createHash('sha256').update(rest).digest('hex').slice(0, 16)} ${rest}`
}

function say(...words) {
  process.stdout.write(`${words.join(' ')}\n`)
}
