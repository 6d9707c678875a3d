// Every way to condense a session and to take that back, with a fault at every call it makes: finished or not begun, never in half
// and never twice, and it goes on. Variations are left to KEEPSAKE_FAULTS=full. Failing disks are met at some of the calls of each,
// for one game takes a third of a second: over all scenarios every kind of call meets every fault.
import { condenseScenarios } from './condense-scenarios.mjs'
import { sweep } from './session-sweep.ts'

const full = process.env['KEEPSAKE_FAULTS'] === 'full'
const scenarios = condenseScenarios.filter(({ isVariation }) => full || !isVariation)

sweep('a fault at any call leaves a condensing whole or undone:', {
  of: 'condensing',
  scenarios,
  modes: ['kill', 'kill-half', 'errno:EIO', 'errno:ENOSPC', 'short:EIO', 'short:ENOSPC'],
  step: (mode) => (mode === 'kill' ? 1 : mode === 'kill-half' ? 2 : 8),
  every: 220,
  always: 'last',
  readOnly: scenarios.slice(0, 1),
})
