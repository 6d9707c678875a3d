// Every way to change a session, each as a state that is prepared unharmed and the call that meets the fault. Most of these calls
// write twice, the memory and the transcript, so a reader may also find what lies between: session-account.mjs says what that
// may be, and `after` what must be there once the call was made again and one more exchange was said.
import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { conversationOf, exchange, KEY, LATER, summary } from './session-account.mjs'

const FIRST = [...exchange(1), ...exchange(2)]
const MORE = [...FIRST, ...exchange(3), ...exchange(4)]
const SAID_LATER = LATER.map(({ id }) => id)

const sessionOf = ({ memory }) => memory.session(KEY)

/** As clients speak: one exchange after the other. */
async function say(opened, turns) {
  for (let at = 0; at < turns.length; at += 2) await sessionOf(opened).append(turns.slice(at, at + 2))
}

const saying = (turns) => (opened) => say(opened, turns)
const appending = (turns) => (opened) => sessionOf(opened).append(turns)
const importing = (turns) => (opened) => sessionOf(opened).import(turns)
const resetting = (opened) => sessionOf(opened).reset()

function compacting(options = {}) {
  return async (opened) => {
    const done = await sessionOf(opened).compact({ summary, ...options })
    if (!done.compacted && !['already compacted', 'nothing to compact'].includes(done.why)) throw new Error(done.why)
    return done
  }
}

/** A client that was not told whether its turns were taken down looks before it says them again. */
function unlessThere(turns) {
  return async (opened) => {
    const { turns: there } = await sessionOf(opened).transcript()
    if (!there.some(({ id }) => id === turns[0].id)) await sessionOf(opened).append(turns)
  }
}

/** Takes back the last thing that happened to an archive: its making, or the undo of that. */
async function undoLast({ memory }, name) {
  const [last] = await memory.log({ ref: name, limit: 1 })
  return memory.undo({ changes: [last.change.number] })
}

const undoing = (name) => (opened) => undoLast(opened, name)

function undoingUnless(name, isDone) {
  return async (opened) => {
    const isThere = (await opened.memory.get(name)) !== undefined
    if (!isDone(isThere)) await undoLast(opened, name)
  }
}

const purging = (turn) => (opened) => opened.memory.purge(conversationOf(turn.id))

/** What was purged is not even known any more. */
const purgingAgain = (turn) => (opened) =>
  purging(turn)(opened).catch((error) => {
    if (error.code !== 'NOT_FOUND') throw error
  })

const inTurn =
  (...calls) =>
  async (opened) => {
    for (const call of calls) await call(opened)
  }

/** As a crash leaves it that came before the last append. */
function loseLastLine(root) {
  const path = join(root, 'agents/main/sessions/chat%3A1.jsonl')
  const bytes = readFileSync(path)
  truncateSync(path, bytes.lastIndexOf(10, bytes.length - 2) + 1)
}

const ids = (...turns) => turns.flat().map(({ id }) => id)

export const sessionScenarios = [
  {
    name: 'the first turns of a session',
    prepare: ({ memory }) => memory.remember('One thing.'),
    before: [],
    brings: FIRST,
    step: appending(FIRST),
    again: unlessThere(FIRST),
    after: { live: [...ids(FIRST), ...SAID_LATER], conversation: ids(exchange(1)) },
  },
  {
    name: 'turns that let others slide out',
    prepare: saying(FIRST),
    before: FIRST,
    brings: exchange(3),
    step: appending(exchange(3)),
    again: unlessThere(exchange(3)),
    after: { live: [...ids(FIRST, exchange(3)), ...SAID_LATER], conversation: ids(FIRST) },
  },
  {
    name: 'turns after one that slid out was forgotten',
    prepare: inTurn(saying([...FIRST, ...exchange(3)]), ({ memory }) => memory.forget(conversationOf('q1'))),
    before: [...FIRST, ...exchange(3)],
    brings: exchange(4),
    step: appending(exchange(4)),
    again: unlessThere(exchange(4)),
    after: { live: [...ids(MORE), ...SAID_LATER], conversation: ['a1', ...ids(exchange(2), exchange(3))] },
  },
  {
    name: 'a compaction',
    prepare: saying(MORE),
    before: MORE,
    step: compacting(),
    after: { live: SAID_LATER, archives: [[1, 'q1', 'a4']], conversation: ids(MORE) },
  },
  {
    name: 'a compaction that keeps an exchange',
    prepare: saying(MORE),
    before: MORE,
    step: compacting({ keep: 1 }),
    after: {
      live: [...ids(exchange(4)), ...SAID_LATER],
      archives: [[1, 'q1', 'a3']],
      conversation: ids(FIRST, exchange(3)),
    },
  },
  {
    name: 'a second compaction',
    prepare: inTurn(saying(FIRST), compacting(), saying(exchange(3)), saying(exchange(4))),
    before: MORE,
    step: compacting({ reason: 'trim' }),
    after: {
      live: SAID_LATER,
      archives: [
        [1, 'q1', 'a2'],
        [2, 'q3', 'a4'],
      ],
      conversation: ids(MORE),
    },
  },
  {
    name: 'turns after a compaction whose marker a crash has lost',
    prepare: inTurn(saying(FIRST), compacting(), ({ root }) => loseLastLine(root)),
    before: FIRST,
    brings: exchange(3),
    step: appending(exchange(3)),
    again: unlessThere(exchange(3)),
    after: {
      live: [...ids(exchange(3)), ...SAID_LATER],
      archives: [[1, 'q1', 'a2']],
      conversation: ids(FIRST),
    },
  },
  {
    name: 'a reset',
    prepare: saying(MORE),
    before: MORE,
    step: resetting,
    after: { live: SAID_LATER, resets: [['q1', 'a4']], conversation: ids(MORE) },
  },
  {
    name: 'the undo of a compaction',
    prepare: inTurn(saying(MORE), compacting()),
    before: MORE,
    step: undoing(`${KEY}-1`),
    again: undoingUnless(`${KEY}-1`, (isThere) => !isThere),
    after: { live: [...ids(MORE), ...SAID_LATER], conversation: ids(MORE) },
  },
  {
    name: 'the undo of an undo of a compaction',
    prepare: inTurn(saying(MORE), compacting(), undoing(`${KEY}-1`)),
    before: MORE,
    step: undoing(`${KEY}-1`),
    again: undoingUnless(`${KEY}-1`, (isThere) => isThere),
    after: { live: SAID_LATER, archives: [[1, 'q1', 'a4']], conversation: ids(MORE) },
  },
  {
    name: 'an import',
    prepare: ({ memory }) => memory.remember('One thing.'),
    before: [],
    brings: MORE,
    step: importing(MORE),
    after: { live: [...ids(MORE), ...SAID_LATER], conversation: ids(FIRST, exchange(3)) },
  },
  {
    name: 'an import of what is there in part',
    prepare: importing(FIRST),
    before: FIRST,
    brings: [...exchange(3), ...exchange(4)],
    step: importing(MORE),
    after: { live: [...ids(MORE), ...SAID_LATER], conversation: ids(FIRST, exchange(3)) },
  },
  {
    name: 'the purge of a turn that slid out',
    prepare: saying([...FIRST, ...exchange(3)]),
    before: [...FIRST, ...exchange(3)],
    purges: 'q1',
    step: purging(FIRST[0]),
    again: purgingAgain(FIRST[0]),
    after: { live: [...ids(FIRST, exchange(3)), ...SAID_LATER], conversation: ['a1', ...ids(exchange(2))] },
  },
]
