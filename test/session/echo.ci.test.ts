/**
 * E8: what a session injected does not come back as something new, whatever a client made of it; and what people say does. On
 * real files, over restarts and processes, and where nothing can be written.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { Workspace } from './workspace.ts'

const ENTRIES: readonly (readonly [name: string, content: string])[] = [
  [
    'Boiler',
    'The boiler was serviced on the third of May by the plumber from Elm Street.\n\n- It will last **two more winters**, he said.\n- The bill of 140 euros is paid.',
  ],
  [
    'Boiler manual',
    '# Manual\n\nTo bleed the boiler, turn the `left valve` a quarter, wait for the hiss to end, and close it again.\n\nNever touch the red valve: it is the gas.',
  ],
  [
    'Élodie',
    "Élodie's café orders the boiler parts for the whole street; ask her before you buy a new pump elsewhere.",
  ],
]
const MESSAGE = 'When was the boiler serviced, and what about its valve and parts?'

let workspace: Workspace
let memory: Memory
beforeEach(async () => {
  workspace = new Workspace()
  memory = workspace.open()
  for (const [name, content] of ENTRIES) await memory.remember(content, { name })
})
afterEach(() => workspace.remove())

async function injected(from: Memory = memory): Promise<string> {
  const part = await from.session('chat').autoRecall(MESSAGE)
  expect(part?.text.match(/^## /gm)).toHaveLength(3)
  return part?.text ?? ''
}

/** What is left where a client strips the marks. */
function bare(block: string): string {
  return block.replace(/<\/?recall>\n?/g, '')
}

function wrapped(text: string, width: number): string {
  return text.replaceAll('\n', ' ').replace(new RegExp(`(.{1,${width}})(?: +|$)`, 'g'), '$1\n')
}

function inHalves(text: string): string[] {
  const middle = text.indexOf(' ', text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

const NOBODY = 65_534

/** Root may write anywhere. */
async function asNobody(run: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return run()
  process.seteuid?.(NOBODY)
  try {
    await run()
  } finally {
    process.seteuid?.(0)
  }
}

const DISGUISES: readonly (readonly [what: string, disguise: (block: string) => string | readonly string[]])[] = [
  ['as it is', (block) => block],
  ['quoted', (block) => block.replace(/^/gm, '> ')],
  ['indented, with CRLF', (block) => block.replace(/^/gm, '\t').replaceAll('\n', '\r\n')],
  ['cut before its end', (block) => block.slice(0, -40)],
  ['without the marks', bare],
  ['without the marks, quoted', (block) => bare(block).replace(/^/gm, '> ')],
  ['without the marks and the first line', (block) => bare(block).split('\n').slice(2).join('\n')],
  ['on one line', (block) => bare(block).replace(/\s+/g, ' ')],
  ['wrapped at 40', (block) => wrapped(bare(block), 40)],
  ['a word a line', (block) => bare(block).replace(/\s+/g, '\n')],
  ['without decoration', (block) => bare(block).replace(/[#*`_-]/g, '')],
  ['in capitals', (block) => bare(block).toUpperCase()],
  ['in small letters', (block) => bare(block).toLowerCase()],
  ['without accents taken together', (block) => bare(block).normalize('NFD')],
  ['with curly quotes', (block) => bare(block).replaceAll("'", '’')],
  ['without its headings', (block) => bare(block).replace(/^#+ .*\n/gm, '')],
  ['only its first entry', (block) => `## ${bare(block).split('## ')[1]}`],
  ['each entry by itself', (block) => bare(block).split('## ').slice(1)],
  [
    'each long line by itself',
    (block) =>
      bare(block)
        .split('\n')
        .filter((line) => line.split(' ').length > 3),
  ],
  ['only a piece of it', (block) => bare(block).slice(block.length / 4, block.length / 2)],
  ['its two halves', (block) => inHalves(bare(block))],
  ['with words before and after', (block) => `Here is what I remember: ${bare(block)} Shall I go on?`],
  [
    'one entry with words before and after',
    (block) => `You told me this:\n## ${bare(block).split('## ')[2]}\nIs it still so?`,
  ],
  [
    'as a numbered list',
    (block) =>
      bare(block)
        .split('\n')
        .filter(Boolean)
        .map((line, n) => `${n + 1}. ${line}`)
        .join('\n'),
  ],
  ['as HTML', (block) => block.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>\n')],
  ['as JSON', (block) => JSON.stringify({ role: 'user', content: bare(block) })],
  ['with tags of its own', (block) => `<context>\n${bare(block)}\n</context>`],
  ['shortened', (block) => `${bare(block).slice(0, block.length * 0.7)}…`],
  ['twice', (block) => `${bare(block)}\n\n${block}`],
  ['with characters that are not seen', (block) => bare(block).replaceAll(' ', ' \u200b')],
]

describe('what comes back', () => {
  it('is not fresh in any disguise', async () => {
    const block = await injected()
    const passed: string[] = []
    for (const [what, disguise] of DISGUISES) {
      for (const text of [disguise(block)].flat()) {
        if ((await memory.session('chat').fresh(text)) !== undefined) passed.push(`${what}: ${text}`)
      }
    }
    expect(passed).toEqual([])
  })

  it('is fresh in a session that did not inject it, apart from marked blocks', async () => {
    const block = await injected()
    const other = memory.session('other')
    expect(await other.fresh(bare(block))).toBe(bare(block))
    expect(await other.fresh(block)).toBeUndefined()
    expect(await other.fresh(`Hello!\n${block}\nMy own words.`)).toBe('Hello!\nMy own words.')
    expect(await memory.as('someone').session('chat').fresh(bare(block))).toBe(bare(block))
  })

  it.each([
    'yes',
    'ok, thanks',
    'boiler',
    'The boiler was serviced again today, and the plumber says that it leaks.',
    'Please remind me to call the plumber from Elm Street about the red valve on Monday.',
    'I closed the left valve, waited for the hiss, and now the kitchen is cold. What did I do wrong?',
    "Élodie's café is closed this week.",
    'Two more winters, he said? I would not bet on it, and my sister says that hers broke down after one.',
  ])('is fresh when a person says it: %s', async (text) => {
    await injected()
    expect(await memory.session('chat').fresh(text)).toBe(text)
  })

  it('is remembered when somebody asks for that', async () => {
    const block = bare(await injected())
    expect((await memory.remember(block, { name: 'Copy' })).entry.content).toBe(block.trimEnd())
    expect((await memory.reflect(block)).entry.content).toBe(block.trimEnd())
  })
})

describe('what is new beside it', () => {
  const NEWS = 'Also my passport number is X1234567 and it expires in June 2031.'

  it('comes back to the letter, before and behind the block, with its marks and without', async () => {
    const block = await injected()
    const fresh = (text: string): Promise<string | undefined> => memory.session('chat').fresh(text)
    for (const text of [bare(block), wrapped(bare(block), 60), bare(block).toUpperCase()]) {
      expect(await fresh(`${text}\n\n${NEWS}`)).toBe(NEWS)
      expect(await fresh(`${NEWS}\n\n${text}`)).toBe(NEWS)
      expect(await fresh(`${NEWS}\n\n${text}\n\nOne  more\tthing.`)).toBe(`${NEWS}\n\nOne  more\tthing.`)
    }
    expect((await fresh(`${block}\n\n${NEWS}`))?.trim()).toBe(NEWS)
  })

  it('is a fact that is corrected', async () => {
    const block = bare(await injected())
    for (const [from, to] of [
      ['third of May', 'ninth of June'],
      ['Elm Street', 'Oak Street'],
      ['two more winters', 'three more winters'],
      ['140', '150'],
      ['is paid', 'is not paid'],
      ['Never touch', 'Touch'],
      ['a quarter', 'a half'],
    ] as const) {
      const line = block.split('\n').find((text) => text.replaceAll('*', '').includes(from)) ?? ''
      const corrected = line.replaceAll('*', '').replace(from, to)
      expect(await memory.session('chat').fresh(corrected)).toBe(corrected)
      const told = await memory.session('chat').fresh(block.replaceAll('*', '').replace(from, to))
      expect(told).toContain(to)
    }
  })

  it('is not lost in a conversation that is stored turn by turn, and what is stored is not stored again', async () => {
    const session = memory.session('chat')
    const asks = [
      'What about the %? I forgot the details of it.',
      'Remind me of the % please, my wife asked yesterday evening.',
    ]
    const stored: string[] = []
    for (let day = 0; day < 24; day++) {
      const ask = (asks[day % 2] ?? '').replace('%', ['boiler', 'valve', 'pump'][day % 3] ?? '')
      const news = `By the way, on day ${day} I lost my blue umbrella near gate ${day}.`
      const message = day % 2 === 0 ? `${ask} ${news}` : `${news} ${ask}`
      const { recall } = await session.context({ message })
      const own = await session.fresh(`${bare(recall)}\n${message}`)
      expect(own).toContain(news)
      expect(own).not.toContain('serviced on the third')
      expect(
        await session.fresh(`The bill of 140 euros is paid. ${ENTRIES[2]?.[1]} Is there anything else?`),
      ).toBeUndefined()
      await memory.remember(own ?? '', { kind: 'conversation' })
      stored.push(own ?? '')
    }
    for (const ask of asks) {
      const often = stored.filter((text) => text.includes(ask.slice(-30))).length
      expect(often).toBeLessThan(12)
    }
  })
})

function transcript(): string {
  const folder = join(workspace.root, 'agents/main/sessions')
  if (!existsSync(folder)) return ''
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

describe('a whole context', () => {
  const MEMORY = `# Anna

- Works on the heron service since last spring, from home on Fridays.
- Prefers small steps.
- Her brother Ben keeps bees near the old mill, and sells the honey at the market.`
  const RECAP =
    'user: Shall we ship the heron before the long weekend or after it?\nassistant: After lunch on Monday, then.'
  const stripped = (text: string): string => text.replace(/<\/?(?:memory|recall|recap)>\n?/g, '')

  it('is known again without its marks, part by part, where the session gave it', async () => {
    await memory.reflect(MEMORY)
    const asked = { message: MESSAGE, recap: RECAP }
    const session = memory.session('chat')
    const given = await session.context(asked)
    expect(given).toEqual(await memory.context(asked))
    expect(given.parts.map(({ part }) => part)).toEqual(['identity', 'directive', 'memory', 'recap', 'recall'])
    const blocks = given.parts.slice(2).map(({ text }) => stripped(text))
    const lines = MEMORY.split('\n').filter((line) => line.split(' ').length > 3)
    for (const text of [...blocks, ...lines, MEMORY, RECAP, blocks.join('\n\n')]) {
      expect(await session.fresh(text), text).toBeUndefined()
      expect(await workspace.open().session('chat').fresh(text), text).toBeUndefined()
      expect(await memory.session('other').fresh(text)).toBe(text)
    }
    const own = 'Ben called: the bees swarmed this morning, and Anna stays with him until Thursday.'
    expect(await session.fresh(own)).toBe(own)
  })

  it('is kept by the session alone, and MEMORY.md once as long as it stays the same', async () => {
    await memory.reflect(MEMORY)
    await memory.context({ message: MESSAGE, recap: RECAP })
    expect(transcript()).toBe('')
    expect(await memory.session('chat').fresh(MEMORY)).toBe(MEMORY)
    await memory.session('chat').context()
    const once = transcript()
    expect(once.trim().split('\n')).toHaveLength(2)
    await Promise.all([memory.session('chat').context(), memory.session('chat').context()])
    await workspace.open().session('chat').context()
    expect(transcript()).toBe(once)
    await memory.reflect(`${MEMORY}\n- Since today she also has a cat, which is called Mittens and hates the bees.`)
    await memory.session('chat').context()
    const [, , added, ...more] = transcript().trim().split('\n')
    expect(more).toEqual([])
    // Only of the line that is new.
    expect(JSON.parse(added ?? '').prints.length).toBeLessThan(20)
    expect(await memory.session('chat').fresh('she also has a cat, which is called Mittens and')).toBeUndefined()
  })

  it.each([
    ['many short lines', (n: number) => `- item ${n} is ${n * 7}`],
    [
      'long lines',
      (n: number) => `Item ${n} was seen ${n * 7} times on the road between ${n * 3} and ${n * 5} houses.`,
    ],
    ['lines of Chinese', (n: number) => `锅炉${n}在五月三日由榆树街的水管工维修过${n * 7}次`],
  ])('is known by its beginning and its end, though it fills its budget: %s', async (_, line) => {
    const lines = Array.from({ length: 4000 }, (_, n) => line(n))
    await memory.reflect(lines.join('\n'))
    const { parts } = await memory.session('chat').context()
    const shown = stripped(parts.find(({ part }) => part === 'memory')?.text ?? '').split('\n')
    expect(shown.length).toBeGreaterThan(100)
    for (const text of [shown, shown.slice(0, 40), shown.slice(-42, -2)].map((some) => some.join('\n'))) {
      expect(await memory.session('chat').fresh(text), text.slice(0, 100)).toBeUndefined()
    }
    expect(transcript().length).toBeLessThan(100_000)
  })

  it('refuses what is no text', async () => {
    const session = memory.session('chat')
    await expect(session.context(null as unknown as object)).rejects.toMatchObject({ code: 'INVALID' })
    await expect(session.context({ message: 7 as unknown as string })).rejects.toMatchObject({ code: 'INVALID' })
  })
})

describe('the fingerprints', () => {
  it('are one record of the transcript, without the words, and none for what is there already', async () => {
    await memory.session('chat').autoRecall('what about the violin?')
    expect(readdirSync(join(workspace.root, 'agents/main'))).not.toContain('sessions')
    const block = await injected()
    const [meta, line, ...more] = transcript().trim().split('\n')
    expect(more).toEqual([])
    expect(JSON.parse(meta ?? '')).toMatchObject({ key: 'chat' })
    const record = JSON.parse(line ?? '')
    expect(record).toEqual({ type: 'injected', at: expect.stringMatching(/Z$/), prints: expect.any(Array) })
    expect(line?.length).toBeLessThan(1.6 * block.length)
    const before = transcript()
    await Promise.all([injected(), injected()])
    expect(transcript()).toBe(before)
    await memory.session('chat').fresh(block)
    expect(transcript()).toBe(before)
  })

  it('stand beside what else the transcript holds, and pass over what is broken', async () => {
    const { sessions } = memory.store
    await sessions.append('main', 'chat', [{ type: 'turn', text: 'hello' }])
    await sessions.append('main', 'chat', [
      { type: 'injected', prints: 'none' },
      { type: 'injected', prints: [null, 'x'] },
    ])
    const block = await injected()
    await sessions.append('main', 'chat', [{ type: 'turn', text: 'bye' }])
    expect(await workspace.open().session('chat').fresh(bare(block))).toBeUndefined()
    expect(await workspace.open().session('chat').fresh('hello')).toBe('hello')
  })

  it('hold after a restart, in another process, and for what another process injected', async () => {
    const block = bare(await injected())
    const seen = await workspace.elsewhere(`const chat = memory.session('chat')
      await memory.remember('The lighthouse on the northern cape is open to visitors on every second Sunday.', { name: 'Lighthouse' })
      return [
        await chat.fresh(${JSON.stringify(block)}) ?? null,
        await chat.fresh('my own words about something else, which nobody has heard before'),
        (await chat.autoRecall('when is the lighthouse open?')).text,
      ]`)
    const [echo, own, theirs] = seen as [unknown, string, string]
    expect(echo).toBeNull()
    expect(own).toContain('my own words')
    expect(await memory.session('chat').fresh(bare(theirs))).toBeUndefined()
    expect(await memory.session('elsewhere').fresh(bare(theirs))).toBe(bare(theirs))
    expect(await workspace.open().session('chat').fresh(block)).toBeUndefined()
  })

  it('hold for this process where the folder is read-only', async () => {
    // What is loaded on the way is read with the right to.
    await memory.session('another').autoRecall(MESSAGE)
    chmodSync(join(workspace.root, '..'), 0o755)
    execFileSync('chmod', ['-R', 'a+rX,a-w', workspace.root])
    const before = transcript()
    const reader = workspace.open()
    await asNobody(async () => {
      const block = await injected(reader)
      await expect(reader.remember('more')).rejects.toMatchObject({ code: 'READ_ONLY' })
      expect(await reader.session('chat').fresh(bare(block))).toBeUndefined()
    })
    expect(transcript()).toBe(before)
    execFileSync('chmod', ['-R', 'u+w', workspace.root])
    await injected(reader)
    expect(transcript().split('\n')).toHaveLength(before.split('\n').length + 2)
  })

  it('hold for this process where a memory of the past is asked, which nobody can write to', async () => {
    const past = await memory.asOf(new Date().toISOString())
    const block = await injected(past)
    expect(await past.session('chat').fresh(bare(block))).toBeUndefined()
    expect(await memory.session('chat').fresh(bare(block))).toBe(bare(block))
  })

  it.each(['a:b', 'a_b', '../../up', 'Ünïcode 🎉', 'x'.repeat(500)])('are kept under any key: %s', async (key) => {
    const part = await memory.session(key).autoRecall(MESSAGE)
    expect(
      await workspace
        .open()
        .session(key)
        .fresh(bare(part?.text ?? '')),
    ).toBeUndefined()
  })

  it('refuse a session without a key, and a text that is none', async () => {
    expect(() => memory.session('')).toThrow(/session/)
    await expect(memory.session('chat').fresh(7 as unknown as string)).rejects.toMatchObject({ code: 'INVALID' })
    await expect(memory.session('chat').autoRecall(null as unknown as string)).rejects.toMatchObject({
      code: 'INVALID',
    })
  })

  it('stay known though a hundred other sessions came between', async () => {
    const block = bare(await injected())
    for (let n = 0; n < 120; n++) expect(await memory.session(`other ${n}`).fresh('hello')).toBe('hello')
    expect(await memory.session('chat').fresh(block)).toBeUndefined()
  })
})
