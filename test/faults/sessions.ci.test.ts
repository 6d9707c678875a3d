// Every way to change a session, with a fault at the calls it makes, as exhaustive.ci.test.ts has it for entries.
import { sessionScenarios } from './session-scenarios.mjs'
import { sweep } from './session-sweep.ts'

sweep('a fault at any call leaves the session whole:', {
  of: 'session',
  scenarios: sessionScenarios,
  failures: ['errno:EIO', 'short:EIO'],
  step: 1,
  ciStep: 12,
  readOnly: sessionScenarios.slice(1, 3),
})
