/** A server beyond this machine that only a found agent.yaml names: it came with a clone, perhaps, and gets nothing of its person's own. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type Meddler, meddler } from '../chroma/meddler.ts'
import { jsonFrom } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'

/** Nobody listens there; it leads to this machine, and does not look so. */
const URL_BEYOND = 'https://0.0.0.0:9'
const ADDRESS = 'chroma://0.0.0.0:9?tls=1'
const TOKEN = { KEEPSAKE_CHROMA_TOKEN: 'hunter2' }
const UNREACHED = `${ADDRESS} can't be reached`

/** In a folder as it was cloned. */
function deskIn(url: string, ...lines: readonly string[]): Desk {
  const desk = new Desk()
  const said = ['backend: chroma', `url: ${url}`, 'server_timeout: 1', ...lines].map((line) => `    ${line}`)
  writeFileSync(join(desk.folder, 'agent.yaml'), ['spec:', '  memory:', ...said, ''].join('\n'))
  return desk
}

function messageOf({ error }: Printed): string {
  return error?.message ?? 'no error'
}

describe('the token of the environment', () => {
  it.each([
    [['list']],
    [['show', 'x']],
    [['recall', 'x']],
    [['remember', 'x']],
    [['init']],
    [['doctor']],
    [['export', 'out']],
    [['move', '--to', 'copy.keepsake']],
    [['session', 'list']],
    [['context']],
  ])('is not sent by %j to a server that was only found, and the error says how to name it', async (args) => {
    const desk = deskIn(URL_BEYOND)
    const { status, error } = await jsonFrom(desk, args, { env: TOKEN })
    const file = join(desk.folder, 'agent.yaml')
    expect([status, error.code]).toEqual([1, 'UNSUPPORTED'])
    expect(error.message).toBe(
      `KEEPSAKE_CHROMA_TOKEN is not sent to ${ADDRESS}: ${file}:4 leads there, and was only found`,
    )
    expect(error.hint).toContain(`name it: --config ${file}, or --workspace ${ADDRESS}.`)
    expect(error.message + error.hint).not.toContain('hunter2')
  })

  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['--config', ['--config', 'agent.yaml'], {}],
    ['--workspace', ['--workspace', ADDRESS], {}],
    ['KEEPSAKE_CONFIG', [], { KEEPSAKE_CONFIG: 'agent.yaml' }],
    ['KEEPSAKE_WORKSPACE', [], { KEEPSAKE_WORKSPACE: ADDRESS }],
  ])('goes to one that is named with %s', async (_, args, env) => {
    const said = await jsonFrom(deskIn(URL_BEYOND), ['list', ...args], { env: { ...TOKEN, ...env } })
    expect(messageOf(said)).toContain(UNREACHED)
  })

  it('goes to the target of a move, which is named', async () => {
    const desk = await Desk.furnished()
    const said = await jsonFrom(desk, ['move', '--to', ADDRESS, '--without-history'], { env: TOKEN })
    expect(messageOf(said)).toContain(UNREACHED)
  })

  it('leaves config to show what counts, and to say why the server was not asked', async () => {
    const { status, stdout, stderr } = await deskIn(URL_BEYOND).run(['config'], { env: TOKEN })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^ {2}token +\*{8} +KEEPSAKE_CHROMA_TOKEN$/m)
    expect(stderr).toContain(`KEEPSAKE_CHROMA_TOKEN is not sent to ${ADDRESS}`)
  })
})

it('gets the token that stands in the same file', async () => {
  const said = await jsonFrom(deskIn(URL_BEYOND, 'token: theirs'), ['list'])
  expect(messageOf(said)).toContain(UNREACHED)
})

describe('a server that would answer', () => {
  const servers: Meddler[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close()
  })

  async function listening(): Promise<Meddler> {
    const server = await meddler(() => false)
    servers.push(server)
    return server
  }

  const asIfBeyond = ({ url }: Meddler): string => url.replace('127.0.0.1', '0.0.0.0')
  const complete = ['__complete', '--', 'show', '']

  it('is not asked by completion where only a found file names it', async () => {
    const server = await listening()
    const desk = deskIn(asIfBeyond(server))
    expect(await jsonFrom(desk, complete)).toMatchObject({ candidates: [] })
    expect(server.asked).toEqual([])
    await jsonFrom(desk, ['__complete', '--', '--config', 'agent.yaml', 'show', ''])
    expect(server.asked).not.toEqual([])
  })

  it('is sent the token on this machine, whoever names it', async () => {
    const server = await listening()
    await jsonFrom(deskIn(server.url), ['list'], { env: TOKEN })
    expect(server.headers[0]).toMatchObject({ 'x-chroma-token': 'hunter2' })
  })
})
