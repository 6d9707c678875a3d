/** store.watch(): whatever changes the folder is noticed soon, few calls for many steps, and nothing is left running. */
import { execFile } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import type { Watch } from '../../src/ports/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'

const run = promisify(execFile)
const dist = pathToFileURL(join(import.meta.dirname, '../../dist/stores/filesystem/store.js')).href
const SOON_MS = 3000
/** Sooner than the slow look would find it. */
const AT_ONCE_MS = 1500

let root: string
let memory: Memory
let watch: Watch | undefined
let calls: number
beforeEach(async () => {
  root = join(mkdtempSync(join(tmpdir(), 'keepsake-watch-')), 'ws')
  memory = new Memory(filesystemStore({ root, timezone: 'UTC' }), 'main', Date.now)
  await memory.learnFact('Deploys', 'On Tuesdays.')
  await memory.remember('A line of today.')
  calls = 0
})
afterEach(async () => {
  await watch?.stop()
  watch = undefined
  await memory.store.close()
  rmSync(join(root, '..'), { recursive: true, force: true })
})

async function begin(): Promise<void> {
  watch = await memory.store.watch(() => {
    calls++
  })
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function noticed(withinMs = SOON_MS): Promise<boolean> {
  for (const end = Date.now() + withinMs; Date.now() < end; ) {
    if (calls > 0) return true
    await wait(10)
  }
  return false
}

/** Another process, of the built files. */
async function elsewhere(program: string): Promise<string> {
  const text = `import { filesystemStore } from ${JSON.stringify(dist)}; const root = ${JSON.stringify(root)}; ${program}`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text], { timeout: 20_000 })
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
      expect(await noticed()).toBe(true)
    })
  }

  it('what a new agent does after its folder was noticed', async () => {
    await begin()
    mkdirSync(join(root, 'agents/ada/entries'), { recursive: true })
    writeFileSync(join(root, 'agents/ada/entries/first.md'), 'Mine.\n')
    expect(await noticed()).toBe(true)
    calls = 0
    appendFileSync(join(root, 'agents/ada/entries/first.md'), 'Still mine.\n')
    expect(await noticed(AT_ONCE_MS)).toBe(true)
  })

  it('what a folder that replaced a watched one holds', async () => {
    await begin()
    renameSync(join(root, 'world'), join(root, '..', 'old-world'))
    mkdirSync(join(root, 'world'))
    writeFileSync(join(root, 'world/deploys.md'), 'On Mondays.\n')
    expect(await noticed()).toBe(true)
    await wait(200)
    calls = 0
    writeFileSync(join(root, 'world/deploys.md'), 'On Sundays.\n')
    expect(await noticed(AT_ONCE_MS)).toBe(true)
  })
})

describe('watching is quiet', () => {
  it('when nothing happens, or what happens is no change', async () => {
    await begin()
    writeFileSync(join(root, 'world/notes.txt'), 'not a memory')
    await memory.list()
    await wait(400)
    expect(calls).toBe(0)
  })

  it("about an editor's burst of saves: a few calls", async () => {
    await begin()
    for (let n = 0; n < 100; n++) {
      writeFileSync(join(root, 'world/deploys.md'), `Draft ${n}.\n`)
      if (n % 10 === 0) await wait(5)
    }
    await wait(400)
    expect(calls).toBeGreaterThan(0)
    expect(calls).toBeLessThanOrEqual(5)
    expect((await memory.get('deploys'))?.content).toBe('Draft 99.')
  })

  it('after it was stopped', async () => {
    await begin()
    appendFileSync(join(root, 'world/deploys.md'), 'And on Fridays.\n')
    await watch?.stop()
    const then = calls
    await wait(300)
    expect(calls).toBe(then)
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

  it('notices within three seconds where the system gives no notices', async () => {
    const program = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module'; import { join } from 'node:path'
      fs.watch = () => { throw Object.assign(new Error('no more watches'), { code: 'ENOSPC' }) }
      syncBuiltinESMExports()
      const begun = Date.now()
      const late = setTimeout(() => { console.log('never'); process.exit() }, 6000)
      await filesystemStore({ root }).watch(() => { console.log(Date.now() - begun); process.exit() })
      fs.appendFileSync(join(root, 'world/deploys.md'), 'And on Fridays.')`
    expect(Number(await elsewhere(program))).toBeLessThan(SOON_MS)
  })
})
