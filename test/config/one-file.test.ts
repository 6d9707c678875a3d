/** A memory in one file as `agent.yaml` or an option names it. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLasting } from '../../src/memory/lasting-store.ts'
import { openMemory } from '../../src/memory.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { Project, refusalOf } from './files.ts'

/** Makes the memory that the configuration of a project names. */
async function made(project: Project): Promise<string> {
  const { workspace } = await opened(project, (store) => store.init())
  return workspace
}

async function opened<T>(
  project: Project,
  use: (store: Awaited<ReturnType<typeof openLasting>>) => Promise<T>,
): Promise<{ readonly workspace: string; readonly result: T }> {
  const config = await project.load()
  const store = await openLasting(config)
  try {
    return { workspace: config.values.workspace, result: await use(store) }
  } finally {
    await store.close()
  }
}

describe('which backend a workspace has', () => {
  it.each(['notes', '.keepsake'])('a memory in one file is one, also when it is called %s', async (name) => {
    const project = Project.with('workspace: memory.keepsake')
    const bytes = readFileSync(await made(project))
    const other = Project.with(`workspace: ${name}`).write(name, bytes)
    expect((await other.load()).values.backend).toBe('file')
  })

  it('is memory.keepsake beside the file where only the backend is said', async () => {
    const project = Project.with('backend: file')
    const { values, sources } = await project.load()
    expect([values.workspace, sources.workspace.label]).toEqual([join(project.folder, 'memory.keepsake'), 'default'])
    const asked = { workspace: { text: join(project.folder, '.keepsake'), source: '--workspace' } }
    expect((await project.load({ asked })).values.backend).toBe('filesystem')
  })

  it('one file is no folder, and a folder is no file: each says what to write', async () => {
    const folder = Project.with('workspace: notes', 'backend: file')
    mkdirSync(join(folder.folder, 'notes'))
    const isFolder = await refusalOf(folder.load())
    expect(isFolder.message).toBe(`${folder.file}:3: workspace: ${join(folder.folder, 'notes')} is a folder`)
    expect(isFolder.hint).toContain('backend: filesystem')
    const file = Project.with('workspace: memory.keepsake', 'backend: filesystem').write('memory.keepsake', 'x')
    const isFile = await refusalOf(file.load())
    expect(isFile.message).toMatch(/memory\.keepsake is not a folder$/)
    expect(isFile.hint).toContain('backend: file')
  })
})

describe('a memory in one file', () => {
  it('is made as the lines say, not before it is written to, and pins them', async () => {
    const project = Project.with('workspace: m.keepsake', 'timezone: Asia/Kolkata', 'retention_days: 45')
    const { workspace } = await opened(project, (store) => store.settings())
    expect(existsSync(workspace)).toBe(false)
    await made(project)
    project.write('agent.yaml', 'spec: { memory: { workspace: m.keepsake } }')
    const { result } = await opened(project, (store) => store.settings())
    expect(result).toMatchObject({ layout: 'agents', timezone: 'Asia/Kolkata', retentionDays: 45, retentionMb: 512 })
    project.write('agent.yaml', 'spec: { memory: { workspace: m.keepsake, timezone: UTC } }')
    const { code, message } = await refusalOf(opened(project, async () => undefined))
    expect([code, message]).toEqual([
      'INVALID',
      `timezone: ${project.file}:1 says "UTC", but ${workspace} says "Asia/Kolkata"`,
    ])
  })

  it('of one agent is opened for that one where nobody names one, and another is refused', async () => {
    const project = Project.with('workspace: m.keepsake', 'layout: flat', 'agent: scout')
    const path = await made(project)
    project.write('agent.yaml', 'spec: { memory: { workspace: m.keepsake } }')
    const { values, sources } = await project.load()
    expect([values.agent, sources.agent.label]).toEqual(['scout', 'm.keepsake'])
    const memory = await openMemory({ workspace: path })
    expect(memory.agent).toBe('scout')
    await memory.close()
    project.write('agent.yaml', 'spec: { memory: { workspace: m.keepsake, agent: other } }')
    const { message, hint } = await refusalOf(opened(project, async () => undefined))
    expect(message).toContain(`${project.file}:1 says "other", but ${path} says "scout"`)
    expect(hint).toBe('Allowed: "scout", or nothing.')
  })

  it('has no identity outside of it', async () => {
    const project = Project.with('backend: file', 'identity_file: ../Crab.md')
    const { code, message, hint } = await refusalOf(opened(project, async () => undefined))
    expect([code, message]).toEqual(['UNSUPPORTED', expect.stringContaining(`${project.file}:4: identity_file: `)])
    expect(hint).toContain('backend: filesystem')
  })

  it('is opened by the library by its name, and what it is told is found again', async () => {
    const { folder } = new Project()
    const workspace = join(folder, 'memory.keepsake')
    const memory = await openMemory({ workspace, agent: 'scout', timezone: 'UTC', embed: 'none' })
    await memory.remember('Run make ship.', { name: 'Deploys' })
    await memory.close()
    const store = fileStore({ path: workspace })
    expect(await store.heads()).toMatchObject([{ name: 'Deploys', scope: 'scout' }])
    await store.close()
    const again = await openMemory({ workspace, agent: 'scout', embed: 'none' })
    expect((await again.search('ship')).hits).toHaveLength(1)
    await again.close()
  })

  it('is refused where it is a link, and its target stays', async () => {
    const { folder } = new Project()
    const target = join(folder, 'real.keepsake')
    const memory = await openMemory({ workspace: target })
    await memory.remember('here')
    await memory.close()
    const before = readFileSync(target)
    symlinkSync(target, join(folder, 'link.keepsake'))
    const linked = async (): Promise<void> => {
      const opened = await openMemory({ workspace: join(folder, 'link.keepsake') })
      try {
        await opened.remember('there')
      } finally {
        await opened.close()
      }
    }
    expect(await refusalOf(linked())).toMatchObject({ code: 'FOREIGN', message: expect.stringContaining('link') })
    expect(readFileSync(target)).toEqual(before)
  })
})
