// The program that meets the faults of sessions. Prints a line per event, at once and whole.
//   node session-worker.mjs FOLDER scenario NAME [retry]  the call of one scenario; retry: again after a failure, and more
import { writeSync } from 'node:fs'
import { checkFound, KEY, LATER, WINDOW } from './session-account.mjs'
import { sessionScenarios } from './session-scenarios.mjs'
import { openAs } from './workspace.mjs'

const [folder, mode, ...rest] = process.argv.slice(2)

function say(event, facts = {}) {
  writeSync(1, `${event} ${JSON.stringify(facts)}\n`)
}

async function playScenario(name, retry) {
  const scenario = sessionScenarios.find((known) => known.name === name)
  const opened = await openAs(2, folder, {}, WINDOW)
  try {
    const { warnings = [] } = (await scenario.step(opened)) ?? {}
    say('ack', { warnings })
  } catch (error) {
    if (!/^[A-Z_]+$/.test(error.code ?? '') || !error.hint) throw error
    say('fail', { code: error.code, message: error.message })
    // This very process sees it as any other.
    await checkFound(opened.memory, scenario, false)
    if (retry) await (scenario.again ?? scenario.step)(opened)
  }
  if (retry) await opened.memory.session(KEY).append(LATER)
  await opened.store.close()
}

await { scenario: playScenario }[mode](...rest)
