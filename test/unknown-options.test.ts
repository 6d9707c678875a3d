/** Every public function that takes options refuses one that it does not know: a misspelled option must not look as if it counted. */
import { describe, expect, it } from 'vitest'
import { aiSdkModel } from '../src/complete/ai-sdk.ts'
import { ConsolidationService, historyMemory, typedMemory } from '../src/facades/index.ts'
import {
  acceptReview,
  anthropicModel,
  chooseModel,
  consolidate,
  createAgent,
  createMemoryTools,
  httpEmbed,
  isKeepsakeError,
  type Memory,
  memoryDirective,
  memoryStore,
  openaiModel,
  openMemory,
  rejectReview,
  retryFallbacks,
  reviews,
} from '../src/index.ts'
import { equalState, type StoreHarness, stateDifference, storeContract } from '../src/testing/index.ts'

const NOW = '2026-03-14T09:26:53.589Z'
const WRONG = 'worksapce'
/** Any type, as a program in JavaScript has it. */
// biome-ignore lint/suspicious/noExplicitAny: what no type lets through is what is tried here
const wrong: any = { [WRONG]: 1 }

const complete = async (): Promise<{ content: string }> => ({ content: '{}' })
const aiSdk = {
  specificationVersion: 'v2',
  modelId: 'm',
  doGenerate: async () => ({}),
  doStream: async () => ({ stream: new ReadableStream() }),
}

type Call = (memory: Memory) => unknown

/** By the name that the error gives the function. */
const CALLS: Readonly<Record<string, Call>> = {
  openMemory: () => openMemory({ store: memoryStore(), ...wrong }),
  'openMemory: embeddingModel': () =>
    openMemory({
      store: memoryStore(),
      embeddingModel: { model: 'm', base_url: null, api_key_env: null, dimensions: null, ...wrong },
    }),
  memoryStore: () => memoryStore(wrong),
  'memoryStore: settings': () => memoryStore({ settings: wrong }),
  createMemoryTools: (memory) => createMemoryTools(memory, undefined, wrong),
  'recall.run': (memory) => createMemoryTools(memory)[0]?.run({}, wrong),
  createAgent: (memory) => createAgent({ memory, model: complete, ...wrong }),
  'agent.process': (memory) => createAgent({ memory, model: complete }).process('Hello.', wrong),
  'agent.answer': (memory) => createAgent({ memory, model: complete }).answer('Hello.', wrong),
  'agent.beginAnew': (memory) => createAgent({ memory, model: complete }).beginAnew(wrong),
  openaiModel: () => openaiModel({ model: 'm', ...wrong }),
  anthropicModel: () => anthropicModel({ model: 'm', ...wrong }),
  aiSdkModel: () => aiSdkModel(aiSdk, wrong),
  chooseModel: () => chooseModel({ provider: 'openai', model: 'm', base_url: null, api_key_env: null, ...wrong }, {}),
  httpEmbed: () => httpEmbed({ model: 'm', ...wrong }),
  memoryDirective: () => memoryDirective('default', wrong),
  consolidate: (memory) => consolidate(memory, 's', { model: complete, ...wrong }),
  retryFallbacks: (memory) => retryFallbacks(memory, { model: complete, ...wrong }),
  reviews: (memory) => reviews(memory, wrong),
  acceptReview: (memory) => acceptReview(memory, undefined, wrong),
  rejectReview: (memory) => rejectReview(memory, undefined, wrong),
  typedMemory: (memory) => typedMemory(memory, wrong),
  'typedMemory.search': (memory) => typedMemory(memory).search('x', wrong),
  'historyMemory.writeMemory': (memory) => historyMemory(memory).writeMemory('x', wrong),
  ConsolidationService: () => new ConsolidationService(complete, 'm', 8192, wrong),
  storeContract: () => storeContract({ name: 'x' } as StoreHarness, wrong),
  equalState: () => equalState([], [], wrong),
  stateDifference: () => stateDifference([], [], wrong),

  remember: (memory) => memory.remember('x', wrong),
  storeMemory: (memory) => memory.storeMemory('x', 'fact', wrong),
  setContext: (memory) => memory.setContext('task', 'x', wrong),
  getContext: (memory) => memory.getContext('task', wrong),
  cleanup: (memory) => memory.cleanup(wrong),
  reflect: (memory) => memory.reflect('x', wrong),
  learnFact: (memory) => memory.learnFact('topic', 'x', wrong),
  forget: (memory) => memory.forget('note', wrong),
  rename: (memory) => memory.rename('note', 'other', wrong),
  alias: (memory) => memory.alias('note', 'other', wrong),
  get: (memory) => memory.get('note', wrong),
  find: (memory) => memory.find('note', wrong),
  topic: (memory) => memory.topic('note', wrong),
  list: (memory) => memory.list(wrong),
  heads: (memory) => memory.heads({}, wrong),
  'heads: filter': (memory) => memory.heads(wrong),
  search: (memory) => memory.search('note', wrong),
  whyNot: (memory) => memory.whyNot('note', 'note', wrong),
  embed: (memory) => memory.embed(wrong),
  places: (memory) => memory.places(wrong),
  recall: (memory) => memory.recall(wrong),
  context: (memory) => memory.context(wrong),
  sessions: (memory) => memory.sessions(wrong),
  apply: (memory) => memory.apply([], wrong),
  log: (memory) => memory.log(wrong),
  undo: (memory) => memory.undo(wrong),
  asOf: (memory) => memory.asOf(NOW, wrong),
  blame: (memory) => memory.blame('note', wrong),
  absorb: (memory) => memory.absorb(wrong),
  accept: (memory) => memory.accept(wrong),
  purge: (memory) => memory.purge('note', wrong),
  findEver: (memory) => memory.findEver('note', wrong),

  'session.append': (memory) => memory.session('s').append({ role: 'user', content: 'x' }, wrong),
  'session.import': (memory) => memory.session('s').import([], wrong),
  'session.view': (memory) => memory.session('s').view(wrong),
  'session.transcript': (memory) => memory.session('s').transcript(wrong),
  'session.window': (memory) => memory.session('s').window(wrong),
  'session.compact': (memory) => memory.session('s').compact({ summary: 'x', ...wrong }),
  'session.reset': (memory) => memory.session('s').reset(wrong),
  'session.context': (memory) => memory.session('s').context(wrong),
  'session.autoRecall': (memory) => memory.session('s').autoRecall('x', wrong),
  'session.fresh': (memory) => memory.session('s').fresh('x', wrong),
  turn: (memory) => memory.session('s').append({ role: 'user', content: 'x', ...wrong }),
  'turns[1]': (memory) =>
    memory.session('s').append([
      { role: 'user', content: 'x' },
      { role: 'user', content: 'x', ...wrong },
    ]),
  'given[0]': (memory) => memory.session('s').import([], { given: [{ text: 'x', ...wrong }] }),
}

async function openNoted(): Promise<Memory> {
  const memory = await openMemory({ store: memoryStore(), embed: 'none' })
  await memory.remember('A note.', { name: 'note' })
  return memory
}

async function refusal(call: Call, memory: Memory): Promise<unknown> {
  try {
    return await call(memory)
  } catch (error) {
    return error
  }
}

describe('an unknown option', () => {
  it.each(Object.entries(CALLS))('is refused by %s', async (name, call) => {
    const memory = await openNoted()
    const error = await refusal(call, memory)
    if (!isKeepsakeError(error)) throw new Error(`${name} took it`)
    expect([error.code, error.message]).toEqual([
      'INVALID',
      expect.stringContaining(`${name}: there is no option "${WRONG}"`),
    ])
    expect(error.hint).toMatch(/^(Did you mean \w+\? )?Allowed: \w/)
    expect((await memory.log()).length).toBe(1)
  })

  it('gets a suggestion', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: as a program in JavaScript writes it
    const misspelled: any = { worksapce: '/nowhere' }
    await expect(openMemory(misspelled)).rejects.toMatchObject({
      message: 'openMemory: there is no option "worksapce"',
      hint: expect.stringMatching(/^Did you mean workspace\? Allowed: workspace, /),
      data: { field: 'worksapce', near: 'workspace' },
    })
  })

  it('does not include a known option set to undefined', async () => {
    const memory = await openNoted()
    const options = { limit: undefined, kinds: undefined } as unknown as { limit: number }
    expect((await memory.search('note', options)).hits).toHaveLength(1)
  })

  it('is checked by every method of a memory and a session that takes options', async () => {
    const memory = await openNoted()
    const methods = (object: object): string[] =>
      Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(object)))
        .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
        .map(([name]) => name)
    const takesNone = ['as', 'embeddings', 'recalls', 'directive', 'session', 'watch', 'close']
    expect(methods(memory).filter((name) => !takesNone.includes(name) && !(name in CALLS))).toEqual([])
    expect(methods(memory.session('s')).filter((name) => !(`session.${name}` in CALLS))).toEqual([])
  })
})
