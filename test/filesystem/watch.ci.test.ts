/** store.watch(): whatever changes the folder is noticed soon, few calls for many steps, and nothing is left running. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import fs, {
  appendFileSync,
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Memory } from '../../src/memory.ts'
import type { Watch } from '../../src/ports/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'

const run = promisify(execFile)
const dist = pathToFileURL(join(import.meta.dirname, '../../dist/stores/filesystem/store.js')).href

let root: string
let memory: Memory
let watch: Watch | undefined
let calls: number
let heard: () => void
beforeEach(async () => {
  // Disables the slow poll, which would find these too.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  root = join(mkdtempSync(join(tmpdir(), 'keepsake-watch-')), 'ws')
  memory = new Memory(filesystemStore({ root, timezone: 'UTC' }), 'main', Date.now)
  await memory.learnFact('Deploys', 'On Tuesdays.')
  await memory.remember('A line of today.')
  calls = 0
  heard = () => undefined
})
afterEach(async () => {
  await watch?.stop()
  vi.useRealTimers()
  watch = undefined
  await memory.store.close()
  rmSync(join(root, '..'), { recursive: true, force: true })
})

async function begin(): Promise<void> {
  watch = await memory.store.watch(() => {
    calls++
    heard()
  })
}

async function noticed(): Promise<void> {
  await new Promise<void>((resolve) => {
    heard = resolve
    if (calls > 0) resolve()
  })
  calls = 0
}

/** Resolves once fs.watch has reported the save. */
async function saved(path: string, text: string): Promise<void> {
  const own = fs.watch(join(root, dirname(path)))
  const told = once(own, 'change')
  writeFileSync(join(root, path), text)
  await told
  own.close()
}

/** Another process, of the built files. */
async function elsewhere(program: string): Promise<string> {
  const text = `import { filesystemStore } from ${JSON.stringify(dist)}; const root = ${JSON.stringify(root)}; ${program}`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text])
  return stdout
}

describe('watching notices', () => {
  const cases: Record<string, () => unknown> = {
    'an edit in place': () => appendFileSync(join(root, 'world/deploys.md'), 'And on Fridays.\n'),
    'an edit by rename': () => {
      writeFileSync(join(root, 'world/.deploys.swp'), 'Never.\n')
      renameSync(join(root, 'world/.deploys.swp'), join(root, 'world/deploys.md'))
    },
    'a new file': () => writeFileSync(join(root, 'world/people.md'), 'Ada.\n'),
    'a file that is gone': () => rmSync(join(root, 'world/deploys.md')),
    'the folder of a new agent': () => {
      mkdirSync(join(root, 'agents/ada/entries'), { recursive: true })
      writeFileSync(join(root, 'agents/ada/entries/first.md'), 'Mine.\n')
    },
    "another process's write": () =>
      elsewhere(`const store = filesystemStore({ root })
        await store.apply({ origin: { by: 'agent', agent: 'main' },
          operations: [{ op: 'add', scope: 'main', kind: 'experience', content: 'From elsewhere.' }] })
        await store.close()`),
  }
  for (const [name, change] of Object.entries(cases)) {
    it(name, async () => {
      await begin()
      await change()
      await noticed()
    })
  }

  it('what a new agent does after its folder was noticed', async () => {
    await begin()
    mkdirSync(join(root, 'agents/ada/entries'), { recursive: true })
    writeFileSync(join(root, 'agents/ada/entries/first.md'), 'Mine.\n')
    await noticed()
    appendFileSync(join(root, 'agents/ada/entries/first.md'), 'Still mine.\n')
    await noticed()
  })

  it('what a folder that replaced a watched one holds', async () => {
    await begin()
    renameSync(join(root, 'world'), join(root, '..', 'old-world'))
    mkdirSync(join(root, 'world'))
    writeFileSync(join(root, 'world/deploys.md'), 'On Mondays.\n')
    await noticed()
    writeFileSync(join(root, 'world/deploys.md'), 'On Sundays, too.\n')
    await noticed()
  })
})

describe('watching is quiet', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  })

  it('when nothing happens, or what happens is no change', async () => {
    await begin()
    await saved('world/notes.txt', 'not a memory')
    await memory.list()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(calls).toBe(0)
    await saved('world/deploys.md', 'Never.')
    await vi.advanceTimersByTimeAsync(100)
    expect(calls).toBe(1)
  })

  it("about an editor's burst of saves: a few calls", async () => {
    await begin()
    for (let n = 0; n < 100; n++) {
      await saved('world/deploys.md', `Draft ${n}.\n`)
      await vi.advanceTimersByTimeAsync(1)
    }
    await vi.advanceTimersByTimeAsync(400)
    expect(calls).toBeGreaterThan(0)
    expect(calls).toBeLessThanOrEqual(5)
    expect((await memory.get('deploys'))?.content).toBe('Draft 99.')
  })

  it('after it was stopped', async () => {
    await begin()
    await saved('world/deploys.md', 'On Fridays.')
    await watch?.stop()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(calls).toBe(0)
  })
})

describe('a process that watched', () => {
  it('ends once it has stopped, and holds nothing open', async () => {
    const program = `const store = filesystemStore({ root })
      const fds = () => process.getActiveResourcesInfo().filter((name) => /Timeout|FSEvent/.test(name)).length
      const watch = await store.watch(() => {}); await watch.stop(); await watch.stop(); await store.close()
      console.log(fds())`
    expect((await elsewhere(program)).trim()).toBe('0')
  })

  it('is not kept alive by the watching alone', async () => {
    const program = `await filesystemStore({ root }).watch(() => {}); console.log('end')`
    expect((await elsewhere(program)).trim()).toBe('end')
  })
})

const NOBODY = 65_534

/** Root reads every folder, so the rest of the test runs as a user who does not. */
function becomeNobody(): void {
  if (process.getuid?.() !== 0) return
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path))
  for (const path of [join(root, '..'), root, ...all]) lchownSync(path, NOBODY, NOBODY)
  process.seteuid?.(NOBODY)
}

describe('a folder that can no longer be read', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  })

  afterEach(() => {
    for (const path of ['agents', 'agents/main'].map((one) => join(root, one))) {
      if (fs.existsSync(path)) chmodSync(path, 0o700)
    }
    if (process.getuid?.() === 0) process.seteuid?.(0)
  })

  it.each(['agents', 'agents/main'])(
    '%s: the watching goes on, and notices when it can be read again',
    async (path) => {
      becomeNobody()
      await begin()
      chmodSync(join(root, path), 0)
      await vi.advanceTimersByTimeAsync(3000)
      expect(calls).toBe(1)
      await vi.advanceTimersByTimeAsync(60_000)
      expect(calls).toBe(1)
      chmodSync(join(root, path), 0o700)
      await vi.advanceTimersByTimeAsync(3000)
      expect(calls).toBe(2)
      await memory.remember('Later.', { name: 'Later' })
      await vi.advanceTimersByTimeAsync(3000)
      expect(calls).toBe(3)
    },
  )

  it('does not stop the watch of the others', async () => {
    becomeNobody()
    await begin()
    chmodSync(join(root, 'agents/main'), 0)
    await vi.advanceTimersByTimeAsync(3000)
    calls = 0
    await saved('world/deploys.md', 'Never.')
    await vi.advanceTimersByTimeAsync(100)
    expect(calls).toBe(1)
  })

  it('or is gone does not stop the watch of the others', async () => {
    await begin()
    rmSync(join(root, 'agents'), { recursive: true })
    await vi.advanceTimersByTimeAsync(3000)
    calls = 0
    await saved('world/deploys.md', 'Never.')
    await vi.advanceTimersByTimeAsync(100)
    expect(calls).toBe(1)
  })
})

describe('where the system gives no notices', () => {
  it('whose watcher fails later does not end the process, and is watched again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const begun = vi.spyOn(fs, 'watch')
    syncBuiltinESMExports()
    onTestFinished(() => {
      begun.mockRestore()
      syncBuiltinESMExports()
    })
    await begin()
    const before = begun.mock.calls.length
    for (const { value } of begun.mock.results)
      value.emit('error', Object.assign(new Error('EACCES'), { code: 'EACCES' }))
    await vi.advanceTimersByTimeAsync(3000)
    expect(begun.mock.calls.length).toBe(2 * before)
    await saved('world/deploys.md', 'Never.')
    await vi.advanceTimersByTimeAsync(100)
    expect(calls).toBe(1)
  })

  it('what changed is noticed within three seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const none = vi.spyOn(fs, 'watch').mockImplementation(() => {
      throw Object.assign(new Error('no more watches'), { code: 'ENOSPC' })
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      none.mockRestore()
      syncBuiltinESMExports()
    })
    await begin()
    expect(none).toHaveBeenCalled()
    appendFileSync(join(root, 'world/deploys.md'), 'And on Fridays.')
    await vi.advanceTimersByTimeAsync(3000)
    expect(calls).toBe(1)
  })
})
