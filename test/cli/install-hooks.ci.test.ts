/** `install --hooks`: our hooks beside those of others, taken out to the byte, in the files that the clients read. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse as parseJsonc } from 'jsonc-parser'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { HOOK_CLIENTS } from '../../src/cli/hook/hook-clients.ts'
import { CLIENT_NAMES, CLIENTS } from '../../src/cli/install/clients.ts'
import { afterFirst } from '../../src/cli/install/hooks.ts'
import { installedHooks, uninstalledHooks } from '../../src/cli/install/hooks-edit.ts'
import type { WantedHooks } from '../../src/cli/install/hooks-text.ts'
import { hookCommand, isHookCommand } from '../../src/cli/install/server-command.ts'
import { KeepsakeError } from '../../src/errors.ts'
import { JSON_TEXTS } from './install-texts.ts'
import { Installing } from './installing.ts'
import type { Printed, RunOptions } from './keepsake.ts'

afterEach(() => vi.unstubAllEnvs())

const OTHERS = '{ "matcher": "startup", "hooks": [{ "type": "command", "command": "echo keepsake" }] }'

/** Besides the files of any client: with hooks that are there already. */
const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ...JSON_TEXTS.map(([name, text]) => [name, text.replaceAll('SERVERS', 'hooks')] as const),
  ['a list on one line', `{\n  "hooks": {\n    "SessionStart": [${OTHERS}]\n  }\n}\n`],
  [
    'a list on several lines',
    `{\n  "hooks": {\n    "SessionStart": [\n      ${OTHERS}\n    ],\n    "Stop": []\n  }\n}\n`,
  ],
  ['all on one line', `{"hooks":{"SessionStart":[${OTHERS}],"Other":[]},"x":1}`],
  ['empty lists', '{\n\t"hooks": {\n\t\t"SessionStart": [],\n\t\t"SessionEnd": [\n\t\t]\n\t}\n}\n'],
  ['an empty list with a blank', '{"hooks": {"SessionStart": [ ]}}'],
  [
    'a comment in a list',
    `{\n  "hooks": {\n    "SessionStart": [\n      // mine\n      ${OTHERS}, // too\n    ],\n  },\n}\n`,
  ],
  ['a list of nothing but a comment', '{\n  "hooks": {\n    "SessionStart": [\n      // none\n    ]\n  }\n}\n'],
  ['CRLF in lists', `{\r\n  "hooks": {\r\n    "SessionStart": [\r\n      ${OTHERS}\r\n    ]\r\n  }\r\n}\r\n`],
  ['brackets that hug', `{\n  "hooks": {\n    "SessionStart": [{\n      "hooks": []\n    }]\n  }\n}\n`],
  ['groups that are none', '{"hooks": {"SessionStart": [1, null, "x", {"hooks": 1}, {"hooks": [2, {"command": 3}]}]}}'],
]

const NOBODY = 65534
/** As the commands find it that run in this process. */
const PROGRAM = resolve(import.meta.dirname, '../../src/cli/main.js')

const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'SessionEnd']

const program = { node: '/usr/bin/node', main: '/opt/keep sake/dist/cli/main.js' }

function wanted(options: Omit<Parameters<typeof hookCommand>[1], 'program'> = {}): WantedHooks {
  const command = hookCommand('claude', { program, ...options }, '/w')
  return Object.fromEntries(EVENTS.map((event) => [event, { type: 'command', command, timeout: 10 }]))
}

function file(text: string | undefined): { path: string; base: string; text: string | undefined } {
  return { path: '/somewhere/file', base: '/somewhere', text }
}

function put(text: string | undefined, hooks: WantedHooks = wanted()): string {
  const { after } = installedHooks(file(text), hooks)
  if (after === undefined) throw new Error('install never removes a file')
  return after
}

/** An empty file goes, for no client can read it. */
function leftOf(text: string): string | undefined {
  return /^\uFEFF?$/.test(text) ? undefined : text
}

/** By a parser that the editor does not use. */
// biome-ignore lint/suspicious/noExplicitAny: any document
function parsed(text: string): any {
  const errors: never[] = []
  const value = parseJsonc(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true, allowEmptyContent: true })
  expect(errors).toEqual([])
  return value ?? {}
}

/** The document with our hooks, as assignments would make it. */
function expected(text: string, hooks: WantedHooks = wanted()): unknown {
  const before = parsed(text)
  const lists = EVENTS.map((event) => [event, [...(before.hooks?.[event] ?? []), { hooks: [hooks[event]] }]])
  return { ...before, hooks: { ...before.hooks, ...Object.fromEntries(lists) } }
}

describe.each(TEXTS)('%s', (_, text) => {
  it('gets our hooks, keeps the rest, and is as it was without them', () => {
    const after = put(text)
    expect(parsed(after)).toEqual(expected(text))
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(after).toContain(comment)
    if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n')
    expect(installedHooks(file(after), wanted())).toEqual({ was: 'same', after })
    expect(uninstalledHooks(file(after))).toEqual({ was: 'ours', after: leftOf(text) })
    expect(uninstalledHooks(file(text))).toEqual({ was: 'absent', after: text })
  })

  it('has only the command changed by other options', () => {
    const other = wanted({ workspace: 'it\'s "here" \\ 日本', agent: 'scout' })
    const changed = put(put(text), other)
    expect(parsed(changed)).toEqual(expected(text, other))
    expect(put(changed)).toBe(put(text))
    expect(uninstalledHooks(file(changed)).after).toBe(leftOf(text))
  })
})

describe('hooks of ours', () => {
  it('in a new file go with it', () => {
    const text = put(undefined)
    expect(parsed(text)).toEqual(expected(''))
    expect(uninstalledHooks(file(text)).after).toBeUndefined()
    // An editor may have saved it without its last line end.
    expect(uninstalledHooks(file(text.trimEnd())).after).toBeUndefined()
  })

  it('keep what a person says about them, and are put where they are missing', () => {
    const text = put(undefined).replace('"timeout": 10', '"timeout": 99').replace('"UserPromptSubmit"', '"Mine"')
    const after = put(text, wanted({ agent: 'scout' }))
    expect(parsed(after).hooks.SessionStart[0].hooks[0]).toMatchObject({
      timeout: 99,
      command: "/usr/bin/node '/opt/keep sake/dist/cli/main.js' hook claude --agent scout",
    })
    expect(parsed(after).hooks.UserPromptSubmit).toHaveLength(1)
  })

  it.each([
    'npx -y keepsake hook claude',
    'npx -y --package=keepsake --package=chromadb keepsake hook claude --agent a',
  ])('of 0.1 are replaced, and removed: %s', (old) => {
    const hooks = wanted()
    const before = put(undefined, Object.fromEntries(EVENTS.map((event) => [event, { ...hooks[event], command: old }])))
    expect(before).toContain(old)
    expect(put(before)).toBe(put(undefined))
    expect(uninstalledHooks(file(before)).after).toBeUndefined()
  })

  it('that stand among others leave alone', () => {
    const command = hookCommand('claude', { program }, '/')
    const text = `{"hooks": {"A": [{"matcher": "m", "hooks": [{"command": "x"}, {"command": "${command}"}, {"command": "y"}]}]}}`
    expect(parsed(uninstalledHooks(file(text)).after ?? '')).toEqual({
      hooks: { A: [{ matcher: 'm', hooks: [{ command: 'x' }, { command: 'y' }] }] },
    })
    const added = put(undefined).replace('"hooks": {', '"model": "x",\n  "hooks": {\n    "B": [],')
    expect(parsed(uninstalledHooks(file(added)).after ?? '')).toEqual({ model: 'x', hooks: { B: [] } })
  })

  it.each([
    ['npx -y keepsake hook claude', true],
    ["'/my build/dist/cli/main.js' hook codex --agent x", true],
    ['/usr/bin/node /x/cli/main.js hook gemini', true],
    ['keepsake@1.2.3 hook claude', true],
    ['C:\\npm\\keepsake.cmd hook claude', true],
    ['keepsake mcp', false],
    ['mykeepsake hook claude', false],
    ['echo keepsake hooks', false],
    ['keepsake hook claude --workspace "my notes" --agent=x', true],
    ["npx --yes 'keepsake@latest' hook claude", true],
    ['~/.local/bin/keepsake hook claude', true],
    ['echo keepsake hook claude', false],
    ['echo keepsake hook claude is nice', false],
    ['keepsake hook claude is nice', false],
    ['source ~/.envrc; ./log-start.sh; keepsake hook claude', false],
    ['keepsake hook claude && ./log-start.sh', false],
    ['keepsake hook claude | tee log', false],
    ['keepsake hook claude 2>/dev/null', false],
    ['keepsake hook claude --agent $(whoami)', false],
    ['keepsake hook claude --agent "$(whoami)"', false],
    ['keepsake hook claude --agent `whoami`', false],
    ['keepsake hook claude\n./log-start.sh', false],
    ["sh -c 'keepsake hook claude'", false],
    ["keepsake hook claude --agent 'open", false],
    ['', false],
  ])('are known by their command: %s', (line, isOurs) => {
    expect(isHookCommand(line)).toBe(isOurs)
  })

  it.each(['source ~/.envrc; ./log-start.sh; keepsake hook claude', 'echo keepsake hook claude is nice'])(
    'are put beside a command of a person that names them, which is left and told: %s',
    (command) => {
      const text = `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "${command}"}]}]}}\n`
      const installed = installedHooks(file(text), wanted())
      expect(installed.mixed).toEqual([command])
      expect(parsed(installed.after ?? '')).toEqual(expected(text))
      expect(uninstalledHooks(file(installed.after))).toEqual({ was: 'ours', after: text, mixed: [command] })
      expect(uninstalledHooks(file(text))).toEqual({ was: 'absent', after: text, mixed: [command] })
    },
  )

  it('are quoted for a shell', () => {
    const workspace = '/it\'s "a" $HOME `id` \\ & ; * \n 日本'
    const line = hookCommand('gemini', { workspace, program: { node: '/no de', main: '/x/cli/main.js' } }, '/')
    const words = execFileSync('sh', ['-c', `set -- ${line}; printf '%s\\0' "$@"`], { encoding: 'utf8' }).split('\0')
    expect(words).toEqual(['/no de', '/x/cli/main.js', 'hook', 'gemini', '--workspace', workspace, ''])
    expect(isHookCommand(line)).toBe(true)
  })
})

/** Each file that is written, by the arguments that lead to it. */
const FILES: readonly (readonly [args: readonly string[], file: string, events: readonly string[]])[] = [
  [['claude'], '.claude/settings.json', EVENTS],
  [['claude', '--scope', 'user'], 'home/.claude/settings.json', EVENTS],
  [['codex'], 'home/.codex/hooks.json', ['SessionStart', 'UserPromptSubmit', 'Stop']],
  [['codex', '--scope', 'project'], '.codex/hooks.json', ['SessionStart', 'UserPromptSubmit', 'Stop']],
  [['gemini'], 'home/.gemini/settings.json', ['SessionStart', 'BeforeAgent', 'PreCompress', 'SessionEnd']],
  [
    ['gemini', '--scope', 'project'],
    '.gemini/settings.json',
    ['SessionStart', 'BeforeAgent', 'PreCompress', 'SessionEnd'],
  ],
]

describe.each(FILES)('install %j --hooks', (args, path, events) => {
  it('writes what the client reads, the second time nothing, and uninstall leaves no trace', async () => {
    const here = new Installing()
    if (path.startsWith('home/')) mkdirSync(join(here.desk.folder, dirname(path)), { recursive: true })
    const before = here.desk.hash()
    const tried: Printed = await here.install(...args, '--hooks', '--dry-run')
    expect(tried.json.hooks).toMatchObject({ file: join(here.desk.folder, path), changed: false, dryRun: true })
    expect(tried.text).toContain(tried.json.hooks.diff)
    expect(here.desk.hash()).toBe(before)
    const first: Printed = await here.install(...args, '--hooks')
    expect(first.json.hooks).toEqual({ file: join(here.desk.folder, path), events, changed: true })
    const { hooks } = JSON.parse(here.read(path))
    expect(Object.keys(hooks)).toEqual(events)
    const unit = args[0] === 'gemini' ? 1000 : 1
    for (const event of events) {
      const [{ hooks: list }] = hooks[event]
      const isGiving = ['SessionStart', 'UserPromptSubmit', 'BeforeAgent'].includes(event)
      expect(list).toEqual([
        {
          type: 'command',
          ...(args[0] === 'gemini' ? { name: 'keepsake' } : {}),
          command: `${process.execPath} ${PROGRAM} hook ${args[0]}`,
          timeout: (isGiving ? 10 : 60) * unit,
        },
      ])
    }
    const installed = here.desk.hash()
    const second: Printed = await here.install(...args, '--hooks')
    expect([second.json.hooks.changed, here.desk.hash()]).toEqual([false, installed])
    const gone: Printed = await here.uninstall(...args)
    expect(gone.json.hooks).toMatchObject({ changed: true })
    expect(here.desk.hash()).toBe(before)
  })

  it('keeps the hooks and settings that are there', async () => {
    const here = new Installing()
    here.write(path, `{\n  "theme": "dark",\n  "hooks": {\n    "SessionStart": [${OTHERS}]\n  }\n}\n`)
    if (path.startsWith('home/')) mkdirSync(join(here.desk.folder, dirname(path)), { recursive: true })
    const before = here.read(path)
    await here.install(...args, '--hooks')
    expect(JSON.parse(here.read(path))).toMatchObject({
      theme: 'dark',
      hooks: { SessionStart: [JSON.parse(OTHERS), {}] },
    })
    await here.uninstall(...args)
    expect(here.read(path)).toBe(before)
  })
})

describe('install --hooks', () => {
  it('is for the clients that hook is for, and says so to others', async () => {
    expect(CLIENT_NAMES.filter((name) => CLIENTS[name]?.hooks)).toEqual(HOOK_CLIENTS)
    const here = new Installing()
    const before = here.desk.hash()
    for (const client of CLIENT_NAMES.filter((name) => !CLIENTS[name]?.hooks)) {
      await expect(here.install(client, '--hooks')).rejects.toMatchObject({
        code: 'INVALID',
        hint: expect.stringContaining('claude, codex, gemini'),
      })
    }
    expect(here.desk.hash()).toBe(before)
  })

  it('gives the hooks the options of the server, and prints both where it is asked to', async () => {
    const here = new Installing()
    await here.install('claude', '--hooks', '--workspace', 'my notes', '--tools', 'agnx')
    const workspace = join(here.desk.folder, 'my notes')
    const command = `${process.execPath} ${PROGRAM} hook claude --workspace '${workspace}' --tools agnx`
    expect(JSON.parse(here.read('.claude/settings.json')).hooks.SessionEnd[0].hooks[0].command).toBe(command)
    expect(JSON.parse(here.read('.mcp.json')).mcpServers.keepsake.args).toContain(workspace)
    const { text } = await here.install('codex', '--hooks', '--print')
    expect(Object.keys(JSON.parse(text).hooks)).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop'])
    expect(here.has('home/.codex')).toBe(false)
  })

  it.each([
    ['{', 'DAMAGED'],
    ['[]', 'DAMAGED'],
    ['{"hooks": []}', 'DAMAGED'],
    ['{"hooks": {"PreCompact": {}}}', 'DAMAGED'],
  ])('leaves all as it is where the file can not be edited: %s', async (text, code) => {
    const here = new Installing()
    here.write('.claude/settings.json', text)
    const before = here.desk.hash()
    await expect(here.install('claude', '--hooks')).rejects.toMatchObject({
      code,
      message: expect.stringContaining('.claude/settings.json'),
      hint: expect.stringContaining(`"command": "${process.execPath} ${PROGRAM} hook claude"`),
    })
    expect(here.desk.hash()).toBe(before)
  })

  it('does not keep uninstall from the entry of the server where the file of the hooks is broken', async () => {
    const here = new Installing()
    await here.install('claude')
    here.write('.claude/settings.json', '{')
    const { warnings } = await here.uninstall('claude')
    expect(warnings).toEqual([expect.stringMatching(/^hooks were not looked for: .*settings\.json/)])
    expect([here.has('.mcp.json'), here.read('.claude/settings.json')]).toEqual([false, '{'])
  })

  it('warns of a command that calls ours among other things', async () => {
    const here = new Installing()
    const command = './log-start.sh; keepsake hook claude'
    here.write('.claude/settings.json', JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ command }] }] } }))
    const told = [expect.stringContaining(`it was left as it is: "${command}"`)]
    expect((await here.install('claude', '--hooks', '--dry-run')).warnings).toEqual(told)
    expect((await here.install('claude', '--hooks')).warnings).toEqual(told)
    expect((await here.uninstall('claude')).warnings).toEqual(told)
    expect((await here.uninstall('claude')).warnings).toEqual(told)
    expect(here.read('.claude/settings.json')).toContain(command)
  })

  it('writes neither file, and takes neither back, where one of them is read-only', async () => {
    const here = new Installing()
    const settings = here.write('.claude/settings.json', '{}\n')
    // Root may write anywhere.
    const someone: RunOptions = process.getuid?.() === 0 ? { uid: NOBODY } : {}
    const keepsake = (...args: string[]): Promise<Printed> => here.desk.json(args, someone)
    if (someone.uid !== undefined) await here.desk.runProgram('chown', ['-R', `${NOBODY}`, here.desk.folder])
    const refusal = (path: string): object => ({
      code: 'READ_ONLY',
      message: expect.stringContaining(path),
      hint: expect.stringMatching(/^It was left as it is\. Check(?!.*Before that)/),
    })
    chmodSync(settings, 0o444)
    expect(await keepsake('install', 'claude', '--hooks')).toMatchObject({ error: refusal('.claude/settings.json') })
    expect(here.has('.mcp.json')).toBe(false)
    chmodSync(settings, 0o644)
    await keepsake('install', 'claude', '--hooks')
    const installed = here.desk.hash()
    for (const path of ['.claude/settings.json', '.mcp.json']) {
      chmodSync(join(here.desk.folder, path), 0o444)
      expect(await keepsake('uninstall', 'claude')).toMatchObject({ error: refusal(path) })
      chmodSync(join(here.desk.folder, path), 0o644)
    }
    expect(here.desk.hash()).toBe(installed)
  })

  it('tells what was done to the first file where the second fails nevertheless', async () => {
    const failed = afterFirst({ json: { changed: true }, text: 'Did it\nso', quietText: '', warnings: [] }, () =>
      Promise.reject(new KeepsakeError('IO', 'no space', { hint: 'Make some.' })),
    )
    await expect(failed).rejects.toMatchObject({ code: 'IO', hint: 'Make some. Before that, this was done: Did it.' })
  })

  it('warns of comments that Claude Code and Codex can not read', async () => {
    const here = new Installing()
    for (const path of ['.claude/settings.json', 'home/.codex/hooks.json', 'home/.gemini/settings.json']) {
      here.write(path, '{\n  // mine\n}\n')
    }
    for (const client of HOOK_CLIENTS) {
      const { warnings } = await here.install(client, '--hooks')
      expect([client, warnings.length]).toEqual([client, client === 'gemini' ? 0 : 1])
    }
  })
})
