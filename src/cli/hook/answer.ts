/**
 * From an event of an agent program to what it is answered. A hook helps or is silent: whatever fails, the answer is one
 * object that the client takes, and what fails with every prompt is told once, at the start of the session.
 */
import { isOnServer } from '../../config/keys.ts'
import type { Config } from '../../config/load-config.ts'
import { isKeepsakeError, KeepsakeError } from '../../errors.ts'
import type { Memory } from '../../memory.ts'
import { abortable } from '../../model/abortable.ts'
import type { CallOptions } from '../../ports/store.ts'
import { markInvisible } from '../../prompt/invisible.ts'
import { usageError } from '../arguments.ts'
import type { Context } from '../command.ts'
import { refuseForeignServer } from '../own-server.ts'
import { ownership } from '../own-workspaces.ts'
import { elsewhereOf } from '../running-server.ts'
import { type HookEvent, type Moment, parseEvent } from './event.ts'
import { fitted } from './fitted.ts'
import { HOOK_CLIENTS, type HookClient } from './hook-clients.ts'
import { folderToldBy, projectFolder, type SessionOfClient } from './project-folder.ts'

export interface HookAnswer {
  /** Shown to the person by each of the clients. */
  readonly systemMessage?: string
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string }
}

type Request = Pick<Context, 'given' | 'asked'>

interface Answering extends SessionOfClient {
  /** When the client asked, by `performance.now()`. */
  readonly askedAtMs: number
  /** Ends what a server takes too long for. */
  readonly late: AbortSignal
}

/** A client waits for its hooks. Fingerprints that can't be kept in time are no loss; a transcript may have its last chance. */
const LOCK_WAIT_MS: Readonly<Record<Moment, number>> = { start: 1000, prompt: 1000, save: 3000 }
/** Of a server, for one request. */
const REQUEST_MS = 2000
/** Of a server, for all that is asked for one answer. With a write that was sent before, it is within what install tells clients to wait. */
const ANSWER_MS: Readonly<Record<Moment, number>> = { start: 5000, prompt: 5000, save: 40_000 }
/** In UTF-16 units: as much as is looked at of a message anyway. */
const MOST_OF_A_PROMPT = 100_000
const LONGEST_MESSAGE = 300

export async function answerTo(text: string, request: Request): Promise<HookAnswer> {
  const askedAtMs = performance.now()
  const event = parseEvent(text)
  const limit = new AbortController()
  let timer: NodeJS.Timeout | undefined
  try {
    const client = clientCalled(request.given.operand(0))
    if (!event) return {}
    const ms = ANSWER_MS[event.moment]
    timer = setTimeout(() => limit.abort(tooSlow(ms)), ms)
    const session = { client, event, askedAtMs, late: limit.signal }
    if (event.moment === 'save') return await saved(session, request)
    // What the last hook of a session could not save is still in its transcript when the session goes on.
    const late = event.source === 'resume' ? await saved(session, request).catch((error) => failure(error, event)) : {}
    return { ...late, ...(await given(session, request)) }
  } catch (error) {
    return failure(error, event)
  } finally {
    clearTimeout(timer)
  }
}

/** `event`: the one that it failed for; undefined where it was none, and then a person may have called this. */
export function failure(error: unknown, event: HookEvent | undefined): HookAnswer {
  // Stop's answer can hold the agent up; and a prompt's would say the same again and again.
  if (event?.moment === 'prompt' || event?.name === 'Stop') return {}
  const message = error instanceof Error ? error.message : String(error)
  return told(isKeepsakeError(error) ? message : `this should not happen: ${message}`)
}

async function given(of: Answering, request: Request): Promise<HookAnswer> {
  const { client, event, askedAtMs } = of
  if (event.moment === 'prompt' && (event.prompt ?? '').trim() === '') return {}
  return withMemory(await configFor(of, request), of, async (memory, limits) => {
    const session = memory.session(keyOf(of))
    const call = { ...limits, askedAtMs }
    if (event.moment === 'prompt') {
      const part = await session.autoRecall((event.prompt ?? '').slice(0, MOST_OF_A_PROMPT), call)
      return withContext(event, fitted(part?.text ?? '', client))
    }
    const { system, warnings } = await session.context(call)
    // Who resumes, clears or compacts has been told when it began.
    const isNew = event.source === undefined || event.source === 'startup'
    return {
      ...(isNew && warnings.length > 0 ? told(warnings.join('; ')) : {}),
      ...withContext(event, fitted(system, client)),
    }
  })
}

async function saved(of: Answering, request: Request): Promise<HookAnswer> {
  // A transcript may be long: it is not read where it is known before that there is no memory for it.
  const known = folderToldBy(of.client) === undefined ? undefined : await configFor(of, request)
  if (known && !known.enabled) return {}
  const { transcriptOf } = await import('./transcript-file.ts')
  const transcript = transcriptOf(of, request.asked)
  // A session without a word must not make a workspace.
  if (!transcript) return {}
  const { turns, given, cwd } = transcript
  const config = known ?? (await configFor({ ...of, begunIn: cwd }, request))
  await withMemory(config, of, async (memory, limits) => {
    if (memory.store.capabilities.sessions !== true) return {}
    await memory.session(keyOf(of)).import(turns, { slide: false, given, ...limits })
    return {}
  })
  // By the file alone: who has a key in the environment has not asked for a model to read every conversation.
  if (isOver(of) && config.enabled && config.values.llm) {
    const { condenseLater } = await import('./condense-later.ts')
    const unwilling = condenseLater(keyOf(of), config)
    if (unwilling !== undefined) return told(unwilling)
  }
  return {}
}

/** Codex ends a session without a word; its Stop comes with every turn. */
function isOver({ event }: SessionOfClient): boolean {
  return event.name === 'SessionEnd'
}

async function configFor(of: SessionOfClient, { given, asked }: Request): Promise<Config> {
  const { configAsked } = await import('../asked-config.ts')
  const { workspace, agent } = asked
  const config = await configAsked({ given, asked: { workspace, agent, cwd: projectFolder(of, asked) } })
  if (config.enabled) refuseForeignServer(config)
  return config
}

/** The memory where the agent works; without `spec.memory` it is given none. */
async function withMemory(
  config: Config,
  { event, late }: Answering,
  use: (memory: Memory, limits: CallOptions) => Promise<HookAnswer>,
): Promise<HookAnswer> {
  if (!config.enabled) return {}
  const [{ openStore }, { openMemory }] = await Promise.all([import('../../memory/open.ts'), import('../../memory.ts')])
  const { onCreated, distrust } = ownership(config)
  const patience = { lockWaitMs: LOCK_WAIT_MS[event.moment], requestMs: REQUEST_MS }
  const { store, agent, settings } = await openStore(config, { ...patience, onCreated })
  // Never by loading a model: a client waits.
  const memory = await openMemory({ store, agent, ...settings, searchBy: 'words', ...elsewhereOf(config), distrust })
  // Files are near: what takes long there is the first look at them, which must come to its end once.
  const limits = isOnServer(config.values.backend) ? { signal: late } : {}
  try {
    return await abortable(() => use(memory, limits), limits.signal)
  } finally {
    await memory.close()
  }
}

function tooSlow(ms: number): KeepsakeError {
  return new KeepsakeError('TIMEOUT', `the memory did not answer within ${ms / 1000} s`, {
    hint: 'Look whether its server is busy, or far away.',
  })
}

function clientCalled(word: string): HookClient {
  const client = HOOK_CLIENTS.find((name) => name === word)
  if (client) return client
  throw usageError(`there are no hooks for "${word}"`, `Known are ${HOOK_CLIENTS.join(', ')}.`)
}

function keyOf({ client, event }: SessionOfClient): string {
  return `${client}-${event.sessionId}`
}

function withContext({ name }: HookEvent, text: string): HookAnswer {
  return text === '' ? {} : { hookSpecificOutput: { hookEventName: name, additionalContext: text } }
}

function told(message: string): HookAnswer {
  const line = markInvisible(`keepsake: ${message}`.replace(/[\s\p{Cc}]+/gu, ' ').trim())
  return {
    systemMessage: line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE - 1).toWellFormed()}…` : line,
  }
}
