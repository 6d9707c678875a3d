/** `backup` and `restore` on the command line. Their effects on files are tested in test/move/backup.test.ts. */
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { differentFiles } from '../move/lived-in-folder.ts'
import { Desk } from './keepsake.ts'
import { visibleTree } from './visible-tree.ts'

describe('backup and restore', () => {
  it('report what they did', async () => {
    const desk = await Desk.furnished()
    const backup = await desk.run(['backup', 'b.keepsake'])
    expect(backup).toMatchObject({ status: 0, stderr: '' })
    expect(backup.stdout).toMatch(
      /^Backed up to b\.keepsake\n {2}entries {3}\d+\n {2}changes {3}4\n {2}sessions {2}\d+\n {2}size {6}\d+ bytes\n {2}change {4}4\n$/,
    )
    const before = visibleTree(desk.workspace)
    rmSync(desk.workspace, { recursive: true })
    const would = await desk.run(['restore', 'b.keepsake', '--dry-run'])
    expect(would.stdout).toMatch(/^Would restore to \.keepsake\n {2}entries .*[\s\S]*Nothing was changed\.\n$/)
    expect(existsSync(desk.workspace)).toBe(false)
    const restored = await desk.run(['restore', 'b.keepsake'])
    expect(restored).toMatchObject({ status: 0, stderr: '' })
    expect(restored.stdout).toMatch(
      /^Restored \.keepsake\n {2}entries {3}\d+\n {2}changes {3}4\n {2}sessions {2}\d+\n$/,
    )
    expect(visibleTree(desk.workspace)).toBe(before)
    expect((await desk.run(['undo'])).status).toBe(0)
    expect((await desk.run(['backup', 'quiet.keepsake', '--quiet'])).stdout).toBe('')
    expect((await desk.run(['restore', 'quiet.keepsake', '--quiet', '--workspace', 'quiet'])).stdout).toBe('')
  })

  it('report the same as JSON, and name what is left out', async () => {
    const desk = await Desk.furnished()
    writeFileSync(join(desk.workspace, 'todo.txt'), 'not part of a memory')
    const path = join(desk.folder, 'b.keepsake')
    const { entries, changes, sessions, files, ...backup } = await desk.json(['backup', 'b.keepsake'])
    const warnings = [expect.stringContaining('todo.txt')]
    expect(backup).toEqual({ status: 0, backup: path, bytes: statSync(path).size, change: 4, warnings })
    const counts = { entries, changes, sessions, files }
    const workspace = join(desk.folder, 'other place')
    const args = ['restore', 'b.keepsake', '--workspace', 'other place']
    expect(await desk.json([...args, '--dry-run'])).toEqual({ status: 0, workspace, ...counts, dryRun: true })
    expect(await desk.json(args)).toEqual({ status: 0, workspace, ...counts })
    expect(differentFiles(workspace, desk.workspace)).toEqual(['todo.txt'])
    expect(await desk.json(['restore', 'b.keepsake', '--workspace', 'one.keepsake'])).toMatchObject(counts)
    expect((await desk.json(['list', '--workspace', 'b.keepsake'])).entries).toHaveLength(entries)
  })

  it('work with pipes, with nothing else on standard output', async () => {
    const desk = await Desk.furnished()
    expect(await desk.shell('"$NODE" "$MAIN" backup - | cat > b.keepsake')).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    })
    await desk.make(['restore', 'b.keepsake', '--workspace', 'copy'])
    expect(visibleTree(join(desk.folder, 'copy'))).toBe(visibleTree(desk.workspace))
    expect((await desk.json(['backup', '-'])).error).toMatchObject({ code: 'INVALID' })
  })

  it('restore prints the command that moves away what is there, also a damaged memory', async () => {
    const desk = await Desk.furnished()
    await desk.make(['backup', 'b.keepsake'])
    writeFileSync(join(desk.workspace, 'keepsake.yaml'), 'layout: spiral\n')
    const before = desk.hash()
    for (const more of [[], ['--dry-run']]) {
      const { status, stderr } = await desk.run(['restore', 'b.keepsake', ...more])
      expect([status, stderr]).toEqual([4, expect.stringContaining('.keepsake is there already\n')])
      expect(desk.hash()).toBe(before)
    }
    const { error } = await desk.json(['restore', 'b.keepsake'])
    const command = /move it away: (.*?)\. Or/.exec(error.hint)?.[1] ?? ''
    expect((await desk.shell(command)).status).toBe(0)
    expect((await desk.run(['restore', 'b.keepsake'])).status).toBe(0)
  })

  it('restore to the current folder, not to a memory further up or at home', async () => {
    const desk = await Desk.furnished()
    const project = join(desk.folder, 'project')
    mkdirSync(project)
    await desk.make(['backup', 'b.keepsake'])
    const { workspace } = await desk.json(['restore', '../b.keepsake'], { cwd: project })
    expect(workspace).toBe(join(project, '.keepsake'))
    expect(existsSync(join(desk.folder, 'home/.keepsake'))).toBe(false)
  })

  it('keep the one agent of a flat memory', async () => {
    const desk = new Desk()
    writeFileSync(join(desk.folder, 'agent.yaml'), 'metadata: { name: scout }\nspec: { memory: { layout: flat } }\n')
    await desk.make(['remember', 'mine', '--name', 'Mine'])
    await desk.make(['backup', 'b.keepsake'])
    rmSync(join(desk.folder, 'agent.yaml'))
    await desk.make(['restore', 'b.keepsake', '--workspace', 'flat'])
    expect((await desk.run(['show', 'Mine', '--quiet', '--workspace', 'flat'])).stdout).toBe('mine\n')
  })

  it.each([
    [['backup', 'b.tar.gz'], 2, 'b.tar.gz is the name of an archive'],
    [['backup', 'b.keepsake', '--workspace', 'nowhere'], 3, 'there is no memory at'],
    [['restore', 'b.tgz'], 3, 'there is no file'],
    [['restore', '-'], 2, "can't be read from standard input"],
    [['restore', '.keepsake'], 2, 'is not a file'],
  ])('refuse %j, and change nothing', async (args, status, message) => {
    const desk = await Desk.furnished()
    const before = desk.hash()
    const refused = await desk.run(args)
    expect([refused.status, refused.stderr]).toEqual([status, expect.stringContaining(message)])
    expect(desk.hash()).toBe(before)
  })
})
