/** `keepsake chat`: over a pipe, and on a terminal. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { slashCall } from '../../src/cli/chat/slash-words.ts'
import { StreamedText } from '../../src/cli/chat/streamed-text.ts'
import { Screen } from '../../src/cli/screen.ts'
import { openMemory } from '../../src/index.ts'
import { Desk, type Printed } from './keepsake.ts'
import { condensing, modelEnvironment, replies, scriptedModel } from './scripted.ts'
import { noTerminal, shellAt, terminalAt } from './terminal.ts'

afterEach(() => {
  replies.length = 0
})

describe('a line', () => {
  it.each(['Hello', '/etc/hosts is empty', ' /new', 'a /new', '/usr/bin'])('is for the model: %j', (line) => {
    expect(slashCall(line)).toBeUndefined()
  })

  it.each([
    ['/new', 'a new beginning', ''],
    ['/NEW ', 'a new beginning', ''],
    ['/exit', 'the end', ''],
  ])('is a word of the chat: %j', (line, run, operand) => {
    expect(slashCall(line)).toEqual({ run, operand })
  })

  it('is a word with all that stands behind it', () => {
    expect(slashCall('/recall  when do we deploy ')?.operand).toBe('when do we deploy')
  })

  it.each([
    ['/nwe', 'Did you mean /new?'],
    ['/', 'See all: /help'],
    ['/xyzzy now', 'See all: /help'],
    ['/memory all', 'Type it alone: /memory'],
    ['/recall', 'Type it as: /recall QUERY'],
  ])('is refused: %j', (line, hint) => {
    expect(() => slashCall(line)).toThrow(
      expect.objectContaining({ code: 'INVALID', hint: expect.stringContaining(hint) }),
    )
  })
})

describe('streamed text', () => {
  function shown(pieces: readonly string[]): string {
    const streamed = new StreamedText(new Screen({ hasColor: false, cwd: '/' }))
    return pieces.map((piece) => streamed.take(piece)).join('') + streamed.rest()
  }

  it('shows what a terminal would obey, wherever a piece ends', () => {
    const hostile = 'a\u001b[2J\u009b1m\u0007\rb\r\nc\td\u{1F408}\u202ee\u2066'
    const whole = 'a<U+001B>[2J<U+009B>1m<U+0007 and 1 more>b\nc\td\u{1F408}<U+202E>e<U+2066>'
    for (let cut = 0; cut <= hostile.length; cut++) {
      expect(shown([hostile.slice(0, cut), hostile.slice(cut)])).toBe(whole)
    }
    expect(shown([...hostile.split('')])).toBe(whole)
  })

  it('keeps characters together wherever a chunk ends', () => {
    const joined = '👩\u200d💻 ❤\ufe0f\u200d🔥 می\u200cخواهم 1\ufe0f\u20e3\n'
    for (let cut = 0; cut <= joined.length; cut++) {
      expect(shown([joined.slice(0, cut), joined.slice(cut)])).toBe(joined)
    }
    expect(shown(joined.split(''))).toBe(joined)
  })

  it('loses nothing, and makes half a character a whole one', () => {
    expect(shown(['a', '\r'])).toBe('a<U+000D>')
    expect(shown(['\ud83d'])).toBe('\ufffd')
  })
})

describe('in a pipe', () => {
  it('answers each line on standard output, and says nothing else there', async () => {
    const desk = await Desk.furnished()
    replies.push(
      { text: 'Good day.' },
      { text: 'I will.', toolCalls: [{ name: 'remember', arguments: { content: 'We deploy on Thursdays.' } }] },
      { text: 'Kept.' },
      condensing('They said good day.', '- Deploys on Thursdays.'),
    )
    const lines = ['Hello', '', 'remember that we deploy on Thursdays', '/memory', '/NEW', '/recall Thursdays', '/undo']
    const ran = await desk.run(['chat'], { input: lines.join('\r\n'), env: await modelEnvironment() })
    expect([ran.status, ran.stderr]).toEqual([0, ''])
    const [first, second, third, fourth, ...rest] = ran.stdout.split('\n')
    expect([first, second, third, fourth]).toEqual([
      'Good day.',
      'Kept.',
      'The memory of main is still empty.',
      'Session cleared.',
    ])
    expect(rest.join('\n')).toMatch(
      /^1 {2}[\s\S]*We deploy on Thursdays\.[\s\S]*\nUndid:\n[\s\S]*MEMORY[\s\S]*keepsake undo \d+\n$/,
    )
    // The undo took back the condensing.
    const memory = await openMemory({ workspace: desk.workspace })
    expect((await memory.session('chat-1').view()).turns.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    await memory.close()
  })

  it('is one object with --json, and goes on where the last chat ended', async () => {
    const desk = await Desk.empty()
    const env = await modelEnvironment()
    await desk.run(['chat', '--session', 's', '--quiet'], { input: 'My cat is called Miso.', env })
    const printed: Printed = await desk.json(['chat', '--session', 's'], { input: 'Hello\n/memory\n /new\n', env })
    expect(printed).toMatchObject({ status: 0, session: 's', model: 'scripted' })
    expect(printed.replies).toEqual([
      expect.objectContaining({ message: 'Hello', text: 'You said: Hello', toolCalls: 0 }),
      { message: '/memory', text: 'The memory of main is still empty.' },
      expect.objectContaining({ message: '/new', text: 'You said: /new' }),
    ])
    const last = (await scriptedModel()).requests.at(-1)
    expect(last?.messages.map(({ content }) => content)).toEqual([
      'My cat is called Miso.',
      'You said: My cat is called Miso.',
      'Hello',
      'You said: Hello',
      '/new',
    ])
  })

  it('ends with the first failure', async () => {
    const desk = await Desk.furnished()
    const env = await modelEnvironment()
    replies.push({ text: 'Good day.' }, { status: 401, text: 'no such key' })
    const ran = await desk.run(['chat'], { input: 'Hello\nAgain\nAnd again\n', env })
    expect([ran.status, ran.stdout]).toEqual([1, 'Good day.\n'])
    expect(ran.stderr).toContain('no such key')
    const before = (await scriptedModel()).requests.length
    const forget = await desk.json(['chat'], { input: '/forget Posters\nHello\n', env })
    expect([forget.status, forget.error.code]).toEqual([2, 'INVALID'])
    expect(forget.error.message).toContain('this would remove the note "Posters"')
    writeFileSync(join(desk.folder, 'agent.yaml'), 'spec: {}\n')
    expect((await desk.json(['chat'], { input: 'Hello', env })).error.code).toBe('UNSUPPORTED')
    expect((await scriptedModel()).requests.length).toBe(before)
  })
})

if (noTerminal !== undefined) console.warn(`SKIPPED: keepsake chat on a terminal: ${noTerminal}`)

describe.skipIf(noTerminal !== undefined)('on a terminal', () => {
  it('shows answers as they come, and what happens besides', async () => {
    const desk = await Desk.furnished()
    const terminal = terminalAt(desk, 'chat', await modelEnvironment())
    const prompt = '\u001b[1m> \u001b[22m'
    const host = new URL((await scriptedModel()).url).host
    await terminal.see(`\u001b[2mscripted at ${host} · 0 turns · memory 0 B · main · chat-1\u001b[22m`)
    await terminal.see(prompt)

    replies.push({ pieces: ['Red: \u001b', '[31m and a title: \u001b]0;x\u0007', ' done'] })
    terminal.type('Hello\r')
    await terminal.see('Red: <U+001B>[31m and a title: <U+001B>]0;x<U+0007> done\r\n')
    await terminal.see('· 2 turns')

    replies.push(
      { toolCalls: [{ name: 'remember', arguments: { content: 'Thursdays.\u001b[2J' } }] },
      { text: 'Kept.' },
    )
    await terminal.see(prompt)
    terminal.type('keep that\r')
    await terminal.see('\u001b[2m· remember {"content":"Thursdays.\\u001b[2J"}\u001b[22m\r\nKept.\r\n')

    await terminal.see(prompt)
    terminal.type('\u001b[200~first\r\rthird\u001b[201~, and last\r')
    await terminal.see('You said: first\r\n\r\nthird, and last\r\n')

    // An answer that is stopped; what is typed meanwhile waits.
    replies.push({ pieces: ['One ', 'two ', ...Array.from({ length: 100 }, () => 'more ')], pieceDelayMs: 100 })
    await terminal.see(prompt)
    terminal.type('count\r')
    await terminal.see('One two')
    terminal.type('/nwe\r')
    terminal.type('\u0003')
    await terminal.see('(stopped)')
    await terminal.see(`${prompt}/nwe`)
    await terminal.see('there is no /nwe; nothing was sent')
    await terminal.see('Did you mean /new?')

    replies.push({ status: 401, text: 'no such \u001b[5mkey' })
    await terminal.see(prompt)
    terminal.type('and now?\r')
    await terminal.see('no such ')

    await terminal.see(prompt)
    terminal.type('/forget Posters\r')
    await terminal.see('Remove the note "Posters"')
    await terminal.see('[y/N] ')
    terminal.type('n\r')
    await terminal.see('Nothing was removed.')

    // What was typed before a question could be read is no answer to it: neither whole lines nor the beginning of one.
    replies.push({ pieces: ['Well ', 'then.'], pieceDelayMs: 2000 })
    await terminal.see(prompt)
    terminal.type('wait\r')
    await terminal.see('Well ')
    terminal.type('/forget Posters\ryes\r\u001b[200~y\ry\u001b[201~\ry')
    await terminal.see('[y/N] ')
    terminal.type('\r')
    await terminal.see('Nothing was removed.')
    await terminal.see(prompt)
    terminal.type('/forget Posters\r')
    await terminal.see('[y/N] ')
    terminal.type('y\r')
    await terminal.see('Forgot the note "Posters"')
    await terminal.see(prompt)
    terminal.type('/undo\r')
    await terminal.see(/removed the note "Posters"[\s\S]*That is change \d+/)

    replies.push({ text: 'no' })
    await terminal.see(prompt)
    terminal.type('/new\r')
    await terminal.see('condensing …')
    await terminal.see('keepsake consolidate --retry')
    await terminal.see('· 0 turns')
    await terminal.see(prompt)
    terminal.type('\u0003')
    expect(await terminal.ended()).toBe(0)
    for (const code of ['[2J', '[31m and', ']0;', '[5m']) expect(terminal.shown()).not.toContain(`\u001b${code}`)
  }, 240_000)

  it('goes on after Ctrl-Z, at the prompt and during an answer', async () => {
    const desk = await Desk.empty()
    const chat = '"$NODE" "$MAIN" chat --quiet'
    const terminal = shellAt(desk, `set -m; ${chat}; echo Away; fg; echo Away; fg`, await modelEnvironment())
    await terminal.see('> ')
    terminal.type('hal\u001a')
    await terminal.see('Away')
    await terminal.see(/> .*hal/s)
    terminal.type('lo\r')
    await terminal.see('You said: hallo')

    replies.push({ pieces: ['One ', ...Array.from({ length: 200 }, () => 'more ')], pieceDelayMs: 50 })
    await terminal.see('> ')
    terminal.type('count\r')
    await terminal.see('One ')
    terminal.type('\u001a')
    await terminal.see('Away')
    await terminal.see('more ')
    terminal.type('\u0003')
    await terminal.see('(stopped)')
    await terminal.see('> ')
    terminal.type('/exit\r')
    expect(await terminal.ended()).toBe(0)
  }, 240_000)

  it('shows what a model said to a terminal, also where the messages come from a file', async () => {
    const desk = await Desk.empty()
    const env = await modelEnvironment()
    const text = 'a\u001b[2J\u009b1m\u202eb'
    writeFileSync(join(desk.folder, 'messages.txt'), 'Hello\n')
    replies.push({ text }, { text })
    const shown = terminalAt(desk, 'chat < messages.txt', env)
    await shown.see('a<U+001B>[2J<U+009B>1m<U+202E>b\r\n')
    expect(await shown.ended()).toBe(0)
    const json = terminalAt(desk, 'chat --json < messages.txt', env)
    await json.see('"text":"a\\u001b[2J\\u009b1m\\u202eb"')
    expect(await json.ended()).toBe(0)
    expect(JSON.parse(json.shown()).replies).toEqual([expect.objectContaining({ text })])
  })

  it('ends with /exit and with Ctrl-D', async () => {
    const desk = await Desk.empty()
    const env = await modelEnvironment()
    for (const last of ['/exit\r', '\u0004']) {
      const terminal = terminalAt(desk, 'chat --quiet', env)
      await terminal.see('> ')
      terminal.type(last)
      expect(await terminal.ended()).toBe(0)
    }
  })
})
