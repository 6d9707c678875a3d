// Every way to consolidate a session and to undo that, with a fault at the calls it makes: it is finished or not begun, never
// half done and never done twice, and the session can continue. The nightly run has the disk fail at one call in eight of each scenario: over
// all scenarios, every kind of call fails in every way.
import { condenseScenarios } from './condense-scenarios.mjs'
import { sweep } from './session-sweep.ts'

sweep('a fault at any call leaves a consolidation whole or undone:', {
  of: 'consolidation',
  scenarios: condenseScenarios,
  failures: ['errno:EIO', 'errno:ENOSPC', 'short:EIO', 'short:ENOSPC'],
  step: 8,
  ciStep: 80,
  readOnly: condenseScenarios.slice(0, 1),
})
