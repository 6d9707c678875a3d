/** The readers of foreign transcripts: what they take, what they leave out, and that nothing in a file can trip them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { block } from '../../model/injected.ts'
import { formatOf, type ImportedTurn, readTranscript, TRANSCRIPT_FORMATS, type TranscriptFormat } from './index.ts'

const AT = '2026-11-15T19:23:02.777Z'

type Line = Record<string, unknown> | string

function file(...lines: readonly Line[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
}

/** `role: text` with the tools behind it. */
function told(turns: readonly ImportedTurn[]): string[] {
  return turns.map(({ role, content, tools }) => `${role}: ${content}${tools ? ` [${tools.join(' ')}]` : ''}`)
}

function read(format: TranscriptFormat, ...lines: readonly Line[]): string[] {
  return told(readTranscript(file(...lines), format).turns)
}

function claude(type: string, content: unknown, more: Record<string, unknown> = {}): Record<string, unknown> {
  const { uuid = `${type}-${JSON.stringify(content)}`, ...others } = more
  return {
    type,
    message: { role: type, content },
    uuid,
    timestamp: AT,
    sessionId: 's-1',
    isSidechain: false,
    ...others,
  }
}

function codex(payload: Record<string, unknown>, timestamp: string = AT): Record<string, unknown> {
  return { timestamp, type: 'response_item', payload }
}

function codexSaid(role: string, text: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  return codex({ type: 'message', id: `msg-${text}`, role, content: [{ type, text }], ...more })
}

function gemini(
  id: string,
  type: string,
  content: unknown,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return { id, timestamp: AT, type, content, ...more }
}

const GEMINI_HEAD = { sessionId: 'g-1', projectHash: 'f00', startTime: AT, lastUpdated: AT, kind: 'main' }

describe('a transcript of Claude Code', () => {
  it('gives texts, names of tools, and results', () => {
    expect(
      read(
        'claude',
        claude('user', 'Which port does staging use?'),
        claude('assistant', [
          { type: 'thinking', thinking: 'hidden' },
          { type: 'text', text: 'I will look.' },
          { type: 'text', text: 'One moment.' },
          { type: 'tool_use', id: 't1', name: 'mcp__memo__recall', input: {} },
          { type: 'tool_use', id: 't2', name: 'Bash', input: {} },
        ]),
        claude('user', [
          { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'port 8443' }, { type: 'image' }] },
          { type: 'tool_result', tool_use_id: 't2', content: 'done' },
          { type: 'text', text: 'Hurry.' },
        ]),
        claude('assistant', [{ type: 'text', text: '8443.' }]),
      ),
    ).toEqual([
      'user: Which port does staging use?',
      'assistant: I will look.\n\nOne moment. [mcp__memo__recall Bash]',
      'tool: port 8443 [mcp__memo__recall]',
      'tool: done [Bash]',
      'user: Hurry.',
      'assistant: 8443.',
    ])
  })

  it.each<[string, Line]>([
    ['meta lines', claude('user', 'Caveat: local', { isMeta: true })],
    ['side chains', claude('user', 'search the code', { isSidechain: true })],
    ['summaries of a compaction', claude('user', 'This session goes on from …', { isCompactSummary: true })],
    ['what only the screen shows', claude('user', 'shown', { isVisibleInTranscriptOnly: true })],
    ['errors of the API', claude('assistant', [{ type: 'text', text: 'API Error' }], { isApiErrorMessage: true })],
    ['thinking', claude('assistant', [{ type: 'thinking', thinking: 'x' }])],
    ['bare commands', claude('user', '<command-name>/clear</command-name>\n<command-args></command-args>')],
    ['output of commands', claude('user', '<local-command-stdout>Bye!</local-command-stdout>')],
    ['reminders', claude('user', [{ type: 'text', text: '<system-reminder>\nUse the tool\n</system-reminder>' }])],
    ['reminders that were cut', claude('user', '<system-reminder>\nUse the to…')],
    ['interruptions', claude('user', [{ type: 'text', text: '[Request interrupted by user for tool use]' }])],
    ['what an interruption leaves', claude('user', 'half', { interruptedMessageId: 'm' })],
    [
      'what the program queued',
      { type: 'attachment', uuid: 'q', attachment: { type: 'queued_command', prompt: 'x', origin: { kind: 'task' } } },
    ],
    [
      'queued commands of the shell',
      { type: 'attachment', uuid: 'q', attachment: { type: 'queued_command', prompt: 'x', commandMode: 'bash' } },
    ],
    ['what a shell said, both on one line', claude('user', '<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>')],
    ['two contexts on one line', claude('user', '<hook_context>a</hook_context> <hook_context>b</hook_context>\n')],
    ['pictures', claude('user', [{ type: 'image', source: {} }])],
    ['our own blocks', claude('user', block('recall', 'Staging uses 8443.'))],
    ['titles', { type: 'summary', summary: 'Staging', leafUuid: 'u' }],
    ['the system', { type: 'system', subtype: 'compact_boundary', content: 'Compacted', uuid: 'b', sessionId: 's-1' }],
    ['attachments', { type: 'attachment', uuid: 'a', sessionId: 's-1', attachment: { type: 'task_reminder' } }],
    ['requests', { type: 'api-request-blob', sessionId: 's-1', message: { role: 'user', content: 'x' } }],
    ['queues', { type: 'queue-operation', operation: 'enqueue', sessionId: 's-1', content: 'twice' }],
    ['words put into its mouth', { ...claude('assistant', []), message: { model: '<synthetic>', content: 'No.' } }],
  ])('leaves out %s', (_, line) => {
    expect(read('claude', line)).toEqual([])
  })

  it('keeps what was typed beside what the program added', () => {
    expect(
      read(
        'claude',
        claude('user', `<system-reminder>note</system-reminder>\nFix it.\n${block('recall', 'x')}`),
        claude(
          'user',
          '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>the parser</command-args>',
        ),
        claude('user', '<bash-input>git status</bash-input>'),
        claude('user', 'What does `<system-reminder>` mean?'),
        {
          type: 'attachment',
          uuid: 'q',
          timestamp: AT,
          attachment: { type: 'queued_command', prompt: 'And the tests.' },
        },
      ),
    ).toEqual([
      'user: Fix it.',
      'user: /review the parser',
      'user: ! git status',
      'user: What does `<system-reminder>` mean?',
      'user: And the tests.',
    ])
  })

  it.each([
    ['a question about a tag', '<system-reminder> is a tag I keep seeing. What does it mean?'],
    ['a tag further on', 'Look:\n<system-reminder>\nand no end'],
    ['a fence', 'Why does this fail?\n```xml\n<session_context>\n  <user/>\n</session_context>\n```\nPlease mend it.'],
    ['a fence in a list', '1. So:\n   ~~~\n   <hook_context>a</hook_context>\n   ~~~'],
    ['a fence behind a block', '```\n<bash-stdout>a</bash-stdout>\n```'],
  ])('keeps what a person wrote: %s', (_, text) => {
    expect(read('claude', claude('user', `<system-reminder>\n\`\`\`\n</system-reminder>\n${text}`))).toEqual([
      `user: ${text}`,
    ])
    expect(read('claude', claude('user', text))).toEqual([`user: ${text}`])
  })

  it('takes what stands behind a fence without an end for the block that it is', () => {
    const text = 'Look:\n```\nsome code\n<system-reminder>\nnote\n</system-reminder>'
    expect(read('claude', claude('user', text))).toEqual(['user: Look:\n```\nsome code'])
  })

  it('leaves what a model wrote as it is, our own blocks apart', () => {
    const text = '<system-reminder>\ntags are put in by the program.\n</system-reminder>'
    expect(read('claude', claude('assistant', [{ type: 'text', text: `${text}\n${block('recall', 'x')}` }]))).toEqual([
      `assistant: ${text}`,
    ])
    expect(read('codex', codexSaid('assistant', text))).toEqual([`assistant: ${text}`])
    expect(read('gemini', gemini('a', 'gemini', text))).toEqual([`assistant: ${text}`])
  })

  it('takes the id of the session from the last line, since a session that goes on has its past in front', () => {
    const { sessionId } = readTranscript(file(claude('user', 'a', { sessionId: 'old' }), claude('user', 'b')), 'claude')
    expect(sessionId).toBe('s-1')
  })

  it('bounds the result of a tool, and says how much is missing', () => {
    const result = [{ type: 'tool_result', tool_use_id: 't', content: `${'x'.repeat(1999)}🦁${'y'.repeat(998)}` }]
    const [turn] = readTranscript(file(claude('user', result)), 'claude').turns
    expect(turn?.content).toBe(`${'x'.repeat(1999)}\n… (1000 more characters left out)`)
  })

  it('counts what is missing of a result without the blanks around it and the blocks of the client', () => {
    const content = `\n${block('recall', 'found before')}\n${'x'.repeat(2500)}\n\n`
    const [turn] = readTranscript(
      file(claude('user', [{ type: 'tool_result', tool_use_id: 't', content }])),
      'claude',
    ).turns
    expect(turn?.content).toBe(`${'x'.repeat(2000)}\n… (500 more characters left out)`)
  })
})

describe('a transcript of Codex', () => {
  it('gives texts, names of tools, and results, each once', () => {
    const call = { type: 'function_call', id: 'fc_1', name: 'recall', namespace: 'mcp__memo', call_id: 'c1' }
    expect(
      read(
        'codex',
        { timestamp: AT, type: 'session_meta', payload: { id: 'x-1' } },
        codexSaid('user', 'Which port?'),
        { timestamp: AT, type: 'event_msg', payload: { type: 'user_message', message: 'Which port?' } },
        codex({ type: 'reasoning', summary: [], encrypted_content: 'x' }),
        codex(call),
        codex({
          type: 'function_call_output',
          call_id: 'c1',
          output: '{"output":"8443\\n","metadata":{"exit_code":0}}',
        }),
        codex({ type: 'custom_tool_call', name: 'apply_patch', call_id: 'c2', input: '…' }),
        codex({ type: 'custom_tool_call_output', call_id: 'c2', output: { content: [{ type: 'text', text: 'ok' }] } }),
        codex({ type: 'local_shell_call', call_id: 'c3', action: {} }),
        codex({ type: 'web_search_call', action: {} }),
        codexSaid('assistant', '8443.'),
        { timestamp: AT, type: 'event_msg', payload: { type: 'agent_message', message: '8443.' } },
        {
          timestamp: AT,
          type: 'compacted',
          payload: { message: 'sum', replacement_history: [codexSaid('user', 'copy')] },
        },
      ),
    ).toEqual([
      'user: Which port?',
      'assistant:  [mcp__memo__recall]',
      'tool: 8443 [mcp__memo__recall]',
      'assistant:  [apply_patch]',
      'tool: ok [apply_patch]',
      'assistant:  [local_shell]',
      'assistant:  [web_search]',
      'assistant: 8443.',
    ])
  })

  it.each<[string, Line]>([
    ['developers', codexSaid('developer', 'MEMO')],
    ['environments', codexSaid('user', '<environment_context>\n  <cwd>/x</cwd>\n</environment_context>')],
    ['environments that were cut', codexSaid('user', '<environment_context>\n  <cw…')],
    ['AGENTS.md', codexSaid('user', '# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>')],
    ['summaries', codexSaid('user', 'Another language model started to solve this problem and so on')],
    ['aborted turns', codexSaid('user', '<turn_aborted>\nby the user\n</turn_aborted>')],
    ['our own blocks', codexSaid('user', block('memory', 'x'))],
    ['skills', codexSaid('user', '<skill>\n<name>x</name>\nDo it.\n</skill>')],
    ['prompts of hooks', codexSaid('user', '<hook_prompt hook_run_id="stop:0">Go on.</hook_prompt>')],
    ['warnings', codexSaid('user', 'Warning: The maximum number of unified exec processes is reached')],
    [
      'what the program says it has added',
      codexSaid('user', 'added', {
        internal_chat_message_metadata_passthrough: { content_item_metadata: [{ provenance: { type: 'harness' } }] },
      }),
    ],
  ])('leaves out %s', (_, line) => {
    expect(read('codex', line)).toEqual([])
  })

  it.each([
    '# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\n',
    '\n# Files mentioned by the user:\n\n## a.png: /a.png\n\n## My request for Codex:\n',
    '# Files mentioned by the user:\n\n## a.png: /a.png\n\n## My request:\n',
    '# Files pasted by the user:\n\n## My request:\n',
    '# Browser comments:\n\n## User Comment 1\nPage URL: x\n\n## My request for Codex:\n',
    '\n## Referenced chats with Codex:\nThese are references.\n[{"threadId":"a"}]\n## My request:\n',
    '<in-app-browser-context source="x">\nopen\n</in-app-browser-context>\n## My request:\n',
  ])('takes what was typed in an editor or app without what it put before: %j', (preface) => {
    const typed = 'Fix it.\n\n## My request:\nis a heading of mine.'
    expect(read('codex', codexSaid('user', `${preface}${typed}\n`))).toEqual([`user: ${typed}`])
  })

  it('leaves the frames of pictures out, and keeps what was asked about them', () => {
    const texts = ['<image name=[Image #1]>', '</image>', 'What is on <image>?'].map((text) => ({
      type: 'input_text',
      text,
    }))
    const [opening, ...others] = texts
    const content = [opening, { type: 'input_image', image_url: 'data:' }, ...others]
    expect(read('codex', codex({ type: 'message', id: 'm', role: 'user', content }))).toEqual([
      'user: What is on <image>?',
    ])
  })

  it('is known in its older forms', () => {
    const items = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Again' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Again' }] },
      { type: 'function_call', name: 'shell', call_id: 'c' },
      { type: 'function_call_output', call_id: 'c', output: 'ok' },
    ]
    const expected = ['user: Again', 'user: Again', 'assistant:  [shell]', 'tool: ok [shell]']
    const bare = file({ id: 'x-0', timestamp: AT, instructions: null }, { record_type: 'state' }, ...items)
    const document = JSON.stringify({ session: { id: 'x-0', timestamp: AT }, items }, null, 2)
    for (const text of [bare, document]) {
      expect(formatOf(text)).toBe('codex')
      const { sessionId, turns, skipped } = readTranscript(text, 'codex')
      expect([sessionId, told(turns), skipped]).toEqual(['x-0', expected, []])
    }
  })

  it('has ids that come again in other sessions, and keeps those apart by their times', () => {
    const calls = [AT, '2026-11-16T00:00:00.000Z'].map((at) =>
      codex({ type: 'function_call', id: 'fc_1', name: 'ls' }, at),
    )
    expect(read('codex', ...calls)).toHaveLength(2)
  })

  it('belongs to the first session that it names: a fork has its parent in it, too', () => {
    const metas = ['child', 'parent'].map((id) => ({ timestamp: AT, type: 'session_meta', payload: { id } }))
    expect(readTranscript(file(...metas), 'codex').sessionId).toBe('child')
  })
})

describe('a transcript of Gemini CLI', () => {
  const response = (id: string, output: string): Record<string, unknown> => ({
    functionResponse: { id, name: 'recall', response: { output } },
  })

  it('gives each message once, where it first stood and as it was last, and leaves out what is still empty', () => {
    const call = { id: 'c1', name: 'recall', args: {} }
    expect(
      read(
        'gemini',
        GEMINI_HEAD,
        { $set: { messages: [gemini('s', 'user', [{ text: '<session_context>\nThis is …' }])] } },
        gemini('u1', 'user', [
          { text: '<hook_context>A</hook_context>\n\nWhich port?' },
          { text: '<hook_context>B</hook_context>' },
        ]),
        gemini('m1', 'gemini', ''),
        gemini('m0', 'gemini', ''),
        gemini('m1', 'gemini', '', { toolCalls: [call] }),
        gemini('m1', 'gemini', '', { toolCalls: [{ ...call, result: [response('c1', '8443')], timestamp: AT }] }),
        gemini('u2', 'user', [response('c1', '<untrusted_context>\n8443\n</untrusted_context>')]),
        gemini('m2', 'gemini', [{ text: 'hidden', thought: true }, { text: '8443.' }]),
        gemini('i', 'info', 'Update available'),
      ),
    ).toEqual(['user: Which port?', 'assistant:  [recall]', 'tool: 8443 [recall]', 'assistant: 8443.'])
  })

  it('takes back what was rewound, and nothing for a place that it does not know', () => {
    const lines = [gemini('a', 'user', 'keep'), gemini('b', 'user', 'rewound'), gemini('c', 'gemini', 'too')]
    expect(read('gemini', GEMINI_HEAD, ...lines, { $rewindTo: 'b' }, gemini('d', 'user', 'after'))).toEqual([
      'user: keep',
      'user: after',
    ])
    expect(read('gemini', GEMINI_HEAD, ...lines, { $rewindTo: 'z' })).toHaveLength(3)
  })

  it('keeps what was said before a compression, and not the copies behind it', () => {
    const copies = [
      gemini('x', 'user', [{ text: '<state_snapshot>sum</state_snapshot>' }]),
      gemini('y', 'user', 'Hello'),
    ]
    expect(read('gemini', GEMINI_HEAD, gemini('a', 'user', 'Hello'), { $set: { messages: copies } })).toEqual([
      'user: Hello',
    ])
  })

  it('gives what was typed, not the files that it names', () => {
    const parts = [{ text: 'Explain @a.ts' }, { text: '--- Content from referenced files ---' }, { text: 'const a' }]
    expect(read('gemini', gemini('a', 'user', parts))).toEqual(['user: Explain @a.ts'])
    expect(read('gemini', gemini('a', 'user', parts, { displayContent: 'Explain a' }))).toEqual(['user: Explain a'])
  })

  it('is known in its older form', () => {
    const document = { ...GEMINI_HEAD, messages: [gemini('a', 'user', 'Hi'), gemini('b', 'gemini', 'Hello')] }
    const text = JSON.stringify(document, null, 2)
    expect(formatOf(text)).toBe('gemini')
    const { sessionId, turns } = readTranscript(text, 'gemini')
    expect([sessionId, told(turns)]).toEqual(['g-1', ['user: Hi', 'assistant: Hello']])
  })
})

const WHOLE: Readonly<Record<TranscriptFormat, readonly Line[]>> = {
  claude: [
    claude('user', 'one', { uuid: '1' }),
    claude('assistant', [{ type: 'tool_use', id: 't', name: 'Bash' }], { uuid: '2' }),
    claude('user', [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }], { uuid: '3' }),
    claude('assistant', [{ type: 'text', text: 'two' }], { uuid: '4' }),
  ],
  codex: [
    { timestamp: AT, type: 'session_meta', payload: { id: 'x-1' } },
    codexSaid('user', 'one'),
    codex({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'same' }] }),
    codex({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'same' }] }),
    codex({ type: 'function_call', name: 'shell', call_id: 'c' }),
    codex({ type: 'function_call_output', call_id: 'c', output: 'ok' }),
  ],
  gemini: [
    GEMINI_HEAD,
    gemini('1', 'user', 'one'),
    gemini('2', 'gemini', '', { toolCalls: [{ id: 'c', name: 'ls' }] }),
    gemini('3', 'gemini', 'two'),
  ],
}

describe.each(TRANSCRIPT_FORMATS)('any transcript of %s', (format) => {
  const lines = WHOLE[format]
  const all = readTranscript(file(...lines), format).turns

  it('is known by its lines, also behind a broken one', () => {
    expect(formatOf(file(...lines))).toBe(format)
    expect(formatOf(file('{"half', '', '[1]', ...lines))).toBe(format)
    for (const line of lines) expect(formatOf(file(line))).toBe(format)
  })

  it('gives the same turns under the same ids after it has grown', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    for (let count = 0; count <= lines.length; count++) {
      const { turns } = readTranscript(file(...lines.slice(0, count)), format)
      expect(turns).toEqual(all.slice(0, turns.length))
    }
  })

  it('gives each message once where lines are doubled', () => {
    const doubled = format === 'codex' ? lines.filter((line) => !JSON.stringify(line).includes('same')) : lines
    expect(readTranscript(file(...doubled, ...doubled), format).turns).toEqual(
      readTranscript(file(...doubled), format).turns,
    )
  })

  it('tells lines that are broken, by number, and reads the others', () => {
    const [first = '', ...others] = lines
    const text = `${file(first, '{"type":', '17', '', ...others)}{"type":"user","mess`
    const { turns, skipped } = readTranscript(text, format)
    expect(turns).toEqual(all)
    expect(skipped).toEqual([
      { line: 2, problem: 'is not JSON' },
      { line: 3, problem: 'is not a JSON object' },
      { line: lines.length + 4, problem: 'is cut off' },
    ])
  })

  it('is read with a byte order mark and ends of lines of Windows', () => {
    const text = `\ufeff${file(...lines).replaceAll('\n', '\r\n')}`
    expect([formatOf(text), readTranscript(text, format)]).toEqual([format, readTranscript(file(...lines), format)])
  })

  it('makes no turn that a memory could not keep', () => {
    const hostile = 'a\u0000b\ud800c'
    const said: Readonly<Record<TranscriptFormat, Line>> = {
      claude: claude('user', hostile),
      codex: codexSaid('user', hostile),
      gemini: gemini('h', 'user', hostile),
    }
    expect(read(format, said[format])).toEqual(['user: a\ufffdb\ufffdc'])
  })

  it('gives a message without a time that of the one before it', () => {
    const late: Readonly<Record<TranscriptFormat, Line>> = {
      claude: claude('user', 'late', { timestamp: 'soon' }),
      codex: codex({ type: 'message', role: 'user', content: 'late' }, 'soon'),
      gemini: gemini('l', 'user', 'late', { timestamp: 17 }),
    }
    const { turns } = readTranscript(file(...lines, late[format]), format)
    expect(turns.at(-1)).toMatchObject({ content: 'late', at: AT })
    expect(readTranscript(file(late[format]), format).turns[0]).not.toHaveProperty('at')
  })

  it('is read without a fault whatever stands in it', () => {
    const keys = fc.constantFrom(
      ...['type', 'message', 'content', 'payload', 'role', 'id', 'uuid', '$set', '$rewindTo', 'messages', 'toolCalls'],
      ...['timestamp', 'attachment', 'output', 'result', 'functionResponse', 'text', '__proto__', 'session', 'items'],
    )
    const words = fc.constantFrom(
      'user',
      'assistant',
      'gemini',
      'response_item',
      'message',
      'function_call',
      'text',
      AT,
    )
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 5 }, words, fc.jsonValue(), tie('list'), tie('map')),
      list: fc.array(tie('node'), { maxLength: 3 }),
      map: fc.dictionary(keys, tie('node'), { maxKeys: 6 }),
    }))
    const line = fc.oneof(
      node.map((value) => JSON.stringify(value)),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (some) => {
        const text = some.join('\n')
        formatOf(text)
        for (const { id, role, content, at } of readTranscript(text, format).turns) {
          expect(id).toMatch(/^[0-9a-f-]{36}$/)
          expect(['user', 'assistant', 'tool']).toContain(role)
          expect(typeof content).toBe('string')
          if (at !== undefined) expect(new Date(at).toISOString()).toBe(at)
        }
      }),
      { numRuns: 300 },
    )
  })

  // Work far from linear would run into the test's timeout.
  it('is read in one pass, however long and hostile it is', () => {
    const fences = [3, 4, 5, 6, 7, 8].map((length) => `${' '.repeat(length)}${'~'.repeat(length)}\n`).join('')
    const openings = `<system-reminder>\n<hook_context>\n<task-notification \n\`\`\`\n${fences}`.repeat(20_000)
    const said: Readonly<Record<TranscriptFormat, Line>> = {
      claude: claude('user', `${'\n'.repeat(500_000)}x\n${openings}<command-name><command-args>`),
      codex: codexSaid('user', `x\n${openings}`),
      gemini: gemini('h', 'user', `x\n${openings}`),
    }
    const rewinds = Array.from({ length: 20_000 }, (_, index) => ({ $rewindTo: `${index % 2 === 0 ? '1' : 'z'}` }))
    readTranscript(file(said[format], ...lines, ...rewinds, '['.repeat(200_000)), format)
  })
})

describe('a text that is no transcript', () => {
  it.each(['', '\n\n', 'Hello', '{}', '[]', '{"a":1}\n{"b":2}\n', '{\n "a": 1\n}'])(
    'is not taken for one: %j',
    (text) => {
      expect(formatOf(text)).toBeUndefined()
    },
  )
})
