/**
 * Keeps a file open for what is read from it bit by bit and by nobody knows whom, such as a history: until it is released, or whoever
 * holds this is gone, or the store is closed. A file that a fold has replaced would else be closed under its reader.
 */
import type { OneFile } from './one-file.ts'

export interface Hold {
  readonly file: OneFile
  /** More than once is as good. */
  release(): void
}

const holders = new FinalizationRegistry<OneFile>((file) => file.release())

export function holdFile(file: OneFile): Hold {
  let isHeld = true
  const hold: Hold = {
    file,
    release() {
      if (!isHeld) return
      isHeld = false
      holders.unregister(hold)
      file.release()
    },
  }
  file.hold()
  holders.register(hold, file, hold)
  return hold
}
