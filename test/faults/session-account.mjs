// What must hold for a session whatever happened to it: every promised turn is there once, whole and in its place; the archives in
// force and the live turns are all turns, none twice and none left out; each archive says what its turns said; no turn has
// two `conversation` entries, and none of them is of nobody. Throws with what does not hold.
import { archiveId, conversationId } from '../../dist/session/archive.js'

export const KEY = 'chat:1'
/** Small, so that few turns fill it. */
export const WINDOW = { contextWindowSize: 2 }
const AGENT = 'main'
const PURGED = '[purged]'

/** A question and its answer, known by their number. */
export function exchange(n) {
  return [
    { id: `q${n}`, role: 'user', content: `The question with the number ${n}.` },
    { id: `a${n}`, role: 'assistant', content: `The answer with the number ${n}.` },
  ]
}

/** What is said when all is over, so that what a fault has put off is made up for. */
export const LATER = exchange('last')

export const conversationOf = (turn, key = KEY) => conversationId(AGENT, key, turn)

/** Tells what it sums up, so that it can be compared with the turns. */
export function summary({ messages, previous }) {
  return [...(previous === undefined ? [] : [previous]), ...messages.map(({ content }) => content)].join('\n')
}

/** The session as it is found: nothing is written. */
export async function sessionIn(memory, key = KEY) {
  const session = memory.session(key)
  const { turns, markers, broken } = await session.transcript()
  must(broken.length === 0, `broken: ${JSON.stringify(broken)}`)
  const view = await session.view()
  const entries = await memory.list()
  const ofKey = entries.filter(({ origin }) => origin.session === key)
  const found = {
    turns,
    live: view.turns.map(({ id }) => id),
    archive: view.archive,
    archives: ofKey.filter(({ kind }) => kind === 'archive'),
    inForce: markers.filter(({ unmarked }) => !unmarked),
    conversation: ofKey.filter(({ kind }) => kind === 'conversation'),
  }
  mustBeWhole(found, key)
  return found
}

function mustBeWhole({ turns, live, archive, archives, inForce, conversation }, key) {
  const order = turns.map(({ id }) => id)
  must(new Set(order).size === order.length, `a turn is there twice: ${order}`)
  const spans = spansOf(order, archives, inForce)
  let covered = 0
  for (const { first, last } of spans) {
    must(first === covered, `turns ${covered} to ${first} are in no archive, or in two: ${JSON.stringify(spans)}`)
    covered = last + 1
  }
  must(same(live, order.slice(covered)), `live are ${live}, but ${order.slice(covered)} are in no archive`)
  const last = spans.at(-1)?.archive
  must(archive?.id === last?.id && !archive?.missing, `${archive?.name} is shown, not ${last?.name}`)
  for (const { archive: one, last: through } of spans) if (one) mustSay(one, turns.slice(0, through + 1), key)
  const known = new Map(turns.map((turn) => [conversationOf(turn.id, key), turn]))
  for (const { id, content } of conversation) {
    const turn = known.get(id)
    must(turn !== undefined, `a conversation entry is of no turn: ${content}`)
    must(content === turn.content || turn.content === PURGED, `${turn.id} is "${content}" in the conversation`)
  }
}

/** What stands for turns, in their order: archives, whether marked or not, and resets. */
function spansOf(order, archives, inForce) {
  const spanOf = ({ first, through }, archive) => {
    const span = { first: order.indexOf(first), last: order.indexOf(through), ...(archive ? { archive } : {}) }
    must(span.first >= 0 && span.last >= span.first, `a span of turns that are not there: ${first} to ${through}`)
    return span
  }
  const resets = inForce.filter(({ reason }) => reason === 'new')
  const spans = [...archives.map((one) => spanOf(one.metadata, one)), ...resets.map((one) => spanOf(one))]
  const marked = inForce.map(({ first }) => first)
  must(new Set(marked).size === marked.length, `two markers in force begin with the same turn: ${marked}`)
  return spans.sort((a, b) => a.first - b.first)
}

function mustSay({ id, name, content, metadata }, turns, key) {
  must(id === archiveId(AGENT, key, metadata.first), `${name} has not the id of its first turn`)
  const said = turns.map((turn) => turn.content).join('\n')
  must(content === said, `${name} says ${JSON.stringify(content)}, not ${JSON.stringify(said)}`)
}

/** After a fault: the turns from before, then all or nothing of what came. */
export async function checkFound(memory, { before, brings = [], purges }, isPromised) {
  const { turns } = await sessionIn(memory)
  const expected = turns.length > before.length || isPromised ? [...before, ...brings] : before
  mustBeTurns(turns, expected, purges)
}

/** When it was tried again and more was said: as if there had been no fault. */
export async function checkAfter(memory, { before, brings = [], purges, after }) {
  const { turns, live, archives, inForce, conversation } = await sessionIn(memory)
  mustBeTurns(turns, [...before, ...brings, ...LATER], purges)
  if (purges !== undefined) must(turns.find(({ id }) => id === purges).content === PURGED, `${purges} is not purged`)
  must(same(live, after.live), `live are ${live}, not ${after.live}`)
  const names = archives.map(({ name, metadata }) => [name, metadata.first, metadata.through]).sort()
  const expected = (after.archives ?? []).map(([n, first, through]) => [`${KEY}-${n}`, first, through])
  must(same(names, expected), `archives are ${JSON.stringify(names)}, not ${JSON.stringify(expected)}`)
  const spans = inForce.map(({ first, through }) => [first, through]).sort()
  const marked = [...expected.map(([, first, through]) => [first, through]), ...(after.resets ?? [])]
  must(same(spans, marked), `markers in force are ${JSON.stringify(spans)}, not ${JSON.stringify(marked)}`)
  const slid = conversation.map(({ id }) => id).sort()
  const known = after.conversation.map((id) => conversationOf(id)).sort()
  must(same(slid, known), `in the conversation are ${conversation.map(({ content }) => content)}`)
}

function mustBeTurns(turns, expected, purges) {
  const said = (list) => list.map(({ id, role, content }) => ({ id, role, content: id === purges ? '' : content }))
  must(same(said(turns), said(expected)), `turns are ${JSON.stringify(said(turns))}, not ${JSON.stringify(expected)}`)
}

export function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other)
}

export function must(condition, what) {
  if (!condition) throw new Error(what)
}
