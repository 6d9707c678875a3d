/** The way of a new user to a search by meaning, by the program as it is installed and with the real model. */
import { beforeAll, describe, expect, test } from 'vitest'
import { Desk, type Printed } from './keepsake.ts'

const WITH_MODEL = { env: { KEEPSAKE_EMBEDDING_MODEL: '' } }
const QUESTION = 'what name should I use?'

const desk = new Desk()
const json = async (...args: readonly string[]): Promise<Printed> =>
  JSON.parse((await desk.run(['--json', ...args], WITH_MODEL)).stdout)

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
})
