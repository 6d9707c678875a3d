/** Each store once through the command line, and each agent program once through the MCP server. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLIENT_NAMES } from '../../src/cli/install/clients.ts'
import { describeOnServer } from '../chroma/server.ts'
import { Desk } from '../cli/keepsake.ts'
import { connect, ERAS, textOf } from '../mcp/harness.ts'

/** Remembers, recalls and takes it back, each in its own process. */
async function useStore(workspace: string, takeBack: readonly string[] = ['undo']): Promise<void> {
  const desk = new Desk()
  const at = ['--workspace', workspace]
  await desk.make(['remember', 'Run make ship.', '--name', 'Deploys', ...at])
  const { hits } = await desk.json(['recall', 'how to ship', ...at])
  expect(hits).toMatchObject([{ entry: { name: 'Deploys' } }])
  await desk.make([...takeBack, ...at])
  const { entries } = await desk.json(['list', ...at])
  expect(entries).toEqual([])
}

describe('the command line remembers, recalls and undoes', () => {
  it('in a folder', async () => useStore('memory'))

  it('in one file', async () => useStore('memory.keepsake'))
})

describeOnServer('the command line and Chroma', (server) => {
  it('remember, recall and forget', async () =>
    useStore(`chroma://127.0.0.1:${server.port}`, ['forget', 'Deploys', '--yes']))
})

/** Where `install` writes the entry. */
const FILES = {
  claude: '.mcp.json',
  codex: 'home/.codex/config.toml',
  gemini: 'home/.gemini/settings.json',
  opencode: 'opencode.json',
}
const SHOWN = CLIENT_NAMES.filter((client) => !Object.hasOwn(FILES, client))

describe('an agent program', () => {
  it.each(Object.entries(FILES))(
    '%s gets the server from install and loses it with uninstall',
    async (client, file) => {
      const desk = new Desk()
      const path = join(desk.folder, file)
      await desk.make(['install', client])
      expect(readFileSync(path, 'utf8')).toMatch(/keepsake[\s\S]*mcp/)
      await desk.make(['uninstall', client])
      expect(existsSync(path) && readFileSync(path, 'utf8').includes('keepsake')).toBe(false)
    },
  )

  it.each(SHOWN)('%s is shown what to paste', async (client) => {
    const { stdout } = await new Desk().run(['install', client])
    expect(stdout).toMatch(/keepsake[\s\S]*mcp/)
  })

  it.each(ERAS)('of the %s protocol remembers and recalls', async (era) => {
    const { client } = await connect(new Desk(), era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([
      ...['forget', 'learn_fact', 'recall', 'reflect', 'remember', 'undo'],
    ])
    await client.callTool({ name: 'remember', arguments: { content: 'The staging server is called heron.' } })
    const found = await client.callTool({ name: 'recall', arguments: { query: 'staging server' } })
    expect(textOf(found)).toContain('heron')
  })
})
