/**
 * From an event of an agent program to what it is answered. A hook helps or is silent: whatever fails, the answer is one
 * object that the client takes, and what fails with every prompt is told once, at the start of the session.
 */
import type { Config } from '../../config/load-config.ts'
import { isKeepsakeError } from '../../errors.ts'
import type { Memory } from '../../memory.ts'
import { usageError } from '../arguments.ts'
import type { Context } from '../command.ts'
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

/** A client waits for its hooks. Fingerprints that can't be kept in time are no loss; a transcript may have its last chance. */
const LOCK_WAIT_MS: Readonly<Record<Moment, number>> = { start: 1000, prompt: 1000, save: 3000 }
/** In UTF-16 units: as much as is looked at of a message anyway. */
const MOST_OF_A_PROMPT = 100_000
const LONGEST_MESSAGE = 300

export async function answerTo(text: string, request: Request): Promise<HookAnswer> {
  const event = parseEvent(text)
  try {
    const client = clientCalled(request.given.operand(0))
    if (!event) return {}
    const session = { client, event }
    if (event.moment === 'save') return await saved(session, request)
    // What the last hook of a session could not save is still in its transcript when the session goes on.
    const late = event.source === 'resume' ? await saved(session, request).catch((error) => failure(error, event)) : {}
    return { ...late, ...(await given(session, request)) }
  } catch (error) {
    return failure(error, event)
  }
}

/** `event`: the one that it failed for; undefined where it was none, and then a person may have called this. */
export function failure(error: unknown, event: HookEvent | undefined): HookAnswer {
  // Stop's answer can hold the agent up; and a prompt's would say the same again and again.
  if (event?.moment === 'prompt' || event?.name === 'Stop') return {}
  const message = error instanceof Error ? error.message : String(error)
  return told(isKeepsakeError(error) ? message : `this should not happen: ${message}`)
}

async function given(of: SessionOfClient, request: Request): Promise<HookAnswer> {
  const { client, event } = of
  if (event.moment === 'prompt' && (event.prompt ?? '').trim() === '') return {}
  return withMemory(await configFor(of, request), event, async (memory) => {
    const session = memory.session(keyOf(of))
    if (event.moment === 'prompt') {
      const part = await session.autoRecall((event.prompt ?? '').slice(0, MOST_OF_A_PROMPT))
      return withContext(event, fitted(part?.text ?? '', client))
    }
    const { system, warnings } = await session.context()
    // Who resumes, clears or compacts has been told when it began.
    const isNew = event.source === undefined || event.source === 'startup'
    return {
      ...(isNew && warnings.length > 0 ? told(warnings.join('; ')) : {}),
      ...withContext(event, fitted(system, client)),
    }
  })
}

async function saved(of: SessionOfClient, request: Request): Promise<HookAnswer> {
  // A transcript may be long: it is not read where it is known before that there is no memory for it.
  const known = folderToldBy(of.client) === undefined ? undefined : await configFor(of, request)
  if (known && !known.enabled) return {}
  const { transcriptOf } = await import('./transcript-file.ts')
  const transcript = transcriptOf(of, request.asked)
  // A session without a word must not make a workspace.
  if (!transcript) return {}
  const { turns, given, cwd } = transcript
  const config = known ?? (await configFor({ ...of, begunIn: cwd }, request))
  await withMemory(config, of.event, async (memory) => {
    await memory.session(keyOf(of)).import(turns, { slide: false, given })
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
  return configAsked({ given, asked: { workspace, agent, cwd: projectFolder(of, asked) } })
}

/** The memory where the agent works; without `spec.memory` it is given none. */
async function withMemory(
  config: Config,
  { moment }: HookEvent,
  use: (memory: Memory) => Promise<HookAnswer>,
): Promise<HookAnswer> {
  if (!config.enabled) return {}
  const [{ openStore }, { openMemory }] = await Promise.all([import('../../memory/open.ts'), import('../../memory.ts')])
  const { store, agent, settings } = await openStore(config, { lockWaitMs: LOCK_WAIT_MS[moment] })
  // Never by loading a model: a client waits.
  const memory = await openMemory({ store, agent, ...settings, searchBy: 'words', ...elsewhereOf(config) })
  try {
    return await use(memory)
  } finally {
    await memory.close()
  }
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
  const line = `keepsake: ${message}`.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return {
    systemMessage: line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE - 1).toWellFormed()}…` : line,
  }
}
