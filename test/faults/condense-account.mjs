// What must hold for a session that is condensed, whatever happened meanwhile: every turn is in the transcript; each is live or has one
// archive that stands for it; each archive has one history entry, which says the same; MEMORY.md is as the archives say. Throws
// with what does not hold.
import { consolidate } from '../../dist/index.js'
import { goodModel, learntOf, questionsIn, toldOf } from './condense-model.mjs'
import { conversationOf, exchange, KEY, LATER, must, same, WINDOW } from './session-account.mjs'

const STAMP = /^\[\d{4}-\d\d-\d\d \d\d:\d\d\] /
const RAW = /^\[raw-fallback\] Kept as it was said: (\d+ messages)[,:]/

/**
 * The session as it is found, in words that can be compared: nothing is written.
 * `archives`: `{number} {first}..{through} {reason}`, and whether it is raw or holds a rewrite for review.
 */
export async function stateIn(memory) {
  return (await lookInto(memory, KEY)).state
}

async function lookInto(memory, key) {
  const session = memory.session(key)
  const { turns, markers, broken } = await session.transcript()
  must(broken.length === 0, `broken: ${JSON.stringify(broken)}`)
  const view = await session.view()
  const entries = await memory.list()
  const ofKind = (kind) => entries.filter((entry) => entry.kind === kind && sessionOf(entry) === key)
  const [archives, history] = [ofKind('archive'), ofKind('history')]
  const live = view.turns.map(({ id }) => id)
  mustCoverAll(turns, live, archives)
  for (const archive of archives) mustSay(archive, turns, history, key)
  mustMirror(history, archives)
  const last = standing(archives, turns).at(-1)
  const recap = last && last.metadata.reason !== 'new' ? last : undefined
  must(view.archive?.id === recap?.id && !view.archive?.missing, `${view.archive?.name} is shown, not ${recap?.name}`)
  const state = {
    live,
    archives: archives.map((archive) => archiveInWords(archive, key)).sort(),
    history: history.map(({ content }) => historyInWords(content)).sort(),
    memory: (await memory.get('MEMORY'))?.content ?? null,
  }
  return { state, turns, archives, markers, conversation: ofKind('conversation') }
}

/** An archive and its history say it themselves: who wrote them last may be somebody who took something back. */
const sessionOf = ({ origin, metadata }) => metadata.session ?? origin.session

const isFallback = ({ metadata }) => metadata.raw === true && metadata.reason !== 'new'

/** Those that stand for turns, in the order of these. */
function standing(archives, turns) {
  const place = new Map(turns.map(({ id }, index) => [id, index]))
  return archives
    .filter((archive) => !isFallback(archive))
    .sort((a, b) => place.get(a.metadata.first) - place.get(b.metadata.first))
}

function mustCoverAll(turns, live, archives) {
  const order = turns.map(({ id }) => id)
  must(new Set(order).size === order.length, `a turn is there twice: ${order}`)
  const covered = standing(archives, turns).flatMap(({ metadata: { first, through } }) => {
    return order.slice(order.indexOf(first), order.indexOf(through) + 1)
  })
  must(same([...covered, ...live], order), `in archives are ${covered}, live are ${live}, said were ${order}`)
  const fallbacks = archives.filter(isFallback).map(({ metadata }) => metadata.first)
  must(new Set(fallbacks).size === fallbacks.length, `two raw archives begin with the same turn: ${fallbacks}`)
  for (const first of fallbacks) must(live.includes(first), `a raw archive is left of ${first}, which is condensed`)
}

/** What its turns said, in short or in full; and its one history entry says so, too. */
function mustSay({ id, name, content, metadata }, turns, history, key) {
  const place = (turn) => turns.findIndex((known) => known.id === turn)
  const span = turns.slice(place(metadata.first), place(metadata.through) + 1)
  must(metadata.session === key && span.length === metadata.turns, `${name} is of ${metadata.turns} turns`)
  const mirrors = history.filter((entry) => entry.metadata.archive === id)
  must(mirrors.length === 1, `${name} has ${mirrors.length} history entries`)
  if (metadata.raw) {
    const missing = span.filter((turn) => !content.includes(turn.content))
    must(missing.length === 0, `${name} has not all that was said: ${missing.map((turn) => turn.id)}`)
    must(historyInWords(mirrors[0].content) === `raw, ${span.length} messages`, `${name}: ${mirrors[0].content}`)
    return
  }
  const told = toldOf(questionsIn(span.map((turn) => turn.content).join('\n')))
  must(content.replace(STAMP, '') === told, `${name} says ${JSON.stringify(content)}, not ${told}`)
  must(mirrors[0].content === content, `the history says ${JSON.stringify(mirrors[0].content)}, not ${content}`)
}

/** The history is only appended to: that of a raw archive stays when the archive is replaced. */
function mustMirror(history, archives) {
  const mirrored = history.map(({ metadata }) => metadata.archive)
  must(new Set(mirrored).size === mirrored.length, `the history has an archive twice: ${mirrored}`)
  const known = new Set(archives.map(({ id }) => id))
  for (const { content, metadata } of history) {
    must(known.has(metadata.archive) || isRaw(content), `the history has what no archive has: ${content}`)
  }
}

const isRaw = (content) => RAW.test(content.replace(STAMP, ''))

function historyInWords(content) {
  const text = content.replace(STAMP, '')
  const [, messages] = RAW.exec(text) ?? []
  return messages === undefined ? text : `raw, ${messages}`
}

function archiveInWords({ name, metadata }, key) {
  const { first, through, reason = 'compact', raw, review } = metadata
  const number = name.slice(key.length + 1)
  return `${number} ${first}..${through} ${reason}${raw ? ' raw' : ''}${review ? ' for review' : ''}`
}

/** As it was before or as it is to be, or as it is after one of several changes. */
export async function checkFound(memory, { said, states }, isPromised) {
  const { state, turns } = await lookInto(memory, KEY)
  mustBeSaid(turns, said)
  const allowed = isPromised ? states.slice(-1) : states
  must(
    allowed.some((one) => same(one, state)),
    `found ${inLines(state)}\nwhich is none of ${allowed.map(inLines)}`,
  )
}

/** When it was tried again and more was said: as if there had been no fault, every record is there, and it goes on. */
export async function checkAfter(memory, { said, states }) {
  const { state, turns, archives, markers, conversation } = await lookInto(memory, KEY)
  mustBeSaid(turns, [...said, ...LATER])
  const last = states.at(-1)
  const expected = { ...last, live: [...last.live, ...LATER.map(({ id }) => id)] }
  must(same(state, expected), `there is ${inLines(state)}\nnot ${inLines(expected)}`)
  mustBeMarked(markers, standing(archives, turns))
  mustHaveSlid(turns, state.live, conversation, KEY)
  await mustGoOn(memory, state)
}

/** What is live is condensed as ever, once; who was killed at it stands in nobody's way. */
async function mustGoOn(memory, before) {
  const { outcome } = await consolidate(memory, KEY, { model: goodModel })
  must(outcome === 'condensed', `it can't be condensed any more: ${outcome}`)
  const { state, turns, archives, markers } = await lookInto(memory, KEY)
  const numbers = questionsIn(turns.flatMap(({ id, content }) => (before.live.includes(id) ? content : [])).join('\n'))
  const whole = before.archives.filter((archive) => !archive.endsWith('compact raw'))
  const expected = {
    live: [],
    archives: [...whole, `${archives.length} ${before.live[0]}..${before.live.at(-1)} compact`].sort(),
    history: [...before.history, toldOf(numbers)].sort(),
    memory: `${before.memory}\n${learntOf(numbers)}`,
  }
  must(same(state, expected), `when it goes on there is ${inLines(state)}\nnot ${inLines(expected)}`)
  mustBeMarked(markers, standing(archives, turns))
}

/** The marker of an archive that took the place of a raw one is of the same turns, and may be that one's. */
function mustBeMarked(markers, archives) {
  const spans = (list) => list.map(({ first, through, reason = 'compact' }) => `${first}..${through} ${reason}`).sort()
  const marked = spans(markers.filter(({ unmarked }) => !unmarked))
  const wanted = spans(archives.map(({ metadata }) => metadata))
  must(same(marked, wanted), `markers in force are ${marked}, archives ${wanted}`)
}

function mustHaveSlid(turns, live, conversation, key) {
  const inWindow = live.slice(-2 * WINDOW.contextWindowSize)
  const slid = conversation.map(({ id }) => id)
  must(new Set(slid).size === slid.length, 'a turn is in the conversation twice')
  const missing = turns.filter(({ id }) => !inWindow.includes(id) && !slid.includes(conversationOf(id, key)))
  must(missing.length === 0, `not in the conversation: ${missing.map(({ id }) => id)}`)
}

/** A session of which all that was said was condensed, at once with others: once, though some may have failed at it before. */
export async function checkCondensed(memory, key, said) {
  const later = exchange(`${key} last`)
  await memory.session(key).append(later)
  const { state, turns, archives, markers, conversation } = await lookInto(memory, key)
  mustBeSaid(turns, [...said, ...later])
  must(same(state.archives, [`1 ${said[0].id}..${said.at(-1).id} compact`]), `archives are ${state.archives}`)
  const good = state.history.filter((text) => !text.startsWith('raw'))
  must(good.length === 1 && state.history.length <= 2, `the history has ${state.history}`)
  mustBeMarked(markers, archives)
  mustHaveSlid(turns, state.live, conversation, key)
}

function mustBeSaid(turns, expected) {
  const inWords = (list) => list.map(({ id, role, content }) => `${id} ${role} ${content}`)
  must(same(inWords(turns), inWords(expected)), `turns are ${turns.map(({ id }) => id)}`)
}

const inLines = (state) => JSON.stringify(state, undefined, 1)
