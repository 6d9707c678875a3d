/** Backups and restores through the real store and real files: byte for byte, of one moment, and never half. */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { encodeTar, type TarMember } from '../../src/codec/tar.ts'
import { openMemory } from '../../src/index.ts'
import { acquireLock } from '../../src/stores/disk/lock.ts'
import { formatManifest, isArchived, type Manifest } from '../../src/stores/filesystem/backup/archive-manifest.ts'
import { readArchive } from '../../src/stores/filesystem/backup/archive-read.ts'
import { rewriteArchive } from '../../src/stores/filesystem/backup/archive-rewrite.ts'
import type { Backup, BackupOptions } from '../../src/stores/filesystem/backup/backup.ts'
import { knownBackups } from '../../src/stores/filesystem/backup/known-backups.ts'
import { planRestore, type Restored, restoreWorkspace } from '../../src/stores/filesystem/backup/restore.ts'
import { extractArchive, makeJournalCopy } from '../../src/stores/filesystem/backup/restore-extract.ts'
import { restoreTraces } from '../../src/stores/filesystem/backup/switch-workspace.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { seededRandom } from '../../src/testing/random.ts'

const DIST = resolve(import.meta.dirname, '../../dist/index.js')
const made: string[] = []

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-backup-'))
  made.push(folder)
  return folder
}

/** A workspace with something of every sort, and things that are none of ours. */
async function furnished(): Promise<string> {
  const root = join(freshFolder(), 'ws')
  const memory = await openMemory({ workspace: root, timezone: 'UTC' })
  await memory.remember('a line of the log')
  await memory.remember('a note', { name: 'Deploys', aliases: ['releases'], metadata: { sure: true } })
  await memory.remember('first', { name: 'changes' })
  await memory.remember('second', { name: 'changes' })
  await memory.remember('ein Wort', { name: 'Überlänge 日本 🎉' })
  await memory.remember('gone', { name: 'gone' })
  await memory.forget('gone')
  await memory.learnFact('Staging server', 'heron')
  await memory.reflect('- small steps')
  await memory.store.apply({
    operations: [
      { op: 'add', scope: 'main', kind: 'fact', name: 'f', content: 'fact' },
      { op: 'add', scope: 'main', kind: 'history', name: null, content: 'history' },
      { op: 'add', scope: 'main', kind: 'conversation', name: null, content: 'talk' },
      { op: 'add', scope: 'main', kind: 'identity', name: 'IDENTITY', content: 'I am' },
    ],
    origin: { by: 'import' },
  })
  await memory.store.sessions.append('main', 'chat/1', [{ role: 'user', text: 'hi' }, { role: 'agent' }])
  await memory.close()
  hand(root, 'notes.txt', 'not ours', 0o644)
  hand(root, 'pictures/é/photo.png', randomBytes(70_000), 0o644)
  hand(root, '.git/HEAD', 'ref: refs/heads/main\n', 0o444)
  mkdirSync(join(root, '.git/refs/heads'), { recursive: true })
  hand(root, 'n'.repeat(200), 'a long name')
  hand(root, `${'深'.repeat(60)}/${'い'.repeat(60)}.md`, 'deep')
  hand(root, 'empty.md', '')
  hand(root, 'line\nbreak "and" = %s', 'odd name')
  chmodSync(join(root, 'pictures'), 0o755)
  utimesSync(join(root, 'notes.txt'), 1_600_000_000, 1_600_000_000.123_456)
  return root
}

function hand(root: string, path: string, content: string | Uint8Array, mode = 0o600): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
  chmodSync(join(root, path), mode)
}

async function backUp(root: string, options: BackupOptions): Promise<Backup> {
  const store = filesystemStore({ root, timezone: 'UTC' })
  try {
    return await store.backup(options)
  } finally {
    await store.close()
  }
}

async function restore(archive: string, root: string): Promise<Restored> {
  return restoreWorkspace(await planRestore({ archive, root }), { nowMs: Date.now() })
}

/** Every path that a backup holds, with all that must come back: kind, mode, time to the microsecond, bytes. */
function treeOf(root: string): Map<string, string> {
  const out = new Map<string, string>()
  for (const path of ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })].sort()) {
    if (!isArchived(path)) continue
    const stats = lstatSync(join(root, path), { bigint: true })
    const hash = stats.isFile()
      ? createHash('sha256')
          .update(readFileSync(join(root, path)))
          .digest('hex')
      : 'folder'
    // Our lock and list lie in `.state`, whose own time therefore goes on.
    out.set(path, [hash, stats.mode.toString(8), path === '.state' ? '' : stats.mtimeNs / 1000n].join(' '))
  }
  return out
}

function beside(root: string): string[] {
  return readdirSync(dirname(root)).sort()
}

describe('a backup', () => {
  it('comes back byte for byte, with modes and times, in another place', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    const { files, bytes, change, warnings } = await backUp(root, { to: archive })
    const tree = treeOf(root)
    expect(warnings).toEqual([])
    expect(tree.size).toBeGreaterThan(25)
    expect(bytes).toBe(statSync(archive).size)
    expect(statSync(archive).mode & 0o777).toBe(0o600)
    const copy = join(freshFolder(), 'deep/copy')
    expect(await restore(archive, copy)).toEqual({ workspace: copy, files, warnings: [] })
    expect(treeOf(copy)).toEqual(tree)
    expect(beside(copy)).toEqual(['copy'])
    expect(change).toBeGreaterThan(8)
    expect(beside(root)).toEqual(['a.tar.gz', 'ws'])
  })

  it('is the same memory, with its past, and goes on in a new epoch', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    const original = await openMemory({ workspace: root })
    const before = { list: await original.list(), feed: await original.store.changes() }
    await original.close()
    const { change } = await backUp(root, { to: archive })
    const copy = join(dirname(root), 'copy')
    await restore(archive, copy)
    const tree = treeOf(copy)
    const memory = await openMemory({ workspace: copy })
    expect(await memory.list()).toEqual(before.list)
    expect(await memory.store.problems()).toEqual([])
    expect(treeOf(copy)).toEqual(tree)
    const page = await memory.store.sessions.read('main', 'chat/1')
    expect(page?.records).toHaveLength(2)
    const { change: next } = await memory.remember('more')
    expect(next?.number).toBe(change + 1)
    const feed = await memory.store.changes()
    expect(feed.cursor.epoch).not.toBe(before.feed.cursor.epoch)
    expect((await memory.list()).filter((entry) => entry.content !== 'more')).toEqual(before.list)
    for (const [path, facts] of tree) {
      if (!path.startsWith('.state') && path.endsWith('.md') && !path.includes('/daily/')) {
        expect([path, treeOf(copy).get(path)]).toEqual([path, facts])
      }
    }
    await memory.close()
  })

  it('gives a journal another inode than it names, where the disk gave it the same', async () => {
    const root = await furnished()
    const folder = join(root, '.state/journal')
    const inodes = (): number[] => readdirSync(folder).map((name) => statSync(join(folder, name)).ino)
    const [before, tree] = [inodes(), treeOf(root)]
    tree.delete('.state/journal')
    await makeJournalCopy(root)
    expect(inodes().filter((inode) => before.includes(inode))).toEqual([])
    const after = treeOf(root)
    after.delete('.state/journal')
    expect(after).toEqual(tree)
  })

  it('holds of .state only what history needs, and names no path of this machine', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    hand(root, '.state/derived/index', 'x')
    hand(root, '.state/backups/old.tar.gz', 'x')
    hand(root, '.state/displaced/x', 'x')
    await backUp(root, { to: archive })
    const manifest = await readArchive(archive)
    const inState = manifest.files.map((file) => file.path).filter((path) => path.startsWith('.state'))
    expect(inState.filter((path) => !path.startsWith('.state/journal/'))).toEqual([
      '.state/.gitignore',
      '.state/checkpoint',
    ])
    expect(inState.length).toBeGreaterThan(2)
    const text = Buffer.from(formatManifest(manifest)).toString()
    expect(text).not.toContain(dirname(root))
    expect(JSON.parse(text)).toMatchObject({ keepsake: 'backup', version: 1, change: expect.any(Number) })
  })

  it('names links, and what can not be read, and leaves them out', async () => {
    const root = await furnished()
    symlinkSync('/etc', join(root, 'world/etc'))
    symlinkSync('notes.txt', join(root, 'notes-too.txt'))
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), 'x')
    const archive = join(dirname(root), 'a.tar.gz')
    const { warnings } = await backUp(root, { to: archive })
    expect(warnings).toEqual([
      'notes-too.txt is a link and was left out',
      'world/etc is a link and was left out',
      'ÿþ has a name that is not UTF-8 and was left out',
    ])
    expect((await readArchive(archive)).files.some((file) => /etc|too/.test(file.path))).toBe(false)
  })

  it('leaves out and names a file that does not come to rest', async () => {
    const root = await furnished()
    const busy = join(root, 'busy.txt')
    const saving = setInterval(() => writeFileSync(busy, randomBytes(100)), 5)
    writeFileSync(busy, 'x')
    try {
      const { warnings } = await backUp(root, { to: join(dirname(root), 'a.tar.gz') })
      expect(warnings).toEqual(['busy.txt is being written by someone and was left out; back up again later'])
    } finally {
      clearInterval(saving)
    }
  })

  it('takes a file that was emptied to be filled only once it is full', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    writeFileSync(join(root, 'notes.txt'), '')
    // Freeze the clock so that the file looks just emptied on the first pass.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    let looks = 0
    const onProgress = (_: string, done: number, total: number): void => {
      if (++looks !== total) return
      expect(done).toBeLessThan(total)
      writeFileSync(join(root, 'notes.txt'), 'all of it')
      vi.useRealTimers()
    }
    await backUp(root, { to: archive, onProgress })
    expect(looks).toBeGreaterThan(0)
    const { files } = await readArchive(archive)
    expect(files.find((file) => file.path === 'notes.txt')?.size).toBe(9)
  })

  it('refuses a file that is there, unless told to replace it', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    writeFileSync(archive, 'precious')
    await expect(backUp(root, { to: archive })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(readFileSync(archive, 'utf8')).toBe('precious')
    await backUp(root, { to: archive, force: true })
    await readArchive(archive)
    await expect(backUp(root, { to: dirname(root), force: true })).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(backUp(root, { to: join(root, 'none/a.tar.gz') })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(beside(root)).toEqual(['a.tar.gz', 'ws'])
  })

  it('inside the workspace holds neither itself nor its elders', async () => {
    const root = await furnished()
    const told: (readonly string[])[] = []
    for (const name of ['one.tar.gz', 'two.tar.gz']) told.push((await backUp(root, { to: join(root, name) })).warnings)
    expect(told).toEqual([[], ['one.tar.gz is a backup itself and was left out']])
    const { files } = await readArchive(join(root, 'two.tar.gz'))
    expect(files.map((file) => file.path).filter((path) => path.endsWith('.gz'))).toEqual([])
  })

  it('holds what only has the name of an elder by now', async () => {
    const root = await furnished()
    await backUp(root, { to: join(root, 'one.tar.gz') })
    writeFileSync(join(root, 'one.tar.gz'), 'precious')
    const archive = join(dirname(root), 'two.tar.gz')
    expect((await backUp(root, { to: archive })).warnings).toEqual([])
    const { files } = await readArchive(archive)
    expect(files.find((file) => file.path === 'one.tar.gz')?.size).toBe(8)
  })

  it.each([
    'keepsake.yaml',
    'notes.txt',
    'world/staging-server.md',
    'world/new.md',
    'agents/main/sessions/new.jsonl',
    '.state/checkpoint',
    '.state/new.tar.gz',
  ])("never takes the place of what is the workspace's own: %s", async (path) => {
    const root = await furnished()
    const before = treeOf(root)
    await expect(backUp(root, { to: join(root, path), force: true })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining("can't become a backup"),
    })
    expect(treeOf(root)).toEqual(before)
    mkdirSync(join(root, '.state/backups'))
    await backUp(root, { to: join(root, '.state/backups/a.tar.gz') })
    await backUp(root, { to: join(root, '.state/backups/a.tar.gz'), force: true })
  })

  it('of nothing is refused, and makes nothing', async () => {
    const folder = freshFolder()
    await expect(backUp(join(folder, 'ws'), { to: join(folder, 'a.tar.gz') })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('is noted, so that a purge can reach it, until it is gone', async () => {
    const root = await furnished()
    const state = join(root, '.state')
    const [one, two] = [join(dirname(root), 'one.tar.gz'), join(root, 'two.tar.gz')]
    for (const to of [one, two]) await backUp(root, { to })
    await backUp(root, { to: two, force: true })
    expect(knownBackups(state).map((known) => known.path)).toEqual([one, two])
    const { previous = '' } = await restore(one, root)
    expect(knownBackups(state).map((known) => known.path)).toEqual([one, join(previous, 'two.tar.gz')])
    rmSync(one)
    expect(knownBackups(state).map((known) => known.path)).toEqual([join(previous, 'two.tar.gz')])
    writeFileSync(join(state, 'backups.json'), 'mangled')
    expect(knownBackups(state)).toEqual([])
  })

  it.each(['Reading', 'Writing', 'Checking'])('does not bring back what is purged meanwhile: %s', async (moment) => {
    const root = await furnished()
    const memory = await openMemory({ workspace: root })
    await memory.remember('the word is xyzzy', { name: 'secret' })
    const archive = join(dirname(root), 'a.tar.gz')
    let purging: Promise<unknown> | undefined
    await backUp(root, {
      to: archive,
      onProgress: (doing) => {
        if (doing.startsWith(moment)) purging ??= memory.purge('secret')
      },
    })
    await purging
    await memory.close()
    expect(purging).toBeDefined()
    expect(gunzipSync(readFileSync(archive)).includes('xyzzy')).toBe(false)
    expect((await readArchive(archive)).files.length).toBeGreaterThan(10)
  })

  it('can be rewritten, file by file', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    await backUp(root, { to: archive })
    const whole = readFileSync(archive)
    expect(await rewriteArchive(archive, (_, bytes) => bytes)).toBe(false)
    expect(readFileSync(archive).equals(whole)).toBe(true)
    const changed = await rewriteArchive(archive, (path, bytes) => {
      if (path === 'notes.txt') return undefined
      return path === 'empty.md' ? Buffer.from('filled') : bytes
    })
    expect(changed).toBe(true)
    expect(statSync(archive).mode & 0o777).toBe(0o600)
    const copy = join(dirname(root), 'copy')
    await restore(archive, copy)
    const [expected, found] = [treeOf(root), treeOf(copy)]
    expect(expected.delete('notes.txt')).toBe(true)
    expect(readFileSync(join(copy, 'empty.md'), 'utf8')).toBe('filled')
    for (const tree of [expected, found]) tree.delete('empty.md')
    expect(found).toEqual(expected)
  })
})

describe('a backup while another process writes', () => {
  it.skipIf(!existsSync(DIST))('is of one moment: all up to its change, and nothing after', async () => {
    const root = join(freshFolder(), 'ws')
    await (await openMemory({ workspace: root, timezone: 'UTC' })).remember('x', { name: 'first' })
    const script = `
      import { openMemory } from ${JSON.stringify(DIST)}
      const memory = await openMemory({ workspace: ${JSON.stringify(root)}, timezone: 'UTC' })
      process.on('disconnect', () => process.exit())
      for (let n = 1; ; n++) {
        const named = { name: 'note ' + n }
        await new Promise((done) => setTimeout(done, 1))
        const { change } = await (n % 3 === 0 ? memory.remember('line ' + n) : memory.remember('text ' + n, named))
        console.log(JSON.stringify({ number: change.number, text: (n % 3 === 0 ? 'line ' : 'text ') + n }))
      }`
    const writer = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    const acknowledged = new Map<number, string>()
    if (!writer.stdout) throw new Error('unreachable: it is piped')
    createInterface({ input: writer.stdout }).on('line', (line) => {
      const { number, text } = JSON.parse(line)
      acknowledged.set(number, text)
    })
    const archives: { readonly path: string; readonly atLeast: number }[] = []
    try {
      while (archives.length < 3) {
        const atLeast = acknowledged.size
        const path = join(dirname(root), `${archives.length}.tar.gz`)
        await backUp(root, { to: path })
        archives.push({ path, atLeast })
        const enough = acknowledged.size + 20
        await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThanOrEqual(enough), {
          timeout: 50_000,
          interval: 5,
        })
      }
    } finally {
      writer.kill('SIGKILL')
      await new Promise((done) => writer.once('close', done))
    }
    for (const [index, { path, atLeast }] of archives.entries()) {
      const { change } = await readArchive(path)
      const copy = join(dirname(root), `copy-${index}`)
      await restore(path, copy)
      const memory = await openMemory({ workspace: copy })
      const found = (await memory.list()).map((entry) => entry.content).filter((text) => text !== 'x')
      const wanted = [...acknowledged].filter(([number]) => number <= change).map(([, text]) => text)
      expect(found.sort()).toEqual(wanted.sort())
      expect(wanted.length).toBeGreaterThanOrEqual(atLeast)
      await memory.close()
    }
  })
})

describe('a restore', () => {
  it('keeps the workspace that was there, and going back is a rename', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    await backUp(root, { to: archive })
    const backedUp = treeOf(root)
    const memory = await openMemory({ workspace: root })
    await memory.remember('after the backup', { name: 'late' })
    await memory.close()
    const later = treeOf(root)
    const { previous = '' } = await restore(archive, root)
    expect(previous).toMatch(/\/ws\.before-restore-\d{8}T\d{6}Z$/)
    expect(treeOf(root)).toEqual(backedUp)
    expect(treeOf(previous)).toEqual(later)
    expect(beside(root)).toHaveLength(3)
    expect(readdirSync(join(previous, '.state/lock'))).toEqual([expect.stringMatching(/^\d+\.done$/)])
    rmSync(root, { recursive: true })
    renameSync(previous, root)
    const again = await openMemory({ workspace: root })
    expect((await again.find('late')).content).toBe('after the backup')
    expect((await again.remember('on', { name: 'late' })).warnings).toEqual([])
    await again.close()
  })

  it('is noticed by a program that has the old workspace open', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    await backUp(root, { to: archive })
    const memory = await openMemory({ workspace: root })
    await memory.remember('after the backup', { name: 'late' })
    const { previous = '' } = await restore(archive, root)
    expect(await memory.list()).not.toContainEqual(expect.objectContaining({ name: 'late' }))
    await memory.remember('in the new one', { name: 'newer' })
    await memory.close()
    const [now, then] = [await openMemory({ workspace: root }), await openMemory({ workspace: previous })]
    expect((await now.find('newer')).content).toBe('in the new one')
    expect((await then.find('late')).content).toBe('after the backup')
    for (const opened of [now, then]) await opened.close()
  })

  it('waits for a writer, and changes nothing when that does not end', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    await backUp(root, { to: archive })
    const tree = treeOf(root)
    const lock = await acquireLock(join(root, '.state/lock'), 1000)
    const plan = await planRestore({ archive, root })
    await expect(restoreWorkspace(plan, { nowMs: Date.now(), lockWaitMs: 50 })).rejects.toMatchObject({
      code: 'LOCKED',
    })
    expect([treeOf(root), beside(root)]).toEqual([tree, ['a.tar.gz', 'ws']])
    const waiting = restoreWorkspace(plan, { nowMs: Date.now() })
    setImmediate(() => lock.release())
    expect((await waiting).previous).toContain('before-restore')
  })

  it('loses no write of a program that writes all the while', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    await backUp(root, { to: archive })
    const memory = await openMemory({ workspace: root, lockWaitMs: 60_000 })
    const written: string[] = []
    let stop = false
    const writing = (async () => {
      for (let n = 0; !stop; n++) {
        await memory.remember(`text ${n}`, { name: `n ${n}` })
        written.push(`text ${n}`)
        // The lock has no queue: someone who takes it again at once leaves nobody else a chance.
        await new Promise((done) => setTimeout(done, 1))
      }
    })()
    const places = [root]
    for (let round = 0; round < 4; round++) {
      const { previous = '', warnings } = await restore(archive, root)
      places.push(previous, ...warnings.map((warning) => warning.replace(/.* is in /, '')))
      const enough = written.length + 5
      await vi.waitFor(() => expect(written.length).toBeGreaterThanOrEqual(enough), { timeout: 50_000, interval: 5 })
    }
    stop = true
    await writing
    await memory.close()
    const found = new Set<string>()
    for (const place of places) {
      const opened = await openMemory({ workspace: place })
      for (const entry of await opened.list()) found.add(entry.content)
      expect(await opened.store.problems()).toEqual([])
      await opened.close()
    }
    expect(written.filter((text) => !found.has(text))).toEqual([])
  })

  it('does not move a folder that is no workspace', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    await backUp(root, { to: archive })
    const other = freshFolder()
    writeFileSync(join(other, 'thesis.tex'), 'x')
    await expect(planRestore({ archive, root: other })).rejects.toMatchObject({ code: 'FOREIGN' })
    await expect(planRestore({ archive, root: join(other, 'thesis.tex') })).rejects.toMatchObject({ code: 'FOREIGN' })
    const empty = freshFolder()
    expect(await restore(archive, empty)).not.toHaveProperty('previous')
    expect(treeOf(empty)).toEqual(treeOf(root))
  })

  it('tells of one that was interrupted between its last steps', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    await backUp(root, { to: archive })
    const [restored, before] = [`${root}.restored-20261115T213222Z`, `${root}.before-restore-20261115T213222Z`]
    await restore(archive, restored)
    renameSync(root, before)
    expect(restoreTraces(root)).toEqual({ restored: [restored], before: [before] })
    const { warnings, replaces } = await planRestore({ archive, root })
    expect([replaces, warnings]).toEqual([
      false,
      [expect.stringContaining(`${restored} is what it restored, ${before}`)],
    ])
  })
})

describe('an archive that is not in order', () => {
  async function refusal(bytes: Uint8Array): Promise<{ readonly code: string; readonly message: string }> {
    const folder = freshFolder()
    const archive = join(folder, 'bad.tar.gz')
    writeFileSync(archive, bytes)
    try {
      await restore(archive, join(folder, 'ws'))
    } catch (error) {
      expect(readdirSync(folder)).toEqual(['bad.tar.gz'])
      return error as { code: string; message: string }
    }
    return { code: 'RESTORED', message: '' }
  }

  it('is refused, or is the same all the same, wherever it is damaged', async () => {
    const root = await furnished()
    const archive = join(dirname(root), 'a.tar.gz')
    await backUp(root, { to: archive })
    const tree = treeOf(root)
    const whole = readFileSync(archive)
    const random = seededRandom(20_261_115)
    const outcomes = { refused: 0, same: 0 }
    for (let round = 0; round < 200; round++) {
      const at = random.int(whole.length)
      const damaged = Buffer.from(round % 2 === 0 ? whole : whole.subarray(0, at))
      if (round % 2 === 0) damaged[at] = (damaged[at] ?? 0) ^ (1 << random.int(8))
      const folder = freshFolder()
      writeFileSync(join(folder, 'bad.tar.gz'), damaged)
      try {
        await restore(join(folder, 'bad.tar.gz'), join(folder, 'ws'))
        expect(treeOf(join(folder, 'ws'))).toEqual(tree)
        outcomes.same++
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^(DAMAGED|FOREIGN|NEWER)$/) })
        expect(readdirSync(folder)).toEqual(['bad.tar.gz'])
        outcomes.refused++
      }
    }
    expect(outcomes.refused).toBeGreaterThan(150)
  })

  const FOLDER = { path: '', mode: 0o700, mtime: 0 }
  const EVIL = Buffer.from('evil')

  function fileRow(path: string): Manifest['files'][number] {
    return { path, mode: 0o600, mtime: 0, size: EVIL.length, sha256: createHash('sha256').update(EVIL).digest('hex') }
  }

  /** An archive as no program of ours would write it. */
  function crafted(manifest: Partial<Manifest>, members: readonly (readonly [string, Uint8Array])[]): Uint8Array {
    const list = formatManifest({
      workspace: 'w',
      madeAt: '2026-11-15',
      change: 1,
      folders: [FOLDER],
      files: [],
      ...manifest,
    })
    const member = (path: string, bytes: Uint8Array): readonly [TarMember, Uint8Array] => {
      const isFolder = path.endsWith('/')
      const name = isFolder ? path.slice(0, -1) : path
      return [{ path: name, type: isFolder ? 'folder' : 'file', size: bytes.length, mode: 0o600, mtime: 0 }, bytes]
    }
    const all = [member('keepsake-backup.json', list), ...members.map(([path, bytes]) => member(path, bytes))]
    return gzipSync(Buffer.concat([...encodeTar(all)]))
  }

  const NOTHING = new Uint8Array(0)

  it('would be restored if nothing were wrong with it', async () => {
    const archive = crafted({ files: [fileRow('a')] }, [
      ['files/', NOTHING],
      ['files/a', EVIL],
    ])
    expect(await refusal(archive)).toMatchObject({ code: 'RESTORED' })
  })

  const PATHS = ['../evil', '..', '/evil', 'a/../../evil', 'a//b', './a', 'a/.', 'a\0b', 'a/b\0', '\ud800']

  it.each(PATHS)('is refused for the path %j, with all folders on the way to it', async (path) => {
    const parents = path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))
    const folders = [...new Set(['', ...parents])].map((folder) => ({ ...FOLDER, path: folder }))
    const members = folders.map((folder): [string, Uint8Array] => [`files/${folder.path}/`, NOTHING])
    const archive = crafted({ folders, files: [fileRow(path)] }, [...members, [`files/${path}`, EVIL]])
    expect((await refusal(archive)).message).toMatch(/, which is no path in a workspace$/)
  })

  it.each([
    ['', 'twice'],
    ['no/folder', 'which is no path in a workspace'],
    ['.state/lock', 'which no backup holds'],
    ['.state/backups.json', 'which no backup holds'],
  ])('is refused for the path %j', async (path, problem) => {
    const folders = [FOLDER, { ...FOLDER, path: '.state' }]
    const archive = crafted({ folders, files: [fileRow(path)] }, [])
    expect((await refusal(archive)).message).toContain(problem)
  })

  it.each([
    [
      'a file that is not listed',
      {},
      [
        ['files/', NOTHING],
        ['files/a', EVIL],
      ],
      /does not name/,
    ],
    [
      'a file outside of files/',
      {},
      [
        ['files/', NOTHING],
        ['a', EVIL],
      ],
      /does not name/,
    ],
    [
      'a file that comes twice',
      { files: [fileRow('a')] },
      [
        ['files/', NOTHING],
        ['files/a', EVIL],
        ['files/a', EVIL],
      ],
      /or twice/,
    ],
    ['a file that is missing', { files: [fileRow('a')] }, [['files/', NOTHING]], /is missing/],
    ['a path that is listed twice', { files: [fileRow('a'), fileRow('a')] }, [['files/a', EVIL]], /twice/],
    [
      'a path that is file and folder',
      { folders: [FOLDER, { ...FOLDER, path: 'a' }], files: [fileRow('a')] },
      [],
      /twice/,
    ],
    [
      'another size',
      { files: [fileRow('a')] },
      [
        ['files/', NOTHING],
        ['files/a', Buffer.from('evil!')],
      ],
      /size/,
    ],
    [
      'other bytes',
      { files: [fileRow('a')] },
      [
        ['files/', NOTHING],
        ['files/a', Buffer.from('live')],
      ],
      /is damaged/,
    ],
    ['no root', { folders: [], files: [] }, [], /list of files/],
  ] as const)('is refused for %s', async (_, manifest, members, message) => {
    // biome-ignore format: a table of cases reads best as one
    expect(await refusal(crafted(manifest as Partial<Manifest>, members))).toMatchObject({
      code: 'DAMAGED',
      message: expect.stringMatching(message),
    })
  })

  it('is refused when it is of a newer version, of another program, or no archive', async () => {
    const tar = gunzipSync(crafted({ files: [] }, [['files/', NOTHING]]))
    const newer = Buffer.from(tar.toString('latin1').replace('"version":1', '"version":2'), 'latin1')
    expect((await refusal(gzipSync(newer))).code).toBe('NEWER')
    const foreign = Buffer.from(tar.toString('latin1').replace('"backup"', '"bakcup"'), 'latin1')
    expect((await refusal(gzipSync(foreign))).code).toBe('FOREIGN')
    expect((await refusal(Buffer.from('PK\x03\x04 something else'))).code).toBe('FOREIGN')
    const other: [TarMember, Uint8Array] = [{ path: 'x', type: 'file', size: 0, mode: 0, mtime: 0 }, NOTHING]
    expect((await refusal(gzipSync(Buffer.concat([...encodeTar([other])])))).code).toBe('FOREIGN')
    expect((await refusal(NOTHING)).code).toBe('DAMAGED')
    await expect(planRestore({ archive: '/nowhere/a.tar.gz', root: freshFolder() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  it('is damaged, not foreign, when something follows after its end, and no folder', async () => {
    const whole = crafted({ files: [] }, [['files/', NOTHING]])
    const refused = await refusal(Buffer.concat([whole, Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9])]))
    expect(refused).toMatchObject({ code: 'DAMAGED' })
    const folder = freshFolder()
    await expect(planRestore({ archive: folder, root: join(folder, 'ws') })).rejects.toMatchObject({
      code: 'INVALID',
      message: `${folder} is a folder, not an archive`,
    })
  })

  it('is refused for a link', async () => {
    const tar = Buffer.from(
      gunzipSync(
        crafted({ files: [fileRow('a')] }, [
          ['files/', NOTHING],
          ['files/a', EVIL],
        ]),
      ),
    )
    const header = tar.indexOf('files/a\0')
    tar.write('2', header + 156)
    tar.fill(0x20, header + 148, header + 156)
    const sum = tar.subarray(header, header + 512).reduce((all, byte) => all + byte, 0)
    tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, header + 148)
    expect(await refusal(gzipSync(tar))).toMatchObject({ code: 'DAMAGED', message: expect.stringContaining('a link') })
  })

  it('never touches what is there already, as a path would that this disk takes for another', async () => {
    const folder = freshFolder()
    const archive = join(folder, 'a.tar.gz')
    const into = join(folder, 'ws')
    writeFileSync(
      archive,
      crafted({ files: [fileRow('a')] }, [
        ['files/', NOTHING],
        ['files/a', EVIL],
      ]),
    )
    mkdirSync(into)
    await expect(extractArchive(archive, into)).rejects.toMatchObject({
      code: 'DAMAGED',
      message: expect.stringContaining('the same on this disk'),
    })
    expect(readdirSync(into)).toEqual([])
  })

  it('that would unpack to far more than it lists ends early', async () => {
    const bomb = Buffer.alloc(150 * 1024 * 1024)
    const archive = crafted({ files: [fileRow('a')] }, [
      ['files/', NOTHING],
      ['files/a', bomb],
    ])
    expect(archive.length).toBeLessThan(1024 * 1024)
    const before = process.memoryUsage().rss
    expect(await refusal(archive)).toMatchObject({ message: expect.stringContaining('size') })
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
  })

  it('that lists more than the disk has is refused at once', async () => {
    const huge = { ...fileRow('a'), size: 2 ** 52 }
    const refused = await refusal(crafted({ files: [huge] }, [['files/', NOTHING]]))
    expect(refused).toMatchObject({
      code: 'IO',
      message: expect.stringMatching(/it needs \d{16} bytes, and the disk has/),
    })
  })
})
