/** A connection to a server in RAM, for stores that are opened on it: see ram-shelf.ts for what can go wrong on the way. */
import type { Connection } from '../../src/stores/chroma/server/connection.ts'
import type { Shelf } from '../../src/stores/chroma/server/shelf.ts'
import { RamShelf } from './ram-shelf.ts'
import { RamVectors } from './ram-vectors.ts'

/** `time`: the server's clock. */
export function ramConnection(
  log: Shelf = new RamShelf(),
  memories: RamVectors = new RamVectors(),
  time: () => number = Date.now,
): Connection {
  return {
    address: 'chroma://ram',
    log,
    memories,
    check: async () => undefined,
    prepare: async () => undefined,
    refuseForeign: async () => undefined,
    time: async () => time(),
    close: () => undefined,
  }
}
