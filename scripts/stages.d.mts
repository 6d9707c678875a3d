export interface Stage {
  readonly name: string
  readonly command: string
  /** CPU time. */
  readonly budgetSeconds?: number
}

export const STAGES: Readonly<Record<'unit' | 'test' | 'ci' | 'nightly', readonly Stage[]>>

export interface StageResult {
  readonly cpu: number
  /** Why it failed. */
  readonly problem: string | undefined
}

export function runStage(stage: Stage, tier: string): Promise<StageResult>
