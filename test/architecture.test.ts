/** The table of who may import whom. It is the diagram of the layers: arrows never point up, siblings stay apart. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** Each row: what a part may import besides itself, which packages, and whether Node's own modules. */
interface Row {
  readonly parts: readonly string[]
  readonly packages?: readonly string[]
  readonly node?: boolean
  /** May read the global `process` and the console. */
  readonly process?: boolean
}

const TABLE: Readonly<Record<string, Row>> = {
  'errors.ts': { parts: [] },
  model: { parts: ['errors.ts'], packages: ['@noble/hashes'] },
  ports: { parts: ['model'] },
  complete: { parts: ['errors.ts', 'model', 'ports'] },
  // Its packages are optional: they are found and loaded at run time (embed/minilm/model-files.ts), never imported.
  embed: { parts: ['errors.ts', 'model', 'ports', 'complete'], node: true },
  codec: { parts: ['errors.ts', 'model'] },
  history: { parts: ['errors.ts', 'model', 'ports'] },
  search: { parts: ['errors.ts'], packages: ['@orama/stemmers'] },
  recall: { parts: ['errors.ts', 'model', 'ports', 'search'], packages: ['tokenx'] },
  prompt: { parts: ['errors.ts', 'model', 'recall'], packages: ['tokenx'] },
  session: { parts: ['errors.ts', 'model', 'ports', 'history', 'recall', 'prompt'] },
  'stores/memory': { parts: ['errors.ts', 'model', 'ports', 'history'] },
  'stores/memory.ts': { parts: ['errors.ts', 'model', 'ports', 'history', 'stores/memory'] },
  // Shared by stores on a disk: atomic file writes, settings, transcripts; the folder's lock and packed heads.
  'stores/disk': { parts: ['errors.ts', 'model', 'ports', 'codec'], packages: ['@noble/hashes'], node: true },
  'stores/filesystem': { parts: ['errors.ts', 'model', 'ports', 'history', 'codec', 'stores/disk'], node: true },
  // The driver is Node's own, or an optional package that is loaded at run time.
  'stores/engine': {
    parts: ['errors.ts', 'model', 'ports', 'history', 'codec', 'search', 'stores/disk'],
    node: true,
    process: true,
  },
  'stores/file': { parts: ['errors.ts', 'model', 'ports', 'stores/disk', 'stores/engine'], node: true },
  // Its package is optional: the engine loads it.
  'stores/postgres': { parts: ['errors.ts', 'model', 'ports', 'stores/disk', 'stores/engine'] },
  'stores/doctor': { parts: ['errors.ts', 'model', 'ports', 'stores/disk', 'stores/engine'], node: true },
  'stores/chroma': { parts: ['errors.ts', 'model', 'ports', 'stores/disk'], node: true },
  // The settings in the file say whose memory it is.
  config: { parts: ['errors.ts', 'model', 'ports', 'codec', 'stores/engine'], packages: ['yaml'], node: true },
  // A backup is a memory in one file.
  move: { parts: ['errors.ts', 'model', 'ports', 'history', 'stores/disk', 'stores/file'], node: true },
  import: { parts: ['errors.ts', 'model', 'codec'] },
  eval: { parts: ['errors.ts', 'model', 'ports', 'recall'] },
  testing: { parts: ['errors.ts', 'model', 'ports', 'history', 'stores/memory.ts'] },
  memory: {
    parts: [
      'errors.ts',
      'model',
      'ports',
      'history',
      'search',
      'recall',
      'prompt',
      'config',
      'embed',
      'stores/filesystem',
      'stores/file',
      'stores/postgres',
      'stores/chroma',
      'stores/memory.ts',
    ],
  },
  'memory.ts': { parts: ['errors.ts', 'model', 'ports', 'history', 'recall', 'prompt', 'session', 'memory'] },
  tools: { parts: ['errors.ts', 'model', 'ports', 'recall', 'prompt', 'memory.ts'] },
  consolidate: { parts: ['errors.ts', 'model', 'ports', 'history', 'prompt', 'recall', 'eval', 'memory.ts'] },
  agent: {
    parts: ['errors.ts', 'model', 'ports', 'prompt', 'session', 'memory', 'memory.ts', 'tools', 'consolidate'],
  },
  facades: { parts: ['errors.ts', 'model', 'ports', 'prompt', 'memory.ts', 'consolidate'] },
  'index.ts': {
    parts: [
      'errors.ts',
      'model',
      'ports',
      'history',
      'recall',
      'prompt',
      'memory.ts',
      'tools',
      'stores/memory.ts',
      'embed',
      'complete',
      'consolidate',
      'agent',
    ],
  },
  agents: { parts: ['errors.ts', 'model', 'memory.ts'] },
  local: { parts: ['errors.ts', 'model', 'ports', 'recall', 'memory.ts', 'agents'], node: true },
  follow: { parts: ['model', 'ports', 'memory.ts'] },
  // One address for whatever is served there: who is let in, and how.
  http: { parts: ['errors.ts'], node: true },
  mcp: {
    parts: ['errors.ts', 'model', 'ports', 'prompt', 'memory.ts', 'tools', 'follow', 'http'],
    packages: ['@modelcontextprotocol/server'],
    node: true,
  },
  // What the page and programs ask for; page/ below is what a browser runs, and takes nothing from here but types.
  api: {
    parts: [
      'errors.ts',
      'model',
      'ports',
      'history',
      'recall',
      'prompt',
      'memory.ts',
      'tools',
      'follow',
      'agents',
      'http',
    ],
    node: true,
  },
  page: {
    parts: ['model', 'history', 'prompt', 'recall', 'api'],
    packages: ['preact', '@preact/signals', 'marked', 'uplot'],
  },
  cli: {
    parts: [
      'errors.ts',
      'model',
      'ports',
      'history',
      'recall',
      'prompt',
      'session',
      'memory',
      'memory.ts',
      'stores/disk',
      'stores/filesystem',
      'stores/file',
      'stores/postgres',
      'stores/doctor',
      'stores/chroma',
      'stores/memory.ts',
      'move',
      'import',
      'config',
      'eval',
      'tools',
      'agents',
      'local',
      'follow',
      'http',
      'mcp',
      'api',
      'complete',
      'embed',
      'consolidate',
      'agent',
      'index.ts',
    ],
    packages: ['smol-toml'],
    node: true,
    process: true,
  },
}

interface Import {
  readonly from: string
  readonly to: string
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.d\.ts$/.test(file))
  .sort()

function partOf(file: string): string | undefined {
  return Object.keys(TABLE).find((part) => file === part || file.startsWith(`${part}/`))
}

function importsOf(file: string, text: string): Import[] {
  const specifiers = [
    ...text.matchAll(/^\s*(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm),
    ...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g),
  ].map((match) => match[1] ?? '')
  return specifiers.map((specifier) => ({
    from: file,
    to: specifier.startsWith('.') ? relative(SRC, join(SRC, dirname(file), specifier)) : specifier,
  }))
}

/** The breaches of one file, as sentences. */
function breaches(file: string, text: string): string[] {
  const part = partOf(file)
  const row = part === undefined ? undefined : TABLE[part]
  if (part === undefined || row === undefined) return [`${file} belongs to no part of the table`]
  const found: string[] = []
  for (const { to } of importsOf(file, text)) {
    if (to.startsWith('node:')) {
      if (!row.node) found.push(`${file} imports ${to}; ${part} may not touch Node's own modules`)
    } else if (/\.(?:tsx?|css)$/.test(to) || to.startsWith('..')) {
      const target = partOf(to)
      if (target !== part && (target === undefined || !row.parts.includes(target))) {
        found.push(`${file} imports ${to}; ${part} may import only ${row.parts.join(', ') || 'nothing'}`)
      }
    } else if (!row.packages?.some((name) => to === name || to.startsWith(`${name}/`))) {
      found.push(`${file} imports the package ${to}; ${part} may not`)
    }
  }
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '')
  if (!row.process && /\b(?:process|console)\.\w/.test(code)) found.push(`${file} reads the global process or console`)
  return found
}

describe('the architecture', () => {
  it('knows every file', () => {
    expect(files.length).toBeGreaterThan(30)
  })

  it('holds in every file', () => {
    expect(files.flatMap((file) => breaches(file, readFileSync(join(SRC, file), 'utf8')))).toEqual([])
  })

  it('has rows only for parts that exist', () => {
    const used = new Set(files.map(partOf))
    expect(Object.keys(TABLE).filter((part) => !used.has(part))).toEqual([])
  })

  it.each([
    ['model/entry.ts', "import { x } from '../codec/log.ts'"],
    ['model/entry.ts', "import { readFileSync } from 'node:fs'"],
    ['codec/log.ts', "import { x } from '../stores/memory.ts'"],
    ['codec/log.ts', "import yaml from 'yaml'"],
    ['stores/memory.ts', "export * from './filesystem/store.ts'"],
    ['memory.ts', "const x = await import('./cli/main.ts')"],
    ['memory.ts', 'const x = process.env'],
    ['newfolder/thing.ts', ''],
  ])('fails on a breach: %s with %s', (file, text) => {
    expect(breaches(file, text)).toHaveLength(1)
  })
})
