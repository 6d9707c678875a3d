/** `keepsake install` and `keepsake uninstall` on real files: which file, what of it, and nothing else anywhere. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Outcome } from '../../src/cli/command.ts'
import { CLIENT_NAMES } from '../../src/cli/install/clients.ts'
import { readConfigFile, writeConfigFile } from '../../src/cli/install/config-file.ts'
import { Installing } from './installing.ts'
import type { Printed, RunOptions } from './keepsake.ts'

const NOBODY = 65534

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
      mcpServers: { keepsake: { type: 'stdio', command: 'npx', args: ['-y', 'keepsake', 'mcp'] } },
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
        'command = "npx"',
        `args = ["-y", "keepsake", "mcp", "--workspace", "${workspace}", "--agent", "scout", "--tools", "agnx"]`,
        'default_tools_approval_mode = "approve"\n',
      ].join('\n'),
    )
    const renewed = await here.install('codex', '--config', 'bots/agent.yaml')
    expect(renewed.text).toMatch(/^Renewed the entry for Codex/)
    expect(here.read('home/.codex/config.toml')).toContain(`"--config", "${here.desk.folder}/bots/agent.yaml"]`)
    expect(here.has('my notes')).toBe(false)
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
    if (client === 'codex') expect(text).toMatch(/^\[mcp_servers\.keepsake\]\ncommand = "npx"\nargs = \[.*"scout"\]$/)
    else expect(JSON.stringify(JSON.parse(text))).toMatch(/"keepsake":\{.*"keepsake","mcp","--agent","scout"\]/)
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
    expect(quietText).toBe(`claude mcp add --scope user keepsake -- npx -y keepsake mcp --workspace ${workspace}`)
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
  it('with --local is started by its own path, and completes the names of clients', async () => {
    const { desk } = new Installing()
    const [{ snippet }, { stdout }] = await Promise.all([
      desk.json(['install', 'generic', '--local']),
      desk.run(['__complete', '--', 'install', 'c']),
    ])
    const { command, args } = JSON.parse(snippet).mcpServers.keepsake
    expect([command, args[1]]).toEqual([process.execPath, 'mcp'])
    const { status, stdout: version } = await desk.runProgram(command, [args[0], '--version'])
    expect([status, version]).toEqual([0, expect.stringMatching(/^\d+\./)])
    expect(stdout.trim().split('\n')).toEqual(['claude', 'codex', 'cursor'])
  })
})

describe('install where agent.yaml leads to a server', () => {
  const yaml = (url: string): string =>
    ['kind: Agent', 'spec:', '  memory:', '    backend: chroma', `    url: ${url}`, ''].join('\n')
  const WITH_CLIENT = ['-y', '--package=keepsake', '--package=chromadb', 'keepsake', 'mcp']

  it('names the package that it takes, for the server and the hooks', async () => {
    const here = new Installing()
    here.write('agent.yaml', yaml('http://127.0.0.1:8000'))
    const { warnings } = await here.install('claude', '--hooks')
    expect(warnings).toEqual([])
    expect(JSON.parse(here.read('.mcp.json')).mcpServers.keepsake.args).toEqual(WITH_CLIENT)
    expect(here.read('.claude/settings.json')).toContain(
      'npx -y --package=keepsake --package=chromadb keepsake hook claude"',
    )
  })

  it('names the file too where it leads beyond this machine, and says so', async () => {
    const here = new Installing()
    const file = here.write('agent.yaml', yaml('https://chroma.example'))
    const { warnings } = await here.install('claude')
    expect(warnings).toEqual([expect.stringContaining('leads to chroma://chroma.example:443?tls=1: what the client')])
    expect(JSON.parse(here.read('.mcp.json')).mcpServers.keepsake.args).toEqual([...WITH_CLIENT, '--config', file])
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
    expect(JSON.parse(here.read('.mcp.json')).mcpServers.keepsake.args).toEqual([...WITH_CLIENT, '--config', file])
  })
})
