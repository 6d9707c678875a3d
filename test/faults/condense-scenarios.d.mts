import type { SessionScenario } from './session-scenarios.mjs'

export interface CondenseScenario extends SessionScenario {
  /** It takes much the same way as another one. */
  readonly isVariation?: true
}

export const condenseScenarios: readonly CondenseScenario[]
