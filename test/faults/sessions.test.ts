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
