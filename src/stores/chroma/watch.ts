/**
 * Notices what others write while a process lives on: a server tells nobody, so it is asked now and then. What changed is not told:
 * whoever is called looks. It keeps no process alive.
 */
import { isKeepsakeError } from '../../errors.ts'
import type { Watch } from '../../ports/store.ts'

const ASK_MS = 2000

/** `stateOf`: what tells two states of the memory apart. */
export async function watchServer(stateOf: () => Promise<string>, changed: () => void): Promise<Watch> {
  let last = await fingerprint(stateOf)
  let looking: Promise<void> | undefined
  let isStopped = false
  const look = async (): Promise<void> => {
    const now = await fingerprint(stateOf)
    if (isStopped || now === last) return
    last = now
    changed()
  }
  const timer = setInterval(() => {
    // A slow server is not asked again before it has answered.
    looking ??= look().finally(() => {
      looking = undefined
    })
  }, ASK_MS).unref()
  return {
    async stop() {
      isStopped = true
      clearInterval(timer)
      await looking
    },
  }
}

/** Out of reach for now is a state too, and so is its end. */
async function fingerprint(stateOf: () => Promise<string>): Promise<string> {
  try {
    return await stateOf()
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return error.message
  }
}
