/** From a configuration to an open workspace, and what is pinned there. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFiles, pinsOf } from '../../src/config/open-store.ts'
import { openMemory } from '../../src/memory.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { Project, refusalOf } from './files.ts'

async function opened(project: Project): Promise<ReturnType<typeof filesystemStore>> {
  return openFiles(await project.load(), filesystemStore)
}

async function made(project: Project): Promise<void> {
  const store = await opened(project)
  await store.init()
  await store.close()
}

describe('a workspace', () => {
  it('is made as the file says, and not before the first write', async () => {
    const project = Project.with(
      'workspace: memory',
      'layout: flat',
      'agent: scout',
      'timezone: Asia/Kolkata',
      'identity_file: Soul.md',
      'retention_days: 45',
      'retention_mb: 7',
    )
    const store = await opened(project)
    expect(existsSync(join(project.folder, 'memory'))).toBe(false)
    await store.init()
    expect(await store.settings()).toMatchObject({
      layout: 'flat',
      agent: 'scout',
      timezone: 'Asia/Kolkata',
      identityFile: 'Soul.md',
      retentionDays: 45,
      retentionMb: 7,
    })
    await store.close()
    await (await opened(project)).close()
  })

  it.each([
    ['layout', 'agents', 'flat', 'agents'],
    ['timezone', 'Europe/Berlin', 'UTC', 'Europe/Berlin'],
    ['identity_file', 'Soul.md', 'Other.md', 'Soul.md'],
    ['retention_days', '45', '46', '45'],
  ])('refuses another %s later, and names both files', async (key, before, after, pinned) => {
    const project = Project.with('agent: main', `${key}: ${before}`)
    await made(project)
    const settings = join(project.folder, '.keepsake/keepsake.yaml')
    const text = readFileSync(settings, 'utf8')
    project.write('agent.yaml', readFileSync(project.file, 'utf8').replace(before, after))
    const { code, message, hint } = await refusalOf(opened(project))
    expect(code).toBe('INVALID')
    expect(message).toBe(`${key}: ${project.file}:4 says "${after}", but ${settings} says "${pinned}"`)
    expect(hint).toContain(pinned)
    expect(readFileSync(settings, 'utf8')).toBe(text)
  })

  it('of one agent is opened for that one where nobody names one, and another is refused with both files', async () => {
    const project = Project.with('layout: flat', 'agent: scout')
    await made(project)
    project.write('agent.yaml', 'spec: {memory: }')
    const config = await project.load()
    expect([config.values.agent, config.sources.agent.label]).toEqual(['scout', 'keepsake.yaml'])
    await (await opened(project)).close()
    const root = join(project.folder, '.keepsake')
    const store = filesystemStore({ root })
    expect((await store.examine()).findings).toEqual([])
    await store.close()
    project.write('agent.yaml', 'spec: { memory: { agent: other } }')
    const { code, message, hint } = await refusalOf(opened(project))
    expect([code, hint]).toEqual(['INVALID', 'Allowed: "scout", or nothing.'])
    expect(message).toContain(`${project.file}:1 says "other", but ${join(root, 'keepsake.yaml')} says "scout"`)
  })

  it('is opened where the file says nothing about what is pinned', async () => {
    const project = Project.with('timezone: Asia/Kolkata')
    await made(project)
    project.write('agent.yaml', 'spec: {memory: }')
    const store = await opened(project)
    expect((await store.settings()).timezone).toBe('Asia/Kolkata')
    await store.close()
  })

  it('finds an identity outside by its id too, before its agent has a folder', async () => {
    const project = Project.with('agent: scout', 'identity_file: ./Crab.md').write('Crab.md', 'I am Crab.\n')
    const store = await opened(project)
    const identity = await store.resolve('scout', 'IDENTITY')
    expect(identity?.content).toBe('I am Crab.')
    expect((await store.get(identity?.id ?? ''))?.content).toBe('I am Crab.')
    await store.close()
  })

  it('has its identity outside, where the file says so, also when it was made without', async () => {
    const project = new Project()
    project.write('bot/agent.yaml', 'spec: { memory: }').write('Crab.md', 'I am a crab.\n')
    const config = { file: join(project.folder, 'bot/agent.yaml') }
    const plain = await openFiles(await project.load(config), filesystemStore)
    await plain.init()
    await plain.close()
    project.write('bot/agent.yaml', 'spec: { memory: { identity_file: ../Crab.md } }')
    const store = await openFiles(await project.load(config), filesystemStore)
    const memory = await openMemory({ store })
    expect((await memory.find('IDENTITY')).content).toBe('I am a crab.')
    await memory.close()
    expect(readFileSync(join(project.folder, 'bot/.keepsake/keepsake.yaml'), 'utf8')).toContain('"IDENTITY.md"')
  })

  it.each([
    ['file', 'a memory in one file'],
    ['chroma', 'a memory on a server'],
    ['memory', 'a memory in RAM'],
  ])('of the backend %s is not one of files', async (backend, what) => {
    const project = Project.with(`backend: ${backend}`)
    const { code, message, hint } = await refusalOf(opened(project))
    expect(code).toBe('UNSUPPORTED')
    expect(message).toContain(`${project.file}:3 names ${what}`)
    expect(hint).toContain('backend: filesystem')
  })
})

describe('the pins', () => {
  it('are what is said, and no defaults', async () => {
    expect(pinsOf(await Project.with('timezone: UTC').load())).toEqual({ timezone: 'UTC' })
    expect(pinsOf(await Project.with('identity_file: ../Crab.md').load())).toEqual({})
  })
})
