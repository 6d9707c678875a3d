/** `keepsake install` and `keepsake uninstall` on real files: which file, what of it, and nothing else anywhere. */
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Outcome } from '../../src/cli/command.ts'
import { CLIENT_NAMES } from '../../src/cli/install/clients.ts'
import { readConfigFile, writeConfigFile } from '../../src/cli/install/config-file.ts'
import { Installing } from './installing.ts'
import { Desk, type Printed, type Ran, type RunOptions } from './keepsake.ts'

const NOBODY = 65534
/** As the commands find it that run in this process. */
const PROGRAM = resolve(import.meta.dirname, '../../src/cli/main.js')

function json(outcome: Outcome): Printed {
  return outcome.json
}

afterEach(() => vi.unstubAllEnvs())

/** Each file that is written, by the arguments that lead to it. */
const FILES: readonly (readonly [args: readonly string[], file: string])[] = [
  [['claude'], '.mcp.json'],
  [['claude', '--scope', 'project'], '.mcp.json'],
  [['codex'], 'home/.codex/config.toml'],
  [['codex', '--scope', 'project'], '.codex/config.toml'],
  [['gemini'], 'home/.gemini/settings.json'],
  [['gemini', '--scope', 'project'], '.gemini/settings.json'],
  [['opencode'], 'opencode.json'],
  [['opencode', '--scope', 'user'], 'home/.config/opencode/opencode.json'],
]

describe.each(FILES)('install %j', (args, path) => {
  it('makes the file, the second time nothing, and uninstall leaves no trace', async () => {
    const here = new Installing()
    // There already: in a home nobody knows who made the folder of a client.
    if (path.startsWith('home/')) mkdirSync(join(here.desk.folder, dirname(path)), { recursive: true })
    const before = here.desk.hash()
    const first = await here.install(...args)
    expect(json(first)).toMatchObject({ client: args[0], file: join(here.desk.folder, path), changed: true })
    expect(first.text).toMatch(/^Installed for /)
    expect(here.read(path)).toContain('keepsake')
    const installed = here.desk.hash()
    const second = await here.install(...args)
    expect([json(second).changed, second.text]).toEqual([false, expect.stringMatching(/^Already installed/)])
    expect(here.desk.hash()).toBe(installed)
    const removed = await here.uninstall(...args)
    expect([json(removed).changed, removed.text]).toEqual([true, expect.stringMatching(/^Removed .* nothing else$/)])
    expect(here.desk.hash()).toBe(before)
    const again = await here.uninstall(...args)
    expect([json(again).changed, again.text]).toEqual([false, expect.stringMatching(/^Nothing to take back/)])
  })

  it('keeps the file that is there, its mode, and its neighbours', async () => {
    const here = new Installing()
    const text = path.endsWith('.toml') ? '# mine\r\na = 1' : '{ "a": 1 }'
    chmodSync(here.write(path, text), 0o640)
    here.write(join(dirname(path), 'neighbour'), 'x')
    const before = here.desk.hash()
    await here.install(...args)
    expect(statSync(join(here.desk.folder, path)).mode & 0o777).toBe(0o640)
    expect((await here.uninstall(...args)).text).toMatch(/^Took the entry/)
    expect(here.desk.hash()).toBe(before)
  })

  it('with --dry-run shows the change and makes none', async () => {
    const here = new Installing()
    const before = here.desk.hash()
    const tried = await here.install(...args, '--dry-run')
    expect(json(tried)).toMatchObject({ changed: false, dryRun: true })
    expect(json(tried).diff).toMatch(/^--- \/dev\/null\n\+\+\+ .*\n@@ -0,0 \+1,\d+ @@\n(\+.*\n?)+$/)
    expect(tried.text).toContain(json(tried).diff)
    expect(here.desk.hash()).toBe(before)
    await here.install(...args)
    const installed = here.desk.hash()
    expect(json(await here.install(...args, '--dry-run')).diff).toBe('')
    expect(json(await here.uninstall(...args, '--dry-run')).diff).toMatch(/\+\+\+ \/dev\/null\n@@ -1,\d+ \+0,0 @@\n-/)
    expect(here.desk.hash()).toBe(installed)
  })
})

describe('install', () => {
  it('writes what Claude Code reads', async () => {
    const here = new Installing()
    await here.install('claude')
    expect(JSON.parse(here.read('.mcp.json'))).toEqual({
      mcpServers: { keepsake: { type: 'stdio', command: process.execPath, args: [PROGRAM, 'mcp'] } },
    })
  })

  it('writes what OpenCode reads, into the file that is there', async () => {
    const here = new Installing()
    here.write('opencode.jsonc', '// mine\n{}\n')
    await here.install('opencode')
    expect(here.has('opencode.json')).toBe(false)
    expect(here.read('opencode.jsonc')).toMatch(
      /^\/\/ mine\n\{\n\n {2}"mcp": \{\n {4}"keepsake": \{\n {6}"type": "local",/,
    )
  })

  it('puts options into the entry, paths made absolute, and renews it when they change', async () => {
    const here = new Installing()
    here.write('bots/agent.yaml', 'spec:\n  memory: {}\n')
    await here.install('codex', '--workspace', 'my notes', '--agent', 'scout', '--tools', 'agnx', '--trust')
    const workspace = join(here.desk.folder, 'my notes')
    expect(here.read('home/.codex/config.toml')).toBe(
      [
        '[mcp_servers.keepsake]',
        `command = "${process.execPath}"`,
        `args = ["${PROGRAM}", "mcp", "--workspace", "${workspace}", "--agent", "scout", "--tools", "agnx"]`,
        'default_tools_approval_mode = "approve"\n',
      ].join('\n'),
    )
    const renewed = await here.install('codex', '--config', 'bots/agent.yaml')
    expect(renewed.text).toMatch(/^Renewed the entry for Codex/)
    expect(here.read('home/.codex/config.toml')).toContain(`"--config", "${here.desk.folder}/bots/agent.yaml"]`)
    expect(here.has('my notes')).toBe(false)
  })

  it('warns about hooks of 0.1, which run a name on the npm registry', async () => {
    const here = new Installing()
    const old = 'npx -y keepsake hook claude'
    const hooks = { SessionStart: [{ hooks: [{ type: 'command', command: old, timeout: 10 }] }] }
    here.write('.claude/settings.json', JSON.stringify({ hooks }))
    expect((await here.install('claude')).warnings).toEqual([
      expect.stringMatching(
        /^\.claude\/settings\.json still has hooks that run "npx -y keepsake".*install claude --hooks/,
      ),
    ])
    expect((await here.install('claude', '--hooks')).warnings).toEqual([])
    expect(here.read('.claude/settings.json')).not.toContain('npx')
    expect((await here.install('claude')).warnings).toEqual([])
  })

  it('with --http writes the address and the token of the server, readable only by this user', async () => {
    const here = new Installing()
    const { json, text, warnings } = await here.install('gemini', '--http', '--port', '8080')
    const token = here.read('home/.local/state/keepsake/token').trim()
    expect(JSON.parse(here.read('home/.gemini/settings.json')).mcpServers.keepsake).toEqual({
      httpUrl: 'http://127.0.0.1:8080/mcp',
      headers: { Authorization: `Bearer ${token}` },
    })
    expect(statSync(join(here.home, '.gemini/settings.json')).mode & 0o777).toBe(0o600)
    expect(warnings).toEqual([])
    expect(text + JSON.stringify(json)).not.toContain(token)
    expect((await here.install('gemini', '--http', '--port', '8080')).text).toMatch(/^Already installed/)
    await here.uninstall('gemini')
    expect(here.has('home/.gemini/settings.json')).toBe(false)
  })

  it('with --http warns if others can read the token', async () => {
    const here = new Installing()
    chmodSync(here.write('.mcp.json', '{}\n'), 0o644)
    expect((await here.install('claude', '--http')).warnings).toEqual([
      '.mcp.json contains the token of the server: keep it out of version control',
      'other users can read the token in .mcp.json; to prevent that: chmod 600 .mcp.json',
    ])
    await here.uninstall('claude')
    expect(here.read('.mcp.json')).toBe('{}\n')
    const { warnings } = await here.install('claude', '--http', '--no-token')
    expect([warnings, here.read('.mcp.json').includes('Authorization')]).toEqual([[], false])
  })

  it("with --http leaves Claude Code's user scope to Claude Code, without printing the token", async () => {
    const here = new Installing()
    const { quietText } = await here.install('claude', '--http', '--scope', 'user')
    const kept = join(here.home, '.local/state/keepsake/token')
    expect(quietText).toBe(
      `claude mcp add --scope user --transport http keepsake http://127.0.0.1:4242/mcp --header "Authorization: Bearer $(cat ${kept})"`,
    )
  })

  it('with --http and --dry-run writes nothing, not even a token', async () => {
    const here = new Installing()
    const before = here.desk.hash()
    expect(json(await here.install('codex', '--http', '--dry-run')).diff).toContain('Bearer TOKEN')
    expect(here.desk.hash()).toBe(before)
  })

  it.each(['gemini', 'codex'])('with --http and --dry-run shows no token, old or new: %s', async (client) => {
    const here = new Installing()
    await here.install(client, '--http')
    const file = 'home/.local/state/keepsake/token'
    const old = here.read(file).trim()
    here.write(file, 'a-new-token')
    for (const tried of [
      await here.install(client, '--http', '--force', '--dry-run'),
      await here.uninstall(client, '--dry-run'),
    ]) {
      const printed = [tried.text, tried.quietText, JSON.stringify(tried.json)].join('\n')
      expect(printed).toContain('Bearer TOKEN')
      expect([printed.includes(old), printed.includes('a-new-token')]).toEqual([false, false])
    }
  })

  it('respects CODEX_HOME and XDG_CONFIG_HOME, and leaves these folders', async () => {
    const here = new Installing()
    vi.stubEnv('CODEX_HOME', join(here.desk.folder, 'c'))
    vi.stubEnv('XDG_CONFIG_HOME', join(here.desk.folder, 'x'))
    await here.install('codex')
    await here.install('opencode', '--scope', 'user')
    expect([here.has('c/config.toml'), here.has('x/opencode/opencode.json')]).toEqual([true, true])
    await here.uninstall('codex')
    await here.uninstall('opencode', '--scope', 'user')
    const left = ['c', 'x/opencode'].map((folder) => readdirSync(join(here.desk.folder, folder)))
    expect(left).toEqual([[], []])
  })

  it("leaves the client's folder in the home, also to who works there", async () => {
    const here = new Installing()
    vi.stubEnv('HOME', here.desk.folder)
    mkdirSync(join(here.desk.folder, '.codex'))
    for (const scope of ['user', 'project']) {
      await here.install('codex', '--scope', scope)
      await here.uninstall('codex', '--scope', scope)
      expect(readdirSync(join(here.desk.folder, '.codex'))).toEqual([])
    }
  })

  it('leaves a file that someone else wrote into, and says what went with the entry', async () => {
    const here = new Installing()
    const entry = '[mcp_servers.keepsake]\ncommand = "npx"\nargs = ["-y", "keepsake", "mcp"]\n'
    here.write(
      'home/.codex/config.toml',
      `${entry}# mine\nstartup_timeout_sec = 20\n[mcp_servers.keepsake.env]\nA = "1"\n`,
    )
    const { text, warnings } = await here.uninstall('codex')
    expect(text).toMatch(/^Took the entry/)
    expect(warnings).toEqual(['what was added to the entry went with it: startup_timeout_sec, env'])
    expect(here.read('home/.codex/config.toml')).toBe('')
    await here.install('claude')
    here.write('.mcp.json', here.read('.mcp.json').replace('"args"', '"env": {}, "args"'))
    expect((await here.uninstall('claude')).warnings).toEqual([expect.stringContaining('went with it: env')])
    expect(JSON.parse(here.read('.mcp.json'))).toEqual({ mcpServers: {} })
  })

  it.each(CLIENT_NAMES)('with --print only prints the entry for %s', async (client) => {
    const here = new Installing()
    const before = here.desk.hash()
    const { text, quietText } = await here.install(client, '--print', '--agent', 'scout')
    expect(text).toBe(quietText)
    if (client === 'codex') expect(text).toMatch(/^\[mcp_servers\.keepsake\]\ncommand = "\/.*"\nargs = \[.*"scout"\]$/)
    else expect(JSON.stringify(JSON.parse(text))).toMatch(/"keepsake":\{.*\/cli\/main.js","mcp","--agent","scout"\]/)
    expect(text).not.toContain('npx')
    expect(here.desk.hash()).toBe(before)
  })

  it.each(['cursor', 'vscode', 'windsurf', 'zed', 'generic'])('of %s says where to paste it', async (client) => {
    const here = new Installing()
    const before = here.desk.hash()
    const outcome = await here.install(client)
    expect(outcome.text).toMatch(/^Nothing was written\. For .*, put this into .*:\n\n\{/)
    expect(json(outcome)).toMatchObject({ client, file: null, changed: false, snippet: outcome.quietText })
    expect((await here.uninstall(client)).text).toMatch(/^Nothing to take back/)
    expect(here.desk.hash()).toBe(before)
  })

  it("leaves Claude Code's user scope to Claude Code", async () => {
    const here = new Installing()
    const { quietText } = await here.install('claude', '--scope', 'user', '--workspace', "it's")
    const workspace = `'${here.desk.folder}/it'\\''s'`
    expect(quietText).toBe(
      `claude mcp add --scope user keepsake -- ${process.execPath} ${PROGRAM} mcp --workspace ${workspace}`,
    )
    expect((await here.uninstall('claude', '--scope', 'user')).quietText).toBe(
      'claude mcp remove --scope user keepsake',
    )
    expect(readdirSync(here.home)).toEqual([])
  })

  it('follows a link, and keeps it', async () => {
    const here = new Installing()
    const real = here.write('dotfiles/settings.json', '{"a": 1}')
    mkdirSync(join(here.home, '.gemini'))
    const link = join(here.home, '.gemini/settings.json')
    symlinkSync(real, link)
    await here.install('gemini')
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(here.read('dotfiles/settings.json')).toContain('keepsake')
    expect(readdirSync(dirname(real))).toEqual(['settings.json'])
    await here.uninstall('gemini')
    expect(here.read('dotfiles/settings.json')).toBe('{"a": 1}')
  })

  it('warns of comments where the client can not read them', async () => {
    const here = new Installing()
    here.write('.mcp.json', '{ // mine\n}')
    const { warnings } = await here.install('claude')
    expect(warnings).toEqual([expect.stringContaining('Claude Code reads only plain JSON')])
    here.write('opencode.json', '{ // mine\n}')
    expect((await here.install('opencode')).warnings).toEqual([])
  })
})

describe('refused, with nothing changed,', () => {
  it.each<[string, readonly string[], string, string, string]>([
    ['is a client that nobody knows', ['emacs'], 'INVALID', 'no client "emacs"', 'claude, codex, gemini'],
    ['is a client that is misspelt', ['cluade'], 'INVALID', 'no client "cluade"', 'Did you mean "claude"?'],
    ['is a name that every object has', ['constructor'], 'INVALID', 'no client', 'generic'],
    ['is a scope that is none', ['codex', '--scope', 'world'], 'INVALID', 'no scope "world"', 'project, user'],
    ['is a scope for what is pasted', ['zed', '--scope', 'user'], 'INVALID', 'no file for Zed', 'Leave --scope out'],
    ['is trust that can not be told', ['claude', '--trust'], 'INVALID', "can't be told", 'codex, gemini'],
    ['is a port without --http', ['claude', '--port', '1'], 'INVALID', '--port works only with --http', ''],
    ['is an agent of a server that runs', ['claude', '--http', '--agent', 'a'], 'INVALID', '--agent', 'keepsake serve'],
    ['is a preset that is none', ['claude', '--tools', 'x'], 'INVALID', 'tools', 'agnx'],
    ['is an agent that can not be', ['claude', '--agent', 'a b'], 'INVALID', 'agent', ''],
    ['is a configuration that is not there', ['claude', '--config', 'no.yaml'], 'NOT_FOUND', 'no.yaml', ''],
  ])('%s', async (_, args, code, message, hint) => {
    const here = new Installing()
    const before = here.desk.hash()
    await expect(here.install(...args)).rejects.toMatchObject({
      code: expect.stringMatching(code === 'NOT_FOUND' ? /NOT_FOUND|INVALID|IO/ : code),
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    })
    expect(here.desk.hash()).toBe(before)
  })

  it.each(['', 'not/absolute'])('is a home that is not known: %j', async (home) => {
    const here = new Installing()
    vi.stubEnv('HOME', home)
    vi.stubEnv('USERPROFILE', '')
    await expect(here.install('codex')).rejects.toMatchObject({
      code: 'INVALID',
      message: expect.stringContaining('HOME'),
    })
    expect(json(await here.install('codex', '--scope', 'project')).changed).toBe(true)
  })

  it.each<[string, (here: Installing) => void, string, string]>([
    ['is broken', (here) => here.write('.mcp.json', '{\n  "a" 1\n}'), 'DAMAGED', '.mcp.json:2:7: it is not valid JSON'],
    ['is not text', (here) => here.write('.mcp.json', Uint8Array.of(0x7b, 0xff)), 'DAMAGED', 'not UTF-8'],
    ['is a folder', (here) => mkdirSync(join(here.desk.folder, '.mcp.json')), 'IO', "can't be read"],
    [
      'is a link to nothing',
      (here) => symlinkSync('gone', join(here.desk.folder, '.mcp.json')),
      'DAMAGED',
      'a link to',
    ],
    [
      'has it for others',
      (here) => here.write('.mcp.json', '{"mcpServers":{"keepsake":{}}}'),
      'CONFLICT',
      'something else',
    ],
  ])('is a file that %s', async (_, make, code, message) => {
    const here = new Installing()
    make(here)
    const before = here.desk.hash()
    const refusal = { code, message: expect.stringContaining(message) }
    await expect(here.install('claude')).rejects.toMatchObject(refusal)
    await expect(here.uninstall('claude')).rejects.toMatchObject(refusal)
    expect(here.desk.hash()).toBe(before)
  })

  it('is a file that another program changed meanwhile', async () => {
    const here = new Installing()
    const place = { base: here.desk.folder, files: ['.mcp.json'] }
    const none = await readConfigFile(place)
    here.write('.mcp.json', '{}')
    await expect(writeConfigFile(none, 'x')).rejects.toMatchObject({ code: 'CONFLICT' })
    const file = await readConfigFile(place)
    here.write('.mcp.json', '{"new": 1}')
    await expect(writeConfigFile(file, 'x')).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(writeConfigFile(file, undefined)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(here.read('.mcp.json')).toBe('{"new": 1}')
    expect(readdirSync(here.desk.folder).sort()).toEqual(['.mcp.json', 'home'])
  })

  it('is what only others may write, as a command of its own', async () => {
    const here = new Installing()
    here.write('file/.mcp.json', '{}')
    here.write('folder/.mcp.json', '{}')
    mkdirSync(join(here.desk.folder, 'empty'))
    const someone: RunOptions = process.getuid?.() === 0 ? { uid: NOBODY } : {}
    if (someone.uid !== undefined) await here.desk.runProgram('chown', ['-R', `${NOBODY}`, here.desk.folder])
    chmodSync(join(here.desk.folder, 'file/.mcp.json'), 0o444)
    for (const folder of ['folder', 'empty']) chmodSync(join(here.desk.folder, folder), 0o555)
    const before = here.desk.hash()
    const tries = ['file', 'folder', 'empty'].map((folder) =>
      here.desk.json(['install', 'claude'], { ...someone, cwd: join(here.desk.folder, folder) }),
    )
    for (const { status, error } of await Promise.all(tries)) {
      expect([status, error?.code]).toEqual([1, 'READ_ONLY'])
      expect(error.message).toContain(".mcp.json can't be written: the file or its folder is read-only")
    }
    expect(here.desk.hash()).toBe(before)
  })
})

describe('the program itself', () => {
  it('completes the names of clients', async () => {
    const { stdout } = await new Desk().run(['__complete', '--', 'install', 'c'])
    expect(stdout.trim().split('\n')).toEqual(['claude', 'codex', 'cursor'])
  })

  it('starts from the entry that install wrote, even if its path has a space and PATH is empty', async () => {
    const desk = new Desk()
    const clone = join(desk.folder, "it's a clone")
    const root = resolve(import.meta.dirname, '../..')
    // Other tests write to the folder of compiled code.
    const filter = (path: string): boolean => !path.includes('dist/cli/compiled')
    for (const name of ['dist', 'package.json'])
      cpSync(join(root, name), join(clone, name), { recursive: true, filter })
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
    const main = join(clone, 'dist/cli/main.js')
    const ran = await desk.runProgram(process.execPath, [
      main,
      'install',
      'claude',
      '--hooks',
      '--workspace',
      'my notes',
    ])
    expect(ran).toMatchObject({ status: 0, stderr: '' })
    const bare = (program: string, args: readonly string[], input: string): Promise<Ran> =>
      desk.runProgram('env', ['-i', 'PATH=/nowhere', `HOME=${desk.folder}/home`, program, ...args], { input })

    const { command, args } = JSON.parse(readFileSync(join(desk.folder, '.mcp.json'), 'utf8')).mcpServers.keepsake
    const { stdout } = await bare(command, args, LIST_TOOLS)
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers).toMatchObject([
      { id: 1, result: { serverInfo: { name: 'keepsake' } } },
      { id: 2, result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'recall' })]) } },
    ])

    const settings = JSON.parse(readFileSync(join(desk.folder, '.claude/settings.json'), 'utf8'))
    const hook = settings.hooks.SessionStart[0].hooks[0].command
    const event = { hook_event_name: 'SessionStart', session_id: 'a', cwd: desk.folder, source: 'startup' }
    const hooked = await bare('/bin/sh', ['-c', hook], JSON.stringify(event))
    expect(hooked).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(hooked.stdout).hookSpecificOutput.additionalContext).toContain('memory')
  })
})

/** What a client says first, line by line. */
const LIST_TOOLS = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('')

describe('install where agent.yaml leads to a server', () => {
  const yaml = (url: string): string =>
    ['kind: Agent', 'spec:', '  memory:', '    backend: chroma', `    url: ${url}`, ''].join('\n')

  it('names the file too where it leads beyond this machine, and says so', async () => {
    const here = new Installing()
    const file = here.write('agent.yaml', yaml('https://chroma.example'))
    const { warnings } = await here.install('claude')
    expect(warnings).toEqual([expect.stringContaining('leads to chroma://chroma.example:443?tls=1: what the client')])
    expect(JSON.parse(here.read('.mcp.json')).mcpServers.keepsake.args).toEqual([PROGRAM, 'mcp', '--config', file])
  })

  it('does not name it for all projects', async () => {
    const here = new Installing()
    here.write('agent.yaml', yaml('https://chroma.example'))
    const { warnings } = await here.install('codex')
    expect(warnings).toEqual([expect.stringContaining('an entry for all projects does not follow it')])
    expect(here.read('home/.codex/config.toml')).not.toContain('--config')
  })

  it('writes a file that is named as it was named', async () => {
    const here = new Installing()
    const file = here.write('other.yaml', yaml('https://chroma.example'))
    const { warnings } = await here.install('claude', '--config', 'other.yaml')
    expect(warnings).toEqual([])
    expect(JSON.parse(here.read('.mcp.json')).mcpServers.keepsake.args).toEqual([PROGRAM, 'mcp', '--config', file])
  })
})
