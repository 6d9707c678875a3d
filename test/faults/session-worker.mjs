// The programs that work on sessions in the fault tests. Each prints a line per event, at once and whole.
//   node session-worker.mjs FOLDER scenario NAME [retry]     the call of one scenario; retry: again after a failure, and more
//   node session-worker.mjs FOLDER compact NAME COUNT OTHERS COUNT sessions, each once OTHERS think about it as well
//   node session-worker.mjs FOLDER talk NAME COUNT           COUNT exchanges, told before (`try`) and after (`ack`), and
//                                                            compactions in between
//   node session-worker.mjs FOLDER import COUNT STEP         a transcript that grows by STEP exchanges up to COUNT
//   node session-worker.mjs FOLDER condense COUNT MODEL      COUNT sessions, all at once; failing: for every fourth the model fails
import { mkdirSync, readdirSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { consolidate, openMemory } from '../../dist/index.js'
import { failingModel, goodModel } from './condense-model.mjs'
import { condenseScenarios } from './condense-scenarios.mjs'
import * as sessionAccount from './session-account.mjs'
import { exchange, KEY, LATER, summary, WINDOW } from './session-account.mjs'
import { sessionScenarios } from './session-scenarios.mjs'
import { openAs } from './workspace.mjs'

const [folder, mode, ...rest] = process.argv.slice(2)

function say(event, facts = {}) {
  writeSync(1, `${event} ${JSON.stringify(facts)}\n`)
}

const sayLater = ({ memory }) => memory.session(KEY).append(LATER)

async function playScenario(name, retry) {
  const scenario = [...sessionScenarios, ...condenseScenarios].find((known) => known.name === name)
  const { account = sessionAccount } = scenario
  const opened = await openAs(2, folder, {}, WINDOW)
  try {
    const { warnings = [] } = (await scenario.step(opened)) ?? {}
    say('ack', { warnings })
  } catch (error) {
    if (!/^[A-Z_]+$/.test(error.code ?? '') || !error.hint) throw error
    say('fail', { code: error.code, message: error.message })
    // This very process sees it as any other.
    await account.checkFound(opened.memory, scenario, false)
    if (retry) await (scenario.again ?? scenario.step)(opened, scenario)
  }
  // Under load a step may take fewer calls than were counted: then it is this one that meets the fault.
  if (retry) await sayLater(opened).catch(() => sayLater(opened))
  await opened.store.close()
}

/** For as long as others may have the lock: these are many at once. */
function open() {
  return openMemory({ workspace: folder, timezone: 'UTC', lockWaitMs: 60_000, ...WINDOW })
}

async function compact(name, count, others) {
  const memory = await open()
  for (let n = 0; n < Number(count); n++) {
    const together = async (input) => {
      await met(`${folder}-met-${n}`, name, Number(others))
      return summary(input)
    }
    // They don't even agree on how much: the one that comes first says.
    const { compacted, why } = await memory
      .session(`race ${n}`)
      .compact({ summary: together, keep: n % 2 ? name % 2 : 0 })
    say('done', { n, compacted, why })
  }
  await memory.close()
}

/** Comes back when all are here: a file each says so. */
async function met(place, name, others) {
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, name), '')
  while (readdirSync(place).length < others) await wait(2)
}

async function talk(name, count) {
  const memory = await open()
  const session = memory.session(KEY)
  for (let n = 1; n <= Number(count); n++) {
    const turns = exchange(`${name}-${n}`)
    say('try', turns)
    await session.append(turns)
    say('ack', turns)
    if (n % 3 !== 0) continue
    const slowly = async (input) => {
      await wait(5)
      return summary(input)
    }
    const { compacted } = await session.compact({ summary: slowly, keep: n % 2 })
    say('compact', { compacted })
  }
  await memory.close()
}

async function importGrowing(count, step) {
  const memory = await open()
  const all = Array.from({ length: Number(count) }, (_, n) => exchange(n + 1)).flat()
  for (let to = 0; to < all.length; to += 2 * Number(step)) {
    const { added } = await memory.session(KEY).import(all.slice(0, to + 2 * Number(step)))
    say('import', { to, added })
  }
  await memory.close()
}

async function condense(count, model) {
  const memory = await open()
  const condensed = async (n) => {
    const isFailing = model === 'failing' && n % 4 === 3
    const slowly = async (prompt) => {
      await wait(5)
      return (isFailing ? failingModel : goodModel)(prompt)
    }
    const { outcome, failure } = await consolidate(memory, `race ${n}`, { model: slowly })
    if (failure && failure.code !== 'MODEL') throw failure
    say('condensed', { n, outcome })
  }
  await Promise.all(Array.from({ length: Number(count) }, (_, n) => condensed(n)))
  await memory.close()
}

void { scenario: playScenario, compact, talk, import: importGrowing, condense }[mode](...rest)
