/** The table of keys: every one with right values and with wrong ones, and the page that describes it. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CONFIG_KEYS, type ConfigKey, KEYS, type Key, type MappingType } from '../../src/config/keys.ts'
import { Project, refusalOf } from './files.ts'

const NONE = ['[]', '{}', '', '""', '" "'] as const

const WRONG: Readonly<Record<ConfigKey, readonly string[]>> = {
  backend: [...NONE, 'sqlite', 'Filesystem', '1'],
  workspace: [
    ...NONE,
    '~bob/ws',
    '~bob',
    'chroma://',
    'chroma://me:pass@host',
    'http://host',
    'postgres://host',
    'postgres://me:pass@host/db',
    'postgres://host/db?schema=A',
    '"a\\0b"',
    '"a\\nb"',
  ],
  layout: [...NONE, 'round', 'true'],
  agent: [...NONE, 'world', '.hidden', '../up', 'a b', 'x'.repeat(65)],
  timezone: [...NONE, 'Mars/Crater', '5 o clock', '../etc'],
  tools: [...NONE, 'all', 'AGNX'],
  auto_recall: [...NONE, 'yes', 'on', '1', 'True'],
  recall_limit: [...NONE, '0', '101', '-1', '2.5', 'five', '1e1', '0x5', '.inf', '.nan'],
  recall_words: [...NONE, '0', '1001', 'some'],
  soul_editable: [...NONE, 'maybe'],
  identity_file: [...NONE, 'Soul.txt', 'MEMORY.md', 'history.md', 'HISTORY-2026-11.md', '.md', '.soul.md', 'a:b.md'],
  context_window_size: [...NONE, '-1', '1001'],
  cleanup_interval: [...NONE, '-1', '1h', '2147484'],
  embedding_model: [...NONE, 'two words', 'text-embedding-3-small', 'None', '{ base_url: http://localhost }'],
  max_memory_size: [...NONE, '0', '8kB'],
  consolidation_timeout: [...NONE, '0', '30s', '2147483648'],
  memory_window: [...NONE, '1', 'half'],
  llm: ['[]', '', 'gpt-4o', '{}', '{ provider: openai }'],
  inject_memory: [...NONE, 'no'],
  url: [...NONE, 'host:8000', 'ftp://host', 'http://me:pass@host', 'http://', 'http://host/below', 'http://host?x=1'],
  tenant: [...NONE, 'two words', 'a/b'],
  database: [...NONE, 'two words', 'a/b', 'ab', '-abc', 'abc.'],
  token: [...NONE, 'two words', `\${CHROMA_TOKEN}`],
  password: ['[]', '{}', '', '""', `\${PGPASSWORD}`],
  server_timeout: [...NONE, '0', '601', '1.5', '10s'],
  language: [...NONE, 'english', 'EN', 'xx', 'de-AT'],
  retention_days: [...NONE, '29', '0'],
  retention_mb: [...NONE, '0', '-5'],
}

const RIGHT: Readonly<Record<ConfigKey, readonly (readonly [string, unknown])[]>> = {
  backend: [
    ['filesystem', 'filesystem'],
    ['"memory"', 'memory'],
  ],
  workspace: [
    ['~/notes', join(homedir(), 'notes')],
    ['/var/empty/x', '/var/empty/x'],
    ['chroma://Host', 'chroma://host:8000'],
    ['chroma://host/notes?tls=1', 'chroma://host:443/notes?tls=1'],
    ['postgresql://Me@Host:5432/db?schema=keepsake&sslmode=verify-full', 'postgres://Me@Host/db'],
    ['postgres://[::1]:5433/db?schema=notes', 'postgres://[::1]:5433/db?schema=notes'],
    ['postgres:///db?host=/run/postgresql', 'postgres:///db?host=/run/postgresql'],
  ],
  layout: [['flat', 'flat']],
  agent: [
    ['Scout', 'scout'],
    ['007', '007'],
    ['true', 'true'],
  ],
  timezone: [['Europe/Berlin', 'Europe/Berlin']],
  tools: [['crabtalk', 'crabtalk']],
  auto_recall: [
    ['false', false],
    ['"true"', true],
  ],
  recall_limit: [
    ['100', 100],
    ['"7"', 7],
    ["' 7 '", 7],
  ],
  recall_words: [
    ['all', 'all'],
    ['"12"', 12],
  ],
  soul_editable: [['true', true]],
  identity_file: [
    ['Crab.md', 'Crab.md'],
    ['/var/empty/Crab.md', '/var/empty/Crab.md'],
    ['~/Crab.md', join(homedir(), 'Crab.md')],
  ],
  context_window_size: [['0', 0]],
  cleanup_interval: [['0', 0]],
  embedding_model: [
    ['all-MiniLM-L6-v2', 'all-MiniLM-L6-v2'],
    ['"none"', 'none'],
    ['{ model: m }', { model: 'm', base_url: null, api_key_env: null, dimensions: null }],
    [
      '{ model: m, base_url: "http://localhost:1/v1", api_key_env: KEY, dimensions: "512" }',
      { model: 'm', base_url: 'http://localhost:1/v1', api_key_env: 'KEY', dimensions: 512 },
    ],
  ],
  max_memory_size: [['1024', 1024]],
  consolidation_timeout: [['1', 1]],
  memory_window: [['2', 2]],
  llm: [
    ['{ model: m }', { provider: 'openai', base_url: null, model: 'm', api_key_env: null }],
    [
      '{ provider: anthropic, model: m, base_url: "http://localhost:1/v1", api_key_env: KEY }',
      { provider: 'anthropic', base_url: 'http://localhost:1/v1', model: 'm', api_key_env: 'KEY' },
    ],
  ],
  inject_memory: [['false', false]],
  url: [
    ['https://chroma.example', 'https://chroma.example:443'],
    ['http://[::1]:8000/', 'http://[::1]:8000'],
  ],
  tenant: [['7d5d54e3-0c8e-4b1f', '7d5d54e3-0c8e-4b1f']],
  database: [['notes', 'notes']],
  token: [
    ['abc', 'abc'],
    ['12345', '12345'],
  ],
  password: [['correct horse', 'correct horse']],
  server_timeout: [['600', 600]],
  language: [['de', 'de']],
  retention_days: [['"30"', 30]],
  retention_mb: [['1', 1]],
}

describe('a key', () => {
  it.each(CONFIG_KEYS.flatMap((key) => WRONG[key].map((written) => [key, written] as const)))(
    '%s: %s is refused with file, line, key and what is allowed',
    async (key, written) => {
      const project = Project.with('# a comment', `${key}: ${written}`)
      const { code, message, hint, data } = await refusalOf(project.load())
      expect(code).toBe('INVALID')
      expect(message.startsWith(`${project.file}:4:5: ${key}: `)).toBe(true)
      expect(hint).toBe(`Allowed: ${KEYS[key].type.allowed}.`)
      expect(data).toMatchObject({ field: key, file: project.file, line: 4, column: 5 })
    },
  )

  it.each(CONFIG_KEYS.flatMap((key) => RIGHT[key].map(([written, value]) => [key, written, value] as const)))(
    '%s: %s is taken',
    async (key, written, value) => {
      const isOfServer = ['url', 'tenant', 'database'].includes(key)
      const lines = [`${key}: ${written}`, ...(isOfServer ? ['backend: chroma'] : [])]
      const { values, sources } = await Project.with(...lines).load()
      expect(values[key]).toEqual(value)
      expect(sources[key]).toMatchObject({ from: 'file', label: 'agent.yaml:3' })
    },
  )

  it.each([
    ['provider: mistral', 'llm.provider', '"mistral" is not a provider', 'openai, anthropic'],
    ['base_url: nowhere', 'llm.base_url', 'this is not the address of a server', 'http:// or https://'],
    ['model: [a]', 'llm.model', 'a list is not a name', 'a name without blanks'],
    ['api_key_env: sk-12345', 'llm.api_key_env', 'this is not the name of a variable', 'OPENAI_API_KEY'],
  ])('of llm is refused by its own line: %s', async (line, key, problem, allowed) => {
    const project = Project.with('llm:', '  # the model', `  ${line}`)
    const { message, hint } = await refusalOf(project.load())
    expect(message).toBe(`${project.file}:5:7: ${key}: ${problem}`)
    expect(hint).toContain(allowed)
  })

  it.each([
    ['dimensions: 0', 'dimensions: "0" is not a whole number', 'a whole number from 1'],
    ['base_url: ftp://host', 'base_url: this is not the address of a server', 'http:// or https://'],
    ['api_key_env: sk-hunter2', 'api_key_env: this is not the name of a variable', 'OPENAI_API_KEY'],
    [
      'key: sk-hunter2',
      'there is no key "key" in spec.memory.embedding_model',
      'model, base_url, api_key_env, dimensions',
    ],
  ])('of embedding_model is refused by its own line: %s', async (line, problem, allowed) => {
    const project = Project.with('embedding_model:', '  model: m', `  ${line}`)
    const { message, hint } = await refusalOf(project.load())
    expect(message).toContain(`${project.file}:5:7: `)
    expect(message).toContain(problem)
    expect(hint).toContain(allowed)
    expect(message + hint).not.toContain('hunter2')
  })

  it('embedding_model is what the environment says, above the file', async () => {
    const project = Project.with('embedding_model: { model: m }')
    const asked = (text: string): object => ({
      asked: { embedding_model: { text, source: 'KEEPSAKE_EMBEDDING_MODEL' } },
    })
    const { values, sources } = await project.load(asked('none'))
    expect([values.embedding_model, sources.embedding_model.label]).toEqual(['none', 'KEEPSAKE_EMBEDDING_MODEL'])
    const { message, hint } = await refusalOf(project.load(asked('minilm')))
    expect(message).toBe('embedding_model: "minilm" is not a model that is built in')
    expect(hint).toBe('Allowed: all-MiniLM-L6-v2, none.')
  })

  it.each([
    ['token: [hunter2]', 'hunter2'],
    ['token: "hunter 2"', 'hunter 2'],
    ['url: http://me:hunter2@host', 'hunter2'],
    ['workspace: chroma://me:hunter2@host', 'hunter2'],
    ['workspace: https://me:hunter2@host', 'hunter2'],
    ['workspace: chroma://host?token=hunter2', 'hunter2'],
    ['llm: { model: m, api_key_env: sk-hunter2 }', 'hunter2'],
    ['llm: { model: m, api_key: hunter2 }', 'hunter2'],
  ])('that may hold a secret is not repeated in the error: %s', async (line, secret) => {
    const { message, hint, data } = await refusalOf(Project.with(line).load())
    expect(JSON.stringify([message, hint, data])).not.toContain(secret)
  })
})

describe('a key that is not known', () => {
  it.each([
    ['recal_limit', 'recall_limit'],
    ['maxMemorySize', 'max_memory_size'],
    ['Consolidation-Timeout', 'consolidation_timeout'],
    ['timezoen', 'timezone'],
  ])('%s: the nearest is offered, and all are named', async (key, near) => {
    const project = Project.with('agent: scout', `${key}: 5`)
    const { code, message, hint } = await refusalOf(project.load())
    expect(code).toBe('INVALID')
    expect(message).toBe(`${project.file}:4:5: there is no key "${key}" in spec.memory`)
    expect(hint).toBe(`Did you mean ${near}? Allowed: ${CONFIG_KEYS.join(', ')}.`)
  })

  it.each(['path', '<<', '__proto__', 'constructor', '5', '[a, b]', 'x'.repeat(5000)])('%s is refused', async (key) => {
    const { code, hint } = await refusalOf(Project.with(`? ${key}\n    : 5`).load())
    expect([code, hint]).toEqual(['INVALID', `Allowed: ${CONFIG_KEYS.join(', ')}.`])
  })

  it('in llm is told with the keys of llm', async () => {
    const { message, hint } = await refusalOf(Project.with('llm: { modle: m }').load())
    expect(message).toContain(':3:12: there is no key "modle" in spec.memory.llm')
    expect(hint).toBe('Did you mean model? Allowed: provider, base_url, model, api_key_env.')
  })
})

describe('docs/config.md', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/config.md'), 'utf8')
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )

  function cellsOf(name: string, { about, type, fallback, fallbackText, unit }: Key<unknown>): string[] {
    return [`\`${name}\``, about, type.allowed, fallbackText ?? String(fallback), unit ?? '']
  }

  it('describes every key as the table has it, in its order', () => {
    const described = rows.filter((row) => row.length === 6).map((row) => row.slice(0, 5))
    expect(described).toEqual(CONFIG_KEYS.map((key) => cellsOf(key, KEYS[key])))
  })

  it('describes every key of llm and of embedding_model', () => {
    const mappings = [KEYS.llm, KEYS.embedding_model].map(({ type }) => type as MappingType<Record<string, unknown>>)
    expect(rows.filter((row) => row.length === 5)).toEqual(
      mappings.flatMap(({ keys }) => Object.entries(keys).map(([name, key]) => cellsOf(name, key))),
    )
  })

  it('says what the presets set', async () => {
    for (const [name, autoRecall, injectMemory] of rows.filter((row) => row.length === 3)) {
      const { values } = await Project.with(`tools: ${name?.slice(1, -1)}`).load()
      expect([`${values.auto_recall}`, `${values.inject_memory}`]).toEqual([autoRecall, injectMemory])
    }
    expect(rows.filter((row) => row.length === 3)).toHaveLength(4)
  })

  it('shows an example that works', async () => {
    const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    const { values } = await new Project().write('agent.yaml', example).load()
    expect(values).toMatchObject({ agent: 'scout', recall_limit: 10, llm: { model: 'gpt-4o-mini' } })
  })
})
