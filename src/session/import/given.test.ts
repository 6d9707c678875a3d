/** What a transcript shows to have been given by this memory, and where the session began. */
import { describe, expect, it } from 'vitest'
import { block } from '../../model/injected.ts'
import { isTranscriptOf, readTranscript, TRANSCRIPT_FORMATS, type TranscriptFormat } from './index.ts'

const AT = '2026-11-15T19:23:02.777Z'
const RECALL = block('recall', 'Staging uses 8443.')
const MEMORY = block('memory', 'Ada likes tea.')
const FOUND = '## Today\n\nWe use Postgres 17.'
const DATA = { results: [{ content: 'We use Postgres 17.', name: 'Database' }] }

function file(...lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

function claudeTool(name: string, text: string): object[] {
  const [use, result] = [
    { type: 'tool_use', id: name, name },
    { type: 'tool_result', tool_use_id: name, content: text },
  ]
  return [
    { type: 'assistant', uuid: `${name}1`, sessionId: 's', cwd: '/b', message: { content: [use] } },
    { type: 'user', uuid: `${name}2`, sessionId: 's', cwd: '/c', message: { content: [result] } },
  ]
}

function item(payload: object): object {
  return { timestamp: AT, type: 'response_item', payload }
}

function codexTool(namespace: string, output: string): object[] {
  const call_id = `${namespace}-1`
  return [
    item({ type: 'function_call', name: 'recall', namespace, call_id }),
    item({ type: 'function_call_output', call_id, output }),
  ]
}

function geminiTool(name: string, output: string): object {
  const result = [{ functionResponse: { id: name, name, response: { output } } }]
  return { id: name, timestamp: AT, type: 'gemini', content: '', toolCalls: [{ id: name, name, result }] }
}

/** By client: our blocks from hooks and another's tool, the answer of our tool, and what is none of ours. */
const SESSIONS: Readonly<Record<TranscriptFormat, string>> = {
  claude: file(
    { type: 'queue-operation', sessionId: 's' },
    {
      ...{ type: 'attachment', uuid: 'a', sessionId: 's', cwd: '/project' },
      attachment: {
        type: 'hook_additional_context',
        content: [`Of others.\n${RECALL}`],
        hookEvent: 'UserPromptSubmit',
      },
    },
    { type: 'user', isMeta: true, uuid: 'u', sessionId: 's', message: { content: `A hook said: ${MEMORY}` } },
    ...claudeTool('mcp__keepsake__recall', FOUND),
    ...claudeTool('mcp__keepsake_notes__recall', 'Not ours.'),
    ...claudeTool('Bash', 'Not ours.'),
    {
      type: 'assistant',
      uuid: 'l',
      sessionId: 's',
      message: { content: [{ type: 'text', text: block('recap', 'said') }] },
    },
  ),
  codex: file(
    { timestamp: AT, type: 'session_meta', payload: { id: 's', cwd: '/project' } },
    { timestamp: AT, type: 'turn_context', payload: { cwd: '/elsewhere' } },
    item({ type: 'message', role: 'developer', content: [{ type: 'input_text', text: `Of others.\n${RECALL}` }] }),
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: `Hello\n${MEMORY}` }] }),
    ...codexTool('mcp__keepsake', `Wall time: 0.01 seconds\nOutput:\n${JSON.stringify(DATA)}`),
    ...codexTool('mcp__other', JSON.stringify(DATA)),
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: block('recap', 'said') }] }),
  ),
  gemini: file(
    { sessionId: 's', projectHash: 'f', startTime: AT },
    {
      ...{ id: 'u', timestamp: AT, type: 'user', displayContent: 'Hello' },
      content: [
        { text: `<hook_context>${RECALL}</hook_context>\n\nHello` },
        { text: `<hook_context>${MEMORY}</hook_context>` },
      ],
    },
    geminiTool('mcp_keepsake_recall', `<untrusted_context>\n${FOUND}\n</untrusted_context>`),
    geminiTool('read_file', 'Not ours.'),
    { id: 'g', timestamp: AT, type: 'gemini', content: block('recap', 'said') },
  ),
}

describe.each(TRANSCRIPT_FORMATS)('a transcript of %s', (format) => {
  it('tells what was given by us: blocks, and answers of our own tools', () => {
    const found = format === 'codex' ? 'We use Postgres 17.\n\nDatabase' : FOUND
    const { given } = readTranscript(SESSIONS[format], format)
    expect(given.map(({ text }) => text)).toEqual([RECALL, MEMORY, found])
  })

  it('tells when it was given first, where the line has a time', () => {
    const timed = SESSIONS[format]
      .trimEnd()
      .split('\n')
      .map((line, n) => ({ ...JSON.parse(line), timestamp: `2026-11-15T10:00:0${n}Z` }))
    const { given } = readTranscript(file(...timed, ...timed.slice(1)), format)
    const seconds = given.map(({ at }) => Number(at?.slice(17, 19)))
    expect(seconds).toEqual({ claude: [1, 2, 4], codex: [2, 3, 5], gemini: [1, 1, 2] }[format])
    const untimed = timed.map(({ timestamp: _, ...line }) => line)
    const times = readTranscript(file(...untimed), format).given.map(({ at }) => at)
    expect(times).toEqual([undefined, undefined, undefined])
  })

  it('tells our blocks in the answer of any tool', () => {
    const sessions = {
      claude: file(...claudeTool('Bash', `$ keepsake context\n${RECALL}`)),
      codex: file(...codexTool('mcp__other', RECALL)),
      gemini: file(geminiTool('read_file', RECALL)),
    }
    expect(readTranscript(sessions[format], format).given).toMatchObject([{ text: RECALL }])
  })

  it('is one of that program only', () => {
    const known = TRANSCRIPT_FORMATS.filter((name) => isTranscriptOf(name, SESSIONS[format]))
    expect(known).toEqual([format])
  })

  it('names the folder in which the session began', () => {
    expect(readTranscript(SESSIONS[format], format).cwd).toBe(format === 'gemini' ? undefined : '/project')
  })
})
