import type { SessionScenario } from './session-scenarios.mjs'

export const condenseScenarios: readonly SessionScenario[]
