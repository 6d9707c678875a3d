/** The two stores that sessions are tested on: files, opened anew each time as another process would, and RAM. */
import type { MemorySettings } from '../../src/memory/settings.ts'
import { Memory } from '../../src/memory.ts'
import type { Session } from '../../src/session/session.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Workspace } from './workspace.ts'

export interface Place {
  open(settings?: MemorySettings): Memory
  remove(): Promise<void>
}

export const PLACES: readonly (readonly [string, () => Place])[] = [
  ['files', () => new Workspace()],
  ['RAM', ramPlace],
]

function ramPlace(): Place {
  const store = memoryStore({ settings: { timezone: 'UTC' } })
  return { open: (settings) => new Memory(store, 'main', Date.now, settings), remove: () => store.close() }
}

/** Exchanges from a number on: what the user says about it and what is answered. */
export async function talk(session: Session, from: number, to: number = from): Promise<void> {
  for (let n = from; n <= to; n++) {
    await session.append([
      { role: 'user', content: `question ${n}` },
      { role: 'assistant', content: `answer ${n}` },
    ])
  }
}

export async function liveTexts(session: Session): Promise<string[]> {
  return (await session.view()).turns.map(({ content }) => content)
}

/** As they stand in a transcript of these exchanges. */
export function exchanges(from: number, to: number = from): string[] {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  return numbers.flatMap((n) => [`question ${n}`, `answer ${n}`])
}
