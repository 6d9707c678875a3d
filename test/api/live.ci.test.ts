/** Live updates: what another process, a hand or the page itself changed is told to who listens, for as long as it does. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { KeepsakeError } from '../../src/errors.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Desk } from '../cli/keepsake.ts'
import { type ServedPage, servePage, type Visitor, visitor } from './served-page.ts'

let served: ServedPage
let asker: Visitor

beforeAll(async () => {
  served = await servePage()
  asker = await visitor(served)
})

interface Told {
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
  readonly data: any
}

class Listening {
  readonly #over = new AbortController()
  readonly #told: Told[] = []
  #wake: () => void = () => undefined
  isEnded = false
  /** As `ready` has it. */
  revision: string | undefined

  async begin(query = ''): Promise<this> {
    const { headers } = asker
    const response = await fetch(`${served.origin}/api/v1/events${query}`, { headers, signal: this.#over.signal })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    this.#read(response).catch(() => undefined)
    this.revision = (await this.next('ready')).data.revision
    return this
  }

  /** The next event of this name. */
  async next(name: string): Promise<Told> {
    for (;;) {
      const at = this.#told.findIndex((event) => event.name === name)
      const [event] = at < 0 ? [] : this.#told.splice(at, 1)
      if (event) return event
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  get waiting(): number {
    return this.#told.length
  }

  stop(): void {
    this.#over.abort()
  }

  async #read(response: Response): Promise<void> {
    let rest = ''
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + part).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
        if (name !== undefined) this.#told.push({ name, data: JSON.parse(data ?? '{}') })
      }
      this.#wake()
    }
    this.isEnded = true
    this.#wake()
  }
}

describe('live updates', () => {
  it('tell what another process wrote', async () => {
    const listening = await new Listening().begin()
    const { status, stdout } = await new Desk().run([
      ...['remember', 'From elsewhere.', '--name', 'Elsewhere', '--json', '--workspace', served.root],
    ])
    expect(status).toBe(0)
    const { data } = await listening.next('change')
    expect(data).toEqual({ ids: [JSON.parse(stdout).entry.id], gone: [], scopes: ['main'] })
    listening.stop()
  })

  it('tell what a hand did to a file', async () => {
    const listening = await new Listening().begin()
    const entry = await served.memory.get('Deploys')
    const path = join(served.root, entry?.path ?? '')
    writeFileSync(path, readFileSync(path, 'utf8').replace('make ship', 'make sail'))
    expect((await listening.next('change')).data.ids).toEqual([entry?.id])
    listening.stop()
  })

  it('begin with the revision of the workspace, which changes with every change', async () => {
    const deploys = join(served.root, (await served.memory.get('Deploys'))?.path ?? '')
    const seen = new Set<unknown>()
    for (const change of [
      async () => undefined,
      () => served.memory.remember('A log line.'),
      () => served.memory.as('scout').remember('Of another agent.'),
      async () => writeFileSync(deploys, `${readFileSync(deploys, 'utf8')}And once more.\n`),
    ]) {
      await change()
      const listening = await new Listening().begin()
      expect((await asker.get('/workspace')).json.revision).toBe(listening.revision)
      seen.add(listening.revision)
      listening.stop()
    }
    expect(seen.size).toBe(4)
  })

  it("begin even if the memory can't be read", async () => {
    const store = memoryStore()
    let isBroken = false
    const heads: typeof store.heads = async (...asked) => {
      if (isBroken) throw new KeepsakeError('IO', 'not now')
      return store.heads(...asked)
    }
    const own = await servePage({ memory: { store: { ...store, heads } } })
    const its = await visitor(own)
    isBroken = true
    const response = await fetch(`${own.origin}/api/v1/events`, { headers: its.headers })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toBe('event: ready\ndata: {}\n\n')
    await reader?.cancel()
  })

  it('tell what is gone, to every page that is open', async () => {
    const pages = await Promise.all([1, 2, 3].map(() => new Listening().begin()))
    const entry = await served.memory.get('Posters')
    await asker.ask('DELETE', `/entries/${entry?.id}`)
    for (const page of pages) {
      expect((await page.next('change')).data).toEqual({ ids: [], gone: [entry?.id], scopes: ['main'] })
      page.stop()
    }
  })

  it("tell nothing of another agent's", async () => {
    const [mine, its] = [await new Listening().begin(), await new Listening().begin('?agent=scout')]
    await served.memory.as('scout').remember('More.', { name: 'More of scout' })
    await its.next('change')
    await served.memory.remember('A sign.', { name: 'A sign' })
    const { data } = await mine.next('change')
    expect(data.ids).toEqual([(await served.memory.get('A sign'))?.id])
    expect(mine.waiting).toBe(0)
    mine.stop()
    its.stop()
  })

  it('of every agent name the agent of each change, including a new one', async () => {
    const listening = await new Listening().begin('?agent=*')
    const { entry } = await served.memory.as('scout').remember('Where the key is.', { name: 'Key' })
    expect((await listening.next('change')).data).toEqual({ ids: [entry.id], gone: [], scopes: ['scout'] })

    const topic = await served.memory.learnFact('Office', 'On the third floor.')
    expect((await listening.next('change')).data).toEqual({ ids: [topic.entry.id], gone: [], scopes: ['world'] })

    const own = await served.memory.as('newcomer').remember('Its first note.', { name: 'First' })
    expect((await listening.next('change')).data).toEqual({ ids: [own.entry.id], gone: [], scopes: ['newcomer'] })

    const path = join(served.root, (await served.memory.as('newcomer').get('First'))?.path ?? '')
    writeFileSync(path, readFileSync(path, 'utf8').replace('first', 'very first'))
    expect((await listening.next('change')).data).toEqual({ ids: [own.entry.id], gone: [], scopes: ['newcomer'] })
    listening.stop()
  })

  it('tell what the page wrote to a memory in RAM, which no store tells of', async () => {
    const own = await servePage({ memory: { store: memoryStore() } })
    const its = await visitor(own)
    const response = await fetch(`${own.origin}/api/v1/events`, { headers: its.headers })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('ready')) text += (await reader?.read())?.value ?? ''
    await its.ask('POST', '/entries', { kind: 'note', name: 'In RAM', content: 'x' })
    while (!text.includes('event: change')) text += (await reader?.read())?.value ?? ''
    expect(text).toContain((await own.memory.get('In RAM'))?.id)
    await reader?.cancel()
  })

  it('end with the server', async () => {
    const own = await servePage()
    const its = await visitor(own)
    const response = await fetch(`${own.origin}/api/v1/events`, { headers: its.headers })
    const read = response.text().catch(() => 'cut off')
    await own.end()
    expect(await read).toMatch(/ready|cut off/)
  })
})
