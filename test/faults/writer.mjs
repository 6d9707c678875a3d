// One of many writers. Everything it writes is a thing of its own, named by writer and number, and goes through states that
// it tells before (`try`) and after (`ack`) each write; so whoever reads the lines knows what must be there, and what may be.
import { createHash } from 'node:crypto'
import { openMemory } from '../../dist/index.js'

export const SHARED_NOTE = 'shared'
export const SHARED_SESSION = 'all of us'

export async function writeMany({ folder, writer, count, say }) {
  const memory = await openMemory({ workspace: folder, timezone: 'UTC', lockWaitMs: 60_000 })
  for (let n = 1; n <= count; n++) {
    for (const { thing, state, write } of stepsOf(memory, `${writer}-${n}`, n)) {
      say('try', { thing, state })
      const { entry, change } = (await write()) ?? {}
      say('ack', { thing, id: entry?.id, revision: entry?.revision, number: change?.number })
    }
  }
  await memory.close()
}

/** The states of a thing: a text under a name or none, a line of a session, or nothing any more. */
function stepsOf(memory, thing, n) {
  const text = `${thing} ${'word '.repeat(n % 7)}`.trim()
  const named = { kind: 'note', name: thing, content: text }
  switch (n % 8) {
    case 1:
      return [{ thing, state: named, write: () => memory.remember(text, { name: thing }) }]
    case 2:
      return [
        { thing, state: { kind: 'topic', name: thing, content: text }, write: () => memory.learnFact(thing, text) },
        { thing, state: { kind: 'topic', name: thing, content: 'x' }, write: () => memory.learnFact(thing, 'x') },
      ]
    case 3:
      return [{ thing, state: { line: text }, write: () => append(memory, SHARED_SESSION, text) }]
    case 4:
      return [{ thing, state: { line: text }, write: () => append(memory, thing.replace(/-\d+$/, ''), text) }]
    case 5:
      return [
        { thing, state: named, write: () => memory.remember(text, { name: thing }) },
        { thing, state: { ...named, name: `${thing} too` }, write: () => memory.rename(thing, `${thing} too`) },
        { thing, state: null, write: () => memory.forget(`${thing} too`) },
      ]
    case 6:
      return [{ thing, state: { shared: text }, write: () => memory.remember(text, { name: SHARED_NOTE }) }]
    case 7:
      return logLine(memory, thing, text)
    default:
      return logLine(memory, thing, text).slice(0, 1)
  }
}

/** A line of the log, then written anew in the middle of its file. */
function logLine(memory, thing, text) {
  const state = { kind: 'experience', name: null, content: text }
  let id
  const add = async () => {
    const written = await memory.remember(text)
    id = written.entry.id
    return written
  }
  const again = `${text} again`
  const rewrite = async () => {
    const { entries, change } = await memory.apply([{ op: 'write', id, content: again }])
    return { entry: entries[0], change }
  }
  return [
    { thing, state, write: add },
    { thing, state: { ...state, content: again }, write: rewrite },
  ]
}

async function append(memory, key, line) {
  await memory.store.sessions.append('main', key, [{ line }])
}

/** Long texts that tell whether they are whole, over and over in the same few files. */
export async function writeChecked({ folder, writer, count }) {
  const memory = await openMemory({ workspace: folder, timezone: 'UTC', lockWaitMs: 60_000 })
  for (let n = 1; n <= count; n++) {
    const text = `${writer} ${n} `.repeat((n * 977) % 4000).trim()
    const checked = `${checksum(text)} ${text}`
    if (n % 3 === 0) await memory.remember(checked)
    else if (n % 3 === 1) await memory.remember(checked, { name: `note ${n % 5}` })
    else await memory.learnFact(`topic ${n % 5}`, checked)
  }
  await memory.close()
}

export function isWhole(content) {
  return checksum(content.slice(9)) === content.slice(0, 8)
}

function checksum(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
