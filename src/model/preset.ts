/** The sets of tools a model can be given, each as its design has it, and what each has for default besides. */

export type Preset = 'default' | 'agnx' | 'reachy' | 'crabtalk'

export interface PresetRule {
  /** Whether each turn begins with a search for what the user just said. */
  readonly autoRecall: boolean
  /** Whether the identity and MEMORY.md stand in the system prompt. */
  readonly injectMemory: boolean
}

export const PRESETS: Readonly<Record<Preset, PresetRule>> = {
  default: { autoRecall: true, injectMemory: true },
  agnx: { autoRecall: false, injectMemory: false },
  reachy: { autoRecall: false, injectMemory: false },
  crabtalk: { autoRecall: true, injectMemory: true },
}

export const PRESET_NAMES: readonly Preset[] = Object.keys(PRESETS) as Preset[] // the table's keys are the union, by its type
