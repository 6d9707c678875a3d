export interface Stage {
  readonly name: string
  readonly command: string
  /** CPU time. */
  readonly budgetSeconds?: number
}

export const STAGES: Readonly<Record<'unit' | 'test' | 'ci' | 'nightly', readonly Stage[]>>
