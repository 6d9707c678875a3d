/** One part of what a model is given. */
export type PartName = 'identity' | 'directive' | 'memory' | 'recap' | 'recall'

export interface PromptPart {
  readonly part: PartName
  readonly text: string
  /** About: every model counts on its own. */
  readonly tokens: number
  /** Whether something did not fit its budget; the text says so itself. */
  readonly cut: boolean
}
