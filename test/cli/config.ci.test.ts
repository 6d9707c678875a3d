/** `keepsake config`, and how every command comes to its agent.yaml. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CONFIG_KEYS } from '../../src/config/keys.ts'
import { jsonFrom } from './in-this-process.ts'
import { Desk, freshFolder, type Printed, type RunOptions } from './keepsake.ts'

/** A desk with an agent.yaml; the first of these lines of `spec.memory` is line 3. */
function deskWith(...lines: readonly string[]): Desk {
  const desk = new Desk()
  const text = ['spec:', '  memory:', ...lines.map((line) => `    ${line}`), ''].join('\n')
  writeFileSync(join(desk.folder, 'agent.yaml'), text)
  return desk
}

async function sourceOf(
  desk: Desk,
  key: string,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<Printed> {
  const { config, error } = await jsonFrom(desk, ['config', key, ...args], options)
  return config?.[key] ?? error
}

describe.concurrent('keepsake config', () => {
  it('shows every key, its value, and where that comes from', async () => {
    const desk = deskWith(
      ...['tools: agnx', 'recall_limit: 7', 'token: hunter2', 'timezone: Europe/Berlin', 'context_window_size: 1'],
    )
    const before = desk.hash()
    const { status, stdout, stderr } = await desk.run(['config'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Configuration of the agent main: from agent\.yaml\n/)
    expect(stdout).toMatch(/^ {2}recall_limit +7 entries +agent\.yaml:4$/m)
    expect(stdout).toMatch(/^ {2}context_window_size +1 exchange +agent\.yaml:7$/m)
    expect(stdout).toMatch(/^ {2}auto_recall +false +preset agnx$/m)
    expect(stdout).toMatch(/^ {2}cleanup_interval +3600 seconds +default$/m)
    expect(stdout).toMatch(/^ {2}timezone +Europe\/Berlin +agent\.yaml:6$/m)
    expect(stdout).toMatch(/^ {2}token +\*+ +agent\.yaml:5$/m)
    const rows = stdout.trimEnd().split('\n').slice(1)
    expect(rows.map((row) => row.trim().split(/\s/)[0])).toEqual(CONFIG_KEYS)
    expect(desk.hash()).toBe(before)
  })

  it('shows the model that counts and which variables say so, and no secret', async () => {
    const named = {
      OPENAI_MODEL: 'small',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1?key=hunter2',
      OPENAI_API_KEY: 'hunter2',
    }
    const fromEnvironment = await sourceOf(new Desk(), 'llm', [], { env: named })
    expect(fromEnvironment).toEqual({
      value: { provider: 'openai', base_url: 'http://127.0.0.1:9/v1?********', model: 'small', api_key_env: null },
      source: 'OPENAI_MODEL, OPENAI_BASE_URL',
    })
    const desk = deskWith('llm: { provider: anthropic, model: large }')
    const withPassword = { ...named, ANTHROPIC_BASE_URL: 'http://me:hunter2@host' }
    expect(await sourceOf(desk, 'llm', [], { env: withPassword })).toMatchObject({
      value: { provider: 'anthropic', base_url: '********', model: 'large' },
      source: 'agent.yaml:3, ANTHROPIC_BASE_URL',
    })
    expect(await sourceOf(new Desk(), 'llm', [], { env: { OPENAI_API_KEY: 'hunter2' } })).toEqual({
      value: null,
      source: 'default',
    })
  })

  it('shows the model of embeddings and who says so, and no secret of its address', async () => {
    const desk = deskWith('embedding_model: { model: m, base_url: "https://host.example/v1?key=hunter2" }')
    const asked = (model: string): RunOptions => ({ env: { KEEPSAKE_EMBEDDING_MODEL: model } })
    expect(await sourceOf(desk, 'embedding_model', [], asked(''))).toEqual({
      value: { model: 'm', base_url: 'https://host.example/v1?********', api_key_env: null, dimensions: null },
      source: 'agent.yaml:3',
    })
    const spaced = deskWith('embedding_model: { model: m, base_url: "https://host.example/v1?key=hunter 2" }')
    expect((await sourceOf(spaced, 'embedding_model', [], asked(''))).value.base_url).toBe(
      'https://host.example/v1?********',
    )
    expect(await sourceOf(desk, 'embedding_model', [], asked('none'))).toEqual({
      value: 'none',
      source: 'KEEPSAKE_EMBEDDING_MODEL',
    })
    const { code, message } = await sourceOf(desk, 'embedding_model', [], asked('minilm'))
    expect([code, message]).toEqual(['INVALID', 'embedding_model: "minilm" is not a model that is built in'])
  })

  it('is one JSON object when that is asked for', async () => {
    const desk = deskWith('agent: scout', 'token: hunter2')
    const printed = await desk.json(['config'])
    expect(Object.keys(printed)).toEqual(['config', 'files', 'enabled', 'workspace', 'agent', 'status'])
    expect(Object.keys(printed.config)).toEqual(CONFIG_KEYS)
    expect(printed).toMatchObject({
      config: { agent: { value: 'scout', source: 'agent.yaml:3' }, recall_limit: { value: 5, source: 'default' } },
      files: { config: join(desk.folder, 'agent.yaml'), settings: null },
      enabled: true,
      workspace: desk.workspace,
      agent: 'scout',
      status: 0,
    })
    expect(JSON.stringify(printed)).not.toContain('hunter2')
  })

  it('shows one key, and with --quiet its bare value', async () => {
    const desk = deskWith('recall_limit: 7')
    expect((await desk.run(['config', 'recall_limit'])).stdout).toBe('  recall_limit  7 entries  agent.yaml:3\n')
    expect((await desk.run(['config', 'recall_limit', '--quiet'])).stdout).toBe('7\n')
    expect((await desk.json(['config', 'recall_limit'])).config).toEqual({
      recall_limit: { value: 7, source: 'agent.yaml:3' },
    })
  })

  it('offers the nearest of a key that is not there', async () => {
    const { status, error } = await new Desk().json(['config', 'recal_limit'])
    expect([status, error.code]).toEqual([2, 'INVALID'])
    expect(error.hint).toMatch(/^Did you mean recall_limit\? Allowed: backend, /)
  })

  it('says which option or variable a value comes from', async () => {
    const desk = deskWith('agent: writer', 'workspace: memory')
    const env = { KEEPSAKE_AGENT: 'scout', KEEPSAKE_WORKSPACE: 'elsewhere' }
    expect(await sourceOf(desk, 'agent', [], { env })).toEqual({ value: 'scout', source: 'KEEPSAKE_AGENT' })
    expect(await sourceOf(desk, 'agent', ['--agent', 'x'], { env })).toEqual({ value: 'x', source: '--agent' })
    expect(await sourceOf(desk, 'workspace', [], { env })).toEqual({
      value: join(desk.folder, 'elsewhere'),
      source: 'KEEPSAKE_WORKSPACE',
    })
    const server = ['--workspace', 'chroma://127.0.0.1:9/notes']
    for (const [key, value] of Object.entries({ backend: 'chroma', url: 'http://127.0.0.1:9', database: 'notes' })) {
      expect(await sourceOf(desk, key, server)).toEqual({ value, source: '--workspace' })
    }
  })

  it('shows what the workspace was made with', async () => {
    const desk = await Desk.furnished()
    expect(await sourceOf(desk, 'timezone')).toEqual({ value: 'Europe/Berlin', source: 'keepsake.yaml' })
    expect((await desk.json(['config'])).files).toEqual({
      config: null,
      settings: join(desk.workspace, 'keepsake.yaml'),
    })
  })

  it('warns that agents are given no memory where the file has no spec.memory', async () => {
    const desk = new Desk()
    writeFileSync(join(desk.folder, 'agent.yaml'), 'spec:\n  tools: []\n')
    const { status, stderr } = await desk.run(['config'])
    expect([status, stderr]).toEqual([
      0,
      `keepsake: warning: ${join(desk.folder, 'agent.yaml')} has no spec.memory, so agents are given no memory\n`,
    ])
    expect((await desk.json(['config'])).enabled).toBe(false)
    await desk.make(['remember', 'x'])
    expect((await desk.json(['list'])).entries).toHaveLength(1)
  })

  // Its own `expect`: among others at once, a snapshot has to know whose it is.
  it('has the help that the golden file says', async ({ expect }) => {
    const { stdout } = await new Desk().run(['config', '--help'])
    await expect(stdout).toMatchFileSnapshot(resolve(import.meta.dirname, 'golden/help-config.txt'))
  })
})

describe.concurrent('a command', () => {
  it('finds the file with --config, else by the environment, else upward', async () => {
    const desk = deskWith('agent: upward')
    for (const name of ['option', 'variable']) {
      writeFileSync(join(desk.folder, `${name}.yaml`), `spec: { memory: { agent: ${name} } }`)
    }
    const env = { KEEPSAKE_CONFIG: 'variable.yaml' }
    const scope = async (args: readonly string[], options: RunOptions): Promise<Printed> =>
      (await desk.json(['remember', 'x', ...args], options)).entry.scope
    expect(await scope(['--config', 'option.yaml'], { env })).toBe('option')
    expect(await scope([], { env })).toBe('variable')
    expect(await scope([], { env: { KEEPSAKE_CONFIG: '' } })).toBe('upward')
  })

  it('tells what is wrong with the file, and where', async () => {
    const desk = deskWith('recall_limit: 700')
    expect(await desk.run(['list'])).toEqual({
      status: 2,
      stdout: '',
      stderr: [
        `keepsake: ${join(desk.folder, 'agent.yaml')}:3:5: recall_limit: "700" is not a whole number from 1 to 100`,
        'Allowed: a whole number from 1 to 100.\n',
      ].join('\n'),
    })
  })

  it('says that a server is not there, and config shows what it would be asked with, without the token', async () => {
    const desk = deskWith('backend: chroma', 'url: http://127.0.0.1:9', 'token: hunter2')
    for (const args of [['list'], ['remember', 'x'], ['init']]) {
      const { status, error } = await jsonFrom(desk, args)
      expect([status, error.code]).toEqual([1, 'IO'])
      expect(error.message).toContain("chroma://127.0.0.1:9 can't be reached")
    }
    const { status, stdout, stderr } = await desk.run(['config'])
    expect([status, stderr]).toEqual([0, expect.stringContaining('what the memory was made with is not known')])
    expect(stdout).toContain('  workspace              chroma://127.0.0.1:9  agent.yaml:4\n')
    expect(stdout).toMatch(/^ {2}token +\*{8} +agent\.yaml:5$/m)
    expect(stdout + stderr).not.toContain('hunter2')
  })

  it('leaves nothing behind with the backend memory', async () => {
    const desk = deskWith('backend: memory', 'agent: scout', 'timezone: Asia/Kolkata')
    const before = desk.hash()
    expect((await desk.json(['remember', 'x'])).entry.scope).toBe('scout')
    expect((await desk.json(['list'])).entries).toEqual([])
    expect(await sourceOf(desk, 'timezone')).toEqual({ value: 'Asia/Kolkata', source: 'agent.yaml:5' })
    expect(desk.hash()).toBe(before)
    expect((await desk.json(['init'])).error.code).toBe('UNSUPPORTED')
  })

  it('says so when it may not read the file', async (test) => {
    const NOBODY = 65_534
    const isRoot = process.getuid?.() === 0
    const desk = deskWith('agent: scout')
    chmodSync(join(desk.folder, 'agent.yaml'), 0o000)
    chmodSync(desk.folder, 0o755)
    const as = isRoot ? { uid: NOBODY } : {}
    const tried = await desk.run(['--version'], { ...as, cwd: '/' }).catch(() => undefined)
    if (tried?.status !== 0) test.skip(`SKIPPED: user ${NOBODY} can't run the command`)
    const { status, error } = await desk.json(['list'], as)
    expect([status, error.code]).toEqual([1, 'IO'])
    expect(error.message).toMatch(/agent\.yaml can't be read: EACCES/)
  })

  it.each([
    [false, 0],
    [true, 1],
  ])('loads the YAML library only where there is an agent.yaml: %s', async (hasFile, least) => {
    const desk = await Desk.furnished()
    if (hasFile) writeFileSync(join(desk.folder, 'agent.yaml'), 'spec: { memory: }')
    for (const args of [['show', 'Deploys'], ['config']]) {
      const folder = freshFolder()
      expect((await desk.run(args, { env: { NODE_V8_COVERAGE: folder } })).status).toBe(0)
      const loaded = readdirSync(folder)
        .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).result)
        .filter((script: { readonly url: string }) => script.url.includes('node_modules/yaml/'))
      expect(Math.min(loaded.length, 1)).toBe(least)
    }
  })
})

describe.concurrent('keepsake init with an agent.yaml', () => {
  it('makes the workspace that the next command uses, as the file says', async () => {
    const desk = deskWith('workspace: memory', 'layout: flat', 'timezone: Asia/Kolkata', 'identity_file: Soul.md')
    const below = join(desk.folder, 'a/b')
    mkdirSync(below, { recursive: true })
    expect(await desk.json(['init'], { cwd: below })).toMatchObject({
      workspace: join(desk.folder, 'memory'),
      created: true,
      settings: { layout: 'flat', timezone: 'Asia/Kolkata', identityFile: 'Soul.md' },
    })
    expect((await desk.json(['remember', 'x'], { cwd: below })).entry.path).toMatch(/^daily\//)
    expect((await desk.json(['config'], { cwd: below })).workspace).toBe(join(desk.folder, 'memory'))
    expect((await desk.json(['init'])).created).toBe(false)
  })

  it('does not make one that the next command would refuse', async () => {
    const desk = deskWith('timezone: Asia/Kolkata')
    const before = desk.hash()
    const { error } = await desk.json(['init', '--timezone', 'UTC'])
    expect(error.message).toMatch(/^timezone: --timezone says "UTC", but .*agent\.yaml:3 says "Asia\/Kolkata"$/)
    expect(desk.hash()).toBe(before)
  })

  it('says how to name one that commands here do not find', async () => {
    const desk = deskWith('workspace: memory')
    expect((await desk.run(['init', '--workspace', 'notes'])).stdout).toContain('--workspace notes')
    expect((await desk.run(['init', '--workspace', 'memory'])).stdout).not.toContain('--workspace')
  })

  it('refuses another value later in every command, and names both files', async () => {
    const desk = deskWith('timezone: Asia/Kolkata')
    await desk.make(['init'])
    writeFileSync(join(desk.folder, 'agent.yaml'), 'spec: { memory: { timezone: UTC } }')
    for (const args of [['list'], ['remember', 'x'], ['init'], ['config']]) {
      const { status, error } = await jsonFrom(desk, args)
      expect([status, error.code]).toEqual([2, 'INVALID'])
      expect(error.message).toBe(
        `timezone: ${desk.folder}/agent.yaml:1 says "UTC", but ${desk.workspace}/keepsake.yaml says "Asia/Kolkata"`,
      )
    }
  })
})
