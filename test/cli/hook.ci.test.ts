/** `keepsake hook`: whatever an agent program says, it gets one JSON object, and the memory is as it should be. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { HookAnswer } from '../../src/cli/hook/answer.ts'
import { fitted } from '../../src/cli/hook/fitted.ts'
import { readInput } from '../../src/cli/hook/read-input.ts'
import { openMemory } from '../../src/index.ts'
import { formatOwner, thisProcess } from '../../src/stores/disk/owner.ts'
import { ask, context, saving, transcriptAt, withCleanEnvironment } from './hook-asking.ts'
import { ANSWER, PROMPT, sampleEvents, TRANSCRIPTS } from './hook-samples.ts'
import { Desk, ended, type Ran } from './keepsake.ts'

withCleanEnvironment()

/** What a client makes of it. */
function answered({ status, stdout, stderr }: Ran): HookAnswer {
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^\{.*\}\n$/)
  return JSON.parse(stdout)
}

function transcriptFiles(desk: Desk): readonly string[] {
  const folder = join(desk.workspace, 'agents/main/sessions')
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

describe.concurrent('the program', () => {
  it('answers every event of every client, and saves each transcript once', async () => {
    const desk = await Desk.furnished()
    const answers = new Map<string, HookAnswer>()
    const events = sampleEvents(desk.folder, transcriptAt(desk))
    // The clients at once, the events of each one after the other.
    const clients = ['claude', 'codex', 'gemini'].map(async (name) => {
      for (const { client, event } of events.filter((each) => each.client === name)) {
        const ran = await desk.run(['hook', client], { input: JSON.stringify(event) })
        answers.set(`${client} ${event['hook_event_name']} ${event['source'] ?? ''}`.trim(), answered(ran))
      }
    })
    await Promise.all(clients)
    for (const [name, answer] of answers) {
      const event = name.split(' ')[1]
      if (event === 'SessionStart') expect(context(answer)).toContain('an agent with a memory')
      else if (/Prompt|Before/.test(name)) expect(context(answer)).toMatch(/^<recall>[\s\S]*heron[\s\S]*<\/recall>$/)
      else expect(answer).toEqual({})
      if (answer.hookSpecificOutput) expect(answer.hookSpecificOutput.hookEventName).toBe(event)
      expect(context(answer)).not.toContain('Call the printer first.')
    }
    const memory = await openMemory({ workspace: desk.workspace })
    for (const client of ['claude', 'codex', 'gemini']) {
      const { turns } = await memory.session(`${client}-${client}-1`).view()
      expect(turns.map(({ role, content }) => [role, content])).toEqual([
        ['user', PROMPT],
        ['assistant', ANSWER],
      ])
    }
    expect((await memory.list({ kinds: ['conversation'] })).length).toBe(0)
    await memory.close()
  })

  it('ends with 0 and one object also where it is called in the wrong way', async () => {
    const desk = await Desk.furnished()
    const before = desk.hash()
    const prompt = JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: PROMPT })
    const wrong = [['hook'], ['hook', 'emacs'], ['hook', 'claude', '--nonsense'], ['hook', 'claude', '--agent', 'a b']]
    const told = await Promise.all(wrong.map((args) => desk.run(args, { input: '' })))
    expect(told.map((ran) => answered(ran).systemMessage)).toEqual([
      'keepsake: hook needs claude|codex|gemini',
      'keepsake: there are no hooks for "emacs"',
      'keepsake: there is no option "--nonsense" here',
      undefined,
    ])
    const silent = await Promise.all(wrong.map((args) => desk.run(args, { input: prompt })))
    expect(silent.map(answered)).toEqual([{}, {}, {}, {}])
    expect(desk.hash()).toBe(before)
  })

  it('does not wait for an input that stays open', async () => {
    const desk = await Desk.furnished()
    const [talking, silent] = [desk.start(['hook', 'claude']), desk.start(['hook', 'claude'])]
    const event = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '.', prompt: PROMPT }
    talking.stdin.write(JSON.stringify(event))
    const [said, nothing] = await Promise.all([ended(talking), ended(silent)])
    expect(context(answered(said))).toContain('heron')
    expect(answered(nothing)).toEqual({})
  })

  it('ends with 0 also where nobody can hear it, and where its own folder is gone', async () => {
    const desk = await Desk.furnished()
    const elsewhere = join(new Desk().folder, 'gone')
    mkdirSync(elsewhere)
    const event = JSON.stringify({ ...prompted(PROMPT), cwd: desk.folder })
    writeFileSync(join(desk.folder, 'event.json'), event)
    const full = await desk.shell('"$NODE" "$MAIN" hook claude < event.json > /dev/full')
    expect([full.status, full.stderr]).toEqual([0, ''])
    const gone = `cd '${elsewhere}' && rmdir '${elsewhere}' && "$NODE" "$MAIN" hook claude < '${desk.folder}/event.json'`
    expect(context(answered(await desk.shell(gone)))).toContain('heron')
  })

  it('ends with 0 also where its call is wrong before it is named, and where it is stopped', async () => {
    const desk = await Desk.furnished()
    const start = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's', cwd: '.' })
    const wrong = await desk.run(['--bogus', 'hook', 'claude'], { input: start })
    expect(answered(wrong).systemMessage).toMatch(/--bogus/)
    expect(
      answered(await desk.run(['--bogus', 'hook', 'claude'], { input: JSON.stringify(prompted(PROMPT)) })),
    ).toEqual({})
    expect((await desk.run(['--bogus', 'recall', 'hook'])).status).toBe(2)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const waiting = desk.start(['hook', 'claude'])
      // It listens by the time that it reads.
      waiting.stdin.write(' '.repeat(1_000_000), () => waiting.kill(signal))
      expect(answered(await ended(waiting))).toEqual({})
    }
  })

  it('gives what it finds while another process writes, and says so where it can not save', async () => {
    const desk = await Desk.furnished()
    hold(desk)
    const before = desk.hash()
    const end = { hook_event_name: 'SessionEnd', session_id: 's', transcript_path: transcriptAt(desk)('claude') }
    const inputs = [prompted(PROMPT), end].map((event) => JSON.stringify(event))
    const [found, saved] = (await Promise.all(inputs.map((input) => desk.run(['hook', 'claude'], { input })))).map(
      answered,
    )
    expect(context(found ?? {})).toContain('heron')
    expect(saved?.systemMessage).toMatch(/^keepsake: .*locked by process/)
    rmSync(join(desk.folder, 'claude.jsonl'))
    expect(desk.hash()).toBe(before)
  })
})

/** Holds the lock as a living process does: by a link of the next generation that names it. */
function hold(desk: Desk): void {
  const folder = join(desk.workspace, '.state/lock')
  mkdirSync(folder, { recursive: true })
  const newest = Math.max(0, ...readdirSync(folder).map((name) => Number.parseInt(name, 10)))
  symlinkSync(formatOwner(thisProcess()), join(folder, String(newest + 1)))
}

describe('the input', () => {
  it('is what was said by the time that counts, and no more than fits', async () => {
    const whole = new PassThrough()
    whole.end(Buffer.from('{"a":"ü"}'))
    expect(await readInput(whole)).toBe('{"a":"ü"}')
    const open = new PassThrough()
    open.write('{"a":')
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const late = readInput(open)
    await vi.advanceTimersByTimeAsync(250)
    open.write('1}')
    await vi.advanceTimersByTimeAsync(250)
    expect(await late).toBe('{"a":1}')
    vi.useRealTimers()
    const endless = new PassThrough()
    for (let chunk = 0; chunk < 20; chunk++) endless.write(Buffer.alloc(1_048_576, 0x20))
    endless.end()
    expect(await readInput(endless)).toBe('')
    const broken = new PassThrough()
    const reading = readInput(broken)
    broken.destroy(new Error('it broke'))
    expect(await reading).toBe('')
  })
})

/** Beside these each is tried by every client. `PLACE` is the folder of the desk. */
const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ...[
    '',
    ' ',
    '\0',
    'null',
    'true',
    '7',
    '"x"',
    '[]',
    '[{}]',
    '{}',
    '{',
    '}{',
    '{"a":1}{"a":2}',
    '\ufeff{}',
    'nope',
  ].map((text) => [JSON.stringify(text), text] as const),
  ['deep nesting', '['.repeat(200_000)],
  ['a deep object', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
  ['a prototype', '{"__proto__":{"hook_event_name":"SessionStart","session_id":"s"}}'],
  ['a constructor', '{"hook_event_name":"constructor","session_id":"s"}'],
  ['an event nobody knows', '{"hook_event_name":"PostToolUse","session_id":"s"}'],
  ['an event in other letters', '{"hook_event_name":"sessionstart","session_id":"s"}'],
  ...['1', 'null', '[]', '{}', '""', `"${'x'.repeat(1000)}"`].map(
    (id) => [`the session ${id.slice(0, 9)}`, `{"hook_event_name":"SessionEnd","session_id":${id}}`] as const,
  ),
  ['no session', '{"hook_event_name":"UserPromptSubmit","prompt":"staging"}'],
  ...['1', 'null', '[]', '{"a":1}', '""', '"  "', '"\\u0000"', '"\\ud800"', '"<hook_context>"'].map(
    (prompt) =>
      [`the prompt ${prompt}`, `{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":${prompt}}`] as const,
  ),
  ['syntax', JSON.stringify(prompted('"staging -server* OR (kind:note" ../../etc $HOME `id` $(id)'))],
  ['a huge prompt', JSON.stringify(prompted('lorem ipsum '.repeat(500_000)))],
  ['one long word', JSON.stringify(prompted('x'.repeat(3_000_000)))],
  ['many contexts', JSON.stringify(prompted('<hook_context></hook_context>'.repeat(100_000)))],
  ['NULs', JSON.stringify(prompted(`${'\0'.repeat(1000)}staging`))],
  ...['/dev/zero', '/dev/null', '/', 'PLACE', 'PLACE/fifo', 'PLACE/gone', 'PLACE/link', '', '\0', '../x'].map(
    (path) => [`the transcript ${JSON.stringify(path)}`, JSON.stringify(saving(path))] as const,
  ),
  ['a transcript of others', JSON.stringify(saving('PLACE/keepsake.jsonl'))],
  ['a transcript that is no text', JSON.stringify(saving('PLACE/bytes'))],
  ['a transcript without lines', JSON.stringify(saving('PLACE/long'))],
  ...['/nowhere', '\0', '/dev/null', 'x'.repeat(5000)].map(
    (cwd) => [`the folder ${JSON.stringify(cwd).slice(0, 12)}`, JSON.stringify({ ...prompted('hello'), cwd })] as const,
  ),
]

/** Transcripts that are there, and can't be saved. */
const UNSAVED = /"transcript_path":"(?:\/dev\/\w+|\/|PLACE|PLACE\/(?:fifo|link|keepsake\.jsonl|bytes|long)|\\u0000)"\}$/

function prompted(prompt: string): Readonly<Record<string, unknown>> {
  return { hook_event_name: 'UserPromptSubmit', session_id: 's', prompt }
}

describe('an event that nobody should send', () => {
  it(`is answered, and nothing is written: ${HOSTILE.length} of them`, async () => {
    const desk = await Desk.furnished()
    await desk.runProgram('mkfifo', ['fifo'])
    expect(lstatSync(join(desk.folder, 'fifo')).isFIFO()).toBe(true)
    symlinkSync('/dev/zero', join(desk.folder, 'link'))
    writeFileSync(join(desk.folder, 'bytes'), Buffer.from([0xff, 0xfe, 0, 0x7b, 0x0a, 0xc3]))
    writeFileSync(join(desk.folder, 'long'), '{"type":"user","uuid":'.repeat(100_000))
    writeFileSync(
      join(desk.folder, 'keepsake.jsonl'),
      '{"type":"user"}\n{"type":"user","uuid":1,"message":7}\n[1]\nx\n',
    )
    const files = (): unknown => [transcriptFiles(desk), readdirSync(desk.folder).sort()]
    const before = files()
    const entries = await entriesOf(desk)
    for (const [index, [name, text]] of HOSTILE.entries()) {
      const client = ['claude', 'codex', 'gemini'][index % 3] ?? ''
      const answer = await ask(desk, text.replaceAll('PLACE', desk.folder), [client])
      const told = UNSAVED.test(text) ? ['systemMessage'] : []
      expect([name, Object.keys(answer).filter((key) => key !== 'hookSpecificOutput')]).toEqual([name, told])
    }
    // What was found for the one prompt that means something is known again: that alone is kept.
    expect(transcriptFiles(desk).every((file) => file.endsWith('-s.jsonl'))).toBe(true)
    expect([[], readdirSync(desk.folder).sort()]).toEqual(before)
    expect(await entriesOf(desk)).toEqual(entries)
  })

  it('but has a session of its own is kept in its place', async () => {
    const desk = await Desk.furnished()
    const path = transcriptAt(desk)('claude')
    const before = readdirSync(desk.folder)
    const ids = ['../../../escaped', '/etc/passwd', 'a/b\\c', 'con', '.', '..', 'ünïcode 🦁', 'x'.repeat(200)]
    for (const id of ids) {
      const event = { ...saving(path), session_id: id }
      expect([id, await ask(desk, event), await ask(desk, event)]).toEqual([id, {}, {}])
    }
    expect(transcriptFiles(desk)).toHaveLength(ids.length)
    expect(readdirSync(desk.folder)).toEqual(before)
    const memory = await openMemory({ workspace: desk.workspace })
    for (const id of ids) expect([id, (await memory.session(`claude-${id}`).view()).turns.length]).toEqual([id, 2])
    await memory.close()
  })
})

async function entriesOf(desk: Desk): Promise<unknown> {
  const memory = await openMemory({ workspace: desk.workspace })
  const entries = await memory.list()
  await memory.close()
  return entries
}

describe('a hook', () => {
  const start = { hook_event_name: 'SessionStart', session_id: 's', source: 'startup' }

  it('makes no workspace where there is none, unless there is something to save', async () => {
    const desk = new Desk()
    mkdirSync(join(desk.folder, 'home'))
    const before = desk.hash()
    expect(context(await ask(desk, start))).toContain('# Memory')
    expect(await ask(desk, prompted(PROMPT))).toEqual({})
    expect(await ask(desk, saving(join(desk.folder, 'gone')))).toEqual({})
    expect(desk.hash()).toBe(before)
    expect(await ask(desk, saving(transcriptAt(desk)('claude')))).toEqual({})
    expect(existsSync(join(desk.folder, 'home/.keepsake/agents/main/sessions'))).toBe(true)
  })

  it('looks for the memory where the agent works', async () => {
    const [desk, elsewhere] = [new Desk(), await Desk.furnished()]
    const below = join(elsewhere.folder, 'deep/down')
    mkdirSync(below, { recursive: true })
    expect(context(await ask(desk, { ...prompted(PROMPT), cwd: below }))).toContain('heron')
    expect(await ask(desk, { ...prompted(PROMPT), cwd: desk.folder })).toEqual({})
    const named = ['claude', '--workspace', elsewhere.workspace]
    expect(context(await ask(desk, { ...prompted(PROMPT), cwd: desk.folder }, named))).toContain('heron')
  })

  it('obeys agent.yaml', async () => {
    const desk = await Desk.furnished()
    const yaml = (text: string): void => writeFileSync(join(desk.folder, 'agent.yaml'), text)
    yaml('spec:\n  memory:\n    auto_recall: false\n    inject_memory: false\n')
    expect(await ask(desk, prompted(PROMPT))).toEqual({})
    expect(context(await ask(desk, start))).not.toContain('an agent with a memory')
    yaml('spec: {}\n')
    expect(await ask(desk, prompted(PROMPT))).toEqual({})
    expect(await ask(desk, start)).toEqual({})
    expect(await ask(desk, saving(transcriptAt(desk)('claude')))).toEqual({})
    expect(transcriptFiles(desk)).toEqual([])
  })

  it('tells what is wrong when a session starts, and not with every prompt', async () => {
    const desk = await Desk.furnished()
    writeFileSync(join(desk.folder, 'agent.yaml'), 'spec:\n  memory:\n    tools: [nonsense\n')
    const { systemMessage = '', hookSpecificOutput } = await ask(desk, start)
    expect(systemMessage).toMatch(/^keepsake: .*agent\.yaml/)
    expect([systemMessage.length <= 300, systemMessage.includes('\n')]).toEqual([true, false])
    expect(hookSpecificOutput).toBeUndefined()
    expect(await ask(desk, prompted(PROMPT))).toEqual({})
    const end = saving(transcriptAt(desk)('claude'))
    expect((await ask(desk, end)).systemMessage).toMatch(/^keepsake: /)
    expect(await ask(desk, { ...end, hook_event_name: 'Stop' }, ['codex'])).toEqual({})
    // A mistake of our own: the operand that is always there is not.
    expect((await ask(desk, start, [])).systemMessage).toMatch(/^keepsake: this should not happen: /)
    expect(await ask(desk, prompted(PROMPT), [])).toEqual({})
  })

  it('gives what is there where nothing can be written', async () => {
    const desk = await Desk.furnished()
    const folder = join(desk.workspace, 'agents/main')
    writeFileSync(join(folder, 'sessions'), 'a file in the place of a folder')
    expect(context(await ask(desk, prompted(PROMPT)))).toContain('heron')
    expect((await ask(desk, saving(transcriptAt(desk)('claude')))).systemMessage).toMatch(/^keepsake: /)
    expect(readFileSync(join(folder, 'sessions'), 'utf8')).toBe('a file in the place of a folder')
  })

  it('takes a transcript that has grown, and nothing of it twice', async () => {
    const desk = await Desk.furnished()
    const path = transcriptAt(desk)('claude')
    const event = { hook_event_name: 'PreCompact', session_id: 's', transcript_path: path }
    await Promise.all([ask(desk, event), ask(desk, event)])
    const last = { ...JSON.parse(TRANSCRIPTS['claude']?.trim().split('\n').at(-1) ?? ''), uuid: 'another' }
    last.message = { ...last.message, id: 'n', content: [{ type: 'text', text: 'One more thing.' }] }
    writeFileSync(path, `${TRANSCRIPTS['claude']}${JSON.stringify(last)}\n{"type":"user","uu`)
    await ask(desk, event)
    const memory = await openMemory({ workspace: desk.workspace })
    const { turns } = await memory.session('claude-s').view()
    expect(turns.map(({ content }) => content)).toEqual([PROMPT, ANSWER, 'One more thing.'])
    await memory.close()
  })

  it('warns at the start of a file that can not be read, once', async () => {
    const desk = await Desk.furnished()
    desk.edit('agents/main/MEMORY.md', Buffer.from([0xff, 0xfe, 0x00]))
    const first = await ask(desk, start)
    expect(first.systemMessage).toMatch(/^keepsake: .*MEMORY\.md/)
    expect(context(first)).toContain('# Memory')
    expect((await ask(desk, { ...start, source: 'resume' })).systemMessage).toBeUndefined()
  })
})

describe('a text that is longer than a client takes', () => {
  const long = (line: string): string => `Intro\n\n<memory>\n${`${line}\n`.repeat(3000)}</memory>`

  it.each([
    ['claude', 'plain words', (text: string) => text.length],
    ['claude', 'größe 日本 🦁', (text: string) => text.length],
    ['codex', 'größe 日本 🦁', (text: string) => Buffer.byteLength(text)],
    ['codex', '🦁'.repeat(500), (text: string) => Buffer.byteLength(text)],
  ] as const)('is cut for %s, says so, and its block is closed (%#)', (client, line, size) => {
    const text = fitted(long(line), client)
    expect(size(text)).toBeLessThanOrEqual(10_000)
    expect(size(text)).toBeGreaterThan(5000)
    expect(text).toMatch(/^Intro\n\n<memory>\n[\s\S]*\n\n\(The rest does not fit here; .*\)\n<\/memory>$/)
    expect(text.isWellFormed()).toBe(true)
  })

  it('is left alone for Gemini CLI, and where it fits', () => {
    expect(fitted(long('x'), 'gemini')).toBe(long('x'))
    expect(fitted('short', 'claude')).toBe('short')
    expect(fitted('x'.repeat(20_000), 'claude')).toMatch(/x\n\n\(The rest .*\)$/)
    expect(fitted(`${'directive\n'.repeat(2000)}<memory>\nm\n</memory>`, 'claude')).not.toContain('</memory>')
  })
})
