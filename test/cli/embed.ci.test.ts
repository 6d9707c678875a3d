/** The way of a new user to a search by meaning, by the program as it is installed and with the real model. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { embeddingServer } from '../embed/embedding-server.ts'
import { cleanEnvironment, Desk, MAIN, type Printed } from './keepsake.ts'

const WITH_MODEL = { env: { KEEPSAKE_EMBEDDING_MODEL: '' } }
const QUESTION = 'what name should I use?'

const desk = new Desk()
const json = async (...args: readonly string[]): Promise<Printed> =>
  JSON.parse((await desk.run(['--json', ...args], WITH_MODEL)).stdout)

/** With so many entries, and none of them embedded. */
async function deskWith(url: string, entries: number): Promise<Desk> {
  const own = await Desk.empty()
  const model = `{ model: any, base_url: "${url}" }`
  writeFileSync(join(own.folder, 'agent.yaml'), `spec:\n  memory:\n    embedding_model: ${model}\n`)
  const memory = await openMemory({ store: filesystemStore({ root: own.workspace }), embed: 'none' })
  const texts = Array.from({ length: entries }, (_, n) => `the text of ${n}`)
  await memory.apply(texts.map((content) => ({ op: 'add', scope: 'main', kind: 'experience', content })))
  await memory.close()
  return own
}

let embedded: Printed
beforeAll(async () => {
  await desk.run(['init'])
  await desk.run(['remember', 'User prefers to be called Alex', '--kind', 'fact'])
  await desk.run(['remember', 'The staging server restarts at four in the morning'])
  embedded = await json('embed')
})

describe('keepsake embed', () => {
  test('tells what it did, and does nothing twice', async () => {
    expect(embedded).toMatchObject({ model: 'all-MiniLM-L6-v2', entries: 2, pending: 0 })
    expect(embedded.embedded).toBeGreaterThanOrEqual(2)
    const { stdout, stderr } = await desk.run(['embed'], WITH_MODEL)
    expect(stdout).toBe('Nothing to embed: 2 entries have their vectors (all-MiniLM-L6-v2).\n')
    expect(stderr).toBe('')
  })

  test('with a server tells of what that refuses, by name, and of another process only where there is one', async () => {
    const server = await embeddingServer(({ body }) =>
      body.input.some((text) => text.includes('heron')) ? { status: 400, body: { error: 'too long' } } : undefined,
    )
    const own = await Desk.furnished()
    const model = `{ model: picky, base_url: "${server.url}" }`
    writeFileSync(join(own.folder, 'agent.yaml'), `spec:\n  memory:\n    embedding_model: ${model}\n`)
    const store = filesystemStore({ root: own.workspace })
    const lease = await store.lease('embed')
    expect((await own.run(['embed'], WITH_MODEL)).stdout).toMatch(
      /^Embedded 0 texts; 0 entries have vectors .*\n4 entries have none yet: another process embeds them now\.\n$/,
    )
    await lease?.release()
    await store.close()
    const { status, stdout, stderr } = await own.run(['embed'], WITH_MODEL)
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Embedded 6 texts; 3 entries have vectors .*\n$/)])
    expect(stderr).toContain('Staging server has no vector: ')
    expect(stderr).toContain('answered 400: too long.')
  })

  test('interrupted keeps what it has, and doctor tells what is left', async () => {
    let interrupt = (): unknown => undefined
    // It answers twice; then it hangs.
    const server = await embeddingServer((_, number) => {
      if (number < 3) return undefined
      interrupt()
      return { silent: true }
    })
    const own = await deskWith(server.url, 100)
    const child = spawn(process.execPath, [MAIN, 'embed', '--json'], {
      cwd: own.folder,
      env: cleanEnvironment(own.folder, WITH_MODEL.env),
    })
    interrupt = () => child.kill('SIGINT')
    const printed = text(child.stdout)
    expect(await once(child, 'exit')).toEqual([130, null])
    expect(JSON.parse(await printed).error).toMatchObject({
      code: 'INTERRUPTED',
      hint: expect.stringContaining('run it again'),
    })
    const { status, embeddings } = await own.json(['doctor'], WITH_MODEL)
    const { pending, state } = embeddings
    expect(status).toBe(0)
    expect(pending).toBe(100 - server.requests.slice(0, 2).reduce((sum, { body }) => sum + body.input.length, 0))
    expect(state).toContain(`; ${pending} entries have no vector yet: keepsake embed`)
  })

  test('fails where nothing can be kept', async () => {
    const server = await embeddingServer()
    const own = await deskWith(server.url, 3)
    // In the place of the folder; as good as a full disk, also for who may write anywhere.
    writeFileSync(join(own.workspace, '.state/derived'), '')
    const { status, stdout, stderr } = await own.run(['embed'], WITH_MODEL)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^keepsake: the vectors can not be written to \.state\/derived .*\nIs there room on the disk/,
    )
  })

  test('without a model says what to do', async () => {
    const { status, stdout } = await desk.run(['embed', '--json'])
    expect(status).toBe(2)
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'NO_EMBEDDINGS',
      hint: expect.stringContaining('embedding_model'),
    })
  })
})

describe('keepsake recall by meaning', () => {
  test('finds what has no word of the question, with its id and a score in 0 to 1', async () => {
    const { hits, searched } = await json('recall', QUESTION, '--mode', 'semantic')
    expect(hits).toHaveLength(1)
    expect(hits[0].entry).toMatchObject({ id: expect.any(String), content: 'User prefers to be called Alex' })
    expect(hits[0].score).toBeGreaterThan(0.3)
    expect(hits[0].score).toBeLessThan(1)
    expect(searched).toMatchObject({ mode: 'semantic', vectors: { model: 'all-MiniLM-L6-v2', pending: 0 } })
  })

  test('by both shows the two parts, which add up', async () => {
    const { stdout } = await desk.run(['recall', `${QUESTION} Alex`, '--mode', 'hybrid', '--explain'], WITH_MODEL)
    const part = (name: string): number => Number(stdout.match(new RegExp(`^ +${name} .* (\\d\\.\\d\\d)$`, 'm'))?.[1])
    expect(part('by words')).toBeGreaterThan(0)
    expect(part('by meaning')).toBeGreaterThan(0)
    expect(part('by words') + part('by meaning')).toBeCloseTo(part('score'), 1)
    expect(stdout).toContain('by words and meaning; ')
  })

  test('is not what a command does by itself: that would load a model', async () => {
    const { hits, searched } = await json('recall', QUESTION)
    expect(hits).toEqual([])
    expect(searched.mode).toBe('lexical')
  })

  test('does not wait for vectors of entries, and names the command that makes them', async () => {
    const server = await embeddingServer(({ body }) =>
      body.input.some((text) => text.startsWith('the text')) ? { silent: true } : undefined,
    )
    const own = await deskWith(server.url, 3)
    const { status, stdout } = await own.run(['recall', 'heron', '--mode', 'semantic'], WITH_MODEL)
    expect([status, stdout]).toEqual([0, expect.stringContaining('3 entries have no vector yet.')])
    expect(stdout).toContain('Run `keepsake embed` to create the missing vectors.')
  })
})

test('keepsake eval by meaning first makes the missing vectors', async () => {
  const own = await deskWith((await embeddingServer()).url, 3)
  writeFileSync(join(own.workspace, 'recall.tests.md'), '- heron -> must not find Nobody\n')
  expect(await own.json(['eval', '--mode', 'hybrid'], WITH_MODEL)).toMatchObject({ passed: 1 })
  expect((await own.json(['doctor'], WITH_MODEL)).embeddings.pending).toBe(0)
})
