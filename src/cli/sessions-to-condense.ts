/** Which sessions `keepsake consolidate --all` condenses: those that nobody is in the middle of. */
import type { Memory } from '../memory.ts'
import { HOOK_CLIENTS } from './hook/hook-clients.ts'

/** Whoever has not said a word for so long has gone. */
const IDLE_MS = 600_000

/** Keys, oldest session first. What a hook saved is a copy: the program that it is of keeps the conversation itself. */
export async function sessionsToCondense(memory: Memory): Promise<string[]> {
  const now = memory.clock()
  const isIdle = (lastAt: string | null): boolean => lastAt === null || now - Date.parse(lastAt) > IDLE_MS
  const isSaved = (key: string): boolean => HOOK_CLIENTS.some((client) => key.startsWith(`${client}-`))
  const sessions = await memory.sessions()
  return sessions
    .filter(({ key, turns, lastAt }) => turns > 0 && (isIdle(lastAt) || isSaved(key)))
    .map(({ key }) => key)
}
