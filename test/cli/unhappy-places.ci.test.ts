/**
 * Where a command ends up when the workspace is not what or where one thinks, or another process is writing to it: nothing of another
 * memory is touched.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { formatOwner, thisProcess } from '../../src/stores/disk/owner.ts'
import { jsonAt, makeAt, sitDownAt } from './in-this-process.ts'
import { Desk, ended, isReading, type Printed, type RunOptions } from './keepsake.ts'

const NOBODY = 65534

beforeAll(() => sitDownAt(new Desk()))

function codes({ problems }: Printed): string[] {
  return problems.map(({ code }: Printed) => code)
}

/** Holds the lock as a living process does: by a link of the next generation that names it. */
function hold(desk: Desk, owner: string): () => void {
  const folder = join(desk.workspace, '.state/lock')
  mkdirSync(folder, { recursive: true })
  const newest = Math.max(0, ...readdirSync(folder).map((name) => Number.parseInt(name, 10)))
  const path = join(folder, String(newest + 1))
  symlinkSync(owner, path)
  return () => unlinkSync(path)
}

// The first, since a writer waits ten seconds before it gives up: the others run meanwhile.
describe.concurrent('a locked workspace', () => {
  it('is read at once; a writer waits, then names who has it', async () => {
    const [desk, stranger] = [await Desk.furnished(), await Desk.furnished()]
    hold(desk, formatOwner(thisProcess()))
    hold(stranger, formatOwner({ ...thisProcess(), host: 'elsewhere' }))
    const before = [desk.hash(), stranger.hash()]
    expect(await desk.run(['recall'])).toMatchObject({ status: 0, stdout: expect.stringContaining('heron') })
    const [json, people, foreign] = await Promise.all(
      [desk.start(['remember', 'x', '--json']), desk.start(['remember', 'x']), stranger.start(['remember', 'x'])].map(
        ended,
      ),
    )
    const here = `locked by process ${process.pid} on this machine; waited 10000 ms`
    expect(JSON.parse(json?.stdout ?? '').error).toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining(here),
    })
    expect(people).toMatchObject({ status: 4, stdout: '', stderr: expect.stringContaining(here) })
    expect(json?.status).toBe(4)
    expect(foreign).toMatchObject({ status: 4, stderr: expect.stringContaining('on machine elsewhere') })
    expect([desk.hash(), stranger.hash()]).toEqual(before)
  })

  it('is written to as soon as it is free', async () => {
    const desk = await Desk.furnished()
    const release = hold(desk, formatOwner(thisProcess()))
    const child = desk.start(['remember', '-', '--quiet'])
    await isReading(child)
    child.stdin.end()
    expect(child.exitCode).toBeNull()
    release()
    expect(await ended(child)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect((await jsonAt(desk, ['list', '--kind', 'experience'])).entries).toHaveLength(2)
  })

  it('is interrupted at once', async () => {
    const desk = await Desk.furnished()
    hold(desk, formatOwner(thisProcess()))
    const before = desk.hash()
    const child = desk.start(['remember', '-'])
    await isReading(child)
    child.stdin.end()
    child.kill('SIGINT')
    expect((await ended(child)).status).toBe(130)
    expect(desk.hash()).toBe(before)
  })
})

describe.concurrent('many commands at once', () => {
  it('lose nothing', async () => {
    const desk = await Desk.furnished()
    const texts = Array.from({ length: 8 }, (_, index) => `number ${index}`)
    const done = await Promise.all(texts.map((text) => ended(desk.start(['remember', text, '--quiet']))))
    expect(done.map(({ status }) => status)).toEqual(texts.map(() => 0))
    const { stdout } = await desk.run(['recall'])
    for (const text of texts) expect(stdout).toContain(text)
  })
})

describe.concurrent('a workspace', () => {
  it('that is a link to nowhere is refused, and the one at home is not used in its place', async () => {
    const desk = new Desk()
    symlinkSync('not-mounted', desk.workspace)
    for (const args of [['remember', 'x'], ['list'], ['init']]) {
      const { error } = await desk.json(args)
      expect(error).toMatchObject({ code: 'INVALID', message: expect.stringContaining('a link that leads nowhere') })
    }
    expect(existsSync(join(desk.folder, 'home/.keepsake'))).toBe(false)
  })

  it('where no folder can be made is an error, and no wait without end', async () => {
    const { status, error } = await new Desk().json(['init', '--workspace', '/proc/keepsake'])
    expect([status === 0, error.message]).toEqual([false, expect.stringContaining('/proc/keepsake')])
  })

  it('of one agent is used for that agent by every command, unless another is named', async () => {
    const desk = new Desk()
    await makeAt(desk, ['init', '--layout', 'flat', '--agent', 'bob'])
    await makeAt(desk, ['remember', 'x', '--name', 'alpha'])
    expect((await jsonAt(desk, ['show', 'alpha'])).entry.scope).toBe('bob')
    expect(codes(await jsonAt(desk, ['doctor']))).toEqual([])
    expect((await jsonAt(desk, ['config', 'agent'])).config.agent).toEqual({ value: 'bob', source: 'keepsake.yaml' })
    const { error } = await jsonAt(desk, ['list', '--agent', 'main'])
    expect(error.message).toContain(`--agent says "main", but ${join(desk.workspace, 'keepsake.yaml')} says "bob"`)
    expect(codes(await jsonAt(desk, ['doctor', '--agent', 'main']))).toEqual(['settings-differ'])
  })
})

describe.concurrent('doctor', () => {
  it.each(['agents', 'agents/main', '.state', '.state/journal', '.'])(
    'goes on where %s can not be read',
    async (path) => {
      const desk = await Desk.furnished()
      const someone: RunOptions = process.getuid?.() === 0 ? { uid: NOBODY } : {}
      if (someone.uid !== undefined) await desk.runProgram('chown', ['-R', `${NOBODY}`, desk.folder])
      chmodSync(join(desk.workspace, path), 0)
      const told = await desk.json(['doctor'], someone)
      chmodSync(join(desk.workspace, path), 0o700)
      expect(told.status).toBe(1)
      expect(codes(told)).toEqual(path === '.' ? ['unreadable', 'settings-damaged'] : ['unreadable'])
    },
  )

  it('offers no mending where the workspace can not be opened', async () => {
    const desk = await Desk.furnished()
    chmodSync(join(desk.workspace, 'world'), 0o755)
    expect((await desk.run(['doctor'])).stdout).toContain('"keepsake doctor --fix" fixes 1 of them.')
    const settings = join(desk.workspace, 'keepsake.yaml')
    const text = readFileSync(settings, 'utf8')
    desk.edit('keepsake.yaml', text.replace('layout: agents', 'layout: spiral'))
    expect((await desk.run(['doctor'])).stdout).not.toContain('--fix" fixes')
    expect((await jsonAt(desk, ['doctor', '--fix', '--dry-run'])).wouldMend).toEqual([])
    rmSync(settings)
    const { stdout, stderr } = await desk.run(['doctor', '--fix'])
    expect([stdout, stderr]).toEqual([
      expect.stringContaining('timezone: as it was'),
      expect.stringContaining('nothing was mended, for keepsake.yaml is gone'),
    ])
    expect(existsSync(settings)).toBe(false)
  })

  it('keeps a finding on its line, whatever is in the name of a file', async () => {
    const desk = await Desk.furnished()
    desk.edit('agents/main/entries/two\nlines\u001b[31m.md', '---\nname: open\n')
    const { stdout } = await desk.run(['doctor'])
    expect(stdout).toMatch(/^ {2}\S*two<U\+000A>lines<U\+001B>\[31m\.md {2}.* \[broken-card\]$/m)
    expect((await jsonAt(desk, ['doctor'])).problems[0].path).toBe('agents/main/entries/two\nlines\u001b[31m.md')
  })
})

describe.concurrent('log and undo', () => {
  it('tell of a file that was moved by hand', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['log'])
    const entries = join(desk.workspace, 'agents/main/entries')
    renameSync(join(entries, 'deploys.md'), join(entries, 'elsewhere.md'))
    const { stdout } = await desk.run(['log', '--limit', '1'])
    expect(stdout).toContain('moved the note "Deploys" to agents/main/entries/elsewhere.md')
  })

  it('warn of entries that are held back', async () => {
    const desk = new Desk()
    const memory = await openMemory({ workspace: desk.workspace, timezone: 'UTC' })
    for (let n = 0; n < 14; n++) await memory.remember(`Text ${n}.`, { name: `note-${n}` })
    await memory.close()
    rmSync(join(desk.workspace, 'agents/main/entries'), { recursive: true })
    const says =
      '14 entries are gone from the folder at once, and not taken for removed yet; if that was meant: keepsake accept'
    expect((await desk.run(['log'])).stderr).toBe(`keepsake: warning: ${says}\n`)
    expect((await jsonAt(desk, ['log'])).warnings).toEqual([says])
    expect((await desk.run(['undo', '--dry-run'])).stderr).toContain(says)
  })

  it('tell of what was there before the first change as found', async () => {
    const desk = new Desk()
    desk.edit('world/heron.md', 'A bird.\n')
    mkdirSync(join(desk.workspace, 'agents'), { recursive: true })
    await makeAt(desk, ['remember', 'x', '--name', 'alpha'])
    const { stdout } = await desk.run(['log'])
    expect(stdout).toContain('found the topic "heron"')
    expect(stdout).toContain('added the note "alpha"')
  })
})

describe.concurrent('forget --purge', () => {
  it('tells also with --quiet what is out of reach, as its help says', async () => {
    const desk = await Desk.furnished()
    writeFileSync(join(desk.workspace, 'copy.txt'), 'Call the printer first.')
    expect((await desk.run(['forget', '--help'])).stdout).toContain('also with --quiet')
    expect((await desk.run(['forget', 'Posters', '--purge', '--yes', '--quiet'])).stdout).toContain('copy.txt')
  })
})
