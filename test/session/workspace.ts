/** A memory in real files, and what another process does to it: the built library, so that two programs are at it. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { MemorySettings } from '../../src/memory/settings.ts'
import { Memory } from '../../src/memory.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'

const run = promisify(execFile)
const LIBRARY = pathToFileURL(join(import.meta.dirname, '../../dist/index.js')).href

export class Workspace {
  readonly root: string = join(mkdtempSync(join(tmpdir(), 'keepsake-session-')), 'ws')
  readonly #opened: Memory[] = []

  /** Each is a store of its own, as another process would have it. */
  open(settings: MemorySettings = {}): Memory {
    const memory = new Memory(filesystemStore({ root: this.root, timezone: 'UTC' }), 'main', Date.now, settings)
    this.#opened.push(memory)
    return memory
  }

  /** Runs a body with `memory` in another process; what it returns comes back as JSON. */
  async elsewhere(body: string): Promise<unknown> {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', this.#program(body)], {
      timeout: 100_000,
    })
    return JSON.parse(stdout)
  }

  /** The same, each in a process of its own; all begin once every one of them is ready. */
  async elsewhereAtOnce(bodies: readonly string[]): Promise<unknown[]> {
    const children = bodies.map((body) => {
      const program = this.#program(`
        console.log('ready')
        await new Promise((resolve) => process.stdin.once('end', resolve).resume())
        ${body}`)
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['pipe', 'pipe', 'inherit'],
        timeout: 100_000,
      })
      let printed = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
      return { child, ready: once(child.stdout, 'data'), ended: once(child, 'close'), printed: () => printed }
    })
    await Promise.all(children.map(({ ready, ended }) => Promise.race([ready, ended])))
    for (const { child } of children) child.stdin.end()
    await Promise.all(children.map(({ ended }) => ended))
    return children.map(({ printed }) => JSON.parse(printed().replace('ready\n', '')))
  }

  #program(body: string): string {
    return `import { openMemory } from ${JSON.stringify(LIBRARY)}
      const memory = await openMemory({ workspace: ${JSON.stringify(this.root)}, embeddingModel: 'none' })
      const result = await (async () => { ${body} })()
      console.log(JSON.stringify(result ?? null))
      await memory.close()`
  }

  async remove(): Promise<void> {
    for (const memory of this.#opened) await memory.close()
    rmSync(join(this.root, '..'), { recursive: true, force: true })
  }
}
