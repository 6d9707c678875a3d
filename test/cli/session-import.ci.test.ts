/** `keepsake session import`: transcripts of agent programs, as they grow. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatOf, readTranscript } from '../../src/session/import/index.ts'
import { Desk, type Printed } from './keepsake.ts'

const NOW = new Date().toISOString()

function line(uuid: string, type: 'user' | 'assistant', content: unknown, timestamp = NOW): string {
  return `${JSON.stringify({ type, uuid, sessionId: 's-1', timestamp, message: { role: type, content } })}\n`
}

const FIRST = line('1', 'user', 'Which port does staging use?')
const CALL = line('2', 'assistant', [{ type: 'tool_use', id: 't', name: 'mcp__memo__recall', input: {} }])
const RESULT = line('3', 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'port 8443' }])
const LAST = line('4', 'assistant', [{ type: 'text', text: '8443.' }])

describe.concurrent('session import', () => {
  it('takes each message once, of a file that grows only what is new, and tells broken lines', async () => {
    const desk = await Desk.empty()
    const path = join(desk.folder, 'claude.jsonl')
    // Cut within a character, as a program leaves it that is still writing.
    writeFileSync(
      path,
      Buffer.concat([Buffer.from(FIRST + CALL), Buffer.from('{"type":"user","x":"ü').subarray(0, -1)]),
    )
    const { status, ...first } = await desk.json(['session', 'import', 'claude.jsonl'])
    expect(first).toEqual({
      key: 'claude-s-1',
      from: 'claude',
      added: 2,
      grown: 0,
      already: 0,
      skipped: [{ line: 3, problem: 'is cut off' }],
      warnings: ['claude.jsonl, line 3: is cut off; it was skipped'],
    })
    writeFileSync(path, FIRST + CALL + RESULT + LAST)
    const { stdout } = await desk.run(['session', 'import', 'claude.jsonl'])
    expect(stdout).toBe(
      'Imported into session "claude-s-1"\n  new    2 turns\n  known  2 turns\n  from   Claude Code\n',
    )
    appendFileSync(path, LAST)
    expect(await desk.json(['session', 'import', '-'], { input: readFileSync(path) })).toMatchObject({
      added: 0,
      already: 4,
    })
    const { session } = await desk.json(['session', 'show', 'claude-s-1'])
    expect(session.turns.map(({ role, content, tools }: Printed) => [role, content, tools])).toEqual([
      ['user', 'Which port does staging use?', []],
      ['assistant', '', ['mcp__memo__recall']],
      ['tool', 'port 8443', ['mcp__memo__recall']],
      ['assistant', '8443.', []],
    ])
    const { messages } = await desk.json(['session', 'window', 'claude-s-1'])
    expect(messages.map(({ role }: Printed) => role)).toEqual(['user', 'tool', 'assistant'])
  })

  it('says of old turns that search does not find them, and takes no answer of our own tools for new', async () => {
    const desk = await Desk.empty()
    const fact = 'The staging host is called heron and listens on port 8443.'
    const call = [{ type: 'tool_use', id: 't', name: 'mcp__keepsake__recall', input: {} }]
    const lines = [
      FIRST,
      line('2', 'assistant', call),
      line('3', 'user', [{ type: 'tool_result', tool_use_id: 't', content: fact }]),
      line('4', 'assistant', [{ type: 'text', text: fact }]),
      ...Array.from({ length: 6 }, (_, index) => line(`n${index}`, 'user', `Next ${index}`)),
    ]
    const young = await desk.run(['session', 'import', '-'], { input: lines.join('') })
    expect(young.stdout).not.toContain('transcript only')
    const { entries } = await desk.json(['list', '--kind', 'conversation'])
    expect(entries.map(({ content }: Printed) => content).sort()).toEqual(['Next 0', 'Which port does staging use?'])
    const old = line('0', 'user', 'An old question', '2020-01-01T00:00:00.000Z')
    const { stdout } = await desk.run(['session', 'import', '-', '--key', 'old'], { input: old })
    expect(stdout).toBe(
      'Imported into session "old"\n  new   1 turn\n  from  Claude Code\nOld turns outside the window are in the transcript only; search does not find them.\n',
    )
  })

  it('adds to the session that is named, of the program that is named', async () => {
    const desk = await Desk.empty()
    const bare = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }
    const input = `${JSON.stringify(bare)}\n`
    const nameless = await desk.json(['session', 'import', '-'], { input })
    expect([nameless.status, nameless.error]).toEqual([
      2,
      {
        code: 'INVALID',
        message: 'standard input does not say which session it is of',
        hint: expect.stringContaining('--key'),
      },
    ])
    expect(await desk.json(['session', 'import', '-', '--key', 'a/b', '--from', 'codex'], { input })).toMatchObject({
      key: 'a/b',
      from: 'codex',
      added: 1,
    })
  })

  it('refuses what is no transcript, and makes no session of it', async () => {
    const desk = await Desk.empty()
    const before = desk.hash()
    for (const input of ['', 'Hello\n', '{"a":1}\n']) {
      const { status, error } = await desk.json(['session', 'import', '-', '--key', 'k'], { input })
      expect([status, error?.message]).toEqual([2, 'FILE: standard input is no transcript that is known here'])
    }
    const other = await desk.json(['session', 'import', '-', '--from', 'gemini'], { input: FIRST })
    expect([other.status, other.error?.message]).toEqual([2, 'FILE: standard input is no transcript of Gemini CLI'])
    expect((await desk.json(['session', 'import', '-', '--from', 'vim'])).error.message).toContain('from: "vim"')
    expect(desk.hash()).toBe(before)
  })
})

const SAMPLES = resolve(import.meta.dirname, '../../../shared/reference/transcripts')
const MISSING = existsSync(SAMPLES) ? undefined : 'there are no ../shared/reference/transcripts'
if (MISSING !== undefined) console.warn(`SKIPPED: real transcripts: ${MISSING}`)

describe.skipIf(MISSING !== undefined)('real transcripts', () => {
  it.each([
    ['claude-code', 'claude', 'mcp__memo__recall'],
    ['codex', 'codex', 'mcp__memo__recall'],
    ['gemini-cli', 'gemini', 'mcp_memo_recall'],
  ] as const)('of %s are read', (name, format, tool) => {
    const text = readFileSync(join(SAMPLES, `${name}.jsonl`), 'utf8')
    expect(formatOf(text)).toBe(format)
    const { sessionId, turns, skipped } = readTranscript(text, format)
    expect(sessionId).toMatch(/^[0-9a-f-]{36}$/)
    expect(skipped).toEqual([])
    expect(turns.map(({ role, content, tools }) => [role, content.slice(0, 14), tools])).toEqual([
      ['user', 'remember note?', undefined],
      ['assistant', '', [tool]],
      ['tool', expect.stringMatching(/./), [tool]],
      ['assistant', 'FINAL: got too', undefined],
    ])
  })
})
