/**
 * E8 by time: a turn is judged by what was injected before it was said, wherever it stands in the transcript. A client's turns come
 * in at the end of its session, behind all that its hooks have injected.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import type { ImportOptions } from '../../src/session/recording.ts'
import type { TurnInput } from '../../src/session/records.ts'
import { memoryStore } from '../../src/stores/memory.ts'

const FACT = 'The staging host is called heron and listens on port 8443 behind the old proxy.'
const ASKS = 'Which port does the staging host heron listen on?'

let now: number
let memory: Memory
beforeEach(() => {
  now = Date.parse('2026-11-16T10:00:00Z')
  memory = newMemory()
})
afterEach(() => memory.close())

/** Nothing stays in the window: all that is new becomes `conversation` entries at once. */
function newMemory(): Memory {
  const clock = (): number => now
  return new Memory(memoryStore({ clock, settings: { timezone: 'UTC' } }), 'main', clock, { contextWindowSize: 0 })
}

function at(second: number): string {
  return new Date(Date.parse('2026-11-16T10:00:00Z') + second * 1000).toISOString()
}

function turn(role: 'user' | 'assistant', content: string, second?: number): TurnInput {
  return { id: `${role} ${second} ${content}`, role, content, ...(second === undefined ? {} : { at: at(second) }) }
}

/** As the hook of a prompt does. */
async function injectedAt(second: number): Promise<void> {
  now = Date.parse(at(second))
  expect((await memory.session('chat').autoRecall(ASKS))?.text).toContain(FACT)
}

async function keptOf(turns: readonly TurnInput[], options: ImportOptions = {}): Promise<string[]> {
  await memory.session('chat').import(turns, options)
  return (await memory.list({ kinds: ['conversation'] })).map(({ content }) => content).sort()
}

describe('a session that is imported at its end', () => {
  it("keeps the user's own sentence, holds back the assistant's repetition, and condenses alike", async () => {
    await memory.remember(FACT, { name: 'Staging' })
    await injectedAt(30)
    now = Date.parse(at(90))
    const turns = [
      turn('user', FACT, 10),
      turn('assistant', 'Noted.', 12),
      turn('user', ASKS, 29),
      turn('assistant', FACT, 32),
    ]
    await memory.session('chat').import(turns, { slide: false })
    let summed: string[] = []
    const summary = ({ messages }: { messages: readonly { content: string }[] }): undefined => {
      summed = messages.map(({ content }) => content)
    }
    await memory.session('chat').compact({ summary })
    expect(summed).toEqual([FACT, 'Noted.', ASKS])
    expect(await keptOf([])).toEqual(['Noted.', FACT, ASKS].sort())
  })

  it('at the same time, the prompt was there before what was found for it, and the answer behind it', async () => {
    await memory.remember(FACT, { name: 'Staging' })
    await injectedAt(30)
    expect(await keptOf([turn('assistant', FACT, 30)])).toEqual([])
    expect(await keptOf([turn('user', FACT, 30)])).toEqual([FACT])
  })

  it('is judged by all that was injected where its turns have no time, and where they are appended', async () => {
    await memory.remember(FACT, { name: 'Staging' })
    await injectedAt(30)
    expect(await keptOf([turn('user', FACT)])).toEqual([])
    await memory.session('chat').append({ role: 'user', content: FACT })
    expect(await keptOf([])).toEqual([])
  })

  it('is judged by position, too: what is injected later may bear any time', async () => {
    now = Date.parse(at(60))
    await memory.session('chat').import([turn('user', FACT, 50)], { slide: false })
    expect(await keptOf([turn('user', 'Hello there.', 51)], { given: [{ text: FACT, at: at(1) }] })).toEqual(
      ['Hello there.', FACT].sort(),
    )
  })
})

describe('what the transcript itself shows to have been given', () => {
  const turns = [turn('user', FACT, 10), turn('assistant', FACT, 20), turn('user', 'Thanks.', 21)]

  it.each<[string, ImportOptions['given'], string[]]>([
    ['between its turns', [{ text: FACT, at: at(15) }], ['Thanks.', FACT]],
    ['with the prompt', [{ text: FACT, at: at(10) }], ['Thanks.', FACT]],
    ['before them', [{ text: FACT, at: at(5) }], ['Thanks.']],
    ['behind them', [{ text: FACT, at: at(25) }], ['Thanks.', FACT, FACT]],
    ['without a time', [FACT], ['Thanks.']],
    ['twice', [{ text: FACT, at: at(25) }, { text: FACT, at: at(15) }, { text: FACT }], ['Thanks.']],
  ])('counts from then on: %s', async (_, given = [], kept) => {
    now = Date.parse(at(90))
    expect(await keptOf(turns, { given })).toEqual(kept)
  })

  it('counts from the earliest time that is shown, also where a later one was known before', async () => {
    await memory.remember(FACT, { name: 'Staging' })
    await injectedAt(60)
    expect(await keptOf(turns, { given: [{ text: FACT, at: at(15) }] })).toEqual(['Thanks.', FACT])
    const { records } = (await memory.store.sessions.read('main', 'chat')) ?? { records: [] }
    expect(records.filter(({ type }) => type === 'injected').map((record) => record['at'])).toEqual([at(60), at(15)])
    // What is known to have been there by then is not kept again.
    await memory.session('chat').import(turns, { given: [{ text: FACT, at: at(40) }] })
    expect((await memory.store.sessions.read('main', 'chat'))?.records).toHaveLength(records.length)
  })

  it.each([[7], [{ at: at(1) }], [{ text: FACT, at: 'noon' }]])('is refused as %j', async (wrong) => {
    const given = [wrong] as unknown as string[]
    await expect(memory.session('chat').import(turns, { given })).rejects.toThrow(/given\[0\]/)
  })
})

describe("results of the memory's own tools", () => {
  it('are no news for who repeats them, and are not summed up; who called for them said what they said', async () => {
    const other = 'The printer on the second floor is out of order until the end of the week.'
    const tool = { role: 'tool', tools: ['look'] } as const
    await memory.session('chat').append([
      { role: 'user', content: 'Look it up, please.' },
      { role: 'assistant', content: FACT, tools: ['look', 'ping', 'look'] },
      { ...tool, content: other },
      // Too short to be known by its words.
      { ...tool, content: 'Nothing.', metadata: { given: true } },
      { ...tool, content: `${FACT}\nNo more.`, metadata: { given: true } },
      { role: 'assistant', content: `${FACT} Anything else?` },
      { role: 'user', content: `No. But we move it to port 9000 on Monday.` },
    ])
    let summed: string[] = []
    await memory.session('chat').compact({
      summary: ({ messages }) => {
        summed = messages.map(({ content }) => content)
        return 'x'
      },
    })
    const said = ['Look it up, please.', FACT, other, 'No. But we move it to port 9000 on Monday.']
    expect(summed).toEqual(said)
    expect(await keptOf([])).toEqual(said.filter((text) => text !== other).sort())
    expect(await memory.session('chat').fresh(FACT)).toBeUndefined()
  })
})
