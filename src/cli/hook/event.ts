/**
 * What an agent program tells a hook: one JSON object, of which a few fields count. Anybody may have written it, so a field
 * that is not what it should be is as good as missing, and nothing here throws.
 */

/** What is to be done: give the context, give what is found for a prompt, or save the transcript. */
export type Moment = 'start' | 'prompt' | 'save'

export interface HookEvent {
  readonly name: string
  readonly moment: Moment
  readonly sessionId: string
  readonly cwd?: string
  /** Of a start: what began it. */
  readonly source?: string
  readonly prompt?: string
  readonly transcriptPath?: string
}

/** The events of all clients; no two of them mean different things by one name. */
const MOMENTS: ReadonlyMap<string, Moment> = new Map([
  ['SessionStart', 'start'],
  ['UserPromptSubmit', 'prompt'],
  ['BeforeAgent', 'prompt'],
  ['PreCompact', 'save'],
  ['PreCompress', 'save'],
  ['SessionEnd', 'save'],
  ['Stop', 'save'],
])

/** Those of the clients have 36 characters. */
const LONGEST_SESSION_ID = 200

/** `undefined`: it is no event that a hook does anything for. */
export function parseEvent(text: string): HookEvent | undefined {
  const fields = fieldsOf(text)
  const name = fields('hook_event_name')
  const moment = name === undefined ? undefined : MOMENTS.get(name)
  const sessionId = fields('session_id')
  if (name === undefined || moment === undefined || sessionId === undefined) return undefined
  if (sessionId.length > LONGEST_SESSION_ID) return undefined
  const [cwd, source, prompt, transcriptPath] = ['cwd', 'source', 'prompt', 'transcript_path'].map(fields)
  return {
    name,
    moment,
    sessionId,
    ...(cwd === undefined ? {} : { cwd }),
    ...(source === undefined ? {} : { source }),
    ...(prompt === undefined ? {} : { prompt: withoutHookContext(prompt) }),
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
  }
}

/** Reads the texts of an object that are not empty. */
function fieldsOf(text: string): (name: string) => string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return () => undefined
  }
  return (name) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    const field: unknown = (value as Record<string, unknown>)[name] // an object with that name
    return typeof field === 'string' && field !== '' ? field : undefined
  }
}

const OPENED = '<hook_context>'
const CLOSED = '</hook_context>'

/** Gemini CLI puts what the hooks of the start have given in front of the first prompt: nobody said that. */
function withoutHookContext(prompt: string): string {
  let rest = prompt.trimStart()
  while (rest.startsWith(OPENED)) {
    const end = rest.indexOf(CLOSED)
    if (end === -1) break
    rest = rest.slice(end + CLOSED.length).trimStart()
  }
  return rest
}
