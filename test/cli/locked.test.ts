/** A workspace that another process is writing to. In a file of its own: a writer waits ten seconds before it gives up. */
import { mkdirSync, readdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatOwner, thisProcess } from '../../src/stores/filesystem/owner.ts'
import { Desk, ended, isReading } from './keepsake.ts'

/** Holds the lock as a living process does: by a link of the next generation that names it. */
function hold(desk: Desk, owner: string): () => void {
  const folder = join(desk.workspace, '.state/lock')
  mkdirSync(folder, { recursive: true })
  const newest = Math.max(0, ...readdirSync(folder).map((name) => Number.parseInt(name, 10)))
  const path = join(folder, String(newest + 1))
  symlinkSync(owner, path)
  return () => unlinkSync(path)
}

describe.concurrent('a locked workspace', () => {
  it('is read at once; a writer waits, then names who has it', async () => {
    const [desk, stranger] = [await Desk.furnished(), await Desk.furnished()]
    hold(desk, formatOwner(thisProcess()))
    hold(stranger, formatOwner({ ...thisProcess(), host: 'elsewhere' }))
    const before = [desk.hash(), stranger.hash()]
    expect(await desk.run(['recall'])).toMatchObject({ status: 0, stdout: expect.stringContaining('heron') })
    const started = Date.now()
    const [json, people, foreign] = await Promise.all(
      [desk.start(['remember', 'x', '--json']), desk.start(['remember', 'x']), stranger.start(['remember', 'x'])].map(
        ended,
      ),
    )
    expect(Date.now() - started).toBeGreaterThan(5000)
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
    expect((await desk.json(['list', '--kind', 'experience'])).entries).toHaveLength(2)
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
