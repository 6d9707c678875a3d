/** Which tools there are: a small set of our own, and for each seed its own, to the letter. */
import type { Memory } from '../memory.ts'
import type { Preset } from '../model/preset.ts'
import { agnxTools } from './agnx.ts'
import { crabtalkTools } from './crabtalk.ts'
import { forget } from './default/forget.ts'
import { learnFact } from './default/learn-fact.ts'
import { recall } from './default/recall.ts'
import { reflect } from './default/reflect.ts'
import { remember } from './default/remember.ts'
import { soul } from './default/soul.ts'
import { undo } from './default/undo.ts'
import { forgetMemory } from './reachy/forget-memory.ts'
import { searchMemories } from './reachy/search-memories.ts'
import { storeMemory } from './reachy/store-memory.ts'
import type { Tool } from './tool.ts'

export const TOOLS: Readonly<Record<Preset, (memory: Memory) => readonly Tool[]>> = {
  default: (memory) => [
    ...[recall, remember, reflect, learnFact, forget, undo].map((tool) => tool(memory)),
    ...(memory.settings.soulEditable ? [soul(memory)] : []),
  ],
  agnx: agnxTools,
  reachy: (memory) => [searchMemories, storeMemory, forgetMemory].map((tool) => tool(memory)),
  crabtalk: crabtalkTools,
}
