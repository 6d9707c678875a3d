import type { RaceScenario } from './race-scenarios.mjs'
import type { Manner } from './tools.mjs'

export interface Game {
  /** The save comes before this call, from 0; past the last call: at the end. */
  readonly at: number
  readonly manner: Manner
}

export interface Played {
  readonly calls: number
  readonly problem?: string
}

export function stepsOf(scenario: RaceScenario, folder: string): Promise<number>
export function playAllGames(
  scenario: RaceScenario,
  folder: string,
  games: readonly Game[],
  lanes?: number,
): Promise<readonly Played[]>
export function playKilled(scenario: RaceScenario, folder: string, game: Game): Promise<string | undefined>
export function playStopped(
  scenario: RaceScenario,
  folder: string,
): Promise<{ readonly problems: readonly string[]; readonly looks: number }>
