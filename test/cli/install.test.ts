/** The texts that install and uninstall make: nothing of others is lost, and what was put in is taken out to the byte. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import fc from 'fast-check'
import { parse as parseJsonc } from 'jsonc-parser'
import { parse as parseToml, stringify as stringifyToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { CLIENTS, type Client, httpEntry } from '../../src/cli/install/clients.ts'
import { installed, uninstalled } from '../../src/cli/install/edit.ts'
import { readTree } from '../../src/cli/install/json-tree.ts'
import { hookCommand, isHookCommand, isServerCommand, serverCommand } from '../../src/cli/install/server-command.ts'
import { installedProgram, isInRunnerCache, stableNode } from '../../src/cli/installed-program.ts'
import { isNightly } from '../tier.ts'
import { JSON_TEXTS, TOML_TEXTS } from './install-texts.ts'
import { freshFolder } from './keepsake.ts'

const program = { node: '/usr/bin/node', main: '/opt/keep sake/dist/cli/main.js' }
const COMMAND = serverCommand({ program }, '/')
const OTHER_COMMAND = serverCommand(
  { program, workspace: 'it\'s "here" \\ 日本', agent: 'scout', tools: 'crabtalk' },
  '/w',
)

interface Case {
  readonly name: string
  readonly client: Client
  readonly text: string
}

const CASES: readonly Case[] = ['claude', 'gemini', 'opencode', 'codex'].flatMap((name) => {
  const client = CLIENTS[name] as Client // a name of the table
  const texts = client.format === 'toml' ? TOML_TEXTS : JSON_TEXTS
  return texts.map(([kind, text]) => ({
    name: `${name}: ${kind}`,
    client,
    text: text.replaceAll('SERVERS', client.servers[0] ?? ''),
  }))
})

function put(client: Client, text: string | undefined, command: readonly string[] = COMMAND): string {
  const { after } = installed(client, file(text), client.entry(command), false)
  if (after === undefined) throw new Error('install never removes a file')
  return after
}

function takeOut(client: Client, text: string): string | undefined {
  return uninstalled(client, file(text), false).after
}

function file(text: string | undefined): { path: string; base: string; text: string | undefined } {
  return { path: '/somewhere/file', base: '/somewhere', text }
}

/** By parsers that the editors do not use. */
// biome-ignore lint/suspicious/noExplicitAny: any document
function parsed({ format }: Client, text: string): any {
  const plain = text.replace(/^\uFEFF/, '')
  if (format === 'toml') return parseToml(plain, { integersAsBigInt: 'asNeeded' })
  const errors: never[] = []
  const value = parseJsonc(plain, errors, { allowTrailingComma: true, allowEmptyContent: true })
  expect(errors).toEqual([])
  return value ?? {}
}

/** The document with our entry, as an assignment would make it. */
function expected(client: Client, text: string, command: readonly string[] = COMMAND): unknown {
  const before = parsed(client, text)
  const key = client.servers[0] ?? ''
  return { ...before, [key]: { ...before[key], keepsake: client.entry(command) } }
}

function commentsIn(text: string): readonly string[] {
  return text.match(/\/\/.*|\/\*.*?\*\/|#.*/g) ?? []
}

/** An empty file goes where no client can read it. */
function leftOf({ format }: Client, text: string): string | undefined {
  return format === 'json' && /^\uFEFF?$/.test(text) ? undefined : text
}

describe.each(CASES)('$name', ({ client, text }) => {
  it('gets our entry and keeps the rest', () => {
    const after = put(client, text)
    expect(parsed(client, after)).toEqual(expected(client, text))
    for (const comment of commentsIn(text)) expect(after).toContain(comment)
    if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n')
    expect(after.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'))
  })

  it('only gains bytes', () => {
    const after = put(client, text)
    let at = 0
    for (const character of text) {
      at = after.indexOf(character, at) + character.length
      expect(at).toBeGreaterThan(0)
    }
  })

  it('is as it was when the entry is taken out', () => {
    expect(takeOut(client, put(client, text))).toBe(leftOf(client, text))
  })

  it('stays as it is the second time', () => {
    const after = put(client, text)
    expect(installed(client, file(after), client.entry(COMMAND), false)).toEqual({ was: 'same', after })
  })

  it('has only our entry changed by other options, and is still as it was without it', () => {
    const changed = put(client, put(client, text), OTHER_COMMAND)
    expect(parsed(client, changed)).toEqual(expected(client, text, OTHER_COMMAND))
    expect(put(client, changed)).toBe(put(client, text))
    expect(takeOut(client, changed)).toBe(leftOf(client, text))
  })
})

describe.each(Object.entries(CLIENTS))('a new file for %s', (_, client) => {
  it('holds our entry alone, and goes with it', () => {
    const text = put(client, undefined)
    expect(text.endsWith('\n')).toBe(true)
    expect(parsed(client, text)).toEqual(expected(client, ''))
    expect(takeOut(client, text)).toBeUndefined()
    expect(takeOut(client, put(client, text, OTHER_COMMAND))).toBeUndefined()
  })
})

describe('no two files become the same one', () => {
  it.each(['claude', 'codex'])('for %s', (name) => {
    const client = CLIENTS[name] as Client // a name of the table
    const befores = CASES.filter((each) => each.client === client).map(({ text }) => text)
    const afters = [undefined, ...befores].map((text) => put(client, text))
    expect(new Set(afters).size).toBe(befores.length + 1)
  })
})

describe('what stands in our entry by hand', () => {
  const { claude, codex } = CLIENTS as Readonly<Record<'claude' | 'codex', Client>> // names of the table

  it('stays when another option changes it', () => {
    const text = put(claude, '{}\n').replace('"args"', '"env": { "A": "1" }, // mine\n      "args"')
    const changed = put(claude, text, OTHER_COMMAND)
    expect(changed).toContain('"env": { "A": "1" }, // mine')
    expect(parsed(claude, changed).mcpServers.keepsake.args).toEqual(OTHER_COMMAND.slice(1))
    expect(takeOut(claude, changed)).toBe('{}\n')
  })

  it('stays in TOML, with the tables that Codex adds', () => {
    const text = `${put(codex, 'a = 1\n')}startup_timeout_sec = 5 # slow\n\n[mcp_servers.keepsake.env]\nA = "1"\n`
    const changed = put(codex, text, OTHER_COMMAND)
    expect(parsed(codex, changed)).toEqual({
      a: 1,
      mcp_servers: {
        keepsake: { command: '/usr/bin/node', args: OTHER_COMMAND.slice(1), startup_timeout_sec: 5, env: { A: '1' } },
      },
    })
    expect(changed).toContain('# slow')
    expect(takeOut(codex, changed)).not.toContain('keepsake')
  })

  it('goes with it, and what was written around it stays', () => {
    const text = `${put(codex, 'a = 1\n')}\n# theirs\n[mcp_servers.other]\ncommand = "x"\n`
    expect(takeOut(codex, text)).toBe('a = 1\n\n# theirs\n[mcp_servers.other]\ncommand = "x"\n')
    const json = put(claude, '{}\n').replace(/\n\n/, '\n  "first": 1, // theirs\n')
    expect(parsed(claude, takeOut(claude, json) ?? '')).toMatchObject({ first: 1 })
    expect(takeOut(claude, json)).toContain('// theirs')
  })

  it.each([
    ['{"mcpServers": {"keepsake": {"command": "keepsake", "args": ["mcp"]}, "b": {}}}', '{"mcpServers": { "b": {}}}'],
    ['{\n  "mcpServers": {\n    "keepsake": {"command": "npx", "args": ["keepsake", "mcp"]}\n  }\n}', undefined],
  ])('can be taken out though we did not write it: %s', (text, without) => {
    const after = takeOut(claude, text)
    if (without !== undefined) expect(after).toBe(without)
    expect(after).not.toContain('keepsake')
  })

  it.each<[string, Client, (text: string) => string, string]>([
    ['a setting', codex, (text) => `${text}startup_timeout_sec = 20\n`, ''],
    ['a table', codex, (text) => `${text}\n[mcp_servers.keepsake.env]\nA = "1"\n`, ''],
    ['a comment', codex, (text) => text.replace('args', '# mine\nargs'), ''],
    ['another order', codex, (text) => text.replace(/^(command.*\n)(args.*\n)/m, '$2$1'), ''],
    ['a setting', claude, (text) => text.replace('"args"', '"env": { "A": "1" },\n      "args"'), 'servers'],
    ['a comment', claude, (text) => text.replace('"args"', '// mine\n      "args"'), 'servers'],
    ['another layout', claude, (text) => JSON.stringify(JSON.parse(text)), 'servers'],
    [
      'another layout and setting',
      claude,
      (text) => JSON.stringify(JSON.parse(text)).replace('}', ',"x":1}'),
      'servers',
    ],
  ])('keeps its file from being removed: %s', (_, client, edited, rest) => {
    const after = takeOut(client, edited(put(client, undefined)))
    if (rest === '') expect(after).toBe('')
    else expect(parsed(client, after ?? '')).toEqual({ mcpServers: {} })
  })

  it('is told when it goes', () => {
    const text = put(codex, undefined).replace('args', 'startup_timeout_sec = 20\nargs')
    expect(uninstalled(codex, file(`${text}[mcp_servers.keepsake.env]\nA = "1"\n`), false).lost).toEqual([
      'startup_timeout_sec',
      'env',
    ])
    expect(uninstalled(codex, file(put(codex, undefined)), false).lost).toEqual([])
  })

  it('is not what install itself writes when it is told to trust', () => {
    const entry = { ...codex.entry(COMMAND), ...codex.trusted }
    const { after } = installed(codex, file(put(codex, undefined)), entry, false)
    expect(uninstalled(codex, file(after), false)).toEqual({ was: 'ours', after: undefined, lost: [] })
  })

  it('is renewed on its one line', () => {
    const text = '{"mcpServers": {"keepsake": {"command": "keepsake", "args": ["mcp"]}}}'
    expect(put(claude, text, ['npx', 'keepsake', 'mcp'])).toBe(
      '{"mcpServers": {"keepsake": {"command": "npx", "args": ["keepsake", "mcp"], "type": "stdio"}}}',
    )
  })
})

describe('what is refused', () => {
  const { claude, codex } = CLIENTS as Readonly<Record<'claude' | 'codex', Client>> // names of the table

  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', ':3:3', '"," or "}" is expected'],
    ['{"a": }', ':1:7', 'a value is expected'],
    ['{"a": 01}', ':1:7', 'a value is expected'],
    ["{'a': 1}", ':1:2', 'a name in double quotes'],
    ['{"a" 1}', ':1:6', '":" is expected'],
    ['{"a": 1} x', ':1:10', 'the end of the file is expected'],
    ['{"a": "x\n"}', ':1:7', 'a value is expected'],
    ['{"a": 1 /* }', ':1:9', 'is expected'],
    ['{', ':1:2', 'is expected'],
    ['[]', ':1:1', 'should hold an object'],
    ['{\n  "mcpServers": []\n}', ':2:17', '"mcpServers" should be an object'],
  ])('JSON that is broken: %j', (text, place, problem) => {
    for (const edit of [() => put(claude, text), () => takeOut(claude, text)]) {
      expect(edit).toThrow(
        expect.objectContaining({ code: 'DAMAGED', message: expect.stringContaining(`file${place}: `) }),
      )
      expect(edit).toThrow(problem)
    }
    expect(() => put(claude, text)).toThrow(expect.objectContaining({ hint: expect.stringContaining('"keepsake": {') }))
  })

  it.each([
    ['a = 1\nb = \n', ':2:'],
    ['[a\n', ':1:'],
    ['a = 1\na = 2\n', ':2:'],
  ])('TOML that is broken: %j', (text, place) => {
    expect(() => put(codex, text)).toThrow(
      expect.objectContaining({ code: 'DAMAGED', message: expect.stringContaining(`file${place}`) }),
    )
  })

  it.each([
    ['mcp_servers = { other = { command = "x" } }\n', 'no place'],
    ['mcp_servers = 3\n', 'no place'],
    ['[[mcp_servers]]\na = 1\n', 'no place'],
    ['[mcp_servers]\nkeepsake = { command = "keepsake", args = ["mcp"] }\n', 'not a table of its own'],
    ['mcp_servers.keepsake.command = "keepsake"\nmcp_servers.keepsake.args = ["mcp"]\n', 'not a table of its own'],
  ])('TOML that has no place for a table: %j', (text, problem) => {
    expect(() => put(codex, text)).toThrow(problem)
    expect(() => put(codex, text)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('[mcp_servers.keepsake]\ncommand = "/usr/bin/node"') }),
    )
  })

  it.each<[string, Client, string]>([
    ['another command', claude, '{"mcpServers": {"keepsake": {"command": "other", "args": ["mcp"]}}}'],
    ['an address elsewhere', claude, '{"mcpServers": {"keepsake": {"url": "https://example.org/mcp"}}}'],
    ['no object', claude, '{"mcpServers": {"keepsake": null}}'],
    [
      'another command in TOML',
      codex,
      '[mcp_servers.keepsake]\ncommand = "other"\n\n[mcp_servers.keepsake.env]\nA = "1"\n',
    ],
  ])('an entry of others with our name, unless it is forced: %s', (_, client, text) => {
    expect(() => put(client, text)).toThrow(expect.objectContaining({ code: 'CONFLICT' }))
    expect(() => takeOut(client, text)).toThrow(expect.objectContaining({ code: 'CONFLICT' }))
    const { was, after } = installed(client, file(text), client.entry(COMMAND), true)
    expect(was).toBe('foreign')
    expect(parsed(client, after ?? '')).toEqual(expected(client, ''))
    expect(parsed(client, uninstalled(client, file(text), true).after ?? '')[client.servers[0] ?? ''] ?? {}).toEqual({})
  })

  it('two entries of ours, of which one would stay', () => {
    const ours = '"keepsake": {"command": "keepsake", "args": ["mcp"]}'
    expect(() => takeOut(claude, `{"mcpServers": {${ours}, ${ours}}}`)).toThrow('no place')
  })
})

describe('a command is known for ours', () => {
  it.each([
    [['npx', '-y', 'keepsake', 'mcp'], true],
    [['npx', 'keepsake@1.2.3', 'mcp', '--agent', 'mcp'], true],
    [['/usr/bin/node', '/x/dist/cli/main.js', 'mcp'], true],
    [['cmd', '/c', 'npx', 'keepsake', 'mcp'], true],
    [['keepsake', 'serve'], false],
    [['npx', 'not-keepsake', 'mcp'], false],
    [['mcp'], false],
    [[], false],
  ])('%j: %j', (words, isOurs) => {
    expect(isServerCommand(words)).toBe(isOurs)
  })

  it('with absolute paths and addresses as they are', () => {
    const options = { program, workspace: 'notes', agent: 'a', config: '../agent.yaml', tools: 'agnx' }
    expect(serverCommand(options, '/w/x')).toEqual([
      '/usr/bin/node',
      '/opt/keep sake/dist/cli/main.js',
      'mcp',
      '--workspace',
      '/w/x/notes',
      '--agent',
      'a',
      '--config',
      '/w/agent.yaml',
      '--tools',
      'agnx',
    ])
    expect(serverCommand({ program, workspace: 'chroma://host/x' }, '/w').at(-1)).toBe('chroma://host/x')
    expect(isServerCommand(COMMAND)).toBe(true)
    expect(isHookCommand(hookCommand('claude', options, '/w'))).toBe(true)
  })
})

describe.each(Object.entries(CLIENTS))('an entry with an address and a token, for %s,', (_, client) => {
  const URL = 'http://127.0.0.1:4242/mcp'
  const entry = httpEntry(client, URL, 'secret-token')
  const inDocument = (text: string): unknown => parsed(client, text)[client.servers[0] ?? ''].keepsake

  it('is added once, and removed', () => {
    const { after = '' } = installed(client, file(undefined), entry, false)
    expect(inDocument(after)).toEqual(entry)
    expect(after).toContain('"Bearer secret-token"')
    expect(installed(client, file(after), entry, false)).toEqual({ was: 'same', after })
    expect(uninstalled(client, file(after), false)).toEqual({ was: 'ours', after: undefined, lost: [] })
  })

  it('is updated with another address and token', () => {
    const { after } = installed(client, file(undefined), entry, false)
    const other = httpEntry(client, 'http://[::1]:8080/mcp', 'another-token')
    const changed = installed(client, file(after), other, false)
    expect([changed.was, inDocument(changed.after ?? '')]).toEqual(['ours', other])
    expect(uninstalled(client, file(changed.after), false).after).toBeUndefined()
  })

  it('replaces an entry that starts the server, completely, and the other way round', () => {
    const started = put(client, undefined)
    const { after = '' } = installed(client, file(started), entry, false)
    expect(inDocument(after)).toEqual(entry)
    expect(put(client, after)).toBe(started)
  })
})

describe('an entry of 0.1, which runs a name on the npm registry', () => {
  const OLD: readonly (readonly string[])[] = [
    ['npx', '-y', 'keepsake', 'mcp'],
    ['npx', '-y', '--package=keepsake', '--package=chromadb', 'keepsake', 'mcp', '--config', '/w/agent.yaml'],
  ]

  it.each(['claude', 'codex', 'gemini', 'opencode'])('is replaced, and removed: %s', (name) => {
    const client = CLIENTS[name] as Client // a name of the table
    for (const old of OLD) {
      const before = put(client, undefined, old)
      expect(before).toContain('npx')
      expect(put(client, before)).toBe(put(client, undefined))
      expect(takeOut(client, before)).toBeUndefined()
    }
  })
})

describe('the command of the installed program', () => {
  it('has absolute paths, and runs no package by its name', () => {
    const { node, main } = installedProgram()
    expect([isAbsolute(node), isAbsolute(main), basename(main)]).toEqual([true, true, 'main.js'])
  })

  it("has Homebrew's link to Node, which survives an upgrade, if there is one", () => {
    const folder = freshFolder()
    const [cellar, link] = [join(folder, 'Cellar/node/24.9.0_1/bin/node'), join(folder, 'opt/node/bin/node')]
    expect(stableNode(cellar)).toBe(cellar)
    mkdirSync(dirname(link), { recursive: true })
    writeFileSync(link, '')
    expect(stableNode(cellar)).toBe(link)
    expect(stableNode('/home/me/.nvm/versions/node/v22.1.0/bin/node')).toMatch(/v22/)
  })

  it.each([
    ['/home/me/.npm/_npx/0a1b2c/node_modules/keepsake/dist/cli/main.js', true],
    ['/home/me/.cache/pnpm/dlx-4711/node_modules/keepsake/dist/cli/main.js', true],
    ['/home/me/.cache/pnpm/dlx/ab12/x/node_modules/keepsake/dist/cli/main.js', true],
    ['/tmp/bunx-1000-keepsake/node_modules/keepsake/dist/cli/main.js', true],
    ['C:\\Users\\me\\npm-cache\\_npx\\0a\\node_modules\\keepsake\\dist\\cli\\main.js', true],
    ['/usr/local/lib/node_modules/keepsake/dist/cli/main.js', false],
    ['/home/me/src/my keepsake/dist/cli/main.js', false],
  ])('is recognised in the cache of a package runner: %s, %s', (main, isCache) => {
    expect(isInRunnerCache({ node: '/usr/bin/node', main })).toBe(isCache)
  })
})

/** At full size, minutes on a busy machine. */
const TIMEOUT_MS = 600_000

const RUNS = isNightly ? 10_000 : 300

describe('any document', () => {
  const { claude, codex } = CLIENTS as Readonly<Record<'claude' | 'codex', Client>> // names of the table
  const name = fc.oneof(fc.constantFrom('mcpServers', 'mcp_servers', 'keepsake', 'a'), fc.string({ unit: 'grapheme' }))
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.jsonValue({ maxDepth: 0 }),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(name, tie('json'), { maxKeys: 4 }),
    ),
  }))
  const object = fc.dictionary(name, json, { maxKeys: 4 })

  /** Blanks and comments wherever JSON with comments may have them. */
  const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\t', ' /* c, } */ ', ' // c { "\n', '\n\n')

  function laidOut(value: unknown, gaps: () => string, commas: () => boolean): string {
    const list = (parts: readonly string[], [open = '', close = '']: string): string => {
      const comma = parts.length > 0 && commas() ? `,${gaps()}` : ''
      return `${open}${gaps()}${parts.join(`,${gaps()}`)}${comma}${close}`
    }
    if (Array.isArray(value))
      return list(
        value.map((each) => laidOut(each, gaps, commas) + gaps()),
        '[]',
      )
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const members = Object.entries(value).map(
      ([key, each]) => `${JSON.stringify(key)}${gaps()}:${gaps()}${laidOut(each, gaps, commas)}${gaps()}`,
    )
    return list(members, '{}')
  }

  const jsonText = fc
    .record({ value: object, gaps: fc.infiniteStream(gap), commas: fc.infiniteStream(fc.boolean()) })
    .map(({ value, gaps, commas }) => {
      const [nextGap, nextComma] = [() => gaps.next().value ?? '', () => commas.next().value ?? false]
      return `${nextGap()}${laidOut(value, nextGap, nextComma)}${nextGap()}`
    })

  /** Whether the entry may go in: not where something else stands in the way. */
  function hasPlace(document: Readonly<Record<string, unknown>>, key: string): boolean {
    const servers = Object.hasOwn(document, key) ? document[key] : {}
    if (typeof servers !== 'object' || servers === null || Array.isArray(servers)) return false
    return !Object.hasOwn(servers, 'keepsake')
  }

  it('in JSON with comments keeps all it has, and is as it was', { timeout: TIMEOUT_MS }, () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        if (!hasPlace(parsed(claude, text), 'mcpServers')) {
          expect(() => put(claude, text)).toThrow()
          return
        }
        const after = put(claude, text)
        expect(parsed(claude, after)).toEqual(expected(claude, text))
        expect(takeOut(claude, after)).toBe(text)
        expect(takeOut(claude, put(claude, after, OTHER_COMMAND))).toBe(text)
      }),
      { numRuns: RUNS },
    )
  })

  it('is read as a parser of others reads it', { timeout: TIMEOUT_MS }, () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[],:"\\/* \n-+.0123e1tru\u0007\u007f') })
    fc.assert(
      fc.property(
        fc.oneof(
          noise,
          jsonText,
          json.map((value) => JSON.stringify(value, null, 2)),
        ),
        (text) => {
          const errors: never[] = []
          parseJsonc(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
          let isRead = true
          try {
            readTree(text)
          } catch {
            isRead = false
          }
          expect(isRead).toBe(errors.length === 0)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('in TOML keeps all it has, and is as it was', { timeout: TIMEOUT_MS }, () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.integer(),
      fc.boolean(),
      fc.array(fc.string(), { maxLength: 3 }),
    )
    const table = fc.dictionary(name, fc.oneof(value, fc.dictionary(name, value, { maxKeys: 3 })), { maxKeys: 4 })
    const servers = fc.dictionary(fc.string(), fc.dictionary(name, value, { maxKeys: 3 }), { maxKeys: 3 })
    const documents = fc.record({ before: table, servers: fc.option(servers, { nil: undefined }) })
    const ending = fc.constantFrom('', '\n', '\n\n', '# the end', '# the end\n', '\n[[list]]\n# last\n')
    fc.assert(
      fc.property(documents, ending, fc.boolean(), ({ before, servers: others }, end, isCrlf) => {
        const { mcp_servers: _, list: __, ...rest } = before
        const lines = stringifyToml({ ...rest, ...(others === undefined ? {} : { mcp_servers: others }) }) + end
        const text = isCrlf ? lines.replaceAll('\n', '\r\n') : lines
        if (!hasPlace(parsed(codex, text), 'mcp_servers')) return
        const after = put(codex, text)
        expect(parsed(codex, after)).toEqual(expected(codex, text))
        expect(takeOut(codex, after)).toBe(text)
        expect(takeOut(codex, put(codex, after, OTHER_COMMAND))).toBe(text)
      }),
      { numRuns: RUNS },
    )
  })
})
