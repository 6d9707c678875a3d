/** What the agents of the sample do, one word each, so that the story reads as a list. */
import type { Memory, RememberOptions, TurnInput } from '../../memory.ts'

export type Act = (memory: Memory) => Promise<unknown>

export function log(text: string, more: RememberOptions = {}): Act {
  return (memory) => memory.remember(text, more)
}

export function note(name: string, text: string, more: RememberOptions = {}): Act {
  return (memory) => memory.remember(text, { name, ...more })
}

export function fact(name: string, text: string, more: RememberOptions = {}): Act {
  return note(name, text, { kind: 'fact', ...more })
}

export function learn(topic: string, text: string, more: RememberOptions = {}): Act {
  return (memory) => memory.learnFact(topic, text, more)
}

export function reflect(text: string): Act {
  return (memory) => memory.reflect(text)
}

export function happened(text: string): Act {
  return (memory) => memory.remember(text, { kind: 'history' })
}

export function rename(from: string, to: string): Act {
  return (memory) => memory.rename(from, to)
}

export function alias(ref: string, name: string): Act {
  return (memory) => memory.alias(ref, name)
}

export function forget(ref: string): Act {
  return (memory) => memory.forget(ref)
}

/** The newest change, whoever made it. */
export function undo(): Act {
  return (memory) => memory.undo()
}

/** By a person, as on the page. */
export function byHand(ref: string, content: string): Act {
  return (memory) => memory.apply([{ op: 'write', ref, content }], { origin: { by: 'user' } })
}

/** By words: the sample is not to wait for a model. */
export function recall(query: string): Act {
  return (memory) => memory.recall({ query, mode: 'lexical' })
}

/** An act for each turn: they come one by one, as they were said. */
export function say(session: string, turns: readonly TurnInput[]): readonly Act[] {
  return turns.map((turn) => (memory) => memory.session(session).append(turn))
}

/** As a model would have condensed it; the rest is what always happens. */
export function condense(session: string, reply: { readonly historyEntry: string; readonly memory: string }): Act {
  return async (memory) => {
    const { consolidate } = await import('../../consolidate/consolidate.ts')
    const content = JSON.stringify({ history_entry: reply.historyEntry, memory_update: reply.memory })
    await consolidate(memory, session, { model: async () => ({ content }) })
  }
}

export function set(key: string, value: string): Act {
  return (memory) => memory.setContext(key, value)
}
