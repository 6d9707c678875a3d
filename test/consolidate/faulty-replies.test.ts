/**
 * Many replies, most of them faulty: whatever comes back, nothing is lost. After each, every turn is in the transcript, MEMORY.md is the
 * accepted update or what it was, nothing is cleared that is not condensed or kept whole, and each history entry is there once.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../examples/scripted-model.mjs'
import { anthropicModel } from '../../src/complete/anthropic.ts'
import { openaiModel } from '../../src/complete/openai.ts'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import type { GivenModel } from '../../src/consolidate/given-model.ts'
import { retryFallbacks } from '../../src/consolidate/retry.ts'
import { Memory } from '../../src/memory.ts'
import type { Entry } from '../../src/model/entry.ts'
import type { Complete } from '../../src/ports/complete.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type Random, seededRandom } from '../../src/testing/random.ts'
import { Workspace } from '../session/workspace.ts'
import { isNightly } from '../tier.ts'
import { type FaultyReply, faultyReply } from './faulty-replies.ts'
import { answering, memoryText, reply, said } from './models.ts'

/** Each hears ten. */
const MEMORIES = isNightly ? 400 : 8
const TIMEOUT_MS = 5
const KEYS = ['one', 'two']

interface Sent {
  faulty: FaultyReply
}

class Rounds {
  readonly #memory: Memory
  readonly #random: Random
  readonly #sent: Sent
  readonly #said = new Map<string, string[]>(KEYS.map((key) => [key, []]))
  #number = 0

  constructor(memory: Memory, random: Random, sent: Sent) {
    this.#memory = memory
    this.#random = random
    this.#sent = sent
  }

  async begin(): Promise<void> {
    await this.#memory.reflect('# Facts\n- the first\n- the second, which is longer than the first')
    await this.#memory.remember('a note of its own', { name: 'note' })
    await this.#memory.remember('something that happened')
  }

  async round(model: GivenModel, timeoutMs: number): Promise<void> {
    const [memory, random, number] = [this.#memory, this.#random, ++this.#number]
    const key = random.pick(KEYS)
    const session = memory.session(key)
    await this.#speak(key, number)
    const [before, text, { turns }] = [await memory.list(), await memoryText(memory), await session.view()]
    const update = `${text}\n- fact ${number} of "#${key}", 27" wide, in "{}"`
    this.#sent.faulty = faultyReply({ history: `Round ${number}.`, memory: update }, random)
    const reason = random.pick(['compact', 'trim', 'new'] as const)
    const keepMessages = reason === 'trim' ? random.int(4) : 0
    const done = await consolidate(memory, key, { model, reason, keepMessages, timeoutMs })

    const [after, now, live] = [await memory.list(), await memoryText(memory), (await session.view()).turns]
    const seen = JSON.stringify({ number, reason, sent: this.#sent.faulty, outcome: done.outcome, memory: done.memory })
    expect(await said(session), seen).toEqual(this.#said.get(key))
    expect(done.changes.length, seen).toBeLessThanOrEqual(1)
    if (done.memory !== 'updated') expect(now, seen).toBe(text)
    else if ('isGood' in this.#sent.faulty) expect(now, seen).toBe(update)
    else expect('may' in this.#sent.faulty ? this.#sent.faulty.may : [], seen).toContain(now)
    if (done.outcome === 'fell back') expect(done.failure, seen).toBeDefined()
    const gone = turns.filter(({ id }) => !live.some((turn) => turn.id === id)).map(({ content }) => content)
    if (done.outcome === 'nothing') expect(gone, seen).toEqual([])
    else if (done.outcome === 'fell back') {
      expect(gone, seen).toEqual(reason === 'new' ? turns.map(({ content }) => content) : [])
      const raw = done.archives.at(-1)
      const kept = turns.slice(0, Number(raw?.metadata['turns']))
      expect(kept.length, seen).toBeGreaterThan(reason === 'new' ? turns.length - 1 : 0)
      expect(
        kept.filter(({ content }) => !raw?.content.includes(content)),
        seen,
      ).toEqual([])
    }
    this.#nothingLost(before, after, seen)
  }

  async #speak(key: string, number: number): Promise<void> {
    const turns = [
      { role: 'user', content: `question ${number}` },
      { role: 'assistant', content: `looking ${number}`, tools: ['look'] },
      { role: 'tool', content: `found ${number}`, tools: ['look'] },
      { role: 'assistant', content: `answer ${number}` },
    ] as const
    const spoken = this.#random.chance(2) ? turns : [turns[0], turns[3]]
    await this.#memory.session(key).append(spoken)
    this.#said.get(key)?.push(...spoken.map(({ content }) => content))
  }

  /** But for raw archives, which what takes their place replaces. */
  #nothingLost(before: readonly Entry[], after: readonly Entry[], seen: string): void {
    const there = new Map(after.map(({ id, revision }) => [id, revision]))
    const kept = before.filter(({ kind, metadata }) => kind !== 'memory' && metadata['raw'] !== true)
    const changed = kept.filter(({ id, revision }) => there.get(id) !== revision)
    expect(changed, seen).toEqual([])
    const history = after.filter(({ kind }) => kind === 'history').map(({ metadata }) => metadata['archive'])
    const told = new Set(history)
    expect(told.size, seen).toBe(history.length)
    expect(
      after.filter(({ kind, id }) => kind === 'archive' && !told.has(id)),
      seen,
    ).toEqual([])
  }

  /** In the end a model that works makes something of all that fell back. */
  async end(): Promise<void> {
    const { model } = answering(reply('In the end.'))
    await retryFallbacks(this.#memory, { model })
    const archives = await this.#memory.list({ kinds: ['archive'] })
    expect(archives.filter(({ metadata }) => metadata['raw'] === true)).toEqual([])
    for (const key of KEYS) expect(await said(this.#memory.session(key))).toEqual(this.#said.get(key))
  }
}

const inRam = (sent: Sent): Complete => {
  return async (_, { signal }) => {
    const { faulty } = sent
    if ('text' in faulty) return { content: faulty.text }
    if ('slow' in faulty) {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      return { content: reply('Too late.', 'too late') }
    }
    throw new Error('status' in faulty ? `status ${faulty.status}` : 'the connection was cut')
  }
}

describe('faulty replies', () => {
  it(`lose nothing, ${10 * MEMORIES} of them`, { timeout: 300_000 }, async () => {
    for (let seed = 1; seed <= MEMORIES; seed++) {
      const sent: Sent = { faulty: { text: '' } }
      const memory = new Memory(memoryStore({ settings: { timezone: 'UTC' } }), 'main', Date.now)
      const rounds = new Rounds(memory, seededRandom(seed), sent)
      await rounds.begin()
      for (let round = 0; round < 10; round++) await rounds.round(inRam(sent), TIMEOUT_MS)
      await rounds.end()
    }
  })

  describe('over sockets, into files', () => {
    let server: ScriptedModel
    const sent: Sent = { faulty: { text: '' } }
    beforeAll(async () => {
      server = await startScriptedModel({
        reply: () => {
          const { faulty } = sent
          if ('text' in faulty) return { text: faulty.text }
          if ('slow' in faulty) return { text: reply('Too late.', 'too late'), delayMs: 2000 }
          return 'status' in faulty ? { status: faulty.status, text: 'not now' } : { text: reply('Cut.'), cut: 40 }
        },
      })
    })
    afterAll(() => server.close())

    it.each([
      ['OpenAI', openaiModel, '/v1'],
      ['Anthropic', anthropicModel, ''],
    ] as const)('of %s lose nothing either', { timeout: 120_000 }, async (_, modelAt, path) => {
      const workspace = new Workspace()
      try {
        const model = modelAt({ model: 'any', baseUrl: `${server.url.replace(/\/v1$/, '')}${path}`, retries: 0 })
        const rounds = new Rounds(workspace.open(), seededRandom(7), sent)
        await rounds.begin()
        for (let round = 0; round < (isNightly ? 150 : 8); round++) await rounds.round(model, 60)
        await rounds.end()
      } finally {
        await workspace.remove()
      }
    })
  })
})
