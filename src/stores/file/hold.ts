/**
 * Keeps a file open for what is read from it bit by bit and by nobody knows whom, such as a history: until whoever holds this is
 * gone. A file that a fold has replaced would else be closed under its reader.
 */
import type { OneFile } from './one-file.ts'

export interface Hold {
  readonly file: OneFile
}

const holders = new FinalizationRegistry<OneFile>((file) => file.release())

export function holdFile(file: OneFile): Hold {
  const hold: Hold = { file }
  file.hold()
  holders.register(hold, file)
  return hold
}
