/** Models for tests of condensing. A function is a model like any other: what counts is what it answers, and when. */
import type { Memory } from '../../src/memory.ts'
import type { Complete } from '../../src/ports/complete.ts'
import type { Session } from '../../src/session/session.ts'

/** A good reply; a part that is left out is not in it. */
export function reply(history?: string, memory?: string): string {
  return JSON.stringify({
    ...(history === undefined ? {} : { history_entry: history }),
    ...(memory === undefined ? {} : { memory_update: memory }),
  })
}

export interface AskedModel {
  readonly model: Complete
  readonly prompts: string[]
}

/** Answers with these texts in turn, and with the last from then on; a function is called with the prompt. */
export function answering(
  ...answers: readonly (string | ((prompt: string) => string | Promise<string>))[]
): AskedModel {
  const prompts: string[] = []
  return {
    prompts,
    model: async (prompt) => {
      const answer = answers[Math.min(prompts.length, answers.length - 1)] ?? ''
      prompts.push(prompt)
      return { content: typeof answer === 'string' ? answer : await answer(prompt) }
    },
  }
}

/** As a model that is down. */
export function failing(message = 'connection refused'): AskedModel {
  return answering(() => {
    throw new Error(message)
  })
}

export async function memoryText(memory: Memory): Promise<string | undefined> {
  return (await memory.get('MEMORY'))?.content
}

export async function textsOf(memory: Memory, kind: 'history' | 'archive'): Promise<string[]> {
  return (await memory.list({ kinds: [kind] })).map(({ content }) => content)
}

export async function said(session: Session): Promise<string[]> {
  return (await session.transcript()).turns.map(({ content }) => content)
}

/** About 5,000 tokens an exchange: four make more than one piece. */
export function longExchanges(from: number, to: number): string[] {
  const long = 'some words of a long question '.repeat(420)
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  return numbers.flatMap((n) => [`question ${n} ${long}`, `answer ${n} ${long}`])
}

/** MEMORY.md as a prompt shows it. */
export function shownMemory(prompt = ''): string {
  return /## Current Long-term Memory\n\n([\s\S]*?)\n\n#/.exec(prompt)?.[1] ?? prompt
}

/** Question and answer in turn, in one append. */
export async function sayAll(session: Session, texts: readonly string[]): Promise<void> {
  await session.append(texts.map((content, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', content }) as const))
}
