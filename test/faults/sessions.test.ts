// Every way to change a session, with a fault at every call it makes, as exhaustive.test.ts has it for entries.
import { sessionScenarios } from './session-scenarios.mjs'
import { sweep } from './session-sweep.ts'

sweep('a fault at any call leaves the session whole:', {
  of: 'session',
  scenarios: sessionScenarios,
  modes: ['kill', 'kill-half', 'errno:EIO', 'short:EIO'],
  every: 100,
  always: 'all',
  readOnly: sessionScenarios.slice(1, 3),
})

/** One append is one frame there, so there is less that could come apart: `npm test` leaves it at the entries. */
if (process.env['KEEPSAKE_FAULTS'] === 'full') {
  sweep('a fault at any call leaves the session in one file whole:', {
    of: 'one-file-session',
    store: 'file',
    scenarios: sessionScenarios.filter(({ onlyInFolder }) => !onlyInFolder),
    modes: ['kill', 'kill-half', 'errno:EIO'],
    step: () => 5,
    every: 1,
    always: 'last',
    readOnly: [],
  })
}
