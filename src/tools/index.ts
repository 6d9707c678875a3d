/** The tools that a model is given to use a memory with, for the MCP server and for any loop of one's own. */
import { InvalidError } from '../errors.ts'
import type { Memory } from '../memory.ts'
import { requireOptions } from '../model/options.ts'
import { PRESET_NAMES, type Preset } from '../model/preset.ts'
import { TOOLS } from './presets.ts'
import type { Tool } from './tool.ts'

export type { JsonSchema, Tool, ToolCall, ToolResult } from './tool.ts'

export interface MemoryToolsOptions {
  /** Default: as the memory is set up. */
  readonly preset?: Preset
}

/** As one agent; default: the memory's own. `soul` is among them only where the identity may be written. */
export function createMemoryTools(memory: Memory, agent?: string, options: MemoryToolsOptions = {}): readonly Tool[] {
  requireOptions(options, 'createMemoryTools', { preset: true })
  const { preset = memory.settings.tools } = options
  if (!PRESET_NAMES.includes(preset)) {
    throw new InvalidError('preset', `"${String(preset)}" is not a preset`, PRESET_NAMES.join(', '))
  }
  return TOOLS[preset](agent === undefined ? memory : memory.as(agent))
}
