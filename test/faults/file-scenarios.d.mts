import type { Scenario } from './scenarios.mjs'

/** What is played on a memory in one file. */
export const fileScenarios: readonly Scenario[]
