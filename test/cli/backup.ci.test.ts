/** `backup` and `restore` as people and programs call them, and as a kill or a full disk ends them. */

import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readArchive } from '../../src/stores/filesystem/backup/archive-read.ts'
import { isNightly } from '../tier.ts'
import { Desk, ended, freshFolder, type Ran, type RunOptions } from './keepsake.ts'
import { noTerminal, terminalAt } from './terminal.ts'
import { visibleTree } from './visible-tree.ts'

const ROUNDS = isNightly ? 20 : 2
/** Each round makes and restores a workspace; on a busy machine that takes seconds. */
const KILLS_MS = 300_000
/** Large enough to be killed in the middle of. */
const PICTURE_BYTES = (isNightly ? 2048 : 512) * 1024
/** A disk that takes half a picture, in the blocks of 512 bytes that the shell counts in. */
const FULL_DISK = `ulimit -f ${PICTURE_BYTES / 1024}`

async function filled(): Promise<Desk> {
  const desk = await Desk.furnished()
  for (let n = 0; n < 3; n++) desk.edit(`pictures/${n}.png`, randomBytes(PICTURE_BYTES))
  return desk
}

function names(desk: Desk): string[] {
  return readdirSync(desk.folder).sort()
}

/** Of a file that may be gone at any moment. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** In a folder that may be gone at any moment. */
function pathsIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}

/** Kills the child once `isTime` returns true. */
async function endedOrKilled(child: ReturnType<Desk['start']>, isTime: () => boolean): Promise<Ran> {
  const poll = setInterval(() => {
    if (isTime()) child.kill('SIGKILL')
  }, 1)
  try {
    return await ended(child)
  } finally {
    clearInterval(poll)
  }
}

describe('backup and restore', () => {
  it('tell people what they did, and how to go back', async () => {
    const desk = await Desk.furnished()
    const backup = await desk.run(['backup', 'memory.tar.gz'])
    expect(backup).toMatchObject({ status: 0, stderr: '' })
    expect(backup.stdout).toMatch(
      /^Backed up to memory\.tar\.gz\n {2}files {3}\d+\n {2}size {4}\d+ bytes\n {2}change {2}4\n$/,
    )
    await desk.make(['remember', 'later', '--name', 'Later'])
    const restore = await desk.run(['restore', 'memory.tar.gz', '--yes'])
    expect(restore).toMatchObject({ status: 0, stderr: '' })
    expect(restore.stdout).toMatch(
      /^Restored \.keepsake\n {2}files {3}\d+\n {2}change {2}4\n {2}before {2}\.keepsake\.before-/,
    )
    expect((await desk.run(['show', 'Later'])).status).toBe(3)
    const goBack = /^To go back: (.*)$/m.exec(restore.stdout)?.[1] ?? ''
    expect((await desk.shell(goBack)).status).toBe(0)
    expect((await desk.run(['show', 'Later', '--quiet'])).stdout).toBe('later\n')
    expect((await desk.run(['backup', 'quiet.tar.gz', '--quiet'])).stdout).toBe('')
    expect((await desk.run(['restore', 'quiet.tar.gz', '--quiet', '--yes'])).stdout).toBe('')
  })

  it('tell programs the same', async () => {
    const desk = await Desk.furnished()
    const archive = join(desk.folder, 'a.tar.gz')
    const { files, ...backup } = await desk.json(['backup', 'a.tar.gz'])
    expect(backup).toEqual({ status: 0, archive, bytes: statSync(archive).size, change: 4, warnings: [] })
    expect(files).toBe((await readArchive(archive)).files.length)
    const before = visibleTree(desk.workspace)
    const restored = await desk.json(['restore', 'a.tar.gz', '--yes'])
    expect(restored).toEqual({ status: 0, workspace: desk.workspace, files, previous: expect.any(String) })
    expect([visibleTree(desk.workspace), visibleTree(restored.previous)]).toEqual([before, before])
    const elsewhere = await desk.json(['restore', 'a.tar.gz', '--workspace', 'other place'])
    expect(elsewhere).toEqual({ status: 0, workspace: join(desk.folder, 'other place'), files })
    expect(visibleTree(join(desk.folder, 'other place'))).toBe(before)
  })

  it('warn of what is left out', async () => {
    const desk = await Desk.furnished()
    expect((await desk.shell('ln -s /etc .keepsake/world/etc')).status).toBe(0)
    const warning = 'world/etc is a link and was left out'
    expect((await desk.run(['backup', 'a.tar.gz'])).stderr).toBe(`keepsake: warning: ${warning}\n`)
    expect((await desk.json(['backup', 'b.tar.gz'])).warnings).toEqual([warning])
  })

  it('go through pipes, with nothing else on standard output', async () => {
    const desk = await Desk.furnished()
    const piped = await desk.shell('"$NODE" "$MAIN" backup - | cat > a.tar.gz')
    expect(piped).toEqual({ status: 0, stdout: '', stderr: '' })
    const before = visibleTree(desk.workspace)
    await desk.make(['restore', 'a.tar.gz', '--yes'])
    expect(visibleTree(desk.workspace)).toBe(before)
    expect((await desk.json(['backup', '-'])).error).toMatchObject({ code: 'INVALID' })
  })

  it.skipIf(spawnSync('tar', ['--version']).status !== 0)('make what tar opens', async () => {
    const desk = await Desk.furnished()
    desk.edit('ünï 日本.txt', 'x')
    await desk.make(['backup', 'a.tar.gz'])
    const place = freshFolder()
    execFileSync('tar', ['xzf', join(desk.folder, 'a.tar.gz'), '-C', place])
    expect(visibleTree(join(place, 'files'))).toBe(visibleTree(desk.workspace))
    expect(JSON.parse(readFileSync(join(place, 'keepsake-backup.json'), 'utf8')).keepsake).toBe('backup')
  })

  it('refuse to write over anything unless told to', async () => {
    const desk = await Desk.furnished()
    await desk.make(['backup', 'a.tar.gz'])
    const bytes = readFileSync(join(desk.folder, 'a.tar.gz'))
    const { status, stderr } = await desk.run(['backup', 'a.tar.gz'])
    expect([status, stderr]).toEqual([
      4,
      expect.stringMatching(/a\.tar\.gz exists already\nChoose another name, or .*--force/),
    ])
    expect(readFileSync(join(desk.folder, 'a.tar.gz')).equals(bytes)).toBe(true)
    await desk.make(['backup', 'a.tar.gz', '--force'])
  })

  it('ask before a workspace is replaced; a program says --yes', async () => {
    const desk = await Desk.furnished()
    await desk.make(['backup', 'a.tar.gz'])
    await desk.make(['remember', 'later', '--name', 'Later'])
    const before = desk.hash()
    const asked = await desk.run(['restore', 'a.tar.gz'])
    expect([asked.status, asked.stdout]).toEqual([2, ''])
    expect(asked.stderr).toMatch(/would put \d+ files as of change 4, .* in the place of the workspace .*\n.*--yes/)
    expect(await desk.json(['restore', 'a.tar.gz', '--dry-run'])).toMatchObject({
      replaces: true,
      dryRun: true,
      status: 0,
    })
    const dry = await desk.run(['restore', 'a.tar.gz', '--dry-run', '--workspace', 'x'])
    expect(dry.stdout).toMatch(/^Would restore \d+ files .* to x\nNothing is there now\.\nNothing was changed\.\n$/)
    expect(desk.hash()).toBe(before)
  })

  it('refuse what is damaged, and change nothing', async () => {
    const desk = await Desk.furnished()
    await desk.make(['backup', 'a.tar.gz'])
    const bytes = readFileSync(join(desk.folder, 'a.tar.gz'))
    writeFileSync(join(desk.folder, 'a.tar.gz'), bytes.subarray(0, bytes.length - 9))
    const before = desk.hash()
    expect((await desk.json(['restore', 'a.tar.gz', '--yes'])).error).toMatchObject({
      code: 'DAMAGED',
      message: expect.stringContaining('it ends in the middle'),
    })
    expect((await desk.json(['restore', 'none.tar.gz', '--yes'])).error.code).toBe('NOT_FOUND')
    expect((await desk.json(['backup', 'b.tar.gz', '--workspace', 'nowhere'])).error.code).toBe('NOT_FOUND')
    expect(desk.hash()).toBe(before)
  })
})

const TERMINAL = 'script'
if (noTerminal !== undefined) console.warn(`SKIPPED: backup and restore on a terminal: ${noTerminal}`)

describe.skipIf(noTerminal !== undefined)('on a terminal', () => {
  it('restore asks, and takes no for an answer', async () => {
    const desk = await Desk.furnished()
    await desk.make(['backup', 'a.tar.gz'])
    const before = visibleTree(desk.workspace)
    const answer = async (word: string, told: string): Promise<void> => {
      const terminal = terminalAt(desk, 'restore a.tar.gz', {})
      await terminal.see('[y/N] ')
      terminal.type(`${word}\r`)
      await terminal.see(told)
      await terminal.ended()
    }
    await answer('n', 'nothing was restored')
    expect(names(desk)).toEqual(['.keepsake', 'a.tar.gz'])
    await answer('y', 'To go back: mv')
    expect(names(desk)).toHaveLength(3)
    expect(visibleTree(desk.workspace)).toBe(before)
  })

  it('both show how far they are, on one line; not with --quiet', async () => {
    const desk = await Desk.furnished()
    // Fast runs show no progress; on this clock every step takes a second.
    writeFileSync(
      join(desk.folder, 'slow.mjs'),
      'const now = performance.now.bind(performance); let calls = 0; performance.now = () => now() + 1000 * ++calls',
    )
    const inTerminal = async (command: string): Promise<string> => {
      const line = `"$NODE" --import ./slow.mjs "$MAIN" ${command}`
      return (await desk.shell(`${TERMINAL} -qec '${line}' /dev/null < /dev/null`)).stdout
    }
    const shown = await inTerminal('backup a.tar.gz')
    for (const doing of ['Reading the workspace', 'Writing the archive', 'Checking the archive']) {
      expect(shown).toMatch(new RegExp(`\\[K${doing}: \\d+ of \\d+ files`))
    }
    expect(shown).toContain('\r\x1b[KBacked up to')
    expect(shown.split('\n').filter((line) => line.includes(' of '))).toHaveLength(1)
    expect(await inTerminal('backup b.tar.gz --quiet')).toBe('')
    const restored = await inTerminal('restore a.tar.gz --yes')
    expect(restored).toMatch(/\[KChecking the archive: \d+ of \d+ files/)
    expect(restored).toMatch(/\[KUnpacking: \d+ of \d+ files/)
  })
})

describe('a backup that is stopped', () => {
  it('by kill -9 leaves no half archive, and the next one sweeps up', async () => {
    const desk = await filled()
    await desk.make(['backup', 'a.tar.gz'])
    const { size } = statSync(join(desk.folder, 'a.tar.gz'))
    let killed = 0
    for (let round = 0; round < ROUNDS; round++) {
      rmSync(join(desk.folder, 'a.tar.gz'), { force: true })
      const child = desk.start(['backup', 'a.tar.gz'])
      const half = (): number =>
        Math.max(0, ...names(desk).map((name) => (name === '.keepsake' ? 0 : sizeOf(join(desk.folder, name)))))
      const { status } = await endedOrKilled(child, () => half() > (size * round) / ROUNDS)
      if (status === null) killed++
      const archive = join(desk.folder, 'a.tar.gz')
      if (existsSync(archive)) await readArchive(archive)
      else expect(status).toBeNull()
    }
    expect(killed).toBeGreaterThan(0)
    await desk.make(['backup', 'a.tar.gz', '--force'])
    expect(names(desk)).toEqual(['.keepsake', 'a.tar.gz'])
    expect((await desk.run(['remember', 'all is well'])).status).toBe(0)
  })

  it('by a disk that takes no more leaves nothing, and says why', async () => {
    const desk = await filled()
    const before = visibleTree(desk.workspace)
    const { status, stderr } = await desk.shell(`${FULL_DISK}; exec "$NODE" "$MAIN" backup a.tar.gz`)
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^keepsake: writing .*a\.tar\.gz failed: EFBIG/)])
    expect(names(desk)).toEqual(['.keepsake'])
    expect(visibleTree(desk.workspace)).toBe(before)
  })
})

describe('a restore that is stopped', () => {
  it(
    'by kill -9 leaves the old workspace or the new one, whole',
    async () => {
      const desk = await filled()
      const archive = join(freshFolder(), 'a.tar.gz')
      await desk.make(['backup', archive])
      const saved = visibleTree(desk.workspace)
      desk.edit('pictures/7.png', randomBytes(1000))
      const present = visibleTree(desk.workspace)
      const start = (): Desk => {
        const copy = new Desk()
        execFileSync('cp', ['-a', desk.workspace, copy.workspace])
        return copy
      }
      const files = pathsIn(desk.workspace).length
      const found = { old: 0, new: 0 }
      for (let round = 0; round < ROUNDS; round++) {
        const copy = start()
        const child = copy.start(['restore', archive, '--yes'])
        const unpacked = (): number =>
          Math.max(
            0,
            ...names(copy).map((name) => (name === '.keepsake' ? 0 : pathsIn(join(copy.folder, name)).length)),
          )
        await endedOrKilled(child, () => unpacked() > (files * round) / ROUNDS)
        const beside = names(copy).filter((name) => name !== '.keepsake')
        const before = beside.find((name) => name.includes('.before-restore-'))
        if (!existsSync(copy.workspace)) {
          const restored = beside.find((name) => name.includes('.restored-')) ?? 'none'
          expect([visibleTree(join(copy.folder, restored)), visibleTree(join(copy.folder, before ?? 'none'))]).toEqual([
            saved,
            present,
          ])
          continue
        }
        const now = visibleTree(copy.workspace)
        expect([saved, present]).toContain(now)
        found[now === saved ? 'new' : 'old']++
        if (now === saved) expect(visibleTree(join(copy.folder, before ?? 'none'))).toBe(present)
        await copy.make(['restore', archive, '--yes'])
        expect(visibleTree(copy.workspace)).toBe(saved)
        expect(names(copy).filter((name) => name.startsWith('.keepsake.restore-'))).toEqual([])
        expect((await copy.run(['remember', 'all is well'])).status).toBe(0)
        rmSync(copy.folder, { recursive: true })
      }
      expect(found.old).toBeGreaterThan(0)
    },
    KILLS_MS,
  )

  it('by a disk that takes no more leaves everything as it was', async () => {
    const desk = await filled()
    await desk.make(['backup', 'a.tar.gz'])
    const before = desk.hash()
    const { status, stderr } = await desk.shell(`${FULL_DISK}; exec "$NODE" "$MAIN" restore a.tar.gz --yes`)
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^keepsake: writing .*pictures.* failed: EFBIG/)])
    expect(desk.hash()).toBe(before)
  })
})

describe('without the rights', () => {
  const NOBODY = 65_534

  /** A desk that belongs to someone who is not the superuser, who may do everything. */
  async function ofSomeone(): Promise<{ readonly desk: Desk; readonly someone: RunOptions }> {
    const desk = await Desk.furnished()
    if (process.getuid?.() !== 0) return { desk, someone: {} }
    execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, desk.folder])
    return { desk, someone: { uid: NOBODY } }
  }

  it('a backup leaves out and names what can not be read', async () => {
    const { desk, someone } = await ofSomeone()
    for (const path of ['secret.txt', 'closed/x']) desk.edit(path, 'x')
    chmodSync(join(desk.workspace, 'secret.txt'), 0)
    chmodSync(join(desk.workspace, 'closed'), 0)
    const { warnings } = await desk.json(['backup', 'a.tar.gz'], someone)
    expect(warnings).toEqual([
      expect.stringMatching(/^closed can't be read and was left out/),
      expect.stringMatching(/^secret\.txt can't be read and was left out/),
    ])
    chmodSync(join(desk.workspace, 'closed'), 0o700)
  })

  it('a restore beside which nothing can be made leaves everything as it was', async () => {
    const { desk, someone } = await ofSomeone()
    expect((await desk.run(['backup', 'a.tar.gz'], someone)).status).toBe(0)
    const before = visibleTree(desk.workspace)
    chmodSync(desk.folder, 0o500)
    expect((await desk.json(['restore', 'a.tar.gz', '--yes'], someone)).error.code).toBe('READ_ONLY')
    chmodSync(desk.folder, 0o700)
    expect([visibleTree(desk.workspace), names(desk)]).toEqual([before, ['.keepsake', 'a.tar.gz']])
  })
})
