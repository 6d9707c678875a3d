/**
 * docs/tools.md: every example is run, in order, on real files, and its answer stands there as it came but for the ids, which are
 * numbered. To write the answers anew: npx vitest run test/tools/docs.test.ts -u
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as keepsake from '../../src/index.ts'
import { PRESET_NAMES, type Preset } from '../../src/model/preset.ts'
import { createMemoryTools } from '../../src/tools/index.ts'
import { Bench, newFolder } from './bench.ts'

const FILE = resolve(import.meta.dirname, '../../docs/tools.md')
/** An answer may have headings of its own. */
const SECTIONS = /^(?=## (?:default|agnx|reachy|crabtalk|In a loop of your own)$)/m
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** The ids of one preset's examples: as they are, and as the page has them. */
class Ids {
  readonly #real: string[] = []

  shown(text: string): string {
    return text.replace(ID, (id) => {
      if (!this.#real.includes(id)) this.#real.push(id)
      return `00000000-0000-7000-8000-${String(this.#real.indexOf(id) + 1).padStart(12, '0')}`
    })
  }

  real(text: string): string {
    return text.replace(ID, (id) => this.#real[Number(id.slice(-12)) - 1] ?? id)
  }
}

async function answered(section: string, preset: Preset): Promise<string> {
  const bench = await Bench.open('filesystem', {
    soulEditable: true,
    ...(preset === 'default' ? {} : { tools: preset }),
  })
  if (preset === 'default') {
    bench.at('2026-11-10T09:00:00.000Z')
    await bench.memory.remember('The deploy took an hour.')
    bench.at('2026-11-15T14:03:00.000Z')
  }
  const ids = new Ids()
  const parts = section.split(/(?<=```text\n> )(.*)\n(?:[\s\S]*?)(?=```)/g)
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) continue
    const [name = ''] = part.split(' ')
    const args: unknown = JSON.parse(ids.real(part.slice(name.length)))
    const { text } = await bench.tool(preset, name).run(args)
    parts[index] = `${part}\n${ids.shown(text)}\n`
  }
  return parts.join('')
}

describe('docs/tools.md', () => {
  it('shows what each example really answers, and has one for each tool', async () => {
    const sections = readFileSync(FILE, 'utf8').split(SECTIONS)
    for (const [index, section] of sections.entries()) {
      const preset = PRESET_NAMES.find((name) => section.startsWith(`## ${name}\n`))
      if (preset === undefined) continue
      const bench = await Bench.open('memory', { soulEditable: true })
      const tools = bench.tools(preset).map(({ name }) => name)
      expect(tools.filter((name) => !section.includes(`\n> ${name} {`))).toEqual([])
      sections[index] = await answered(section, preset)
    }
    await expect(sections.join('')).toMatchFileSnapshot(FILE)
  })

  it('has a loop that runs and prints what it says', async () => {
    const page = readFileSync(FILE, 'utf8')
    const [, code = '', printed = ''] = /```js\n([\s\S]*?)```\n\nIt prints:\n\n```\n([\s\S]*?)```/.exec(page) ?? []
    const runnable = code.replace(/^import (\{.*\}) from 'keepsake'$/m, 'const $1 = keepsake')
    const lines: string[] = []
    const AsyncFunction = (async () => {}).constructor as new (
      ...args: string[]
    ) => (...args: unknown[]) => Promise<void>
    await new AsyncFunction('keepsake', 'folder', 'console', runnable)(
      { ...keepsake, createMemoryTools },
      newFolder(),
      { log: (line: string) => lines.push(line) },
    )
    expect(`${lines.join('\n')}\n`).toBe(printed)
  })
})
