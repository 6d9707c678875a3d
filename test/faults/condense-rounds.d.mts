/** How many were killed. Throws unless each session is condensed once, and MEMORY.md has what was learnt from each. */
export function condenseTogether(round: {
  readonly processes: number
  readonly sessions: number
  /** How often each process is tried to be killed. */
  readonly kills: number
  readonly seed: number
}): Promise<number>

export function killWhileThinking(): Promise<void>
