/** The scripted model for tests of the command line: one server for a file of tests, and the environment that names it. */
import { type ScriptedModel, type ScriptedReply, startScriptedModel } from '../../examples/scripted-model.mjs'
import { afterThisFile } from '../clean-up.ts'

/** What the model says next; once it is said, it is gone. Empty: what the server says without a script. */
export const replies: ScriptedReply[] = []

let running: Promise<ScriptedModel> | undefined

export async function scriptedModel(): Promise<ScriptedModel> {
  if (!running) {
    running = startScriptedModel({ reply: () => replies.shift() })
    afterThisFile(end)
  }
  return running
}

async function end(): Promise<void> {
  await (await running)?.close()
  running = undefined
  replies.length = 0
}

export async function modelEnvironment(): Promise<Readonly<Record<string, string>>> {
  return { OPENAI_BASE_URL: (await scriptedModel()).url, OPENAI_MODEL: 'scripted' }
}

/** As a model answers that was asked to condense. */
export function condensing(history: string, memory: string): ScriptedReply {
  return { text: JSON.stringify({ history_entry: history, memory_update: memory }) }
}
