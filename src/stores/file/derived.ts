/**
 * Derived bytes in the one file: a frame each, the last one of a key counts. It is neither synced nor acknowledged, and one that
 * is not whole any more is as good as none; a fold leaves out what was overwritten. Makes no file, and what could not be kept
 * is no error.
 */
import { crc32 } from 'node:zlib'
import { encodeDerived } from '../../codec/one-file/named-bytes.ts'
import { isKeepsakeError } from '../../errors.ts'
import type { Derived } from '../../ports/store.ts'
import { uncounted } from '../disk/reading.ts'
import { safeFileName } from '../disk/safe-file-name.ts'
import type { FileFollower } from './follower.ts'
import { isOfThis } from './past.ts'
import type { Turns } from './turn.ts'

/** So long a reader that would only be faster next time waits for writers. */
const PATIENCE_MS = 2000

export function fileDerived(follower: FileFollower, turns: Turns, enter: () => void): Derived {
  return {
    async read(key) {
      enter()
      refuseNoName(key)
      try {
        const { file, catalogue } = follower.catchUp() ?? {}
        const place = catalogue?.derived.get(key)
        return place && file?.proved(place, uncounted)
      } catch (error) {
        if (!isKeepsakeError(error)) throw error
        return undefined // whoever wants it makes it anew
      }
    },
    async write(key, bytes, madeFrom) {
      enter()
      refuseNoName(key)
      const patience = AbortSignal.timeout(PATIENCE_MS)
      try {
        if (!follower.catchUp()) return false
        return await turns.exclusively(async (turn) => {
          if (madeFrom && !(follower.state && isOfThis(follower.state, madeFrom))) return false
          await turn.append('derv', encodeDerived({ key }, bytes, crc32), { durable: false })
          return true
        }, patience)
      } catch (error) {
        if (!isKeepsakeError(error) && !patience.aborted) throw error
        return false
      }
    },
  }
}

/** As in every store: a key is any text but none. */
function refuseNoName(key: string): void {
  safeFileName(key, 'key')
}
