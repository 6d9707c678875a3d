/** Throws unless each session was compacted by one. */
export function compactTogether(round: { readonly processes: number; readonly rounds: number }): Promise<void>

export function talkTogether(round: {
  readonly lanes: number
  /** Exchanges of each process. */
  readonly count: number
  readonly kills: number
  readonly seed: number
}): Promise<{ killed: number; exchanges: number; compactions: number }>

/** How many were killed. */
export function importTogether(round: {
  readonly processes: number
  /** Exchanges of the whole transcript, and by how many it grows. */
  readonly count: number
  readonly step: number
  /** How often each is tried to be killed. */
  readonly kills: number
  readonly seed: number
}): Promise<number>
