/** How a search goes where vectors may be missing. The embedding counts letters: real vectors, of no meaning. */
import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LaterEmbed } from '../embed/later-embed.ts'
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

afterEach(() => {
  vi.useRealTimers()
})

async function memoryWith(options: Parameters<typeof openMemory>[0]): Promise<Memory> {
  const memory = await openMemory({ store: memoryStore(), ...options })
  await memory.remember('Run make ship.', { name: 'Deploys' })
  await memory.remember('Call the printer.', { name: 'Posters' })
  return memory
}

const NOT_INSTALLED = new KeepsakeError('NO_EMBEDDINGS', 'the packages are not installed', { hint: 'Install them.' })

function failureOf(promise: Promise<unknown>): Promise<Partial<KeepsakeError>> {
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
    source.failure = new KeepsakeError('CLOSED', 'the model is closed')
    await expect((await memoryWith({ embed: source })).search('ship')).rejects.toThrow('the model is closed')
  })

  it('warns again for another reason', async () => {
    const source = new Source()
    const memory = await memoryWith({ embed: source })
    source.letters.embed = async ([text]) => {
      throw new KeepsakeError('MODEL', text === 'ship' ? 'the key is wrong' : 'the server is busy')
    }
    vi.useFakeTimers({ toFake: ['performance'] })
    const warnings = async (): Promise<readonly string[]> => {
      vi.advanceTimersByTime(31_000)
      return (await memory.search('ship')).warnings
    }
    source.failure = NOT_INSTALLED
    expect(await warnings()).toHaveLength(1)
    source.failure = undefined
    expect(await warnings()).toEqual(['By words alone: the key is wrong.'])
    expect(await warnings()).toEqual([])
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

describe('a model that others load', () => {
  /** As of a package that is installed while a server runs. */
  class Installed extends LaterEmbed {
    looks = 0
    isThere = false

    constructor() {
      super('letters', async () => {
        this.looks++
        if (!this.isThere) throw NOT_INSTALLED
        return new Letters()
      })
    }
  }

  it('is told to be missing once that is known, and looked for again by searches, but not by each', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const source = new Installed()
    const memory = await memoryWith({ embed: source, searchBy: 'meaning too once loaded' })
    const searched = async (): Promise<readonly unknown[]> => {
      const { searched, warnings } = await memory.search('ship')
      return [searched.mode, searched.wordsOnly, warnings]
    }
    const missing = 'By words alone: the packages are not installed.'
    expect(await searched()).toEqual(['lexical', 'By words alone: the embedding model is not loaded yet.', []])
    await source.load().catch(() => undefined)
    expect(await searched()).toEqual(['lexical', missing, [`${missing} Install them.`]])
    expect(await searched()).toEqual(['lexical', missing, []])
    expect(source.looks).toBe(2)
    source.isThere = true
    vi.advanceTimersByTime(29_000)
    expect(await searched()).toEqual(['lexical', missing, []])
    vi.advanceTimersByTime(1000)
    expect(await searched()).toEqual(['lexical', missing, []])
    expect(source.looks).toBe(3)
    expect(await searched()).toEqual(['hybrid', undefined, []])
  })
})

describe('a model that does not answer', () => {
  const never = new Promise<never>(() => undefined)

  /** In the time of the clock alone. */
  async function passed<T>(ms: number, work: Promise<T>): Promise<T | 'waits'> {
    let state: T | 'waits' = 'waits'
    const done = work.then((value) => {
      state = value
    })
    done.catch(() => undefined)
    await vi.advanceTimersByTimeAsync(ms)
    if (state !== 'waits') await done
    return state
  }

  it.each(['meaning too', 'meaning too once loaded'] as const)('costs one search two seconds: %s', async (searchBy) => {
    vi.useFakeTimers()
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters, searchBy })
    let asked = 0
    letters.embed = () => {
      asked++
      return never
    }
    const search = memory.search('ship')
    expect(await passed(1900, search)).toBe('waits')
    const found = await passed(200, search)
    const wordsOnly = 'By words alone: letters made no vector of the query within 2 s.'
    expect(found).toMatchObject({ searched: { mode: 'lexical', wordsOnly }, hits: [{ entry: { name: 'Deploys' } }] })
    expect(await passed(10, memory.search('ship'))).toMatchObject({ searched: { mode: 'lexical', wordsOnly } })
    expect(asked).toBe(1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await passed(2100, memory.search('ship'))).toMatchObject({ searched: { wordsOnly } })
    expect(asked).toBe(2)
  })

  it('is waited for longer where the mode is named, and is an error then', async () => {
    vi.useFakeTimers()
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    letters.embed = () => never
    const failure = failureOf(memory.search('ship', { mode: 'semantic' }))
    expect(await passed(29_000, failure)).toBe('waits')
    expect(await passed(2000, failure)).toMatchObject({
      code: 'TIMEOUT',
      message: 'letters made no vector of the query within 30 s',
    })
  })

  it('is tried again at once by a mode that is named, and then by all', async () => {
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    const embed = letters.embed.bind(letters)
    letters.embed = async () => {
      throw new KeepsakeError('MODEL', 'the server is gone')
    }
    expect((await memory.search('ship')).searched.wordsOnly).toBe('By words alone: the server is gone.')
    letters.embed = embed
    expect((await memory.search('ship')).searched.mode).toBe('lexical')
    expect((await memory.search('ship', { mode: 'semantic' })).searched.mode).toBe('semantic')
    expect((await memory.search('ship')).searched.mode).toBe('hybrid')
  })

  it('while it is loaded costs one search ten seconds, and is used as soon as it is there', async () => {
    vi.useFakeTimers()
    const source = new Source()
    let loaded = (_: Embed): void => undefined
    source.load = () => new Promise((resolve) => (loaded = resolve))
    const memory = await memoryWith({ embed: source })
    const search = memory.search('ship')
    expect(await passed(9900, search)).toBe('waits')
    const wordsOnly = 'By words alone: the embedding model was not loaded within 10 s.'
    expect(await passed(200, search)).toMatchObject({ searched: { mode: 'lexical', wordsOnly } })
    expect(await passed(10, memory.search('ship'))).toMatchObject({ searched: { wordsOnly } })
    const named = failureOf(memory.search('ship', { mode: 'hybrid' }))
    expect(await passed(59_000, named)).toBe('waits')
    expect(await passed(2000, named)).toMatchObject({ code: 'TIMEOUT' })
    source.loaded = source.letters
    source.load = async () => source.letters
    loaded(source.letters)
    expect(await passed(100, memory.search('ship'))).toMatchObject({ searched: { mode: 'hybrid' } })
  })

  it('when it is looked for costs one search as much', async () => {
    vi.useFakeTimers()
    const memory = await memoryWith({ embed: () => never })
    expect(await passed(10_100, memory.search('ship'))).toMatchObject({ searched: { mode: 'lexical' } })
    expect(await passed(10, memory.search('ship'))).toMatchObject({ hits: [{ entry: { name: 'Deploys' } }] })
  })

  it.each<[string, Embed['embed'], string]>([
    ['throws', () => Promise.reject(new TypeError('no such thing.')), 'letters failed: no such thing'],
    ['throws no error', () => Promise.reject('busy'), 'letters failed: busy'],
    ['makes no numbers', async () => [Float32Array.of(Number.NaN, 1)], 'letters '],
    ['makes too few', async () => [], 'letters '],
  ])('but %s leaves the words, and is an error for a mode that is named', async (_, embed, reason) => {
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    letters.embed = embed
    const { hits, searched } = await memory.search('ship')
    expect([hits.length, searched.mode]).toEqual([1, 'lexical'])
    expect(searched.wordsOnly).toContain(`By words alone: ${reason}`)
    const error = await failureOf(memory.search('ship', { mode: 'semantic' }))
    expect([error.code, error.message]).toEqual(['MODEL', expect.stringContaining(reason)])
  })
})

describe('entries without a vector', () => {
  const never = new Promise<never>(() => undefined)
  const namesOf = ({ hits }: Found): (string | null)[] => hits.map(({ entry }) => entry.name)

  /** `given` resolves once the model was asked for vectors of entries; `answer` then decides. */
  function asked(
    letters: Letters,
    answer: (made: Promise<readonly Float32Array[]>) => Promise<readonly Float32Array[]>,
  ) {
    const embed = letters.embed.bind(letters)
    return new Promise<void>((resolve) => {
      letters.embed = (texts) => {
        if (texts[0] === 'ship') return embed(texts)
        resolve()
        return answer(embed(texts))
      }
    })
  }

  it.each([undefined, 'hybrid'] as const)('are not waited for, and are found by words: mode %s', async (mode) => {
    vi.useFakeTimers() // no time passes
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    const given = asked(letters, () => never)
    const search = (): Promise<Found> => memory.search('ship', mode === undefined ? {} : { mode })
    for (const found of [await search(), await search()]) {
      expect(namesOf(found)).toEqual(['Deploys'])
      expect(found.searched).toMatchObject({ mode: 'hybrid', vectors: { pending: 2 } })
      await given
    }
    await memory.close()
  })

  it('are not found in mode semantic, and the answer counts them', async () => {
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    await memory.embed()
    await memory.remember('Ship on Friday.', { name: 'Boats' })
    asked(letters, () => never)
    const found = await memory.search('ship', { mode: 'semantic' })
    expect(found.searched).toMatchObject({ mode: 'semantic', vectors: { pending: 1 } })
    expect(namesOf(found)).toContain('Deploys')
    expect(namesOf(found)).not.toContain('Boats')
    await memory.close()
  })

  it('are found by words if semantic is only preferred, with a score that their words explain', async () => {
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    await memory.embed()
    await memory.remember('Ship on Friday.', { name: 'Boats' })
    asked(letters, () => never)
    const found = await memory.search('ship', { preferredMode: 'semantic', explain: true })
    expect(found.searched).toMatchObject({ mode: 'semantic', vectors: { pending: 1 } })
    expect(namesOf(found).toSorted()).toEqual(['Boats', 'Deploys', 'Posters'])
    const why = Object.fromEntries(found.hits.map((hit) => [hit.entry.name, hit.why]))
    expect(why['Boats']).toMatchObject({ words: [{ text: 'ship' }] })
    expect(why['Boats']).not.toHaveProperty('meaning')
    expect(why['Deploys']).toMatchObject({ words: [], meaning: { cosine: expect.any(Number) } })
    await memory.close()
  })

  it('get one in the background after a search, once', async () => {
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    const given = asked(letters, (made) => made)
    await Promise.all([memory.search('ship'), memory.search('ship')])
    await given
    await memory.embed()
    expect((await memory.search('ship')).searched.vectors?.pending).toBe(0)
    const entries = letters.given.filter((text) => text !== 'ship')
    expect(entries.toSorted()).toEqual(['Call the printer.', 'Deploys', 'Posters', 'Run make ship.'])
  })

  it('all get one from `embed`, even if a search left a hanging model in the background', async () => {
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    const embed = letters.embed.bind(letters)
    const given = asked(letters, () => never)
    await memory.search('ship')
    await given
    letters.embed = embed
    expect(await memory.as('other').embed()).toMatchObject({ pending: 0 })
    expect(await memory.embed()).toMatchObject({ entries: 2, pending: 0 })
  })

  it('get none after searches by words, in the past or on a server, which embeds anyway', async () => {
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters, searchBy: 'meaning too once loaded' })
    await memory.search('ship')
    await memory.search('ship', { mode: 'semantic' })
    await memory.search('ship', { mode: 'lexical' })
    await (await memory.asOf(new Date().toISOString())).search('ship')
    await memory.close()
    expect(letters.given).toEqual(['ship'])
  })

  it.each([undefined, 'semantic'] as const)('for which the model fails are reported once: mode %s', async (mode) => {
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    await memory.embed()
    await memory.remember('Sail on Friday.', { name: 'Boats' })
    let tries = 0
    const busy = new KeepsakeError('MODEL', 'the server is busy', { hint: 'Wait.' })
    const given = asked(letters, () => {
      tries++
      return Promise.reject(busy)
    })
    const search = (): Promise<Found> => memory.search('ship', mode === undefined ? {} : { mode })
    const first = await search()
    expect(first.searched).toMatchObject({ mode: mode ?? 'hybrid', vectors: { pending: 1 } })
    expect(namesOf(first)).toContain('Deploys')
    await given
    await vi.waitFor(async () => expect((await memory.embeddings()).problem).toBe('the server is busy'))
    const warnings = [first.warnings, (await search()).warnings, (await search()).warnings]
    expect(warnings).toEqual([[], ['Not all entries have vectors: the server is busy. Wait.'], []])
    expect(tries).toBe(1)
  })
})

describe('a signal that lives as long as the program', () => {
  it('is listened to by no search that is over, and once for many at a time', async () => {
    const memory = await memoryWith({ embed: new LaterEmbed('letters', async () => new Letters()) })
    const { signal } = new AbortController()
    let most = 0
    const add = signal.addEventListener.bind(signal)
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      add(...given)
      most = Math.max(most, getEventListeners(signal, 'abort').length)
    }
    await Promise.all(Array.from({ length: 30 }, (_, n) => memory.search(`ship ${n}`, { signal })))
    for (let n = 0; n < 100; n++) await memory.search(`ship ${n % 20}`, { signal })
    expect([most, getEventListeners(signal, 'abort')]).toEqual([1, []])
  })

  it('ends all that wait', async () => {
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    const asked: string[] = []
    letters.embed = (texts) => {
      asked.push(...texts)
      return new Promise(() => undefined)
    }
    const ending = new AbortController()
    const searches = ['ship', 'make'].map((query) => failureOf(memory.search(query, { signal: ending.signal })))
    await vi.waitFor(() => expect(asked.toSorted()).toEqual(['make', 'ship']), { timeout: 30_000 })
    ending.abort(new Error('enough'))
    expect((await Promise.all(searches)).map(({ message }) => message)).toEqual(['enough', 'enough'])
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
    'is refused for %j, and the field is named',
    async (options) => {
      const error = await failureOf((await memoryWith({})).search('ship', options as SearchOptions))
      expect([error.code, error.data?.['field']]).toEqual(['INVALID', Object.keys(options)[0]])
    },
  )
})

describe('how many match', () => {
  it.each(['semantic', 'hybrid'] as const)('does not depend on how many are wanted: %s', async (mode) => {
    const memory = await openMemory({ store: memoryStore(), embed: new Letters() })
    const words = Array.from(
      { length: 150 },
      (_, n) => `e${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10) % 10]}${n}`,
    )
    await memory.apply(words.map((content) => ({ op: 'add', scope: 'main', kind: 'experience', content })))
    await memory.embed()
    const matched = async (limit: number): Promise<number> =>
      (await memory.search('e', { mode, limit })).searched.matched
    expect(await matched(1)).toBeGreaterThan(50)
    expect(await matched(100)).toBe(await matched(1))
  })
})

describe('what the model is given', () => {
  it('is the query without its syntax, or what is meant by it', async () => {
    const { letters } = new Source()
    const memory = await memoryWith({ embed: letters })
    await memory.embed()
    await memory.search('"make ship" dep* -friday')
    expect(letters.given.at(-1)).toBe('make ship dep')
    await memory.search('ship', { meant: 'How do we ship?' })
    expect(letters.given.at(-1)).toBe('How do we ship?')
    await memory.search('x', { meant: `go ${'🚀'.repeat(5000)}` })
    expect(letters.given.at(-1)).toBe(`go ${'🚀'.repeat(1998)}`)
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
      ['ship', { limit: 3, signal: expect.any(AbortSignal) }, 'main'],
      ['ship', { mode: 'semantic', limit: 7, signal: expect.any(AbortSignal) }, 'other'],
    ])
  })

  it.each(['lexical', 'hybrid', 'semantic'] as const)('decides how an absence is explained: %s', async (mode) => {
    const source = new Source()
    const found = { ...answer, searched: { mode } } as unknown as Found
    const memory = await memoryWith({ embed: source, searchBy: 'words', elsewhere: async () => found })
    if (mode !== 'lexical') await memory.embed()
    const { reason, why } = await memory.whyNot('ship', 'Posters')
    expect([source.loaded !== undefined, why?.meaning !== undefined]).toEqual([mode !== 'lexical', mode !== 'lexical'])
    expect(reason).toBe(mode === 'lexical' ? 'no-words' : 'found')
    expect((await memory.whyNot('ship', 'Posters', { mode: 'lexical' })).reason).toBe('no-words')
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

  it('loads nothing to end it, nor after it', async () => {
    let asked = 0
    const memory = await memoryWith({
      embed: async () => {
        asked++
        return undefined
      },
    })
    await memory.close()
    expect(asked).toBe(0)
    await expect(memory.search('ship')).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(memory.embeddings()).rejects.toMatchObject({ code: 'CLOSED' })
    expect(asked).toBe(0)
  })
})
