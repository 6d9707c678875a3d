/** A memory on either store, its clock in our hands, and the tools of any preset called as a model would. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Memory, type MemoryOptions, openMemory } from '../../src/memory.ts'
import { PRESET_NAMES, type Preset } from '../../src/model/preset.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { createMemoryTools, type Tool, type ToolCall, type ToolResult } from '../../src/tools/index.ts'
import { afterThisFile } from '../clean-up.ts'

export const STORES = ['memory', 'filesystem'] as const

export type StoreName = (typeof STORES)[number]

export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'keepsake-tools-')))
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export class Bench {
  readonly memory: Memory
  readonly #time: { now: number }

  private constructor(memory: Memory, time: { now: number }) {
    this.memory = memory
    this.#time = time
  }

  static async open(store: StoreName, options: MemoryOptions = {}): Promise<Bench> {
    const time = { now: Date.parse('2026-11-15T14:03:00.000Z') }
    const clock = (): number => time.now
    const zone = { timezone: 'Europe/Berlin' }
    const where =
      store === 'memory'
        ? { store: memoryStore({ clock, settings: zone }) }
        : options.config === undefined
          ? { workspace: newFolder(), ...zone }
          : {}
    const memory = await openMemory({ clock, embeddingModel: 'none', ...where, ...options })
    afterThisFile(() => memory.close())
    return new Bench(memory, time)
  }

  at(text: string): void {
    this.#time.now = Date.parse(text)
  }

  tools(preset?: Preset, agent?: string): readonly Tool[] {
    return createMemoryTools(this.memory, agent, preset === undefined ? {} : { preset })
  }

  tool(preset: Preset, name: string, agent?: string): Tool {
    const found = this.tools(preset, agent).find((tool) => tool.name === name)
    if (!found) throw new Error(`${preset} has no ${name}`)
    return found
  }

  /** `agnx.recall`, `default.forget`. */
  call(which: string, args?: unknown, { agent, ...call }: ToolCall & { agent?: string } = {}): Promise<ToolResult> {
    const [preset = '', name = ''] = which.split('.')
    return this.tool(PRESET_NAMES.find((one) => one === preset) ?? 'default', name, agent).run(args, call)
  }

  /** As call, of what must succeed: the data, which may be read by any key. */
  async done(which: string, args?: unknown, call: ToolCall & { agent?: string } = {}): Promise<Data> {
    const result = await this.call(which, args, call)
    if (result.isError) throw new Error(`${which} failed: ${result.text}`)
    return result.structured as Data
  }

  async all(): Promise<string> {
    return JSON.stringify(await this.memory.list())
  }

  async own(agent: string): Promise<string> {
    const entries = await this.memory.as(agent).list()
    return JSON.stringify(entries.filter(({ scope }) => scope === agent))
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there, and fails where it is not
export type Data = any
