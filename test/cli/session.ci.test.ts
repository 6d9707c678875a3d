/** `keepsake session`: conversations on the command line, for people and as JSON. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Screen } from '../../src/cli/screen.ts'
import { viewText } from '../../src/cli/session-text.ts'
import { openMemory } from '../../src/index.ts'
import type { Turn } from '../../src/session/records.ts'
import { jsonAt, makeAt, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed, type RunOptions } from './keepsake.ts'

beforeAll(() => sitDownAt(new Desk()))

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const AT = '2026-11-15T14:00:00.000Z'
const NOBODY = 65534

/** With a session that has so many exchanges, "question 1", "answer 1" …; made by the library, which takes less time. */
async function deskWith(exchanges: number, key = 'chat-1'): Promise<Desk> {
  const desk = await Desk.empty('Europe/Berlin')
  const memory = await openMemory({ workspace: desk.workspace })
  for (let number = 1; number <= exchanges; number++) {
    await memory.session(key).append([
      { role: 'user', content: `question ${number}`, at: AT },
      { role: 'assistant', content: `answer ${number}`, at: AT },
    ])
  }
  await memory.close()
  return desk
}

function contents(session: Printed): string[] {
  return session.turns.map(({ content }: Printed) => content)
}

describe.concurrent('session append', () => {
  it('makes the session, and tells the turn', async () => {
    const desk = await Desk.empty()
    const { status, stdout, stderr } = await desk.run(['session', 'append', 'chat-1', '--role', 'user', 'Hello'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Appended a user's turn to session "chat-1"\n {2}turn {2}[0-9a-f-]{36}\n$/)
    expect(readdirSync(join(desk.workspace, 'agents/main/sessions'))).toEqual(['chat-1.jsonl'])
  })

  it('gives the turn as JSON, with all that was said about it', async () => {
    const desk = await Desk.empty()
    const { status, ...printed } = await desk.json(
      [
        ...['session', 'append', 'chat-1', '--role', 'assistant', '-', '--tool', 'recall', '--tool', 'remember'],
        ...['--at', '2026-11-15T15:00:00+01:00', '--meta', 'type=mine', '--meta', '__proto__:=1'],
      ],
      { input: 'From 猫\n\n' },
    )
    expect(status).toBe(0)
    expect(Object.keys(printed)).toEqual(['key', 'turns', 'slid', 'slidCount'])
    const [turn] = printed.turns
    expect(turn).toMatchObject({
      id: expect.stringMatching(ID),
      role: 'assistant',
      content: 'From 猫',
      at: AT,
      tools: ['recall', 'remember'],
    })
    expect(Object.entries(turn.metadata)).toEqual([
      ['type', 'mine'],
      ['__proto__', 1],
    ])
    expect((await jsonAt(desk, ['session', 'show', 'chat-1'])).session.turns).toEqual(printed.turns)
  })

  it('tells what slid out of the window, which is remembered', async () => {
    const desk = await deskWith(5)
    const { stdout } = await desk.run(['session', 'append', 'chat-1', '--role', 'user', 'question 6'])
    expect(stdout).toContain('  slid out  2 turns, remembered as conversation\n')
    expect(stdout).toMatch(/ {2}file {6}\.keepsake\/agents\/main\/conversation\/\d{4}-\d\d-\d\d\.md\n/)
    const { slid } = await jsonAt(desk, ['session', 'append', 'chat-1', '--role', 'user', 'question 7'])
    expect(slid).toMatchObject([
      { kind: 'conversation', content: 'question 2', origin: { session: 'chat-1' } },
      { kind: 'conversation', content: 'answer 2' },
    ])
    const { hits } = await jsonAt(desk, ['recall', '"question 1"', '--kind', 'conversation'])
    expect(hits[0].entry).toMatchObject({ content: 'question 1', createdAt: AT })
  })

  it('tells the number of what slid out, and no more entries than one can look at', async () => {
    const desk = await Desk.empty()
    const memory = await openMemory({ workspace: desk.workspace })
    const turns = Array.from({ length: 30 }, (_, n) => ({ id: `t${n}`, role: 'user' as const, content: `said ${n}` }))
    await memory.session('chat-1').import(turns, { slide: false })
    await memory.close()
    const { slid, slidCount } = await jsonAt(desk, ['session', 'append', 'chat-1', '--role', 'user', 'and now'])
    expect([slid.length, slid[0].content, slidCount]).toEqual([20, 'said 0', 26])
  })

  it('prints nothing when it is to be quiet', async () => {
    const desk = await Desk.empty()
    expect(await desk.run(['session', '--quiet', 'append', 's', '--role', 'user', 'Hello'])).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    })
  })

  it('takes a key of any characters, and keeps keys apart', async () => {
    const desk = await Desk.empty()
    const keys = ['a/b', '../x', 'a:b', 'a_b', '-', 'Größe 猫 🦁\n'.repeat(30)]
    for (const key of keys) {
      const { turns } = await jsonAt(desk, ['session', 'append', '--role', 'user', key, `in ${key}.`])
      expect(turns).toMatchObject([{ content: `in ${key}.` }])
    }
    const { sessions } = await jsonAt(desk, ['session', 'list'])
    expect(sessions.map(({ key }: Printed) => key).sort()).toEqual(keys.toSorted())
    expect(readdirSync(join(desk.workspace, 'agents/main/sessions'))).toHaveLength(keys.length)
    expect((await desk.run(['session', 'list'])).stdout.trimEnd().split('\n')).toHaveLength(keys.length)
  })

  it('belongs to the agent that it is done for', async () => {
    const desk = await deskWith(1)
    await makeAt(desk, ['session', 'append', 'theirs', '--role', 'user', 'Hi', '--agent', 'scout'])
    expect((await jsonAt(desk, ['session', 'list', '--agent', 'scout'])).sessions).toMatchObject([{ key: 'theirs' }])
    expect((await jsonAt(desk, ['session', 'show', 'chat-1', '--agent', 'scout'])).status).toBe(3)
  })
})

describe.concurrent('session show', () => {
  it('shows times in the zone of the workspace, roles, tools and what was said', async () => {
    const desk = await deskWith(1)
    await makeAt(desk, ['session', 'append', 'chat-1', '--role', 'tool', '--tool', 'recall', 'two\nlines', '--at', AT])
    const { stdout } = await desk.run(['session', 'show', 'chat-1'])
    expect(stdout).toMatch(/^chat-1 \(session\)\n {2}begun {2}\d{4}-\d\d-\d\d \d\d:\d\d\n {2}turns {2}3\n\n/)
    expect(stdout).toContain('\n2026-11-15 15:00  user\n  question 1\n\n2026-11-15 15:00  assistant\n  answer 1\n\n')
    expect(stdout).toMatch(/\n2026-11-15 15:00 {2}tool {2}\(recall\)\n {2}two\n {2}lines\n$/)
    const quiet = (await desk.run(['session', 'show', 'chat-1', '--quiet'])).stdout
    expect(stdout.endsWith(`\n\n${quiet}`)).toBe(true)
    expect(quiet.startsWith('2026-11-15 15:00  user\n')).toBe(true)
  })

  it('tells broken lines and skips them', async () => {
    const desk = await deskWith(1)
    const path = join(desk.workspace, 'agents/main/sessions/chat-1.jsonl')
    const line = readFileSync(path, 'utf8').split('\n').length
    appendFileSync(path, '{"type":"turn",\n')
    await makeAt(desk, ['session', 'append', 'chat-1', '--role', 'user', 'question 2'])
    const { session, warnings } = await jsonAt(desk, ['session', 'show', 'chat-1'])
    expect(contents(session)).toEqual(['question 1', 'answer 1', 'question 2'])
    expect(session.broken).toEqual([{ line, problem: expect.any(String) }])
    expect(warnings).toEqual([
      expect.stringMatching(new RegExp(`^session "chat-1", line ${line}: .*; it was skipped$`)),
    ])
    for (const flags of [[], ['--all']]) {
      const { status, stderr } = await desk.run(['session', 'show', 'chat-1', ...flags])
      expect([status, stderr]).toEqual([0, `keepsake: warning: ${warnings[0]}\n`])
    }
  })

  it('ends well where nobody reads on', async () => {
    const desk = await deskWith(0)
    await desk.make(['session', 'append', 's', '--role', 'user', '-'], { input: 'line\n'.repeat(100_000) })
    const shown = await desk.shell('set -o pipefail; "$NODE" "$MAIN" session show s | head -n 1', 'bash')
    expect(shown).toEqual({ status: 0, stdout: 's (session)\n', stderr: '' })
  })

  it('shows a terminal what it would obey, and sets texts in, so that none looks like a turn', () => {
    const screen = new Screen({ hasColor: false, cwd: '/' })
    const content = '\u001b[2J\rred\n2026-11-15 15:00  user\n  forged'
    const turn: Turn = { id: '1', role: 'user', content, at: AT, tools: ['\u001b]0;x\u0007\n'], metadata: {} }
    const archive = { id: '2', name: 'a\u001b[1m', content: '\u009b31m' }
    const view = { key: 'k\u001b\n', createdAt: AT, archive, turns: [turn], broken: [] }
    const { text } = viewText(view, { screen, zone: 'UTC' })
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(text.split('\n').filter((line) => /^2026-/.test(line))).toHaveLength(1)
    expect(text).toContain('\n  2026-11-15 15:00  user\n')
  })
})

describe.concurrent('session window', () => {
  it('gives the last exchanges as messages, in every process the same', async () => {
    const desk = await deskWith(7)
    const { status, ...printed } = await desk.json(['session', 'window', 'chat-1'])
    expect(Object.keys(printed)).toEqual(['key', 'messages'])
    expect(printed.messages).toHaveLength(10)
    expect(printed.messages[0]).toEqual({ role: 'user', content: 'question 3', at: AT })
    const { messages } = await jsonAt(desk, ['session', 'window', 'chat-1', '--size', '2'])
    expect(messages.map(({ content }: Printed) => content)).toEqual([
      'question 6',
      'answer 6',
      'question 7',
      'answer 7',
    ])
    const { stdout } = await desk.run(['session', 'window', 'chat-1', '--size', '1'])
    expect(stdout).toBe('2026-11-15 15:00  user\n  question 7\n\n2026-11-15 15:00  assistant\n  answer 7\n')
    expect((await desk.run(['session', 'window', 'chat-1', '--size', '0'])).stdout).toBe('The window is empty.\n')
  })
})

describe.concurrent('session compact', () => {
  it('puts the archive first, which is found by name and by search, and undo brings the turns back', async () => {
    const desk = await Desk.empty()
    await makeAt(desk, ['session', 'append', 'chat-1', '--role', 'user', 'We moved to Postgres 17'])
    const { stdout } = await desk.run(['session', 'compact', 'chat-1', '--summary', 'Moved to Postgres 17'])
    expect(stdout).toContain('Compacted 1 turn of session "chat-1"\n')
    expect(stdout).toContain('  archive   chat-1-1\n  file      .keepsake/agents/main/entries/chat-1-1.md\n')
    expect(stdout).toMatch(/ {2}marker {4}.*, compact, behind 1 turn up to .*\n {2}slid out {2}1 turn, remembered as/)
    expect(stdout).toMatch(/ {2}change {4}2\n$/)

    const { session } = await jsonAt(desk, ['session', 'show', 'chat-1'])
    expect(session).toMatchObject({
      key: 'chat-1',
      marker: { reason: 'compact', turns: 1, archiveName: 'chat-1-1' },
      archive: { name: 'chat-1-1', content: 'Moved to Postgres 17' },
      turns: [],
    })
    const shown = (await desk.run(['session', 'show', 'chat-1'])).stdout
    expect(shown).toContain('\n\n── archive chat-1-1\n  Moved to Postgres 17\n')
    const whole = (await desk.run(['session', 'show', 'chat-1', '--all'])).stdout
    expect(whole).toMatch(/ {2}We moved to Postgres 17\n\n── marker: .*, archive chat-1-1\n$/)

    expect((await jsonAt(desk, ['show', 'chat-1-1'])).entry).toMatchObject({
      kind: 'archive',
      metadata: { session: 'chat-1', turns: 1, first: session.marker.first, through: session.marker.through },
    })
    expect((await jsonAt(desk, ['recall', 'postgres', '--kind', 'archive'])).hits).toMatchObject([
      { entry: { id: session.archive.id } },
    ])
    const { messages } = await jsonAt(desk, ['session', 'window', 'chat-1'])
    expect(messages).toMatchObject([
      { role: 'user', content: expect.stringMatching(/^<recap>[\s\S]*Moved to Postgres 17/) },
    ])

    await makeAt(desk, ['undo'])
    const back = (await jsonAt(desk, ['session', 'show', 'chat-1'])).session
    expect([contents(back), back.archive, back.marker]).toEqual([['We moved to Postgres 17'], undefined, undefined])
    const { markers } = (await jsonAt(desk, ['session', 'show', 'chat-1', '--all'])).session
    expect(markers).toMatchObject([{ archiveName: 'chat-1-1', unmarked: true }])
  })

  it('gives all of it as JSON, and leaves the last exchanges', async () => {
    const desk = await deskWith(3)
    const { status, ...printed } = await desk.json(['session', 'compact', 'chat-1', '--summary', '-', '--keep', '1'], {
      input: 'Two questions.\n',
    })
    expect(Object.keys(printed)).toEqual(['key', 'compacted', 'archive', 'marker', 'change'])
    expect(printed).toMatchObject({
      key: 'chat-1',
      compacted: true,
      archive: { kind: 'archive', content: 'Two questions.', path: 'agents/main/entries/chat-1-1.md' },
      marker: { turns: 4, reason: 'compact' },
      change: { number: expect.any(Number) },
    })
    expect(contents((await jsonAt(desk, ['session', 'show', 'chat-1'])).session)).toEqual(['question 3', 'answer 3'])
  })

  it('says why there was nothing to do', async () => {
    const desk = await deskWith(1)
    await makeAt(desk, ['session', 'compact', 'chat-1', '--summary', 'One question.'])
    const before = desk.hash()
    expect(await jsonAt(desk, ['session', 'compact', 'chat-1', '--summary', 'Again.'])).toEqual({
      key: 'chat-1',
      compacted: false,
      why: 'already compacted',
      status: 0,
    })
    expect((await desk.run(['session', 'compact', 'chat-1', '--summary', 'Again.'])).stdout).toBe(
      'Nothing was done to session "chat-1": already compacted\n',
    )
    expect(desk.hash()).toBe(before)
  })
})

describe.concurrent('session reset', () => {
  it('begins anew; the transcript keeps what was said', async () => {
    const desk = await deskWith(1)
    const { stdout } = await desk.run(['session', 'reset', 'chat-1'])
    expect(stdout).toMatch(
      /^Session "chat-1" begins anew\n {2}marker {2}.*, new, behind 2 turns up to 2026-11-15 15:00\n$/,
    )
    expect(await jsonAt(desk, ['session', 'reset', 'chat-1'])).toEqual({ key: 'chat-1', reset: false, status: 0 })
    const { session } = await jsonAt(desk, ['session', 'show', 'chat-1'])
    expect([session.turns, session.archive, session.marker.reason]).toEqual([[], undefined, 'new'])
    const { turns, markers } = (await jsonAt(desk, ['session', 'show', 'chat-1', '--all'])).session
    expect([turns.length, markers.length]).toEqual([2, 1])
  })
})

describe.concurrent('session list', () => {
  it('lists the one that was spoken in last first', async () => {
    const desk = await deskWith(2)
    await makeAt(desk, ['session', 'append', 'later', '--role', 'user', 'Hi', '--at', '2026-11-16T08:00:00Z'])
    const { sessions } = await jsonAt(desk, ['session', 'list'])
    expect(sessions).toMatchObject([
      { key: 'later', lastAt: '2026-11-16T08:00:00.000Z', turns: 1 },
      { key: 'chat-1', lastAt: AT, turns: 4 },
    ])
    const since = /since \d{4}-\d\d-\d\d \d\d:\d\d/.source
    expect((await desk.run(['session', 'list'])).stdout).toMatch(
      new RegExp(`^2026-11-16 09:00  later   1 turn   ${since}\n2026-11-15 15:00  chat-1  4 turns  ${since}\n$`),
    )
    expect((await (await Desk.empty()).run(['session', 'list'])).stdout).toBe('There are no sessions.\n')
    expect((await desk.run(['session', 'list', '--quiet'])).stdout.split('\n').slice(0, -1)).toEqual(
      sessions.map(({ key }: Printed) => key),
    )
  })

  it('has each session that a hand has left without readable metadata, as all commands do', async () => {
    const desk = await deskWith(1)
    const folder = join(desk.workspace, 'agents/main/sessions')
    const [meta = '', ...lines] = readFileSync(join(folder, 'chat-1.jsonl'), 'utf8').split('\n')
    const put = (key: string, first: string[]): void =>
      writeFileSync(join(folder, `${key}.jsonl`), [...first, ...lines].join('\n'))
    put('soon', ['{"key":"soon","createdAt":"soon"}'])
    put('garbage', ['garbage'])
    put('headless', [])
    put('copy', [meta])
    writeFileSync(join(folder, 'blank.jsonl'), 'garbage\n')
    const { sessions, warnings } = await jsonAt(desk, ['session', 'list'])
    const unknown = { createdAt: null, problem: expect.any(String) }
    expect(sessions).toHaveLength(6)
    expect(sessions).toEqual(
      expect.arrayContaining([
        { key: 'chat-1', createdAt: expect.any(String), lastAt: AT, turns: 2 },
        {
          key: 'copy',
          createdAt: expect.any(String),
          lastAt: AT,
          turns: 2,
          problem: expect.stringMatching(/"chat-1"/),
        },
        ...['soon', 'garbage', 'headless'].map((key) => ({ key, ...unknown, lastAt: AT, turns: 2 })),
        { key: 'blank', ...unknown, lastAt: null, turns: 0 },
      ]),
    )
    expect(warnings).toContain('session "soon": createdAt: "soon" is not a time')
    expect(warnings).toHaveLength(5)
    expect((await desk.run(['session', 'list'])).stdout).toMatch(
      /^2026-11-15 15:00 {2}soon {6}2 turns {2}since when is not known$[\s\S]*^\?{4}.*blank/m,
    )
    for (const shown of [['soon'], ['headless'], ['soon', '--all']]) {
      const { session } = await jsonAt(desk, ['session', 'show', ...shown])
      expect([contents(session), session.createdAt]).toEqual([['question 1', 'answer 1'], null])
    }
    expect((await desk.run(['session', 'show', 'soon'])).stdout).toMatch(/^soon \(session\)\n {2}turns {2}2\n/)
    expect(await jsonAt(desk, ['session', 'reset', 'blank'])).toMatchObject({ reset: false, status: 0 })
  })
})

describe.concurrent('a refused session command', () => {
  let desk: Desk
  beforeAll(async () => {
    desk = await deskWith(1)
  })

  it.each<[readonly string[], number, RegExp, RegExp]>([
    [
      ['shwo', 'x'],
      2,
      /^there is no command "session shwo"$/,
      /^Did you mean "session show"\? See all: keepsake session/,
    ],
    [['xyzzy'], 2, /^there is no command "session xyzzy"$/, /^See all: keepsake session --help$/],
    [[], 2, /^session needs COMMAND$/, /^See: keepsake session --help$/],
    [['append', 's', 'x'], 2, /^session append needs --role$/, /--role user\|assistant\|tool\|system/],
    [['append', 's', '--role', 'user'], 2, /^session append needs TEXT$/, /^See: keepsake session append --help$/],
    [
      ['append', 's', 'x', 'y', '--role', 'user'],
      2,
      /^"y" is one argument too many/,
      /keepsake session append SESSION "two words"/,
    ],
    [['append', 's', 'x', '--role', 'robot'], 2, /^role: "robot" is not a role$/, /^Allowed: user, assistant, tool/],
    [['append', '', 'x', '--role', 'user'], 2, /^session: is empty$/, /./],
    [['append', 's', ' ', '--role', 'user'], 2, /^content: is empty$/, /./],
    [['append', 's', 'x', '--role', 'user', '--at', 'soon'], 2, /^at: "soon" is not a time$/, /ISO-8601/],
    [['append', 's', 'x', '--role', 'user', '--meta', 'a'], 2, /^meta: "a" has no key and value$/, /./],
    [['compact', 'chat-1'], 2, /^session compact needs --summary$/, /--summary TEXT/],
    [['compact', 'chat-1', '--summary', 'x', '--keep=-1'], 2, /^keep: -1 is not allowed$/, /./],
    [['window', 'chat-1', '--size', 'big'], 2, /^size: "big" is not a whole number$/, /./],
    [['show', 'chta-1'], 3, /^there is no session "chta-1"$/, /^Did you mean "chat-1"\?$/],
    [['show', 'CHAT', '--all'], 3, /^there is no session "CHAT"$/, /^Did you mean "chat-1"\?$/],
    [['window', 'nope'], 3, /^there is no session "nope"$/, /^See which there are: keepsake session list$/],
    [['compact', 'nope', '--summary', 'x'], 3, /^there is no session "nope"$/, /./],
    [['reset', 'nope'], 3, /^there is no session "nope"$/, /./],
    [['import', 'nope.jsonl'], 3, /^there is no file nope\.jsonl$/, /^Check the path\.$/],
    [['import', '.'], 2, /^FILE: \. is a folder$/, /./],
  ])('%j', async (args, status, says, hints) => {
    const before = desk.hash()
    const printed = await jsonAt(desk, ['session', ...args])
    expect(printed).toMatchObject({
      status,
      error: { message: expect.stringMatching(says), hint: expect.stringMatching(hints) },
    })
    expect(desk.hash()).toBe(before)
  })
})

describe('a workspace that can only be read', () => {
  it('shows its sessions, and says why nothing is appended', async () => {
    const desk = await deskWith(2)
    const someone: RunOptions = process.getuid?.() === 0 ? { uid: NOBODY } : {}
    if (someone.uid !== undefined) await desk.runProgram('chown', ['-R', `${NOBODY}`, desk.folder])
    await desk.runProgram('chmod', ['-R', 'a-w', desk.folder])
    try {
      expect(contents((await desk.json(['session', 'show', 'chat-1'], someone)).session)).toHaveLength(4)
      expect((await desk.json(['session', 'window', 'chat-1'], someone)).messages).toHaveLength(4)
      expect((await desk.json(['session', 'list'], someone)).sessions).toHaveLength(1)
      for (const args of [
        ['append', 'chat-1', 'x', '--role', 'user'],
        ['compact', 'chat-1', '--summary', 'x'],
        ['reset', 'chat-1'],
      ]) {
        const { status, error } = await desk.json(['session', ...args], someone)
        expect([status, error?.code]).toEqual([1, 'READ_ONLY'])
      }
    } finally {
      await desk.runProgram('chmod', ['-R', 'u+w', desk.folder])
    }
  })
})
