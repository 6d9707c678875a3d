/** Who is let in over HTTP: a token is made unless one is given or none is wanted, kept for its user alone, and never printed. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseArguments } from '../../src/cli/arguments.ts'
import {
  claudeLine,
  connectText,
  httpOptions,
  httpOptionsHelp,
  noTokenWarnings,
  type RequestedHttp,
} from '../../src/cli/http-options.ts'
import { Screen } from '../../src/cli/screen.ts'
import { freshFolder } from './keepsake.ts'

const URL = 'http://127.0.0.1:4242/mcp'

let folder: string
let kept: string

beforeEach(() => {
  folder = freshFolder()
  kept = join(folder, '.local/state/keepsake/token')
  vi.stubEnv('HOME', folder)
  vi.stubEnv('XDG_STATE_HOME', '')
  vi.stubEnv('KEEPSAKE_MCP_TOKEN', '')
})

afterEach(() => vi.unstubAllEnvs())

function requested(...args: string[]): RequestedHttp {
  const given = parseArguments(args, [...httpOptionsHelp(), { name: 'dry-run', about: '' }])
  const open = () => Promise.reject(new Error('no memory is opened'))
  return httpOptions({
    given,
    asked: { workspace: undefined, agent: undefined, cwd: folder },
    screen: new Screen({ hasColor: false, cwd: folder }),
    open,
    openToWrite: open,
  })
}

describe('a server without options', () => {
  it('gets a token of 256 random bits, which stays the same and only this user can read', () => {
    const { token = '', tokenFile } = requested()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(tokenFile).toBe(kept)
    expect([statSync(kept).mode & 0o777, statSync(dirname(kept)).mode & 0o777]).toEqual([0o600, 0o700])
    expect(readFileSync(kept, 'utf8')).toBe(`${token}\n`)
    expect(requested().token).toBe(token)
  })

  it('gets another one in another XDG_STATE_HOME', () => {
    const { token } = requested()
    vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'))
    const other = requested()
    expect(other.tokenFile).toBe(join(folder, 'state/keepsake/token'))
    expect(other.token).not.toBe(token)
    vi.stubEnv('XDG_STATE_HOME', 'relative')
    expect(requested().token).toBe(token)
  })

  it.each([
    ['can read', 0o640],
    ['can write', 0o602],
  ])('does not use a token that others %s', (_, mode) => {
    requested()
    chmodSync(kept, mode)
    expect(() => requested()).toThrow(
      expect.objectContaining({
        code: 'FOREIGN',
        message: `${kept}: other users can read or change this token`,
        hint: `To keep others out: chmod 600 ${kept}. If someone may have read it, remove it: the next start creates a new one.`,
      }),
    )
  })

  it('does not follow a link', () => {
    mkdirSync(dirname(kept), { recursive: true })
    writeFileSync(join(folder, 'elsewhere'), 'a-token-that-others-know', { mode: 0o600 })
    symlinkSync(join(folder, 'elsewhere'), kept)
    expect(() => requested()).toThrow(
      expect.objectContaining({
        code: 'FOREIGN',
        message: `${kept}: it is a link; the token is read only from a file`,
        hint: 'Remove the link, or name the file it leads to with --token-file.',
      }),
    )
  })

  it('says what to do if no token can be stored', () => {
    writeFileSync(join(folder, '.local'), 'a file')
    expect(() => requested()).toThrow(
      expect.objectContaining({
        code: 'IO',
        hint: expect.stringMatching(/--token-file.*KEEPSAKE_MCP_TOKEN.*--no-token/),
      }),
    )
  })

  it('writes nothing in a dry run', () => {
    expect(requested('--dry-run').token).toBe('TOKEN')
    expect(existsSync(join(folder, '.local'))).toBe(false)
    const { token } = requested()
    expect(requested('--dry-run').token).toBe(token)
  })
})

describe('a token that is given', () => {
  it('by a file or the environment is used, and none is created', () => {
    writeFileSync(join(folder, 'mine'), '  a-token-of-my-own\n')
    vi.stubEnv('KEEPSAKE_MCP_TOKEN', 'a-token-of-the-environment')
    expect(requested()).toMatchObject({ token: 'a-token-of-the-environment' })
    expect(requested('--token-file', 'mine')).toMatchObject({
      token: 'a-token-of-my-own',
      tokenFile: join(folder, 'mine'),
    })
    expect(existsSync(kept)).toBe(false)
  })

  it('is missing with --no-token, which warns what that means', () => {
    vi.stubEnv('KEEPSAKE_MCP_TOKEN', 'a-token-of-the-environment')
    const none = requested('--no-token')
    expect(none.token).toBeUndefined()
    expect(existsSync(kept)).toBe(false)
    expect(noTokenWarnings(URL, none)).toEqual([
      'Anyone who can reach 127.0.0.1:4242 on this machine can read and change this memory.',
    ])
    expect(noTokenWarnings(URL, requested())).toEqual([])
    expect(() => requested('--no-token', '--token-file', 'mine')).toThrow('contradict')
  })
})

describe('what is printed to connect a client', () => {
  it('never contains the token', () => {
    const own = requested()
    expect(connectText(URL, own)).toEqual([
      'Add it to a client: keepsake install CLIENT --http',
      `For Claude Code:    claude mcp add --transport http keepsake ${URL} --header "Authorization: Bearer $(cat ${kept})"`,
    ])
    vi.stubEnv('KEEPSAKE_MCP_TOKEN', 'a-token-of-the-environment')
    expect(claudeLine(URL, requested())).toMatch(/ --header "Authorization: Bearer \$KEEPSAKE_MCP_TOKEN"$/)
  })

  it('repeats the options that install needs', () => {
    writeFileSync(join(folder, 'my token'), 'a-token-of-my-own')
    const [install] = connectText('http://[::1]:8080/mcp', requested('--token-file', 'my token'))
    expect(install).toMatch(/--http --port 8080 --host ::1 --token-file '\/.*\/my token'$/)
    expect(connectText(URL, requested('--no-token'))).toEqual([
      'Add it to a client: keepsake install CLIENT --http --no-token',
      `For Claude Code:    claude mcp add --transport http keepsake ${URL}`,
    ])
  })
})
