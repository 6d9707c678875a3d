/** How a search goes where vectors may be missing. The embedding counts letters: real vectors, of no meaning. */
import { describe, expect, it } from 'vitest'
import { KeepsakeError } from '../errors.ts'
import { type Memory, openMemory } from '../memory.ts'
import type { Embed, EmbedSource } from '../ports/embed.ts'
import type { Found, SearchOptions } from '../recall/found.ts'
import { memoryStore } from '../stores/memory.ts'
import { createMemoryTools } from '../tools/index.ts'

/** By how often each letter stands in a text. */
class Letters implements Embed {
  readonly model = 'letters'
  readonly given: string[] = []

  async embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    this.given.push(...texts)
    return texts.map((text) => {
      const counts = new Float32Array(27).fill(0.01)
      for (const letter of text.toLowerCase()) {
        const at = letter.charCodeAt(0) - 97
        if (at >= 0 && at < 26) counts[at] = (counts[at] ?? 0) + 1
      }
      const length = Math.hypot(...counts)
      return counts.map((count) => count / length)
    })
  }

  async close(): Promise<void> {}
}

class Source implements EmbedSource {
  readonly model = 'letters'
  readonly letters = new Letters()
  loaded: Embed | undefined
  closed = 0
  failure: Error | undefined

  async load(): Promise<Embed> {
    if (this.failure) throw this.failure
    this.loaded = this.letters
    return this.letters
  }

  async close(): Promise<void> {
    this.closed++
  }
}

async function memoryWith(options: Parameters<typeof openMemory>[0]): Promise<Memory> {
  const memory = await openMemory({ store: memoryStore(), ...options })
  await memory.remember('Run make ship.', { name: 'Deploys' })
  await memory.remember('Call the printer.', { name: 'Posters' })
  return memory
}

const NOT_INSTALLED = new KeepsakeError('NO_EMBEDDINGS', 'the packages are not installed', { hint: 'Install them.' })

function failureOf(promise: Promise<unknown>): Promise<{ code?: string; hint?: string; message?: string }> {
  return promise.then(
    () => ({}),
    (error) => error,
  )
}

describe('without a model', () => {
  it('goes by words, and nothing is missing where none was wanted', async () => {
    const memory = await memoryWith({})
    const { searched, warnings } = await memory.search('ship')
    expect([searched.mode, searched.wordsOnly, warnings]).toEqual(['lexical', undefined, []])
  })

  it.each(['semantic', 'hybrid'] as const)('is an error for the mode %s, with what to do', async (mode) => {
    const error = await failureOf((await memoryWith({ embed: 'none' })).search('ship', { mode }))
    expect([error.code, error.message]).toEqual(['NO_EMBEDDINGS', `mode ${mode}: this memory has no embedding model`])
    expect(error.hint).toContain('embedding_model')
  })
})

describe('a model that can not be loaded', () => {
  it('leaves the words, tells why with each answer, and warns once', async () => {
    const source = new Source()
    source.failure = NOT_INSTALLED
    const memory = await memoryWith({ embed: source })
    const [first, second] = [await memory.search('ship'), await memory.as('other').search('ship')]
    for (const { searched } of [first, second]) {
      expect([searched.mode, searched.wordsOnly]).toEqual([
        'lexical',
        'By words alone: the packages are not installed.',
      ])
    }
    expect(first.hits.map(({ entry }) => entry.name)).toEqual(['Deploys'])
    expect(first.warnings).toEqual(['By words alone: the packages are not installed. Install them.'])
    expect(second.warnings).toEqual([])
  })

  it('is an error for a mode that is named', async () => {
    const source = new Source()
    source.failure = NOT_INSTALLED
    const error = await failureOf((await memoryWith({ embed: source })).search('ship', { mode: 'hybrid' }))
    expect([error.code, error.hint]).toEqual(['NO_EMBEDDINGS', 'Install them.'])
  })

  it('hides no other failure', async () => {
    const source = new Source()
    source.failure = new Error('a mistake of ours')
    await expect((await memoryWith({ embed: source })).search('ship')).rejects.toThrow('a mistake of ours')
  })

  it('is told by search_memories too', async () => {
    const source = new Source()
    source.failure = NOT_INSTALLED
    const memory = await openMemory({ store: memoryStore(), embed: source, tools: 'reachy' })
    await memory.remember('Likes tea.', { kind: 'fact' })
    const tool = createMemoryTools(memory).find(({ name }) => name === 'search_memories')
    expect((await tool?.run({ query: 'tea' }))?.structured).toMatchObject({
      result: [{ content: 'Likes tea.' }],
      mode: 'lexical',
      note: 'By words alone: the packages are not installed.',
    })
  })
})

describe('which way a search goes', () => {
  it.each([
    ['meaning too', 'hybrid', true],
    ['meaning too once loaded', 'lexical', false],
    ['words', 'lexical', false],
  ] as const)('is, with %s, %s at first', async (searchBy, mode, loads) => {
    const source = new Source()
    const { searched } = await (await memoryWith({ embed: source, searchBy })).search('ship')
    expect([searched.mode, source.loaded !== undefined]).toEqual([mode, loads])
    expect(searched.wordsOnly !== undefined).toBe(searchBy === 'meaning too once loaded')
  })

  it('is by meaning too once somebody has loaded the model', async () => {
    const source = new Source()
    const memory = await memoryWith({ embed: source, searchBy: 'meaning too once loaded' })
    await source.load()
    expect((await memory.search('ship')).searched.mode).toBe('hybrid')
  })

  it('is as it is named, whatever is usual', async () => {
    const source = new Source()
    const memory = await memoryWith({ embed: source, searchBy: 'words' })
    expect((await memory.search('ship', { mode: 'semantic' })).searched.mode).toBe('semantic')
    expect((await memory.search('ship', { preferredMode: 'semantic' })).searched.mode).toBe('lexical')
  })

  it.each([{ mode: 'vague' }, { preferredMode: 'lexical' }, { minCosine: 2 }, { meant: ' ' }])(
    'is refused for %j',
    async (options) => {
      const error = await failureOf((await memoryWith({})).search('ship', options as SearchOptions))
      expect(error.code).toBe('INVALID')
    },
  )
})

describe('what the model is given', () => {
  it('is the query without its syntax, or what is meant by it', async () => {
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    await memory.search('"make ship" dep* -friday')
    expect(letters.given.at(-1)).toBe('make ship dep')
    await memory.search('ship', { meant: 'How do we ship?' })
    expect(letters.given.at(-1)).toBe('How do we ship?')
    await memory.search('x', { meant: '🚀'.repeat(5000) })
    expect(letters.given.at(-1)).toBe('🚀'.repeat(2000))
  })
})

describe('who answers elsewhere', () => {
  const answer = { hits: [], searched: { mode: 'hybrid' }, warnings: [] } as unknown as Found // whatever it is, it is passed on

  it('is asked unless the mode is lexical, and with the limit that counts', async () => {
    const asked: (readonly [string, SearchOptions, string])[] = []
    const memory = await memoryWith({
      recallLimit: 3,
      elsewhere: async (...question) => {
        asked.push(question)
        return answer
      },
    })
    expect(await memory.search('ship')).toBe(answer)
    expect(await memory.as('other').search('ship', { mode: 'semantic', limit: 7 })).toBe(answer)
    expect((await memory.search('ship', { mode: 'lexical' })).hits).toHaveLength(1)
    expect(asked).toEqual([
      ['ship', { limit: 3 }, 'main'],
      ['ship', { mode: 'semantic', limit: 7 }, 'other'],
    ])
  })

  it('may be nobody', async () => {
    const memory = await memoryWith({ elsewhere: async () => undefined })
    expect((await memory.search('ship')).hits).toHaveLength(1)
  })
})

describe('closing', () => {
  it('ends what was made for the memory, and not what was given to it', async () => {
    const [given, made] = [new Source(), new Source()]
    for (const embed of [given, async () => made]) {
      const memory = await memoryWith({ embed })
      await memory.search('ship')
      await memory.close()
    }
    expect([given.closed, made.closed]).toEqual([0, 1])
  })

  it('loads nothing to end it', async () => {
    let asked = 0
    const memory = await memoryWith({
      embed: async () => {
        asked++
        return undefined
      },
    })
    await memory.close()
    expect(asked).toBe(0)
  })
})
