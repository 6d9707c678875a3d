/** Backups while another process keeps writing, and on a full disk. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, it, vi } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { backUp } from '../../src/move/backup.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { collected } from '../../src/testing/images.ts'
import { apply, note, scanned } from '../../src/testing/requests.ts'
import { smallTmpfs } from '../faults/tools.mjs'
import { sampleStore } from './sample.ts'

const DIST = resolve(import.meta.dirname, '../../dist/index.js')
const BACKUPS = 3

const base = mkdtempSync(join(tmpdir(), 'keepsake-backup-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

it.skipIf(!existsSync(DIST)).each(['folder', 'memory.keepsake'])(
  'has everything up to its last change and nothing later, while another process writes to the %s',
  async (name) => {
    const root = join(base, name)
    const first = await openMemory({ workspace: root, timezone: 'UTC' })
    await first.remember('x', { name: 'first' })
    await first.close()
    const script = `
      import { openMemory } from ${JSON.stringify(DIST)}
      const memory = await openMemory({ workspace: ${JSON.stringify(root)}, timezone: 'UTC' })
      process.on('disconnect', () => process.exit())
      for (let n = 1; ; n++) {
        await new Promise((done) => setTimeout(done, 10))
        const text = (n % 3 === 0 ? 'line ' : 'text ') + n
        const { change } = await memory.remember(text, n % 3 === 0 ? {} : { name: 'note ' + n })
        console.log(JSON.stringify({ number: change.number, text }))
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
    const made: { readonly path: string; readonly change: number; readonly atLeast: number }[] = []
    const from = name === 'folder' ? filesystemStore({ root }) : fileStore({ path: root })
    try {
      while (made.length < BACKUPS) {
        const enough = acknowledged.size + 20
        const timing = { timeout: 50_000, interval: 5 }
        await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThanOrEqual(enough), timing)
        const atLeast = acknowledged.size
        const { path, change } = await backUp(from, { to: join(base, `${made.length}-of-${name}.keepsake`) })
        made.push({ path, change, atLeast })
      }
    } finally {
      const closed = new Promise((done) => writer.once('close', done))
      writer.kill('SIGKILL')
      await closed
      await from.close()
    }
    for (const { path, change, atLeast } of made) {
      const copy = fileStore({ path })
      const found = (await scanned(copy)).map(({ content }) => content).filter((text) => text !== 'x')
      const wanted = [...acknowledged].filter(([number]) => number <= change).map(([, text]) => text)
      expect(found.sort()).toEqual(wanted.sort())
      expect(wanted.length).toBeGreaterThanOrEqual(atLeast)
      await copy.close()
    }
  },
)

it('leaves nothing on a full disk, and succeeds once there is space', async ({ skip }) => {
  const disk = smallTmpfs(4 * 1024 * 1024)
  if ('missing' in disk) {
    console.warn(`SKIPPED: ${disk.missing}`)
    return skip(disk.missing)
  }
  try {
    const from = await sampleStore()
    await apply(
      from,
      Array.from({ length: 300 }, (_, n) => note(`long ${n}`, { content: `${n} `.repeat(900) })),
    )
    const to = join(disk.folder, 'b.keepsake')
    disk.fill(128 * 1024)
    await expect(backUp(from, { to })).rejects.toMatchObject({ code: 'IO', hint: expect.stringContaining('full') })
    disk.release()
    expect(readdirSync(disk.folder)).toEqual([])
    await backUp(from, { to })
    const copy = fileStore({ path: to })
    expect(await collected(await copy.image())).toEqual(await collected(await from.image()))
    await copy.close()
  } finally {
    disk.free()
  }
})
