/** A model in RAM that says what it is told to, and keeps what it was asked. A function is a real model: nothing stands in for code of ours. */
import type { Memory, Turn } from '../../src/memory.ts'
import type { Complete, CompleteOptions, Completion } from '../../src/ports/complete.ts'

export type Asked = CompleteOptions & { readonly message: string }
export type Says = Partial<Completion> | ((asked: Asked) => Partial<Completion> | Promise<Partial<Completion>>)

export interface Talker {
  readonly complete: Complete
  readonly asked: Asked[]
}

/** One after the other; then `ok`. */
export function saying(...answers: readonly Says[]): Talker {
  const asked: Asked[] = []
  const complete: Complete = async (message, options) => {
    const says = answers[asked.length] ?? {}
    const question = { ...options, message }
    asked.push(question)
    const said = typeof says === 'function' ? await says(question) : says
    return { content: said.content ?? (said.toolCalls ? '' : 'ok'), ...said }
  }
  return { complete, asked }
}

export function calls(name: string, args: Record<string, string> = {}, id = `call-${name}`): Partial<Completion> {
  return { toolCalls: [{ id, name, arguments: args }], stop: 'tools' }
}

export async function turnsOf(memory: Memory, session = 'chat-1'): Promise<readonly Turn[]> {
  return (await memory.session(session).transcript()).turns
}

/** As `role: content`. */
export async function said(memory: Memory, session?: string): Promise<string[]> {
  return (await turnsOf(memory, session)).map(({ role, content }) => `${role}: ${content}`)
}
