/** Events and transcripts as the agent programs write them, with a place filled in; taken from real ones, and shortened. */

export interface SampleEvent {
  readonly client: string
  readonly event: Readonly<Record<string, unknown>>
}

const CODEX = { model: 'fake', permission_mode: 'bypassPermissions' }

/** Every event that one of the clients sends, in the order of a session. */
export function sampleEvents(cwd: string, transcript: (client: string) => string): readonly SampleEvent[] {
  const event = (client: string, name: string, more: object): SampleEvent => ({
    client,
    event: { session_id: `${client}-1`, transcript_path: transcript(client), cwd, hook_event_name: name, ...more },
  })
  return [
    event('claude', 'SessionStart', { source: 'startup' }),
    event('claude', 'UserPromptSubmit', { prompt_id: '8d22', permission_mode: 'default', prompt: PROMPT }),
    event('claude', 'PreCompact', { trigger: 'manual', custom_instructions: '' }),
    event('claude', 'SessionStart', { source: 'compact' }),
    event('claude', 'SessionEnd', { prompt_id: '8d22', reason: 'other' }),
    event('codex', 'SessionStart', { ...CODEX, source: 'startup' }),
    event('codex', 'UserPromptSubmit', { ...CODEX, turn_id: '01a1', prompt: PROMPT }),
    event('codex', 'Stop', { ...CODEX, turn_id: '01a1', stop_hook_active: false, last_assistant_message: ANSWER }),
    event('gemini', 'SessionStart', { timestamp: AT, source: 'startup' }),
    event('gemini', 'BeforeAgent', { timestamp: AT, prompt: `<hook_context>Posters</hook_context>\n\n${PROMPT}` }),
    event('gemini', 'PreCompress', { timestamp: AT, trigger: 'auto' }),
    event('gemini', 'PreCompress', { timestamp: AT, trigger: 'auto' }),
    event('gemini', 'SessionEnd', { timestamp: AT, reason: 'exit' }),
  ]
}

/** Of the furnished desk, it finds the topic about the staging server. */
export const PROMPT = 'which name has the staging server?'
export const ANSWER = 'Its name is heron, I think.'
const AT = '2026-11-15T19:29:10.111Z'

/** By client: two turns, and what the client itself put between them. */
export const TRANSCRIPTS: Readonly<Record<string, string>> = {
  claude: lines(
    { type: 'queue-operation', operation: 'enqueue', timestamp: AT, sessionId: 'x', content: PROMPT },
    {
      ...{ parentUuid: null, isSidechain: false, type: 'user', uuid: '3429e7e8-e63d-46f9-8f7b-fa49ecbe5a67' },
      ...{ timestamp: AT, sessionId: 'x', message: { role: 'user', content: PROMPT } },
    },
    {
      ...{ parentUuid: '3429e7e8-e63d-46f9-8f7b-fa49ecbe5a67', isSidechain: false, type: 'assistant', sessionId: 'x' },
      ...{ uuid: '25232414-57ea-47de-a438-037f936bc40a', timestamp: AT },
      message: { id: 'm', type: 'message', role: 'assistant', content: [{ type: 'text', text: ANSWER }] },
    },
  ),
  codex: lines(
    { timestamp: AT, ordinal: 0, type: 'session_meta', payload: { id: 'x', timestamp: AT, cwd: '/project' } },
    item('msg_1', 'developer', 'input_text', 'From the hook'),
    item('msg_2', 'user', 'input_text', PROMPT),
    item('msg_3', 'assistant', 'output_text', ANSWER),
  ),
  gemini: lines(
    { sessionId: 'x', projectHash: '41', startTime: AT, lastUpdated: AT, kind: 'main' },
    { id: 'ef0d', timestamp: AT, type: 'user', content: [{ text: `<hook_context>Ctx</hook_context>\n\n${PROMPT}` }] },
    { $set: { lastUpdated: AT } },
    { id: 'd47d', timestamp: AT, type: 'gemini', content: ANSWER, thoughts: [], model: 'fake' },
  ),
}

function item(id: string, role: string, type: string, text: string): object {
  const payload = { type: 'message', id, role, content: [{ type, text }] }
  return { timestamp: AT, type: 'response_item', payload }
}

function lines(...records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}
