// Proves the fault tools themselves: a shim that misses a call, or a disk that forgets nothing, would let every fault test
// pass. Real processes, real mounts.
import { execFile, spawnSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { killAtEveryCall, newKillCounts } from './snapshots.mjs'
import type { FaultMode, FaultyResult, FaultyRun, Missing } from './tools.mjs'
import { buildGodown, buildShim, callNames, compiler, loopDisk, runFaulty, smallTmpfs } from './tools.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const shim = buildShim()

function missing<Tool extends object>(tool: Tool | Missing): tool is Missing {
  if (!('missing' in tool)) return false
  console.warn(`SKIPPED: ${tool.missing}`)
  return true
}

let base: string
let root: string

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'keepsake-tools-')))
  root = join(base, 'root')
  mkdirSync(root)
})

afterEach(() => rmSync(base, { recursive: true, force: true }))

function run(script: string, faults: Partial<FaultyRun> = {}): Promise<FaultyResult> {
  const prelude = `const fs = require('node:fs'); process.chdir(${JSON.stringify(root)});`
  return runFaulty({ args: ['-e', prelude + script], root, ...faults })
}

const names = (result: FaultyResult): string[] => result.calls.map((call) => call.name)

// Each step on its own, so that a failing one does not keep the next from its turn. Prints `step code` for a failure, from
// the number, since Node has no name for EDQUOT.
const SIX_STEPS = `
  let fd
  const steps = {
    mkdir: () => fs.mkdirSync('folder'),
    open: () => { fd = fs.openSync('file', 'w') },
    write: () => fs.writeSync(fd, 'four'),
    fdatasync: () => fs.fdatasyncSync(fd),
    rename: () => fs.renameSync('file', 'renamed'),
    unlink: () => fs.unlinkSync('renamed'),
  }
  const codes = Object.entries(require('node:os').constants.errno)
  for (const [name, step] of Object.entries(steps)) {
    try { step() } catch (error) { console.log(name, codes.find(([, number]) => number === -error.errno)?.[0] ?? error.code) }
  }`
const SIX_NAMES = ['mkdir', 'open', 'write', 'fdatasync', 'rename', 'unlink']

const FOUR_WRITES = `
  const fd = fs.openSync('file', 'w')
  for (const word of ['aaaa', 'bbbb', 'cccc', 'dddd']) console.log(fs.writeSync(fd, word))`

describe.skipIf(missing(shim))('the shim', () => {
  it('sees each call that Node makes exactly once', async () => {
    const result = await run(`
      const two = [Buffer.from('a'), Buffer.from('b')]
      fs.mkdirSync('folder')
      const fd = fs.openSync('file', 'w+')
      fs.writeSync(fd, 'hello')
      fs.writeSync(fd, 'j', 0)
      fs.writevSync(fd, two)
      fs.writevSync(fd, two, 1)
      fs.fsyncSync(fd)
      fs.fdatasyncSync(fd)
      fs.ftruncateSync(fd, 1)
      fs.fchmodSync(fd, 0o600)
      fs.fchownSync(fd, process.getuid(), process.getgid())
      fs.futimesSync(fd, 1, 1)
      fs.closeSync(fd)
      fs.chmodSync('file', 0o644)
      fs.chownSync('file', process.getuid(), process.getgid())
      fs.lchownSync('file', process.getuid(), process.getgid())
      fs.utimesSync('file', 1, 1)
      fs.linkSync('file', 'hard')
      fs.symlinkSync('file', 'soft')
      fs.renameSync('file', 'renamed')
      fs.unlinkSync('hard')
      fs.rmdirSync('folder')
      fs.mkdtempSync('temporary-')
      fs.readFileSync('renamed')
      fs.readdirSync('.')
      fs.statSync('soft', { throwIfNoEntry: false })`)
    expect(result).toMatchObject({ status: 0, stderr: '' })
    expect(result.calls).toEqual(
      [
        ['mkdir', 'folder'],
        ...['open', 'write', 'pwrite', 'writev', 'pwritev', 'fsync', 'fdatasync', 'ftruncate'].map((n) => [n, 'file']),
        ...['fchmod', 'fchown', 'futimens', 'chmod', 'chown', 'lchown', 'utimensat'].map((name) => [name, 'file']),
        ['link', 'hard'],
        ['symlink', 'soft'],
        ['rename', 'renamed'],
        ['unlink', 'hard'],
        ['rmdir', 'folder'],
        ['mkdtemp', 'temporary-XXXXXX'],
      ].map(([name, path], index) => ({ index, name, path: join(root, path as string) })),
    )
  })

  it('sees each call that Node does not make exactly once', () => {
    const probe = join(base, 'probe')
    spawnSync(compiler() as string, ['-o', probe, join(here, 'probe.c')], { stdio: 'inherit' })
    const log = join(base, 'log')
    const env = { LD_PRELOAD: (shim as { path: string }).path, FAULT_ROOT: root, FAULT_LOG: log }
    const ended = spawnSync(probe, [root], { env, encoding: 'utf8' })
    expect(ended).toMatchObject({ status: 0, stderr: '' })
    const lines = readFileSync(log, 'utf8').replaceAll(`${root}/`, '').trim().split('\n')
    expect(lines).toEqual([
      '0 openat a',
      '1 pwritev a',
      '2 creat b',
      '3 sendfile b',
      '4 copy_file_range b',
      '5 truncate b',
      '6 fchmodat b',
      '7 renameat c',
      '8 renameat2 d',
      '9 linkat e',
      '10 symlinkat f',
      '11 mkdirat g',
      '12 unlinkat g',
    ])
  })

  it('knows as many names as it has stand-ins', () => {
    const counted = readFileSync(join(here, 'shim.c'), 'utf8').matchAll(/(?:judge_\w+|watched_sync)\("(\w+)"/g)
    expect([...new Set([...counted].map((match) => match[1]))].sort()).toEqual([...callNames].sort())
  })

  it('counts the parts of a copied file', async () => {
    writeFileSync(join(base, 'original'), 'content')
    const result = await run(`fs.copyFileSync('../original', 'copy')`)
    expect(names(result)).toContain('copy_file_range')
    expect(new Set(result.calls.map((call) => call.path))).toEqual(new Set([join(root, 'copy')]))
  })

  it('counts over all threads without a gap', async () => {
    const result = await run(`
      const write = (n) => fs.promises.writeFile('file-' + n, 'text')
      Promise.all(Array.from({ length: 25 }, (_, n) => write(n)))`)
    expect(result.calls.map((call) => call.index)).toEqual(Array.from({ length: 50 }, (_, n) => n))
    expect(names(result).filter((name) => name === 'write')).toHaveLength(25)
  })

  it('keeps names that hold a newline or a backslash', async () => {
    const result = await run(String.raw`fs.mkdirSync('two\nlines'); fs.mkdirSync('back\\n')`)
    expect(result.calls.map((call) => call.path)).toEqual([join(root, 'two\nlines'), join(root, 'back\\n')])
  })

  it('counts only below the root, however the path is written', async () => {
    mkdirSync(join(base, 'root-2'))
    symlinkSync(root, join(base, 'way-in'))
    symlinkSync(base, join(root, 'way-out'))
    writeFileSync(join(base, 'outside'), '')
    symlinkSync(join(base, 'outside'), join(root, 'outside'))
    const result = await run(`
      fs.writeFileSync('../root-2/no', '')
      fs.writeFileSync(${JSON.stringify(base)} + '/no', '')
      fs.writeFileSync('way-out/no', '')
      fs.appendFileSync('outside', 'x')
      fs.mkdirSync('../way-in/yes-1')
      fs.mkdirSync('./way-out/root/yes-2/')
      fs.mkdirSync('../root-2/../root//yes-3')
      fs.mkdirSync('yes-4')
      fs.unlinkSync('outside')
      fs.renameSync('../root-2/no', 'yes-5')
      fs.renameSync('yes-5', '../no')
      fs.chmodSync('.', 0o700)`)
    expect(result).toMatchObject({ status: 0, stderr: '' })
    expect(result.calls.map((call) => `${call.name} ${call.path.slice(base.length + 1)}`)).toEqual([
      ...['yes-1', 'yes-2', 'yes-3', 'yes-4'].map((name) => `mkdir root/${name}`),
      'unlink root/outside',
      'rename root/yes-5',
      'rename root/yes-5',
      'chmod root',
    ])
  })

  it('takes a root that is reached through a link', async () => {
    symlinkSync(root, join(base, 'way-in'))
    const result = await run(`fs.writeFileSync('file', 'text')`, { root: join(base, 'way-in') })
    expect(names(result)).toEqual(['open', 'write'])
  })

  it('leaves the children of the process alone', async () => {
    const result = await run(
      `
      const child = 'require("node:fs").writeFileSync("child", "text")'
      require('node:child_process').execFileSync(process.execPath, ['-e', child])
      fs.writeFileSync('parent', 'text')`,
      { at: 0, mode: 'errno:EIO', sticky: true },
    )
    expect(result.calls.map((call) => call.path)).toEqual([join(root, 'parent')])
    expect(readFileSync(join(root, 'child'), 'utf8')).toBe('text')
  })
})

describe.skipIf('missing' in shim)('a fault', () => {
  it.each([...SIX_NAMES.entries()])('fails call %i, %s, and no other', async (at, name) => {
    const result = await run(SIX_STEPS, { at, mode: 'errno:EIO' })
    const failures = result.stdout.trim().split('\n')
    expect(failures[0]).toBe(`${name} EIO`)
    // Without the file the later steps fail too, but of themselves.
    expect(failures.slice(1).filter((line) => line.endsWith(' EIO'))).toEqual([])
    expect(result.calls[at]?.name).toBe(name)
  })

  it.each(['EIO', 'ENOSPC', 'EROFS', 'EDQUOT', 'EACCES'] as const)('fails with %s', async (code) => {
    const result = await run(SIX_STEPS, { at: 0, mode: `errno:${code}` })
    expect(result.stdout).toBe(`mkdir ${code}\n`)
  })

  it('fails with EMFILE only where a file is opened', async () => {
    const counted = await run(SIX_STEPS, { mode: 'errno:EMFILE' })
    expect(counted).toMatchObject({ stdout: '', calls: [{ index: 0, name: 'open' }] })
    const failed = await run(`fs.chmodSync('.', 0o700); fs.openSync('file', 'w')`, { at: 0, mode: 'errno:EMFILE' })
    expect(failed.stderr).toContain(`EMFILE: too many open files, open 'file'`)
  })

  it('fails this and every later call when it is sticky', async () => {
    const result = await run(SIX_STEPS, { at: 3, mode: 'errno:EROFS', sticky: true })
    expect(result.stdout).toBe('fdatasync EROFS\nrename EROFS\nunlink EROFS\n')
    expect(readdirSync(root).sort()).toEqual(['file', 'folder'])
  })

  it('counts only the calls asked for', async () => {
    const result = await run(SIX_STEPS, { at: 1, mode: 'errno:EIO', only: ['open', 'rename'] })
    expect(names(result)).toEqual(['open', 'rename'])
    expect(result.stdout).toBe('rename EIO\nunlink ENOENT\n')
  })

  it('shortens one write, whose rest libuv writes', async () => {
    const result = await run(FOUR_WRITES, { at: 2, mode: 'short' })
    expect(result.stdout).toBe('4\n4\n4\n4\n')
    expect(names(result)).toEqual(['open', ...Array(5).fill('write')])
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('aaaabbbbccccdddd')
  })

  it('shows a short write to the program when the rest cannot be written', async () => {
    const result = await run(FOUR_WRITES, { at: 2, mode: 'short:ENOSPC' })
    expect(result.stdout).toBe('4\n2\n4\n4\n')
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('aaaabbccccdddd')
  })

  it('fills the disk in the middle of a write', async () => {
    const result = await run(FOUR_WRITES, { at: 2, mode: 'short:ENOSPC', sticky: true })
    expect(result.stdout).toBe('4\n2\n')
    expect(result.stderr).toContain('ENOSPC')
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('aaaabb')
  })

  it('shortens every later write, and still comes to an end', async () => {
    const result = await run(`fs.writeFileSync('file', 'abcdefgh')`, { at: 0, mode: 'short', sticky: true })
    expect(names(result)).toEqual(['open', 'write', 'write', 'write', 'write'])
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('abcdefgh')
  })

  it.each([
    ['writev', '', 'abcde'],
    ['pwritev', ', 2', '\0\0abcde'],
  ])('shortens a %s across its pieces', async (_, position, content) => {
    const pieces = `[Buffer.from('abc'), Buffer.from('defg'), Buffer.from('hijk')]`
    const script = `console.log(fs.writevSync(fs.openSync('file', 'w'), ${pieces}${position}))`
    const result = await run(script, { at: 1, mode: 'short:EIO' })
    expect(result.stdout).toBe('5\n')
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe(content)
  })

  it('passes a call that writes no bytes when it is to be short', async () => {
    const result = await run(SIX_STEPS, { at: 0, mode: 'short' })
    expect(result).toMatchObject({ status: 0, stdout: '' })
    expect(result.calls).toHaveLength(6)
  })

  const deaths: readonly [FaultMode, number, string][] = [
    ['kill', 1, ''],
    ['kill-half', 1, 'aa'],
    ['kill-after', 1, 'aaaa'],
    ['kill', 3, 'aaaabbbb'],
    ['kill-half', 3, 'aaaabbbbcc'],
    ['kill-after', 3, 'aaaabbbbcccc'],
  ]
  it.each(deaths)('%s at write call %i leaves "%s"', async (mode, at, content) => {
    const result = await run(FOUR_WRITES, { at, mode })
    expect(result).toMatchObject({ status: null, signal: 'SIGKILL' })
    expect(result.calls).toHaveLength(at + 1)
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe(content)
  })

  it.each([
    ['kill', false],
    ['kill-half', false],
    ['kill-after', true],
  ] as const)('%s at a mkdir leaves the folder: %s', async (mode, made) => {
    const result = await run(SIX_STEPS, { at: 0, mode })
    expect(result.signal).toBe('SIGKILL')
    expect(existsSync(join(root, 'folder'))).toBe(made)
  })

  it('does not come when the program makes fewer calls', async () => {
    const result = await run(SIX_STEPS, { at: 6, mode: 'kill' })
    expect(result).toMatchObject({ status: 0, signal: null, stdout: '' })
  })

  it('is refused when it makes no sense', async () => {
    await expect(run('', { at: 0 })).rejects.toThrow('FAULT_MODE')
    await expect(run('', { at: 0, mode: 'errno:EPONY' as FaultMode })).rejects.toThrow('EPONY')
    await expect(run('', { only: ['fopen' as 'open'] })).rejects.toThrow('fopen')
  })
})

describe.skipIf('missing' in shim)('a run', () => {
  it('hands on the input and its own environment only', async () => {
    const script = `console.log(fs.readFileSync(0, 'utf8'), process.env.GIVEN, process.env.NODE_EXTRA_CA_CERTS, process.env.VITEST)`
    const result = await run(script, { input: 'in', env: { GIVEN: 'given' } })
    expect(result.stdout).toBe('in given undefined undefined\n')
  })

  it('ends a program that hangs, as an error', async () => {
    await expect(run('setInterval(() => {}, 1000)', { timeoutMs: 300 })).rejects.toThrow('did not end within 300 ms')
  })

  it('builds once when several start at the same time', async () => {
    for (const file of ['tools.mjs', 'shim.c']) copyFileSync(join(here, file), join(base, file))
    const script = `import('${join(base, 'tools.mjs')}').then((tools) => console.log(tools.buildShim().path))`
    const builds = Array.from({ length: 6 }, () => promisify(execFile)(process.execPath, ['-e', script]))
    const paths = new Set((await Promise.all(builds)).map((build) => build.stdout.trim()))
    expect([...paths]).toEqual(readdirSync(join(base, '.build')).map((name) => join(base, '.build', name)))
  })
})

describe.skipIf('missing' in shim)('the states that kills leave, by copies', () => {
  const LINKS = `
    fs.mkdirSync('folder', 0o700)
    fs.writeFileSync('folder/new', 'some text', { mode: 0o600 })
    fs.linkSync('folder/new', 'file')
    fs.unlinkSync('folder/new')
    fs.writeSync(1, 'ack')
    fs.appendFileSync('file', ' and more')
    fs.fsyncSync(fs.openSync('file', 'r'))
    fs.symlinkSync('file', 'link')`
  const program = (folder: string): string[] => [
    '-e',
    `const fs = require('node:fs'); process.chdir(${JSON.stringify(folder)});${LINKS}`,
  ]

  function treeOf(folder: string): string[] {
    const seen = new Map<number, string>()
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((path) => {
        const stats = lstatSync(join(folder, path))
        const text = stats.isFile() ? readFileSync(join(folder, path), 'utf8') : ''
        const same = seen.get(stats.ino) ?? path
        seen.set(stats.ino, same)
        return `${path} ${stats.mode.toString(8)} "${text}"${same === path ? '' : ` is ${same}`}`
      })
  }

  it('are those that real kills leave', async () => {
    const found: Record<string, unknown> = {}
    const counts = newKillCounts()
    const { problems, calls } = await killAtEveryCall({
      folder: base,
      counts,
      prepare: (folder) => mkdirSync(folder),
      args: program,
      async killForReal(fault) {
        throw new Error(`no copy of ${JSON.stringify(fault)}`)
      },
      async check(folder, { stdout }, fault) {
        found[fault ? `${fault.mode}-${fault.at}` : 'end'] = [stdout, treeOf(folder)]
        return undefined
      },
    })
    expect(problems).toEqual([])
    expect(calls.map(({ name }) => name).join(' ')).toBe('mkdir open write link unlink open write fsync symlink')
    expect(counts).toEqual({ states: calls.length + 2, checked: Object.keys(found).length - 1, real: 0 })
    // What changes nothing leaves the state before it: an open of what is there, and a sync.
    expect(Object.keys(found)).not.toContain('kill-6')
    expect(Object.keys(found)).not.toContain('kill-8')

    for (const key of Object.keys(found)) {
      const folder = join(base, `real-${key}`)
      mkdirSync(folder)
      const at = key.match(/\d+$/)?.[0]
      const mode = key.replace(/-\d+$/, '') as FaultMode
      const faults = at === undefined ? {} : { at: Number(at), mode }
      const { stdout } = await runFaulty({ args: program(folder), root: folder, ...faults })
      expect([stdout, treeOf(folder)], key).toEqual(found[key])
    }
  })
})

describe.skipIf('missing' in shim)('the watch over failed syncs', () => {
  const faults = { at: 0, mode: 'errno:EIO', only: ['fsync', 'fdatasync'] } as const
  const FAIL_ONCE = `
    const fd = fs.openSync('file', 'w')
    try { fs.fsyncSync(fd) } catch {}`

  it('reports a descriptor that is synced again', async () => {
    const result = await run(`${FAIL_ONCE}; fs.fdatasyncSync(fd); console.log(fd)`, faults)
    expect(result.syncedTwice).toEqual([`fdatasync ${result.stdout.trim()} ${join(root, 'file')}`])
  })

  it('is silent when the file is closed and written anew, even under the same number', async () => {
    const anew = `fs.closeSync(fd); const next = fs.openSync('new', 'w'); fs.fsyncSync(next); console.log(next === fd)`
    const result = await run(`${FAIL_ONCE}; ${anew}`, faults)
    expect(result).toMatchObject({ status: 0, stdout: 'true\n', syncedTwice: [] })
    expect(names(result)).toEqual(['fsync', 'fsync'])
  })

  it('is silent when a sync that worked is repeated', async () => {
    const result = await run(`const fd = fs.openSync('file', 'w'); fs.fsyncSync(fd); fs.fsyncSync(fd)`)
    expect(result.syncedTwice).toEqual([])
  })

  it('watches a folder too', async () => {
    const result = await run(
      `const fd = fs.openSync('.', 'r'); try { fs.fsyncSync(fd) } catch {}; fs.fsyncSync(fd)`,
      faults,
    )
    expect(result.syncedTwice).toHaveLength(1)
  })
})

describe('a small tmpfs', () => {
  it('is full when it is filled, and has room again when released', ({ skip }) => {
    const disk = smallTmpfs(1024 * 1024)
    if (missing(disk)) return skip(disk.missing)
    try {
      const file = join(disk.folder, 'file')
      disk.fill(8192)
      expect(readdirSync(disk.folder)).toEqual([])
      writeFileSync(file, Buffer.alloc(8192))
      expect(() => writeFileSync(join(disk.folder, 'next'), 'text')).toThrow('ENOSPC')
      disk.release()
      writeFileSync(file, Buffer.alloc(64 * 1024))
    } finally {
      disk.free()
    }
    expect(existsSync(disk.folder)).toBe(false)
  })

  it('is freed with a file still open', ({ skip }) => {
    const disk = smallTmpfs(1024 * 1024)
    if (missing(disk)) return skip(disk.missing)
    const fd = openSync(join(disk.folder, 'file'), 'w')
    disk.free()
    closeSync(fd)
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(disk.folder)
  })
})

describe('a loop disk', () => {
  function writeDisk(path: string, text: string, synced: boolean): void {
    const fd = openSync(path, 'w')
    writeSync(fd, text)
    if (synced) fsyncSync(fd)
    closeSync(fd)
  }

  it('loses what was not synced at each power cut, and keeps what was', ({ skip }) => {
    const disk = loopDisk(16)
    if (missing(disk)) return skip(disk.missing)
    try {
      for (const round of [1, 2, 3]) {
        const lost = join(disk.folder, `lost-${round}`)
        writeDisk(lost, 'not synced', false)
        writeDisk(join(disk.folder, `kept-${round}`), 'synced', true)
        writeDisk(join(disk.folder, `never-${round}`), 'not synced', false)
        disk.cut()
        expect(readdirSync(disk.folder)).toEqual([])
        disk.remount()
        // The sync of its neighbour may also commit the name, but not the bytes.
        expect(existsSync(lost) ? readFileSync(lost, 'utf8') : '').toBe('')
        expect(readFileSync(join(disk.folder, `kept-${round}`), 'utf8')).toBe('synced')
        expect(existsSync(join(disk.folder, `never-${round}`))).toBe(false)
      }
    } finally {
      disk.free()
    }
    expect(existsSync(disk.folder)).toBe(false)
  })

  it('is taken down when the process that mounted it is killed', async ({ skip }) => {
    const disk = loopDisk(16)
    if (missing(disk)) return skip(disk.missing)
    disk.free()
    const script = `import('${join(here, 'tools.mjs')}').then((tools) => {
      require('node:fs').writeSync(1, tools.loopDisk(16).folder)
      process.kill(process.pid, 'SIGKILL')
    })`
    const folder = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout
    expect(folder).not.toBe('')
    while (existsSync(folder)) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(folder)
  })

  it('is the only kind of disk whose power can be cut', ({ skip }) => {
    const godown = buildGodown()
    if (missing(godown)) return skip(godown.missing)
    const refused = (folder: string) => spawnSync(godown.path, [folder], { encoding: 'utf8' }).stderr
    expect(refused(base)).toBe(`godown: ${base}: not a mount point\n`)
    expect(refused('/proc')).toBe('godown: /proc: not a loop mount\n')
  })
})
