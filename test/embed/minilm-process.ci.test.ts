/**
 * The model in a process of its own, as the built package has it: this thread stays free, and whatever happens over there, the
 * next call works.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { MiniLm, openMiniLm as Open } from '../../src/embed/minilm/open-minilm.ts'
import { StartedWorker } from '../../src/embed/minilm/started-worker.ts'
import { fakeRuntime, freshFolder, ROOT } from './packages.ts'

const DIST = join(ROOT, 'dist/embed/minilm/open-minilm.js')
const LONG_TEXT = 'The heron stands in the shallow water and waits for fish. '.repeat(30)

let openMiniLm: typeof Open
let from: string
let pidFile: string
let crashFile: string
let model: MiniLm

/** The true runtime, which also tells its process, and dies in the middle of a call where it is told to. */
function watchedRuntime(): string {
  return `const { existsSync, rmSync, writeFileSync } = require('node:fs')
    writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))
    const { Tensor, InferenceSession } = real()
    const create = async (...given) => {
      const session = await InferenceSession.create(...given)
      const run = (inputs) => {
        if (existsSync(${JSON.stringify(crashFile)})) process.kill(process.pid, 'SIGKILL')
        return session.run(inputs)
      }
      return { run }
    }
    module.exports = { Tensor, InferenceSession: { create } }`
}

beforeAll(async () => {
  openMiniLm = (await import(pathToFileURL(DIST).href)).openMiniLm
  from = freshFolder()
  pidFile = join(from, 'pid')
  crashFile = join(from, 'crash')
  fakeRuntime(from, watchedRuntime())
  model = await openMiniLm({ from: [from], cacheFolder: join(from, 'graphs') })
})
afterAll(() => model?.close())

function workerPid(): number {
  return Number(readFileSync(pidFile, 'utf8'))
}

async function hasGone(pid: number): Promise<boolean> {
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 30_000 })
  return true
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the process of the model', () => {
  it('is another, and leaves the event loop free', async () => {
    expect(model.engine).toBe('native')
    expect(workerPid()).not.toBe(process.pid)
    let turns = 0
    let next = setImmediate(function turn() {
      turns++
      next = setImmediate(turn)
    })
    const vectors = await model.embed(Array.from({ length: 6 }, (_, i) => `${i} ${LONG_TEXT}`))
    clearImmediate(next)
    expect(vectors).toHaveLength(6)
    // In this thread there would be a few for each batch of three.
    expect(turns).toBeGreaterThan(100)
  })

  it('answers a short call before a long one is through', async () => {
    const ended: string[] = []
    const long = model.embed(Array.from({ length: 6 }, () => LONG_TEXT)).then(() => ended.push('long'))
    const short = model.embed(['heron']).then(() => ended.push('short'))
    await Promise.all([long, short])
    expect(ended).toEqual(['short', 'long'])
  })

  it('stops between batches when it is told to, and answers the next', async () => {
    const call = model.embed(
      Array.from({ length: 30 }, () => LONG_TEXT),
      { signal: AbortSignal.timeout(50) },
    )
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(await model.embed(['heron'])).toHaveLength(1)
  })

  it('is not waited for by who gave up, though it hangs', async () => {
    const pid = workerPid()
    process.kill(pid, 'SIGSTOP')
    const call = model.embed(['heron'], { signal: AbortSignal.timeout(50) })
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
    process.kill(pid, 'SIGCONT')
    expect(await model.embed(['heron'])).toHaveLength(1)
  })

  it('may crash: the call under way fails, the next starts another', async () => {
    const before = workerPid()
    writeFileSync(crashFile, '')
    await expect(model.embed(['heron'])).rejects.toMatchObject({
      code: 'MODEL',
      message: expect.stringContaining('SIGKILL'),
      hint: expect.stringContaining('again'),
    })
    rmSync(crashFile)
    expect(await model.embed(['heron'])).toHaveLength(1)
    expect(workerPid()).not.toBe(before)
  })

  it('may crash while nobody asks', async () => {
    const before = workerPid()
    process.kill(before, 'SIGKILL')
    expect(await hasGone(before)).toBe(true)
    // Until the exit is noticed, a call counts as in flight.
    await vi.waitFor(async () => expect(await model.embed(['heron'])).toHaveLength(1), { timeout: 30_000 })
  })

  it('is not ended by the key that interrupts the program', async () => {
    const before = workerPid()
    process.kill(before, 'SIGINT')
    expect(await model.embed(['heron'])).toHaveLength(1)
    expect(workerPid()).toBe(before)
  })

  it('is shared by all who open the same, and ends with the last of them', async () => {
    const pid = workerPid()
    rmSync(pidFile)
    const same = { from: [from], cacheFolder: join(from, 'graphs') }
    const [second, third] = await Promise.all([openMiniLm(same), openMiniLm(same)])
    const vectors = await Promise.all([model, second, third].map((one) => one.embed(['heron'])))
    expect(vectors[1]).toEqual(vectors[0])
    expect(existsSync(pidFile)).toBe(false) // no other was started
    await second.close()
    await second.close()
    await third.close()
    await expect(second.embed(['heron'])).rejects.toMatchObject({ code: 'CLOSED' })
    expect(await model.embed(['heron'])).toEqual(vectors[0])
    expect(isAlive(pid)).toBe(true)
    writeFileSync(pidFile, String(pid))
  })

  it('ends with close, and calls after that and under way fail', async () => {
    const pid = workerPid()
    const call = expect(model.embed([LONG_TEXT, LONG_TEXT])).rejects.toMatchObject({ code: 'CLOSED' })
    await new Promise((resolve) => setImmediate(resolve))
    await model.close()
    await call
    expect(await hasGone(pid)).toBe(true)
    await expect(model.embed(['heron'])).rejects.toMatchObject({ code: 'CLOSED' })
    await model.close()
  })
})

describe('a process that hangs', () => {
  async function stopped(): Promise<{ readonly worker: StartedWorker; readonly pid: number }> {
    const program = join(from, 'hangs.mjs')
    writeFileSync(
      program,
      `import { writeFileSync } from 'node:fs'
      process.on('message', ({ id, open }) => {
        if (open) process.send({ id, opened: 'native' })
        else process.kill(process.pid, 'SIGSTOP')
      })
      process.on('SIGTERM', () => undefined)
      writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))`,
    )
    const worker = new StartedWorker(program)
    await worker.open({ packages: {}, cacheFolder: undefined, kind: 'native', threads: 1 })
    return { worker, pid: workerPid() }
  }

  it('is not waited for without end: the call fails, and the process is ended', async () => {
    const { worker, pid } = await stopped()
    const call = worker.run(['heron'], 100)
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', hint: expect.stringContaining('again') })
    expect(worker.hasEnded).toBe(true)
    expect(await hasGone(pid)).toBe(true)
    await worker.close()
  })

  it('is ended by close all the same', async () => {
    const { worker, pid } = await stopped()
    const call = expect(worker.run(['heron'])).rejects.toMatchObject({ code: 'MODEL' })
    await worker.close()
    await call
    expect(isAlive(pid)).toBe(false)
  })
})

describe('a program with the model open', () => {
  function run(last: string): ReturnType<typeof spawnSync> {
    const code = `import { openMiniLm } from ${JSON.stringify(pathToFileURL(DIST).href)}
      const model = await openMiniLm(${JSON.stringify({ from: [from], cacheFolder: join(from, 'graphs') })})
      await model.embed(['heron'])
      ${last}`
    return spawnSync(process.execPath, ['--input-type=module', '-e', code], { timeout: 30_000 })
  }

  it.each([
    ['comes to its end', '', 0, null],
    ['is killed', `process.kill(process.pid, 'SIGKILL')`, null, 'SIGKILL'],
  ])('%s, and the process of the model with it', async (_, last, status, signal) => {
    expect(run(last)).toMatchObject({ status, signal })
    expect(await hasGone(workerPid())).toBe(true)
  })
})

describe('a processor that machine code does not run on', () => {
  it('shows in a signal, and WASM is taken', async () => {
    const odd = freshFolder()
    fakeRuntime(odd, `process.kill(process.pid, 'SIGILL'); while (true);`)
    const second = await openMiniLm({ from: [odd] })
    expect(second.engine).toBe('wasm')
    expect(await second.embed(['heron'])).toHaveLength(1)
    await second.close()
  })
})

describe('the bundled command line', () => {
  it('finds the program of that process where it looks', () => {
    const folder = join(ROOT, 'dist/cli')
    const code = readdirSync(folder)
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .find((text) => text.includes('/worker.js'))
    const path = code?.match(/"(\.\.\/embed\/[^"]*worker\.js)"/)?.[1]
    expect(path).toBeDefined()
    expect(existsSync(join(folder, path ?? ''))).toBe(true)
  })
})
